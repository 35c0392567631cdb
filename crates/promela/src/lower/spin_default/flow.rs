//! The graph of a body's statements as SPIN analyses it, with the local variables that each statement reads and writes. It
//! follows SPIN's construction: the order of points and edges decides what the analyses find, so it is SPIN's, newest
//! first.

use std::collections::HashMap;

use quotient_ir::{Action, Expr, Pattern, Place, Scope, Slot, Sort};

use super::super::elements::{ElementId, Graph, Kind, SequenceId};

/// The graph. Points and edges are in the order in which they were made; SPIN looks at the newest first.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The points, by number.
    pub(super) points: Vec<Point>,
    numbers: HashMap<Option<ElementId>, usize>,
}

/// A place where control can be, which is an element, or the end of everything.
#[derive(Debug)]
pub(super) struct Point {
    /// The element; `None` after the last one.
    pub(super) element: Option<ElementId>,
    /// What can happen there.
    pub(super) edges: Vec<Edge>,
    /// How many edges lead to it.
    pub(super) incoming: usize,
}

/// A step from one point to another.
#[derive(Debug)]
pub(super) struct Edge {
    /// The element that is carried out; `None` for the way into the escape of an `unless`.
    pub(super) step: Option<ElementId>,
    /// The number of the point that it leads to.
    pub(super) to: usize,
    /// Local variables that it reads.
    pub(super) reads: Vec<usize>,
    /// Local variables that it writes.
    pub(super) writes: Vec<usize>,
}

impl Flow {
    /// The number of an element's point.
    pub(super) fn number(&self, element: ElementId) -> Option<usize> {
        self.numbers.get(&Some(element)).copied()
    }

    /// The newest edge of a point, which stands for the point where SPIN looks at one edge only.
    pub(super) fn newest(&self, point: usize) -> Option<&Edge> {
        self.points[point].edges.last()
    }

    fn point(&mut self, element: Option<ElementId>) -> usize {
        let next = self.points.len();
        let number = *self.numbers.entry(element).or_insert(next);
        if number == next {
            self.points.push(Point { element, edges: Vec::new(), incoming: 0 });
        }
        number
    }

    fn edge(&mut self, from: ElementId, to: Option<ElementId>, step: Option<ElementId>, uses: Uses) {
        let from = self.point(Some(from));
        let to = self.point(to);
        self.points[from].edges.push(Edge { step, to, reads: uses.reads, writes: uses.writes });
        self.points[to].incoming += 1;
    }
}

/// Builds the graph of a body.
pub(super) fn build(graph: &Graph, slots: &[Slot], body: SequenceId) -> Flow {
    let mut flow = Flow::default();
    let mut done = vec![false; graph.elements.len()];
    add(graph, slots, body, &mut flow, &mut done);
    flow
}

fn add(graph: &Graph, slots: &[Slot], sequence: SequenceId, flow: &mut Flow, done: &mut [bool]) {
    for element in graph.run(sequence, graph.sequences[sequence].last) {
        if std::mem::replace(&mut done[element], true) {
            continue;
        }
        let e = &graph.elements[element];
        let mut inner = |sequence, flow: &mut Flow| add(graph, slots, sequence, flow, done);
        match &e.kind {
            Kind::Unless(body, _) => inner(*body, flow),
            Kind::If(options) | Kind::Do(options) => {
                for start in options.iter().filter_map(|&option| graph.start(option)) {
                    if !never_applies(graph, start) {
                        flow.edge(element, Some(start), Some(element), Uses::default());
                    }
                }
                for &option in options {
                    inner(option, flow);
                }
            }
            Kind::Atomic(body) | Kind::DStep(body) | Kind::Block(body) => {
                flow.edge(element, graph.start(*body), Some(element), Uses::default());
                inner(*body, flow);
            }
            Kind::Goto(_) | Kind::Basic(_) | Kind::Joint | Kind::Exit | Kind::Stop => {
                let next = match &e.kind {
                    Kind::Goto(jump) => graph.jump_target(jump),
                    _ => e.next,
                };
                let to = next.and_then(|next| graph.settle(next, e.status));
                flow.edge(element, to, Some(element), uses(graph, slots, element));
                if matches!(e.kind, Kind::Goto(_) | Kind::Joint) {
                    continue;
                }
                for &escape in &e.escapes {
                    flow.edge(element, graph.start(escape), None, Uses::default());
                    inner(escape, flow);
                }
            }
        }
    }
}

