//! Which statements SPIN carries out together. It follows SPIN's two scans: the first finds chains of statements that never
//! wait, the second the statements that can wait and begin one.

use std::collections::HashSet;
use std::rc::Rc;

use quotient_ir::Action;
use quotient_ir::spin::Sharing;

use super::super::elements::{ATOMIC, ATOMIC_LAST, ElementId, Graph, Kind, SequenceId};
use super::flow::{Edge, Flow};
use super::is_labelled;

/// What is known of the model and the process type.
pub(super) struct Known<'a> {
    /// What SPIN takes for shared.
    pub(super) sharing: Sharing<'a>,
    /// Some channel has no capacity.
    pub(super) rendezvous: bool,
    /// Labels that are referred to from another process.
    pub(super) observed: &'a [Rc<str>],
}

/// What the scans found out of every element.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// For a statement of a chain: where the chain ends.
    pub(super) chain: Vec<Option<ElementId>>,
    /// For a statement that can wait and begins a chain: where the chain ends.
    pub(super) start: Vec<Option<ElementId>>,
    /// For a statement that could be part of a chain but is alone: where it leads. It can only follow a start.
    pub(super) single: Vec<Option<ElementId>>,
    /// How many steps lead to it.
    pub(super) incoming: Vec<usize>,
}

/// The scans of one body.
struct Scan<'a> {
    graph: &'a Graph,
    flow: &'a Flow,
    known: &'a Known<'a>,
    /// Whether the element's label is referred to from another process.
    observed: Vec<bool>,
}

/// Finds what is merged in a body.
pub(super) fn merge(graph: &Graph, flow: &Flow, known: &Known<'_>, body: SequenceId) -> Merged {
    let count = graph.elements.len();
    let mut is_observed = vec![false; count];
    for label in graph.labels.iter().filter(|label| known.observed.contains(&label.name)) {
        label.element.into_iter().for_each(|element| is_observed[element] = true);
    }
    let scan = Scan { graph, flow, known, observed: is_observed };
    let mut merged = Merged {
        chain: vec![None; count],
        start: vec![None; count],
        single: vec![None; count],
        incoming: vec![0; count],
    };
    scan.chains(&mut merged);
    scan.starts(&mut merged);
    // Processes begin there, whatever else leads to it.
    let first = graph.sequences[body].first.and_then(|first| graph.settle(first, graph.elements[first].status));
    first.into_iter().for_each(|first| merged.incoming[first] = 1);
    merged
}

impl Scan<'_> {
    /// The first scan.
    fn chains(&self, merged: &mut Merged) {
        for point in self.flow.points.iter().rev() {
            for edge in point.edges.iter().rev() {
                let Some(step) = edge.step else { continue };
                merged.incoming[step] = point.incoming;
                if merged.chain[step].is_some() || !self.is_link(Some(edge)) {
                    continue;
                }
                if self.is_link(self.flow.newest(edge.to)) {
                    self.build(edge, merged);
                } else {
                    merged.single[step] = self.flow.points[edge.to].element;
                }
            }
        }
    }

    /// Follows a chain from an edge to its end. A chain that goes round in a circle ends where it began to repeat.
    fn build(&self, first: &Edge, merged: &mut Merged) {
        let mut steps: HashSet<ElementId> = HashSet::new();
        let mut end = None;
        let mut next = Some(first);
        while let Some(edge) = next {
            let Some(step) = edge.step else { break };
            if let Some(known) = merged.chain[step] {
                end = Some(known);
                break;
            }
            if !self.is_link(Some(edge)) || !steps.insert(step) {
                break;
            }
            end = self.flow.points[edge.to].element;
            next = self.flow.newest(edge.to);
        }
        steps.into_iter().for_each(|step| merged.chain[step] = end);
    }

    /// The second scan: statements that can wait, and are followed by a chain or by a single link.
    fn starts(&self, merged: &mut Merged) {
        for edge in self.flow.points.iter().rev().flat_map(|point| point.edges.iter().rev()) {
            let Some(step) = edge.step.filter(|&step| merged.chain[step].is_none()) else { continue };
            let can_start = match &self.graph.elements[step].kind {
                Kind::Basic(Action::Condition(value)) => !value.runs(),
                // A send that meets its receiver gives control away.
                Kind::Basic(Action::Send { .. }) => !self.known.rendezvous,
                _ => true,
            };
            if !can_start || !can_wait(self.graph, step) || !self.stands_alone(edge) || !self.is_private(step) {
                continue;
            }
            if let Some(next) = self.flow.newest(edge.to).and_then(|edge| edge.step) {
                merged.start[step] = merged.chain[next].or(merged.single[next]);
            }
        }
    }

    /// Whether a statement can be carried out together with the one before it: it never waits, nothing else can happen
    /// where it stands, nobody can tell that control is there, and it is local or inside an atomic sequence.
    fn is_link(&self, edge: Option<&Edge>) -> bool {
        let Some(edge) = edge else { return false };
        let Some(step) = edge.step else { return false };
        let e = &self.graph.elements[step];
        let goes_on = match &e.kind {
            Kind::Basic(Action::Else) => false,
            Kind::Basic(Action::SetPriority(..)) => e.assigned.is_some(),
            Kind::Basic(_) => !can_wait(self.graph, step),
            Kind::Joint | Kind::Exit | Kind::Goto(_) => true,
            Kind::If(_) | Kind::Do(_) | Kind::Unless(..) | Kind::Stop => false,
            Kind::Atomic(_) | Kind::DStep(_) | Kind::Block(_) => false,
        };
        goes_on && self.stands_alone(edge) && !is_labelled(self.graph, step) && self.is_private(step)
    }

    /// Whether nothing else can happen where an edge's step stands, and no other process looks whether control is there.
    fn stands_alone(&self, edge: &Edge) -> bool {
        let Some(step) = edge.step else { return false };
        let alternatives = self.flow.number(step).map_or(0, |point| self.flow.points[point].edges.len());
        alternatives == 1 && self.graph.elements[step].escapes.is_empty() && !self.observed[step]
    }

    /// Whether a statement is inside an atomic sequence, or touches nothing that is shared.
    fn is_private(&self, step: ElementId) -> bool {
        let e = &self.graph.elements[step];
        let sharing = &self.known.sharing;
        let is_shared = match (&e.kind, &e.assigned) {
            (Kind::Basic(action @ Action::Assign(..)), _) | (Kind::Basic(action), None) => sharing.action(action),
            (Kind::Basic(_), Some(value)) => sharing.expr(value),
            _ => false,
        };
        e.status & (ATOMIC | ATOMIC_LAST) != 0 || !is_shared
    }
}

/// Whether a statement is one that can wait: a condition, a receive or a send. `skip` is a condition to SPIN.
fn can_wait(graph: &Graph, element: ElementId) -> bool {
    let e = &graph.elements[element];
    let waits = matches!(
        e.kind,
        Kind::Basic(Action::Skip | Action::Condition(_) | Action::Receive { .. } | Action::Send { .. })
    );
    waits && e.assigned.is_none()
}
