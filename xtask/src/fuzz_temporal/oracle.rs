//! What is true of a temporal property, found in the plainest way: the whole graph of the reference interpreter, its product with the
//! automaton, and Tarjan's components. It shares nothing with the engine but the automaton of a formula, which is held to direct
//! evaluation by tests of its own. A never claim is one more process of the interpreter, which moves before each step of the others.

use std::collections::HashMap;

use quotient_ir::{Expr, Proposition, Setup};
use quotient_ltl::Automaton;
use quotient_step::reference::{Interpreter, Moves, Process, State};
use quotient_step::{Control, FaultKind};

/// Graphs with more states are left out.
const MOST_STATES: usize = 6_000;
/// So are products with a claim that have more pairs.
const MOST_PAIRS: usize = 60_000;

/// All states of a model in which everyone may move.
#[derive(Clone)]
pub struct Graph {
    states: Vec<State>,
    /// The propositions that hold in each.
    letters: Vec<u64>,
    /// The processes that can begin a move in each.
    enabled: Vec<u64>,
    /// The processes of the first type in each.
    of_first_type: Vec<u64>,
    /// Where each leads, and who moves on the way.
    edges: Vec<Vec<(usize, u64)>>,
    /// Whether runs end in each: its only edge is the repetition of the state.
    ends: Vec<bool>,
}

/// Which runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// All.
    None,
    /// Weakly fair ones.
    Weak,
    /// Strongly fair ones.
    Strong,
}

impl Graph {
    /// The graph of a model. `None` if it is too large, or if something goes wrong in it.
    pub fn new(interpreter: Interpreter<'_>, propositions: &[Proposition]) -> Option<Self> {
        let (first, faults) = interpreter.initial();
        if !faults.is_empty() {
            return None;
        }
        let mut numbers = HashMap::from([(interpreter.visible(&first), 0)]);
        let mut states = vec![first];
        let mut graph = Graph {
            states: Vec::new(),
            letters: Vec::new(),
            enabled: Vec::new(),
            of_first_type: Vec::new(),
            edges: Vec::new(),
            ends: Vec::new(),
        };
        while let Some(state) = states.get(graph.edges.len()).cloned() {
            let mut letter = 0;
            for (number, proposition) in propositions.iter().enumerate() {
                letter |= u64::from(interpreter.holds(&state, &proposition.expr).ok()?) << number;
            }
            graph.letters.push(letter);
            let able = (0..state.processes.len().min(64)).filter(|&process| interpreter.can_move(&state, process));
            graph.enabled.push(able.fold(0, |set, process| set | 1 << process));
            let first =
                state.processes.iter().enumerate().filter(|(number, process)| *number < 64 && process.proctype == 0);
            graph.of_first_type.push(first.fold(0, |set, (process, _)| set | 1 << process));
            let mut edges = Vec::new();
            for (next, movers) in successors(interpreter, &state)? {
                let new = states.len();
                let number = *numbers.entry(interpreter.visible(&next)).or_insert(new);
                if number == new {
                    if new == MOST_STATES {
                        return None;
                    }
                    states.push(next);
                }
                edges.push((number, movers));
            }
            // At the end of a run its last state repeats.
            graph.ends.push(edges.is_empty());
            if edges.is_empty() {
                edges.push((graph.edges.len(), 0));
            }
            graph.edges.push(edges);
        }
        graph.states = states;
        Some(graph)
    }

    /// The same graph, where only processes of the first type must get their turn.
    pub fn fair_to_first_type(&self) -> Self {
        let mut graph = self.clone();
        graph.enabled.iter_mut().zip(&self.of_first_type).for_each(|(enabled, first)| *enabled &= first);
        graph
    }

    /// The product with the automaton of a formula. Without ends, only of runs in which something happens forever.
    pub fn with_formula(&self, automaton: &Automaton, with_ends: bool) -> Product {
        let mut numbers = HashMap::from([((0, 0), 0)]);
        let mut order = vec![(0, 0_u16)];
        let mut product = Product { sets: automaton.all_marks(), ..Product::default() };
        while let Some(&(state, place)) = order.get(product.edges.len()) {
            let mut edges = Vec::new();
            let letter = self.letters[state];
            for edge in automaton.states[usize::from(place)].iter().filter(|edge| edge.guard.contains(letter)) {
                for &(next, movers) in self.edges[state].iter().filter(|_| with_ends || !self.ends[state]) {
                    let new = order.len();
                    let number = *numbers.entry((next, edge.target)).or_insert(new);
                    if number == new {
                        order.push((next, edge.target));
                    }
                    edges.push((number, movers, edge.marks));
                }
            }
            product.states.push(state);
            product.edges.push(edges);
        }
        product
    }

