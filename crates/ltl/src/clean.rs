//! Automata are made smaller, over and over until nothing changes: what cannot lead to acceptance goes, and so do marks, sets
//! and edges that decide nothing.

use crate::components::components;
use crate::simulate::quotient;
use crate::{Automaton, Edge, cubes};

/// A smaller automaton for the same language.
pub(crate) fn clean(automaton: Automaton) -> Automaton {
    let mut best = automaton;
    loop {
        let before = best.clone();
        // Marks between components decide nothing, so they may be all there or all gone. Either can make states alike.
        for between in [0, u64::MAX] {
            best = without_needless_sets(&useful(&best, between));
            merge_edges(&mut best);
            best = quotient(&best);
        }
        best = useful(&best, 0);
        merge_edges(&mut best);
        best = numbered_by_reach(&best);
        if best == before || (best.states.len(), best.edges()) > (before.states.len(), before.edges()) {
            return before;
        }
    }
}

/// The components of the automaton and, for each, whether a run can stay in it and be accepted.
pub(crate) fn accepting_components(automaton: &Automaton) -> (Vec<usize>, Vec<bool>) {
    let targets: Vec<Vec<usize>> =
        automaton.states.iter().map(|edges| edges.iter().map(|edge| usize::from(edge.target)).collect()).collect();
    let component = components(&targets);
    let mut met: Vec<Option<u64>> = vec![None; automaton.states.len()];
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges {
            if component[state] == component[usize::from(edge.target)] {
                *met[component[state]].get_or_insert(0) |= edge.marks;
            }
        }
    }
    let all = automaton.all_marks();
    let accepting = met.into_iter().map(|marks| marks.is_some_and(|marks| marks & all == all)).collect();
    (component, accepting)
}

/// Without states from which nothing is accepted; marks that decide nothing are `between`.
fn useful(automaton: &Automaton, between: u64) -> Automaton {
    let (component, accepting) = accepting_components(automaton);
    let n = automaton.states.len();
    let mut live: Vec<bool> = (0..n).map(|state| accepting[component[state]]).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for state in 0..n {
            if !live[state] && automaton.states[state].iter().any(|edge| live[usize::from(edge.target)]) {
                live[state] = true;
                changed = true;
            }
        }
    }
    if !live[0] {
        return Automaton::empty();
    }
    let all = automaton.all_marks();
    let mut states: Vec<Vec<Edge>> = Vec::with_capacity(n);
    for (state, edges) in automaton.states.iter().enumerate() {
        let keep = |edge: &Edge| {
            let target = usize::from(edge.target);
            let marks = match component[state] == component[target] {
                true if accepting[component[state]] => edge.marks,
                // A run that stays here is not accepted.
                true => 0,
                false => between & all,
            };
            (live[state] && live[target]).then_some(Edge { marks, ..*edge })
        };
        states.push(edges.iter().filter_map(keep).collect());
    }
    without_unreachable(&Automaton { states, ..*automaton }, 0)
}

/// Without sets whose edges are met whenever those of another are, and with the sets of each component numbered from 0.
fn without_needless_sets(automaton: &Automaton) -> Automaton {
    let (component, accepting) = accepting_components(automaton);
    let inside = |state: usize, edge: &Edge| {
        component[state] == component[usize::from(edge.target)] && accepting[component[state]]
    };
    let count = component.iter().max().map_or(0, |last| last + 1);
    // The sets that decide in each component: no other set that decides is contained in them.
    let mut deciding: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (number, kept) in deciding.iter_mut().enumerate().filter(|(number, _)| accepting[*number]) {
        let marks: Vec<u64> = automaton
            .states
            .iter()
            .enumerate()
            .filter(|(state, _)| component[*state] == number)
            .flat_map(|(state, edges)| edges.iter().filter(move |edge| inside(state, edge)).map(|edge| edge.marks))
            .collect();
        let contained = |small: u32, large: u32| marks.iter().all(|m| m >> small & 1 <= m >> large & 1);
        for set in 0..automaton.sets {
            let always = marks.iter().all(|m| m >> set & 1 == 1);
            let implied = (0..automaton.sets)
                .any(|other| other != set && contained(other, set) && (other < set || !contained(set, other)));
            if !always && !implied {
                kept.push(set);
            }
        }
    }
    // A cycle that is not accepted needs a set that it does not meet.
    let rejecting = automaton.states.iter().enumerate().any(|(state, edges)| {
        let stays = |edge: &Edge| component[state] == component[usize::from(edge.target)];
        !accepting[component[state]] && edges.iter().any(stays)
    });
    let most = deciding.iter().map(Vec::len).max().unwrap_or(0);
    let sets = most.max(usize::from(rejecting)) as u32;
    let mut result = Automaton { states: automaton.states.clone(), sets };
    let all = result.all_marks();
    for (state, edges) in result.states.iter_mut().enumerate() {
        for edge in edges {
            if inside(state, edge) {
                let kept = &deciding[component[state]];
                let renumbered = kept.iter().enumerate().map(|(new, &old)| (edge.marks >> old & 1) << new);
                // Numbers that this component does not use are always met.
                let unused = all & !crate::automaton::all_marks(kept.len() as u32);
                edge.marks = renumbered.fold(unused, |marks, mark| marks | mark);
            } else {
                edge.marks = if edge.marks == 0 { 0 } else { all };
            }
        }
    }
    result
}

/// Makes one edge of edges that differ in their guards only, where one cube says it.
fn merge_edges(automaton: &mut Automaton) {
    for edges in &mut automaton.states {
        'again: loop {
            for i in 0..edges.len() {
                for j in i + 1..edges.len() {
                    if edges[i].target != edges[j].target || edges[i].marks != edges[j].marks {
                        continue;
                    }
                    if let Some(guard) = cubes::joined(edges[i].guard, edges[j].guard) {
                        edges[i].guard = guard;
                        edges.remove(j);
                        continue 'again;
                    }
                }
            }
            break;
        }
        edges.sort_unstable();
    }
}

/// The part that is reached from `first`, which becomes state 0.
pub(crate) fn without_unreachable(automaton: &Automaton, first: u16) -> Automaton {
    const NONE: u16 = u16::MAX;
    let mut number = vec![NONE; automaton.states.len()];
    let mut order = vec![usize::from(first)];
    number[usize::from(first)] = 0;
    let mut next = 0;
    while next < order.len() {
        for edge in &automaton.states[order[next]] {
            let target = usize::from(edge.target);
            if number[target] == NONE {
                number[target] = order.len() as u16;
                order.push(target);
            }
        }
        next += 1;
    }
    let states = order
        .iter()
        .map(|&state| {
            let edges = automaton.states[state].iter();
            edges.map(|edge| Edge { target: number[usize::from(edge.target)], ..*edge }).collect()
        })
        .collect();
    Automaton { states, ..*automaton }
}

/// The same automaton with its states in the order in which they are reached.
fn numbered_by_reach(automaton: &Automaton) -> Automaton {
    let mut result = without_unreachable(automaton, 0);
    result.states.iter_mut().for_each(|edges| edges.sort_unstable());
    result
}
