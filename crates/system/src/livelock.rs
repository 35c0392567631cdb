//! Livelocks: runs that go on forever, in which a process never ends. Follows the usual search for fair cycles: strongly connected
//! parts of the whole graph, from which states are taken where somebody could move who never does.
//!
//! Reductions keep final states and where each process can come to, but not cycles. So the whole graph is made, without any reduction;
//! the trees of the processes are known by then.

use std::collections::{BTreeSet, VecDeque};

use rapidhash::RapidHashMap;

use crate::found::{Doubt, Exploration, Move, Stopped, Violation, ViolationKind, Watch};
use crate::op::Pid;
use crate::options::{Fairness, Options};
use crate::perform::Choice;
use crate::state::State;
use crate::world::World;

/// Who must get a chance: a process, or its alarm clock.
type Actor = (Pid, bool);

fn actor(one: &Move) -> Actor {
    (one.pid, one.choice == Choice::Ring)
}

/// A state of the graph.
struct Vertex {
    /// Where it was reached from first, and how; how far it is from the first state.
    from: Option<(usize, Move)>,
    depth: usize,
    /// The processes that have not ended and must.
    running: Vec<Pid>,
    /// Who can move.
    can: Vec<Actor>,
    edges: Vec<(Move, usize)>,
}

/// Looks for livelocks and adds them to what was found.
pub(crate) fn look_for(
    world: &mut World<'_>,
    fairness: Fairness,
    options: &Options,
    watch: &mut dyn Watch,
    found: &mut Exploration,
) {
    let graph = whole(world, options, watch, found);
    let pids: BTreeSet<Pid> = graph.iter().flat_map(|vertex| vertex.running.iter().copied()).collect();
    for pid in pids {
        let members: Vec<usize> = (0..graph.len()).filter(|&at| graph[at].running.contains(&pid)).collect();
        let Some(part) = fair_part(&graph, members, fairness) else { continue };
        let (from, run) = lasso(&graph, &part);
        found.violations.push(Violation { kind: ViolationKind::Livelock { from }, pid: Some(pid), run });
        if !options.all_violations {
            found.stopped = Some(Stopped::Violation);
            return;
        }
    }
}

/// All states, breadth first. If the search is stopped, some are missing.
fn whole(world: &mut World<'_>, options: &Options, watch: &mut dyn Watch, found: &mut Exploration) -> Vec<Vertex> {
    let mut graph: Vec<Vertex> = Vec::new();
    let mut known: RapidHashMap<State, usize> = RapidHashMap::default();
    let mut open = VecDeque::new();
    let Ok(first) = world.start() else { return graph };
    known.insert(first.clone(), 0);
    graph.push(vertex(&first, None, 0));
    open.push_back((0, first));
    while let Some((at, state)) = open.pop_front() {
        found.looked_at = graph.len() as u64;
        if at % 100 == 99 && !watch.goes_on(found) {
            found.stopped = Some(Stopped::Interrupted);
            break;
        }
        let moves: Vec<_> = world.moves(&state).into_iter().flat_map(|entry| entry.1.list).collect();
        let depth = graph[at].depth + 1;
        if !moves.is_empty() && options.most_depth.is_some_and(|most| depth > most) {
            found.cut += 1;
            continue;
        }
        for attempt in moves {
            let one = Move { pid: attempt.pid, choice: attempt.choice.clone() };
            let who = actor(&one);
            if !graph[at].can.contains(&who) {
                graph[at].can.push(who);
            }
            let next = match world.arrive(attempt) {
                Ok(next) => next,
                Err(trap) => {
                    if !found.doubts.iter().any(|doubt| doubt.trouble == trap.trouble) {
                        let mut run = way(&graph, at);
                        run.push(one);
                        found.doubts.push(Doubt { pid: trap.pid, trouble: trap.trouble, run });
                    }
                    continue;
                }
            };
            let to = match known.get(&next) {
                Some(&to) => to,
                None => {
                    let to = graph.len();
                    if options.most_states.is_some_and(|most| to as u64 >= most) {
                        found.stopped = Some(Stopped::States);
                        return graph;
                    }
                    graph.push(vertex(&next, Some((at, one.clone())), depth));
                    known.insert(next.clone(), to);
                    open.push_back((to, next));
                    to
                }
            };
            graph[at].edges.push((one, to));
        }
    }
    found.looked_at = graph.len() as u64;
    graph
}

fn vertex(state: &State, from: Option<(usize, Move)>, depth: usize) -> Vertex {
    let must_end = state.processes.iter().filter(|process| process.runs() && !process.service);
    Vertex { from, depth, running: must_end.map(|process| process.pid).collect(), can: Vec::new(), edges: Vec::new() }
}