    /// The product with a never claim; without ends as above. `None` if something goes wrong in the claim, or it is too large.
    pub fn with_claim(&self, interpreter: Interpreter<'_>, claim: usize, with_ends: bool) -> Option<Product> {
        let proctype = &interpreter.model.proctypes[claim];
        let mut values = vec![0; proctype.slots.len()];
        for setup in &proctype.setup {
            let Setup::Assign(slot, Expr::Const(value)) = setup else { return None };
            values[*slot] = *value;
        }
        let first = (0, (proctype.start, values));
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut order = vec![first];
        let mut product = Product { sets: 1, ..Product::default() };
        while let Some((state, place)) = order.get(product.edges.len()).cloned() {
            let mut edges = Vec::new();
            if with_ends || !self.ends[state] {
                let marks = u64::from(proctype.states[place.0].accept);
                let moves = claim_moves(interpreter, claim, &self.states[state], place)?;
                product.violated |= moves.failed || moves.places.iter().any(|place| proctype.end == Some(place.0));
                for target in moves.places {
                    for &(next, movers) in &self.edges[state] {
                        let new = order.len();
                        let number = *numbers.entry((next, target.clone())).or_insert(new);
                        if number == new {
                            order.push((next, target.clone()));
                        }
                        edges.push((number, movers, marks));
                    }
                }
            }
            product.states.push(state);
            product.edges.push(edges);
            if order.len() > MOST_PAIRS {
                return None;
            }
        }
        Some(product)
    }

    /// Whether some run that counts is accepted.
    pub fn accepts(&self, product: &Product, fairness: Fairness) -> bool {
        let all: Vec<usize> = (0..product.states.len()).collect();
        product.violated || self.accepting_part(product, &all, product.sets, fairness)
    }

    /// Whether the part of the product has a cycle that counts and is accepted.
    fn accepting_part(&self, product: &Product, part: &[usize], all: u64, fairness: Fairness) -> bool {
        components(product, part).into_iter().any(|component| {
            let inside = |node: usize| component.binary_search(&node).is_ok();
            let inner = || {
                let nodes = component.iter();
                nodes.flat_map(|&node| product.edges[node].iter().filter(|edge| inside(edge.0)))
            };
            if inner().next().is_none() || inner().fold(0, |marks, edge| marks | edge.2) != all {
                return false;
            }
            let moving = inner().fold(0, |movers, edge| movers | edge.1);
            let enabled = component.iter().map(|&node| self.enabled[product.states[node]]);
            match fairness {
                Fairness::None => true,
                Fairness::Weak => enabled.fold(u64::MAX, |always, able| always & able) & !moving == 0,
                Fairness::Strong => {
                    let starved = enabled.fold(0, |ever, able| ever | able) & !moving;
                    if starved == 0 {
                        return true;
                    }
                    let able = |node: &usize| self.enabled[product.states[*node]] & starved != 0;
                    let rest: Vec<usize> = component.iter().copied().filter(|node| !able(node)).collect();
                    self.accepting_part(product, &rest, all, fairness)
                }
            }
        })
    }
}

/// Pairs of a state and a place of what watches the runs.
#[derive(Default)]
pub struct Product {
    /// The marks that a cycle must have.
    sets: u64,
    /// Some run violates the claim, whatever follows.
    violated: bool,
    /// The state of each pair.
    states: Vec<usize>,
    /// Where each leads, who moves, and the marks of the automaton.
    edges: Vec<Vec<(usize, u64, u64)>>,
}

/// Where a never claim is: a control state, and the values of its variables.
type Place = (usize, Vec<i32>);

/// What a never claim can do.
#[derive(Default)]
struct ClaimMoves {
    places: Vec<Place>,
    /// An assertion can fail.
    failed: bool,
}