/// Whether an option can never be taken, which SPIN sees where its first statement is the constant 0.
fn never_applies(graph: &Graph, start: ElementId) -> bool {
    let first = &graph.elements[start];
    matches!(first.kind, Kind::Basic(Action::Condition(Expr::Const(0)))) && first.escapes.is_empty()
}

/// The local variables that a statement uses: scalars that are no channels, and neither elements of arrays nor fields of
/// structures.
#[derive(Debug, Default)]
struct Uses {
    reads: Vec<usize>,
    writes: Vec<usize>,
}

fn uses(graph: &Graph, slots: &[Slot], element: ElementId) -> Uses {
    let mut uses = Uses::default();
    let e = &graph.elements[element];
    let Kind::Basic(action) = &e.kind else { return uses };
    if let Some(value) = &e.assigned
        && !matches!(action, Action::Assign(..))
    {
        uses.read(slots, value);
        return uses;
    }
    match action {
        // SPIN has no heap.
        Action::Skip | Action::Else | Action::End | Action::Deterministic(_) | Action::Heap(_) => {}
        Action::Condition(value) | Action::Assert(value) => uses.read(slots, value),
        Action::Assign(place, value) => {
            // The declaration of an array writes its first element under the name of the whole.
            match e.assigned {
                Some(_) => uses.writes.push(place.slot),
                None => uses.write(slots, place),
            }
            uses.read(slots, value);
        }
        Action::Send { channel, values, .. } => {
            uses.indices(slots, channel);
            values.iter().for_each(|value| uses.read(slots, value));
        }
        Action::Receive { channel, pattern, .. } => {
            uses.indices(slots, channel);
            for part in pattern {
                match part {
                    Pattern::Match(value) => uses.read(slots, value),
                    Pattern::Bind(place) => uses.write(slots, place),
                    Pattern::Ignore => {}
                }
            }
        }
        Action::Print { args, .. } => args.iter().for_each(|arg| uses.read(slots, arg)),
        Action::SetPriority(pid, value) => {
            // SPIN overlooks the first argument, except what stands right of its outermost operator.
            match pid {
                Expr::Binary(_, _, right) | Expr::And(_, right) | Expr::Or(_, right) => uses.read(slots, right),
                Expr::Cond(_, a, b) => {
                    uses.read(slots, a);
                    uses.read(slots, b);
                }
                _ => {}
            }
            uses.read(slots, value);
        }
    }
    uses
}

impl Uses {
    fn read(&mut self, slots: &[Slot], value: &Expr) {
        match value {
            Expr::Read(place) => {
                self.indices(slots, place);
                if is_tracked(slots, place) {
                    self.reads.push(place.slot);
                }
            }
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::PriorityOf(a) => self.read(slots, a),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
                self.read(slots, a);
                self.read(slots, b);
            }
            Expr::Cond(c, a, b) => {
                self.read(slots, c);
                self.read(slots, a);
                self.read(slots, b);
            }
            Expr::Length(channel) | Expr::Probe(_, channel) => self.indices(slots, channel),
            Expr::Poll { channel, pattern, .. } => {
                self.indices(slots, channel);
                for part in pattern {
                    if let Pattern::Match(value) = part {
                        self.read(slots, value);
                    }
                }
            }
            Expr::Run { args, .. } => args.iter().for_each(|arg| self.read(slots, arg)),
            Expr::RemoteAt { pid, .. } => pid.iter().for_each(|pid| self.read(slots, pid)),
            Expr::RemoteRead { pid, .. } => pid.iter().for_each(|pid| self.read(slots, pid)),
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Heap(_) => {}
        }
    }

    fn write(&mut self, slots: &[Slot], place: &Place) {
        self.indices(slots, place);
        if is_tracked(slots, place) {
            self.writes.push(place.slot);
        }
    }

    fn indices(&mut self, slots: &[Slot], place: &Place) {
        place.indices.iter().for_each(|index| self.read(slots, &index.value));
    }
}

/// Whether a place is a variable that can be reset.
fn is_tracked(slots: &[Slot], place: &Place) -> bool {
    let Some(slot) = slots.get(place.slot).filter(|_| place.scope == Scope::Local) else { return false };
    place.indices.is_empty() && slot.scalar.sort != Sort::Channel && !slot.name.contains(['.', '['])
}
