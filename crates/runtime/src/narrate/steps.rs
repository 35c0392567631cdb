//! The steps of an execution: one for every operation. The two halves of a read-modify-write are one step; the beginning
//! of a thread is part of its spawn.

use super::labels::has_values;
use super::sources::Sources;
use quotient_graph::{Event, EventId, Graph, Kind, LocationId, OpCode, Rmw, Update, When};
use quotient_report::execution::{Access, Action, Operation, Order, Source, Step};
use std::collections::{HashMap, HashSet};

/// How events and locations are numbered in the report.
pub(super) struct Numbers {
    order: Vec<EventId>,
    steps: HashMap<EventId, usize>,
    places: Vec<LocationId>,
    place_of: HashMap<LocationId, usize>,
    locks: HashSet<LocationId>,
}

impl Numbers {
    /// Numbers all events and locations of a graph, whose steps begin with the events of `order`.
    pub(super) fn of(graph: &Graph, order: Vec<EventId>) -> Self {
        let mut steps = HashMap::with_capacity(graph.run_order().len());
        let (mut places, mut place_of, mut locks) = (Vec::new(), HashMap::new(), HashSet::new());
        for (index, &id) in order.iter().enumerate() {
            let event = graph.event(id);
            steps.insert(id, index + 1);
            if event.exclusive {
                steps.insert(id.next(), index + 1);
            }
            if event.is_access() && !place_of.contains_key(&event.location) {
                place_of.insert(event.location, places.len());
                places.push(event.location);
            }
            if event.is_read() && event.when() != When::Always && event.update() != Update::Load {
                locks.insert(event.location);
            }
        }
        Numbers { order, steps, places, place_of, locks }
    }

    /// The first events of the steps, in order.
    pub(super) fn order(&self) -> &[EventId] {
        &self.order
    }

    /// The number of the step that an event belongs to, from one.
    pub(super) fn step(&self, event: EventId) -> Option<usize> {
        self.steps.get(&event).copied()
    }

    /// The locations in the order in which they are first accessed.
    pub(super) fn places(&self) -> &[LocationId] {
        &self.places
    }

    /// Whether an access gives back what others lock: it writes with release, and does not wait.
    fn gives_back(&self, event: &Event) -> bool {
        event.order.releases() && event.when() == When::Always && self.locks.contains(&event.location)
    }

    /// The number of a location that is accessed, from zero.
    pub(super) fn place(&self, location: LocationId) -> usize {
        self.place_of[&location]
    }
}

/// The steps.
pub(super) fn steps(graph: &Graph, numbers: &Numbers, sources: &mut Sources) -> Vec<Step> {
    let step = |(index, &id): (usize, &EventId)| Step {
        step: index + 1,
        thread: id.thread() as usize,
        action: action(graph, numbers, id),
        location: sources.of(graph.event(id).site),
    };
    numbers.order().iter().enumerate().map(step).collect()
}

fn action(graph: &Graph, numbers: &Numbers, id: EventId) -> Action {
    let event = graph.event(id);
    match event.kind {
        Kind::Read | Kind::Write => Action::Access(access(graph, numbers, id)),
        Kind::Fence => Action::Fence { order: order(event.order) },
        Kind::Spawn => Action::Spawn { child: event.other.thread() as usize },
        Kind::Join => Action::Join { child: event.other.thread() as usize },
        Kind::Begin | Kind::End => Action::End,
        Kind::Choose if event.asked.what.code == OpCode::Clock => Action::Clock { passed: event.value == 1 },
        Kind::Choose => Action::Choose { value: event.value },
        Kind::Block if event.value == 0 => Action::Assume,
        Kind::Block => Action::Spin { steps: event.value as usize },
        Kind::Primary => Action::Primary { operation: event.value },
        Kind::Help => Action::Help { operation: event.value },
    }
}

fn access(graph: &Graph, numbers: &Numbers, id: EventId) -> Access {
    let event = graph.event(id);
    let source = |write: EventId| {
        if write == EventId::INIT { Some(Source::Initial) } else { numbers.step(write).map(Source::Step) }
    };
    let known = has_values(graph, event.location);
    let written = match event.kind {
        Kind::Write => Some(event.value),
        _ if event.exclusive => {
            graph.threads()[id.thread() as usize].events.get(id.position() as usize + 1).map(|half| half.value)
        }
        _ => None,
    };
    Access {
        operation: operation(graph, numbers, id),
        place: numbers.place(event.location),
        order: order(event.order),
        expected: if let Update::Exchange { expected, .. } = event.update() { Some(expected) } else { None },
        read: (event.is_read() && known).then_some(event.value),
        reads_from: event.is_read().then(|| source(event.other)).flatten(),
        written: written.filter(|_| known),
    }
}

fn operation(graph: &Graph, numbers: &Numbers, id: EventId) -> Operation {
    let event = graph.event(id);
    if numbers.gives_back(event) && is_at_its_lock(graph, id) {
        return Operation::DropGuard;
    }
    if event.is_write() {
        return match event.frees() {
            true => Operation::Free,
            false if numbers.gives_back(event) => Operation::Unlock,
            false => Operation::Store,
        };
    }
    match (event.update(), event.when()) {
        (Update::Load, When::Always) => Operation::Load,
        (Update::Load, _) => Operation::Wait,
        (Update::Fetch { .. }, when) if when != When::Always => Operation::Lock,
        (Update::Fetch { .. }, _) if numbers.gives_back(event) => Operation::Unlock,
        (Update::Fetch { op, .. }, _) => fetch(op),
        (Update::Exchange { .. }, _) if event.exclusive => Operation::CompareExchange,
        (Update::Exchange { .. }, _) if event.spurious => Operation::CompareExchangeSpurious,
        (Update::Exchange { .. }, _) => Operation::CompareExchangeFailed,
    }
}

/// Whether an access is said to be where the thread has locked: a guard that is dropped has no better place.
fn is_at_its_lock(graph: &Graph, id: EventId) -> bool {
    let event = graph.event(id);
    let before = &graph.threads()[id.thread() as usize].events[..id.position() as usize];
    before
        .iter()
        .any(|lock| lock.is_read() && lock.exclusive && lock.location == event.location && lock.site == event.site)
}

fn fetch(op: Rmw) -> Operation {
    match op {
        Rmw::Add => Operation::FetchAdd,
        Rmw::Sub => Operation::FetchSub,
        Rmw::And => Operation::FetchAnd,
        Rmw::Nand => Operation::FetchNand,
        Rmw::Or => Operation::FetchOr,
        Rmw::Xor => Operation::FetchXor,
        Rmw::Max | Rmw::MaxSigned => Operation::FetchMax,
        Rmw::Min | Rmw::MinSigned => Operation::FetchMin,
        Rmw::Swap => Operation::Swap,
    }
}

fn order(order: quotient_graph::Order) -> Order {
    match order {
        quotient_graph::Order::Plain => Order::Plain,
        quotient_graph::Order::Relaxed => Order::Relaxed,
        quotient_graph::Order::Acquire => Order::Acquire,
        quotient_graph::Order::Release => Order::Release,
        quotient_graph::Order::AcqRel => Order::AcqRel,
        quotient_graph::Order::SeqCst => Order::SeqCst,
    }
}