/// What a claim can do in a state: it is the youngest process there, and the only one that may move. `None` if something goes wrong.
fn claim_moves(interpreter: Interpreter<'_>, proctype: usize, state: &State, place: Place) -> Option<ClaimMoves> {
    let watched = state.processes.len();
    let mut with_claim = state.clone();
    let (control, locals) = place;
    with_claim.processes.push(Process { proctype, control, priority: 1, locals, callers: Vec::new() });
    let mut found = ClaimMoves::default();
    let mut seen = Vec::new();
    let mut waiting = vec![with_claim];
    while let Some(state) = waiting.pop() {
        // Where a claim is blocked inside an atomic sequence, this is no way to go.
        let Moves::Some(outcomes) = interpreter.moves(&state, Control::Exclusive(watched)) else { continue };
        for outcome in outcomes {
            found.failed |= outcome.faults.iter().any(|fault| fault.kind == FaultKind::Assertion);
            if outcome.faults.iter().any(|fault| fault.kind != FaultKind::Assertion) {
                return None;
            }
            let (next, control) = outcome.next.filter(|_| !outcome.blocked)?;
            match control {
                Control::Free => {
                    let claim = next.processes.into_iter().nth(watched)?;
                    found.places.push((claim.control, claim.locals));
                }
                Control::Exclusive(_) if !seen.contains(&next) => {
                    seen.push(next.clone());
                    waiting.push(next);
                }
                Control::Exclusive(_) => {}
            }
        }
    }
    Some(found)
}

/// All states that can come next where everyone may move, through atomic sequences; and who moves. `None` if something goes wrong.
fn successors(interpreter: Interpreter<'_>, state: &State) -> Option<Vec<(State, u64)>> {
    let mut found = Vec::new();
    let mut seen = Vec::new();
    let mut waiting = vec![(state.clone(), Control::Free, 0_u64)];
    while let Some((state, control, movers)) = waiting.pop() {
        let outcomes = match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => outcomes,
            Moves::Release => {
                found.push((state, movers));
                continue;
            }
            Moves::End | Moves::Deadlock => continue,
        };
        for outcome in outcomes {
            if !outcome.faults.is_empty() {
                return None;
            }
            if outcome.blocked {
                continue;
            }
            let (next, control) = outcome.next?;
            let partner = outcome.choice.partner.map_or(0, |(process, _)| 1 << process);
            let movers = movers | 1 << outcome.choice.process | partner;
            if control == Control::Free {
                found.push((next, movers));
            } else if !seen.contains(&(next.clone(), control, movers)) {
                seen.push((next.clone(), control, movers));
                waiting.push((next, control, movers));
            }
        }
    }
    Some(found)
}

/// The strongly connected components of a part of the product, each sorted (Tarjan, 1972).
fn components(product: &Product, part: &[usize]) -> Vec<Vec<usize>> {
    let mut index: HashMap<usize, usize> = HashMap::new();
    let mut low: HashMap<usize, usize> = HashMap::new();
    let mut open: Vec<usize> = Vec::new();
    let mut closed: HashMap<usize, ()> = HashMap::new();
    let mut found = Vec::new();
    let belongs: HashMap<usize, ()> = part.iter().map(|&node| (node, ())).collect();
    for &root in part {
        if index.contains_key(&root) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, position)) = path.pop() {
            if position == 0 {
                let number = index.len();
                index.insert(node, number);
                low.insert(node, number);
                open.push(node);
            }
            let targets = &product.edges[node];
            if let Some(&(target, ..)) = targets.get(position) {
                path.push((node, position + 1));
                if !belongs.contains_key(&target) {
                    continue;
                }
                if !index.contains_key(&target) {
                    path.push((target, 0));
                } else if !closed.contains_key(&target) {
                    let least = low[&node].min(index[&target]);
                    low.insert(node, least);
                }
                continue;
            }
            if low[&node] == index[&node] {
                let mut component = Vec::new();
                while let Some(member) = open.pop() {
                    closed.insert(member, ());
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                component.sort_unstable();
                found.push(component);
            }
            if let Some(&(parent, _)) = path.last() {
                let least = low[&parent].min(low[&node]);
                low.insert(parent, least);
            }
        }
    }
    found
}
