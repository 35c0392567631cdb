//! Running an execution again with like threads in each other's places, to see that they are alike.
//!
//! The graph is copied under a renaming of threads. What the program does on its own account stays as it is: who starts
//! and joins whom. The copy is only replayed: when it is exhausted, every thread comes to its next operation and waits
//! there.

use crate::difference::Difference;
use crate::explorer::{Explorer, Settings};
use crate::forward::Read;
use crate::run::Status;
use crate::{Operation, Step};
use quotient_graph::{Event, EventId, Graph, Kind, LocationId, OpWords, ThreadId, Update, When};
use std::panic::Location as Site;

/// Who takes whose place.
pub trait Renaming {
    /// The thread that takes the place of this one.
    fn thread(&self, thread: ThreadId) -> ThreadId;
    /// The value that is then read or written instead.
    fn value(&self, location: LocationId, value: u64) -> u64;
}

/// What became of an event that is to be copied.
enum Copied {
    Yes,
    /// Something that it needs is not there yet.
    NotYet,
    /// It cannot be done in another's place.
    Never,
}

impl Explorer {
    /// An explorer that replays the current graph with `members`, which are alike, in each other's places. `None` if that
    /// is not possible.
    pub fn renamed(&self, members: &[ThreadId], renaming: &dyn Renaming) -> Option<Explorer> {
        let kept = self.without_joins(members)?;
        let mut copy = Explorer::new(Settings { symmetry: false, ..self.settings.clone() });
        (copy.replay_only, copy.keep_order) = (true, true);
        for location in 0..self.graph.location_count() as LocationId {
            copy.graph.add_location(location, self.graph.location(location).init);
        }
        let mut left: Vec<EventId> =
            self.graph.run_order().iter().copied().filter(|id| kept[id.thread() as usize] > id.position()).collect();
        while !left.is_empty() {
            let before = left.len();
            let mut later = Vec::new();
            for id in left {
                match copy.copy_event(self, id, members, renaming) {
                    Copied::Yes => {}
                    Copied::NotYet => later.push(id),
                    Copied::Never => return None,
                }
            }
            if later.len() == before {
                return None;
            }
            left = later;
        }
        Some(copy)
    }

    /// How many events of each thread are copied. Like threads can be joined in any order as long as all are joined, so
    /// before all have ended none counts as joined.
    fn without_joins(&self, members: &[ThreadId]) -> Option<Vec<u32>> {
        let threads = self.graph.threads();
        let has_ended =
            |&thread: &ThreadId| threads[thread as usize].events.last().is_some_and(|event| event.kind == Kind::End);
        let all = members.iter().all(has_ended);
        let joins = |event: &Event| event.kind == Kind::Join && members.contains(&event.other.thread());
        let mut kept = Vec::new();
        for thread in threads {
            let first = if all { None } else { thread.events.iter().position(joins) };
            let length = first.unwrap_or(thread.events.len());
            if thread.events[length..].iter().any(|event| !matches!(event.kind, Kind::Join | Kind::End)) {
                return None;
            }
            kept.push(length as u32);
        }
        Some(kept)
    }

