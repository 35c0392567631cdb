//! A control automaton while it is made: states, and edges between them.

use quotient_ir::{Action, Handler, State, Statement, Transition};
use quotient_report::source::Span;

use super::extensions::alternatives;

/// A state of the automaton.
#[derive(Clone, Debug, Default)]
struct Node {
    /// It lies inside an atomic sequence: who comes here keeps control.
    interior: bool,
    handlers: Vec<Handler>,
    label: Option<String>,
}

/// An edge of the automaton.
#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    statement: Statement,
    atomic: bool,
}

/// The automaton.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// A finished automaton.
pub(super) struct Finished {
    pub states: Vec<State>,
    pub start: usize,
    pub statements: Vec<Statement>,
}

impl Graph {
    /// A new state.
    pub(super) fn state(&mut self, interior: bool, handlers: &[Handler]) -> usize {
        self.nodes.push(Node { interior, handlers: handlers.to_vec(), label: None });
        self.nodes.len() - 1
    }

    /// Names a state.
    pub(super) fn label(&mut self, state: usize, name: &str) {
        self.nodes[state].label = Some(name.to_string());
    }

    /// Sets what a state does with exceptions.
    pub(super) fn handle(&mut self, state: usize, handlers: &[Handler]) {
        self.nodes[state].handlers = handlers.to_vec();
    }

    pub(super) fn is_interior(&self, state: usize) -> bool {
        self.nodes[state].interior
    }

    /// Adds an edge. Whoever comes to a state inside an atomic sequence keeps control.
    pub(super) fn edge(&mut self, from: usize, to: usize, action: Action, span: Span, text: String) {
        let atomic = self.nodes[to].interior && !leaves(&action);
        self.push(from, to, action, span, text, atomic);
    }

    /// Adds an edge after which the thread keeps control, wherever it leads.
    pub(super) fn atomic_edge(&mut self, from: usize, to: usize, action: Action, span: Span, text: String) {
        let atomic = !leaves(&action);
        self.push(from, to, action, span, text, atomic);
    }

    fn push(&mut self, from: usize, to: usize, action: Action, span: Span, text: String, atomic: bool) {
        for action in alternatives(action) {
            let (block, direct, merged, alone) = (None, false, Vec::new(), 1);
            let statement = Statement { action, span, text: text.clone(), block, direct, merged, alone };
            self.edges.push(Edge { from, to, statement, atomic });
        }
    }

    /// Whether a state can be come to from another.
    pub(super) fn reaches(&self, start: usize, end: usize) -> bool {
        self.reachable(start, &self.successors())[end]
    }

    fn successors(&self) -> Vec<Vec<usize>> {
        let mut next: Vec<Vec<usize>> =
            self.nodes.iter().map(|n| n.handlers.iter().map(|h| h.target).collect()).collect();
        for edge in &self.edges {
            next[edge.from].push(edge.to);
        }
        next
    }

    fn reachable(&self, start: usize, next: &[Vec<usize>]) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut work = vec![start];
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                work.extend(&next[state]);
            }
        }
        seen
    }

    /// The automaton without what cannot be come to.
    pub(super) fn finish(self, start: usize) -> Finished {
        let seen = self.reachable(start, &self.successors());
        let mut number = vec![0; seen.len()];
        for (count, (state, _)) in seen.iter().enumerate().filter(|(_, seen)| **seen).enumerate() {
            number[state] = count;
        }
        let mut states: Vec<State> = Vec::new();
        for (node, _) in self.nodes.into_iter().zip(&seen).filter(|(_, seen)| **seen) {
            let handlers = node.handlers.iter().map(|h| Handler { target: number[h.target], ..*h }).collect();
            let number = states.len() as u32;
            states.push(State { handlers, labels: node.label.into_iter().collect(), number, ..State::default() });
        }
        let mut statements = Vec::new();
        for edge in self.edges.into_iter().filter(|edge| seen[edge.from]) {
            let target = number[edge.to];
            let transition = Transition { statement: statements.len(), target, atomic: edge.atomic, escape: 0 };
            states[number[edge.from]].transitions.push(transition);
            statements.push(edge.statement);
        }
        Finished { states, start: number[start], statements }
    }
}

/// Whether an action leaves the automaton, so that there is nobody who could keep control.
fn leaves(action: &Action) -> bool {
    match action {
        Action::Heap(action) => action.jumps() && !matches!(**action, quotient_ir::HeapAction::Call { .. }),
        Action::Deterministic(body) => body.actions().any(leaves),
        _ => false,
    }
}