/// The moves from the first state to another.
fn way(graph: &[Vertex], mut at: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some((from, one)) = &graph[at].from {
        moves.push(one.clone());
        at = *from;
    }
    moves.reverse();
    moves
}

/// States among these that a fair run can go around in forever.
fn fair_part(graph: &[Vertex], members: Vec<usize>, fairness: Fairness) -> Option<Vec<usize>> {
    let mut open = parts(graph, &members);
    while let Some(part) = open.pop() {
        let moves: BTreeSet<Actor> = inner_edges(graph, &part).map(|(_, one, _)| actor(one)).collect();
        let waits = |who: &Actor| !moves.contains(who);
        match fairness {
            Fairness::Weak => {
                let first: &[Actor] = &graph[part[0]].can;
                let always = |who: &&Actor| part.iter().all(|&at| graph[at].can.contains(who));
                if !first.iter().filter(always).any(waits) {
                    return Some(part);
                }
            }
            Fairness::Strong => {
                let (rest, given_up): (Vec<usize>, Vec<usize>) =
                    part.iter().partition(|&&at| !graph[at].can.iter().any(waits));
                if given_up.is_empty() {
                    return Some(part);
                }
                open.extend(parts(graph, &rest));
            }
        }
    }
    None
}

/// The edges between these states.
fn inner_edges<'a>(graph: &'a [Vertex], part: &'a [usize]) -> impl Iterator<Item = (usize, &'a Move, usize)> {
    let inside: BTreeSet<usize> = part.iter().copied().collect();
    let edges = part.iter().flat_map(|&at| graph[at].edges.iter().map(move |(one, to)| (at, one, *to)));
    edges.filter(move |edge| inside.contains(&edge.2))
}

