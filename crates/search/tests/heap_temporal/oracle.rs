//! The explicit product of a model with a heap and the automaton of a formula. It follows the definitions: a run is fair if no thread is
//! put off, and a thread is followed step by step, wherever it stands.

use std::collections::{BTreeSet, HashMap};

use quotient_ir::{Claim, ClaimKind, Model};
use quotient_ltl::{Automaton, Kind};
use quotient_search::temporal::Fairness;
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, State};

/// More states are not looked at.
const MOST_STATES: usize = 1_500;

/// A step to another state: who moves, and whether it ends.
struct Step {
    target: usize,
    process: usize,
    ends: bool,
}

struct Node {
    steps: Vec<Step>,
    able: BTreeSet<usize>,
    threads: usize,
    word: u64,
    rests: bool,
}

/// An edge of the product.
struct Edge {
    target: usize,
    marks: u64,
    /// The step, by its number; none if the state repeats.
    step: Option<usize>,
}

pub(crate) struct Graph {
    nodes: Vec<Node>,
    automaton: Automaton,
    /// For each pair of a state and an automaton's state: the state, and its edges.
    pairs: Vec<(usize, Vec<Edge>)>,
    /// A run can come to where every continuation is accepted, also if it is cut there.
    goes_wrong: bool,
}

impl Graph {
    /// None if it is too large, or a proposition cannot be worked out.
    pub(crate) fn new(model: &Model, claim: &Claim) -> Option<Self> {
        let ClaimKind::Ltl { formula, .. } = &claim.kind else { return None };
        let automaton = quotient_ltl::translate(&formula.clone().negated()).ok()?;
        let interpreter = Interpreter { model, promises: false };
        let (first, _) = interpreter.initial();
        let mut numbers: HashMap<State, usize> = HashMap::from([(interpreter.repeatable(&first), 0)]);
        let mut states = vec![first];
        let mut nodes = Vec::new();
        while nodes.len() < states.len() {
            if states.len() > MOST_STATES {
                return None;
            }
            let state = states[nodes.len()].clone();
            let mut node =
                Node { steps: Vec::new(), able: BTreeSet::new(), threads: state.processes.len(), word: 0, rests: true };
            for (number, proposition) in claim.propositions.iter().enumerate() {
                node.word |= u64::from(interpreter.holds(&state, &proposition.expr).ok()?) << number;
            }
            if let Moves::Some(outcomes) = interpreter.moves(&state, Control::Free) {
                for outcome in outcomes.into_iter().filter(|outcome| !outcome.blocked) {
                    let process = outcome.choice.process;
                    node.rests = false;
                    node.able.insert(process);
                    let Some((next, control)) = outcome.next else { continue };
                    if control != Control::Free {
                        // Atomic sequences are not followed here.
                        return None;
                    }
                    let new = states.len();
                    let target = *numbers.entry(interpreter.repeatable(&next)).or_insert(new);
                    node.steps.push(Step { target, process, ends: next.processes.len() < state.processes.len() });
                    if target == new {
                        states.push(next);
                    }
                }
            }
            nodes.push(node);
        }
        let mut graph = Graph { nodes, automaton, pairs: Vec::new(), goes_wrong: false };
        graph.multiply();
        Some(graph)
    }

    /// Makes the pairs that can be reached.
    fn multiply(&mut self) {
        let kinds = self.automaton.kinds();
        let mut numbers = HashMap::from([((0, 0), 0)]);
        let mut list: Vec<(usize, usize)> = vec![(0, 0)];
        while self.pairs.len() < list.len() {
            let (state, at) = list[self.pairs.len()];
            let node = &self.nodes[state];
            let mut edges = Vec::new();
            let last = |edge: &&quotient_ltl::Edge| kinds[usize::from(edge.target)] == Kind::Terminal;
            let taken = self.automaton.states[at].iter().filter(|edge| edge.guard.contains(node.word));
            self.goes_wrong |= kinds[at] == Kind::Terminal || taken.clone().any(|edge| last(&edge));
            for edge in taken {
                let steps = node.steps.iter().enumerate().map(|(number, step)| (step.target, Some(number)));
                let rest = node.rests.then_some((state, None));
                for (next, step) in steps.chain(rest) {
                    let new = list.len();
                    let target = *numbers.entry((next, usize::from(edge.target))).or_insert(new);
                    edges.push(Edge { target, marks: edge.marks, step });
                    if target == new {
                        list.push((next, usize::from(edge.target)));
                    }
                }
            }
            self.pairs.push((state, edges));
        }
    }