    fn copy_event(&mut self, from: &Explorer, id: EventId, members: &[ThreadId], renaming: &dyn Renaming) -> Copied {
        let event = *from.graph.event(id);
        let blank = Graph::blank(event.kind, event.asked, event.site);
        if id == EventId::new(0, 0) {
            let main = self.graph.add_thread(EventId::INIT, 0, EventId::NONE);
            self.push(main, Event { other: EventId::INIT, ..blank });
            return Copied::Yes;
        }
        if event.kind == Kind::Begin || event.kind == Kind::Write && event.exclusive {
            // These come with the events before them.
            return Copied::Yes;
        }
        let name = |id: EventId| {
            if id.is_real() { EventId::new(renaming.thread(id.thread()), id.position()) } else { id }
        };
        let has = |graph: &Graph, id: EventId| !id.is_real() || graph.len_of(id.thread()) > id.position();
        let new = name(id);
        let thread = new.thread();
        if self.graph.len_of(thread) != new.position() {
            return Copied::NotYet;
        }
        let is_member = members.contains(&id.thread());
        let value = |value| renaming.value(event.location, value);
        match event.kind {
            Kind::Read => {
                let source = name(event.other);
                if !has(&self.graph, source) {
                    return Copied::NotYet;
                }
                let (update, when) = (rename_update(event.update(), &value), rename_when(event.when(), &value));
                let orders = (event.asked.what.order, event.asked.what.failure);
                let read = Read { location: event.location, orders, update, when, weak: event.is_weak() };
                let copy = self.push_read(thread, read, event.site, source, event.spurious);
                if self.graph.event(copy).exclusive != event.exclusive {
                    return Copied::Never;
                }
            }
            Kind::Write => {
                let Event { location, order, .. } = event;
                let value = value(event.value);
                let asked = OpWords { first: value, ..event.asked };
                let write = Event { location, order, value, asked, ..blank };
                let copy = self.push(thread, write);
                let earlier = from.graph.location(location).writes[..event.rank as usize - 1].iter().rev();
                let after = earlier.map(|&write| name(write)).find(|&write| has(&self.graph, write));
                self.graph.place(copy, after.unwrap_or(EventId::INIT));
            }
            Kind::Spawn | Kind::Join | Kind::Primary | Kind::Help if is_member => return Copied::Never,
            Kind::Spawn => {
                let copy = self.push_spawn(thread, 0, blank);
                if self.graph.event(copy).other != event.other {
                    return Copied::Never;
                }
            }
            Kind::Join => {
                let child = event.other.thread();
                let end = EventId::new(child, self.graph.len_of(child).saturating_sub(1));
                if self.graph.len_of(child) == 0 || self.graph.event(end).kind != Kind::End {
                    return Copied::NotYet;
                }
                self.push(thread, Event { other: end, ..blank });
            }
            _ => {
                self.push(thread, Event { order: event.order, value: event.value, ..blank });
            }
        }
        Copied::Yes
    }

    /// Whether a graph is only replayed.
    #[inline]
    pub fn is_replay_only(&self) -> bool {
        self.replay_only
    }

    /// Whether threads are in each other's places.
    #[inline]
    pub fn is_permuted(&self) -> bool {
        self.replay_only && self.repeating.is_none()
    }

    /// What was found to differ from the graph.
    pub fn difference(&self) -> Option<Difference> {
        self.difference
    }

    /// Takes over what another explorer has counted.
    pub fn adopt_statistics(&mut self, other: &Explorer) {
        self.statistics = other.statistics;
    }

    /// The thread has come to its next operation, and the graph that is replayed has no answer.
    pub fn halt(&mut self, thread: ThreadId, operation: &Operation, site: &'static Site<'static>) -> Step {
        self.wait(thread, operation, site)
    }

    /// A thread that has not come to its next operation yet.
    pub(crate) fn next_to_halt(&self) -> Option<ThreadId> {
        let first = self.run.threads.iter().position(|progress| progress.status == Status::Ready);
        first.map(|thread| thread as ThreadId)
    }
}

/// An update with its values renamed.
pub fn rename_update(update: Update, value: &dyn Fn(u64) -> u64) -> Update {
    match update {
        Update::Load => Update::Load,
        Update::Fetch { op, operand, bits } => Update::Fetch { op, operand: value(operand), bits },
        Update::Exchange { expected, new } => Update::Exchange { expected: value(expected), new: value(new) },
    }
}

/// A condition with its value renamed.
pub fn rename_when(when: When, value: &dyn Fn(u64) -> u64) -> When {
    match when {
        When::Is(expected) => When::Is(value(expected)),
        When::IsNot(other) => When::IsNot(value(other)),
        other => other,
    }
}