/// The strongly connected parts of these states in which there is an edge (Tarjan). The states of each are in ascending order.
fn parts(graph: &[Vertex], members: &[usize]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    /// Not among the members, or in a part that was found.
    const GONE: usize = usize::MAX - 1;
    let mut number = vec![GONE; graph.len()];
    for &at in members {
        number[at] = NEW;
    }
    let mut least = vec![0; graph.len()];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for &first in members {
        if number[first] != NEW {
            continue;
        }
        let mut path = vec![(first, 0)];
        (number[first], least[first]) = (count, count);
        count += 1;
        stack.push(first);
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            if let Some(&(_, to)) = graph[at].edges.get(*next) {
                *next += 1;
                if number[to] == NEW {
                    (number[to], least[to]) = (count, count);
                    count += 1;
                    stack.push(to);
                    path.push((to, 0));
                } else if number[to] != GONE {
                    least[at] = least[at].min(number[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                least[before] = least[before].min(least[at]);
            }
            if least[at] == number[at] {
                let start = stack.iter().rposition(|&other| other == at).expect("it is on the stack");
                let mut part = stack.split_off(start);
                part.sort_unstable();
                for &at in &part {
                    number[at] = GONE;
                }
                if inner_edges(graph, &part).next().is_some() {
                    found.push(part);
                }
            }
        }
    }
    found
}

/// A run that leads to a part and around in it, so that everybody moves who does in the part, and every state is seen in which somebody
/// cannot who does not. Where the cycle begins comes with it.
fn lasso(graph: &[Vertex], part: &[usize]) -> (usize, Vec<Move>) {
    let root = part[0];
    let mut run = way(graph, root);
    let from = run.len();
    let edges: Vec<(usize, &Move, usize)> = inner_edges(graph, part).collect();
    let movers: BTreeSet<Actor> = edges.iter().map(|edge| actor(edge.1)).collect();
    let idle: BTreeSet<Actor> =
        part.iter().flat_map(|&at| &graph[at].can).copied().filter(|who| !movers.contains(who)).collect();
    let mut at = root;
    let mut seen = vec![root];
    for who in movers {
        if run[from..].iter().any(|one| actor(one) == who) {
            continue;
        }
        at = walk(&edges, at, &mut run, &mut seen, |_, one| actor(one) == who);
    }
    for who in idle {
        if !seen.iter().any(|&at| !graph[at].can.contains(&who)) {
            at = walk(&edges, at, &mut run, &mut seen, |to, _| !graph[to].can.contains(&who));
        }
    }
    if at != root {
        walk(&edges, at, &mut run, &mut seen, |to, _| to == root);
    }
    (from, run)
}

/// Goes the shortest way to an edge that is wanted, and over it. Returns where that leads.
fn walk(
    edges: &[(usize, &Move, usize)],
    start: usize,
    run: &mut Vec<Move>,
    seen: &mut Vec<usize>,
    wanted: impl Fn(usize, &Move) -> bool,
) -> usize {
    let mut before: RapidHashMap<usize, usize> = RapidHashMap::default();
    let mut open = VecDeque::from([start]);
    let mut last = None;
    'search: while let Some(at) = open.pop_front() {
        // They are in the order of where they begin.
        let first = edges.partition_point(|edge| edge.0 < at);
        for (index, &(_, one, to)) in edges.iter().enumerate().skip(first).take_while(|edge| edge.1.0 == at) {
            if wanted(to, one) {
                last = Some((index, at, to));
                break 'search;
            }
            if to != start && !before.contains_key(&to) {
                before.insert(to, index);
                open.push_back(to);
            }
        }
    }
    let (index, mut at, end) = last.expect("the part is connected");
    let mut moves = vec![index];
    while at != start {
        let index = before[&at];
        moves.push(index);
        at = edges[index].0;
    }
    for &index in moves.iter().rev() {
        run.push(edges[index].1.clone());
        seen.push(edges[index].2);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use quotient_generate::random::Random;

    type Edge<'a> = (usize, &'a Move, usize);

    fn graph(random: &mut Random) -> Vec<Vertex> {
        let size = 2 + random.below(4);
        let new = |at: usize| Vertex {
            from: (at > 0).then_some((0, Move { pid: 9, choice: Choice::Go })),
            depth: 0,
            running: vec![1],
            can: Vec::new(),
            edges: Vec::new(),
        };
        let mut graph: Vec<Vertex> = (0..size).map(new).collect();
        for _ in 0..2 + random.below(8) {
            let (from, to) = (random.below(size), random.below(size));
            let choice = if random.below(4) == 0 { Choice::Ring } else { Choice::Go };
            let one = Move { pid: random.below(3) as Pid, choice };
            graph[from].can.push(actor(&one));
            graph[from].edges.push((one, to));
        }
        graph
    }

    /// Whether a run that uses these edges, and no others, again and again is possible and fair.
    fn is_fair(graph: &[Vertex], edges: &[(usize, &Move, usize)], fairness: Fairness) -> bool {
        let states: BTreeSet<usize> = edges.iter().flat_map(|edge| [edge.0, edge.2]).collect();
        let reached = |first: usize| {
            let mut seen = BTreeSet::from([first]);
            while let Some(edge) = edges.iter().find(|edge| seen.contains(&edge.0) && !seen.contains(&edge.2)) {
                seen.insert(edge.2);
            }
            seen
        };
        let all: BTreeSet<Actor> = states.iter().flat_map(|&at| graph[at].can.iter().copied()).collect();
        let gets_a_chance = |who: &Actor| {
            let cannot = |at: &usize| !graph[*at].can.contains(who);
            edges.iter().any(|edge| actor(edge.1) == *who) || (fairness == Fairness::Weak && states.iter().any(cannot))
        };
        !edges.is_empty() && states.iter().all(|&at| reached(at) == states) && all.iter().all(gets_a_chance)
    }

    #[test]
    fn a_fair_part_is_found_exactly_where_there_is_one() {
        let mut random = Random::new(7);
        let mut found = [0; 2];
        for _ in 0..2_000 {
            let graph = graph(&mut random);
            let all: Vec<usize> = (0..graph.len()).collect();
            for (at, fairness) in [Fairness::Weak, Fairness::Strong].into_iter().enumerate() {
                let edges: Vec<(usize, &Move, usize)> = inner_edges(&graph, &all).collect();
                let chosen = |set: usize| -> Vec<_> {
                    edges.iter().enumerate().filter(|edge| set >> edge.0 & 1 == 1).map(|edge| *edge.1).collect()
                };
                let expected = (0..1 << edges.len()).any(|set| is_fair(&graph, &chosen(set), fairness));
                let part = fair_part(&graph, all.clone(), fairness);
                assert_eq!(part.is_some(), expected, "{fairness:?}");
                if let Some(part) = part {
                    found[at] += 1;
                    let (from, run) = lasso(&graph, &part);
                    assert!(goes_around(&graph, part[0], &run[from..], fairness));
                }
            }
        }
        assert!(found[1] > 300 && found[0] > found[1], "{found:?}");
    }

    /// Whether some walk from a state with these moves comes back and is fair.
    fn goes_around(graph: &[Vertex], root: usize, moves: &[Move], fairness: Fairness) -> bool {
        let mut walks: Vec<(usize, Vec<Edge<'_>>)> = vec![(root, Vec::new())];
        for one in moves {
            walks = walks
                .into_iter()
                .flat_map(|(at, walk)| {
                    let edges = graph[at].edges.iter().filter(move |edge| edge.0 == *one);
                    edges.map(move |(one, to)| (*to, [&walk[..], &[(at, one, *to)]].concat()))
                })
                .collect();
        }
        walks.into_iter().any(|(at, walk)| at == root && is_fair(graph, &walk, fairness))
    }
}