    /// Whether a run that is fair violates the formula.
    pub(crate) fn is_violated(&self, fairness: Fairness) -> bool {
        if self.goes_wrong {
            return true;
        }
        let mut work = vec![(0..self.pairs.len()).collect::<BTreeSet<usize>>()];
        while let Some(pairs) = work.pop() {
            for part in self.components(&pairs) {
                let inside = |edge: &&Edge| part.contains(&edge.target);
                let edges = || part.iter().flat_map(|&pair| self.pairs[pair].1.iter().filter(inside));
                let all = (0..self.automaton.sets).fold(0, |all, set| all | 1 << set);
                if edges().next().is_none() || edges().fold(0, |marks, edge| marks | edge.marks) & all != all {
                    continue;
                }
                let put_off = self.put_off(&part, fairness);
                match fairness {
                    _ if put_off.is_empty() => return true,
                    Fairness::Strong => work.push(part.difference(&put_off).copied().collect()),
                    _ => {}
                }
            }
        }
        false
    }

    /// The pairs in which a thread can move that is never served from there on, as long as the run stays in a part.
    fn put_off(&self, part: &BTreeSet<usize>, fairness: Fairness) -> BTreeSet<usize> {
        if fairness == Fairness::None {
            return BTreeSet::new();
        }
        let mut served: BTreeSet<(usize, usize)> = BTreeSet::new();
        loop {
            let before = served.len();
            for &pair in part {
                let (state, edges) = &self.pairs[pair];
                let node = &self.nodes[*state];
                for thread in 0..node.threads {
                    let idle = fairness == Fairness::Weak && !node.able.contains(&thread);
                    let leads = edges.iter().filter(|edge| part.contains(&edge.target)).any(|edge| {
                        let Some(step) = edge.step.map(|number| &node.steps[number]) else { return idle };
                        let place = thread - usize::from(step.ends && thread > step.process);
                        step.process == thread || served.contains(&(edge.target, place))
                    });
                    if idle || leads {
                        served.insert((pair, thread));
                    }
                }
            }
            if served.len() == before {
                break;
            }
        }
        let waits = |pair: &usize| {
            let node = &self.nodes[self.pairs[*pair].0];
            (0..node.threads).any(|thread| node.able.contains(&thread) && !served.contains(&(*pair, thread)))
        };
        part.iter().copied().filter(waits).collect()
    }

    /// Strongly connected parts, by who reaches whom.
    fn components(&self, pairs: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for &root in pairs {
            let mut work = vec![(root, false)];
            while let Some((pair, done)) = work.pop() {
                if done {
                    order.push(pair);
                } else if seen.insert(pair) {
                    work.push((pair, true));
                    let next = self.pairs[pair].1.iter().map(|edge| edge.target);
                    work.extend(next.filter(|target| pairs.contains(target)).map(|target| (target, false)));
                }
            }
        }
        let mut back: HashMap<usize, Vec<usize>> = HashMap::new();
        for &pair in pairs {
            for edge in &self.pairs[pair].1 {
                back.entry(edge.target).or_default().push(pair);
            }
        }
        let (mut taken, mut parts) = (BTreeSet::new(), Vec::new());
        for &root in order.iter().rev() {
            let mut part = BTreeSet::new();
            let mut work = vec![root];
            while let Some(pair) = work.pop() {
                if taken.insert(pair) {
                    part.insert(pair);
                    let before = back.get(&pair).into_iter().flatten().copied();
                    work.extend(before.filter(|other| pairs.contains(other)));
                }
            }
            if !part.is_empty() {
                parts.push(part);
            }
        }
        parts
    }
}
