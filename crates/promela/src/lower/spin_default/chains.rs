//! What becomes of each statement's transition in SPIN's verifier: what is carried out, where it leads, and whether the
//! process keeps control. It follows the order in which SPIN writes the transitions out, because a statement that was
//! written as a part of a chain before has none of its own.

use std::collections::HashMap;

use quotient_ir::Action;

use super::super::elements::{ATOMIC, ElementId, Graph, Kind, SequenceId};
use super::merge::Merged;

/// What was found out of a body before its jumps are patched.
#[derive(Debug)]
pub(in super::super) struct Plan {
    /// For every element, the variables that are reset after it.
    pub(super) resets: Vec<Vec<usize>>,
    /// What is merged, unless nothing is in this model.
    pub(super) merged: Option<Merged>,
}

/// The transition of a statement.
#[derive(Debug, Default)]
pub(in super::super) struct Chain {
    /// What is carried out, in order, each with the variables that are reset after it.
    pub(super) parts: Vec<(ElementId, Vec<usize>)>,
    /// Where it leads, if not where the statement alone does.
    pub(in super::super) target: Option<ElementId>,
    /// Whether the process keeps control after it.
    pub(in super::super) atomic: bool,
    /// How often the verifier looks whether something else could be done, where that is an error: once in each part, but not
    /// where it has nothing of its own to carry out.
    pub(super) alone: usize,
    /// There is none: SPIN writes nothing out for a statement that it met in a chain and that nothing else leads to.
    pub(in super::super) removed: bool,
}

/// The writing of one body.
struct Writing<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    done: Vec<bool>,
    /// Statements that were written as a part of a chain, and that only that chain leads to.
    passed: Vec<bool>,
    chains: HashMap<ElementId, Chain>,
}

impl Plan {
    /// What becomes of the statements of a body. Its jumps are patched.
    pub(in super::super) fn chains(&self, graph: &Graph, body: SequenceId) -> HashMap<ElementId, Chain> {
        let count = graph.elements.len();
        let (done, passed) = (vec![false; count], vec![false; count]);
        let mut writing = Writing { graph, plan: self, done, passed, chains: HashMap::new() };
        writing.sequence(body);
        writing.chains
    }
}

impl Writing<'_> {
    fn sequence(&mut self, sequence: SequenceId) {
        for element in self.graph.run(sequence, self.graph.sequences[sequence].last) {
            if std::mem::replace(&mut self.done[element], true) {
                continue;
            }
            match &self.graph.elements[element].kind {
                Kind::Unless(body, _) | Kind::Atomic(body) | Kind::Block(body) => self.sequence(*body),
                Kind::If(options) | Kind::Do(options) => options.iter().for_each(|&option| self.sequence(option)),
                Kind::DStep(_) => self.escapes(element),
                Kind::Basic(_) | Kind::Goto(_) | Kind::Joint | Kind::Exit | Kind::Stop => {
                    if self.statement(element) {
                        self.escapes(element);
                    }
                }
            }
        }
    }

    fn escapes(&mut self, element: ElementId) {
        let graph = self.graph;
        if !matches!(graph.elements[element].kind, Kind::Joint) {
            graph.elements[element].escapes.iter().for_each(|&escape| self.sequence(escape));
        }
    }

    /// Writes the transition of a statement; false when it has none.
    fn statement(&mut self, element: ElementId) -> bool {
        let e = &self.graph.elements[element];
        let jumps = matches!(e.kind, Kind::Goto(_) | Kind::Joint);
        let mut chain = Chain { atomic: e.status & ATOMIC != 0, ..Chain::default() };
        chain.parts.push((element, self.plan.resets[element].clone()));
        let plain = jumps || matches!(e.kind, Kind::Exit | Kind::Basic(Action::Else | Action::Skip));
        let plain = plain && e.assigned.is_none();
        chain.alone = usize::from(!plain);
        if let Some(merged) = &self.plan.merged {
            let end = merged.start[element].or(merged.chain[element]);
            let is_written = end.is_some() || !plain;
            let is_passed = is_written && (self.passed[element] || merged.incoming[element] == 0);
            if is_passed && !jumps {
                self.chains.insert(element, Chain { removed: true, ..Chain::default() });
                return false;
            }
            if let Some(end) = end.filter(|_| !is_passed) {
                self.follow(element, end, merged, &mut chain);
                chain.target = Some(end);
                chain.alone = chain.parts.len();
            }
        }
        self.chains.insert(element, chain);
        true
    }

    /// Adds the statements between a statement and the end of its chain. SPIN stops at one that is not part of a chain,
    /// and goes to the end nevertheless.
    fn follow(&mut self, element: ElementId, end: ElementId, merged: &Merged, chain: &mut Chain) {
        let mut at = element;
        for _ in 0..=self.graph.elements.len() {
            let e = &self.graph.elements[at];
            let next = match &e.kind {
                Kind::Goto(jump) => {
                    self.graph.jump_target(jump).and_then(|target| self.graph.settle_before(target, e.status, end))
                }
                _ => e.next,
            };
            let Some(next) = next.filter(|&next| next != end) else { return };
            if merged.chain[next].is_none() && merged.single[next].is_none() {
                return;
            }
            chain.parts.push((next, self.plan.resets[next].clone()));
            // The last statement decides whether the process keeps control.
            chain.atomic = self.graph.elements[next].status & ATOMIC != 0;
            if merged.incoming[next] == 1 {
                self.passed[next] = true;
            }
            at = next;
        }
    }
}
