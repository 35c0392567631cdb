//! Internal symmetry: idempotent operations of which only the main one is run, and the check that this hides nothing.
//!
//! Follows sections 2.3 and 3.2 of SPORE: a helping operation is a no-op, and in every execution explored definition
//! 3.3 must hold for it.

use crate::explorer::Explorer;
use crate::violation::{Kind as ViolationKind, Violation};
use quotient_graph::{Clock, Event, EventId, Kind, Update};

impl Explorer {
    /// A helping annotation that is wrong in the current graph (definition 3.3 of the paper).
    pub fn check_annotations(&self) -> Option<Violation> {
        if !self.has_help {
            return None;
        }
        let helps = self.graph.run_order().iter().copied().filter(|&id| self.graph.event(id).kind == Kind::Help);
        for help in helps {
            let operation = self.graph.event(help).value;
            let is_main = |&id: &EventId| {
                let event = self.graph.event(id);
                event.kind == Kind::Primary && event.value == operation
            };
            let mains: Vec<EventId> = self.graph.run_order().iter().copied().filter(is_main).collect();
            let reason = match mains[..] {
                [] => Some("nobody runs it as its primary operation".to_owned()),
                [main] => self.annotation_fault(help, main),
                _ => Some("more than one thread runs it as its primary operation".to_owned()),
            };
            if let Some(reason) = reason {
                let message = format!("thread {} leaves an operation to others, but {reason}", help.thread());
                let site = Some(self.graph.event(help).site);
                let events = mains.into_iter().chain([help]).collect();
                return Some(Violation { kind: ViolationKind::Annotation, message, events, site });
            }
        }
        None
    }

    /// Why the primary operation cannot stand for the helping one.
    fn annotation_fault(&self, help: EventId, main: EventId) -> Option<String> {
        let Some((cas, expected)) = self.exchange_of(main) else {
            return self.main_fault(main);
        };
        let location = self.graph.event(cas).location;
        let Some(previous) = main.position().checked_sub(1).map(|position| EventId::new(main.thread(), position))
        else {
            return Some("no write precedes its primary operation".to_owned());
        };
        if !self.graph.event(previous).is_write() {
            return Some("its primary operation does not directly follow a write".to_owned());
        }
        if !self.graph.covers(help, Clock::Before, previous) {
            return Some("it has not observed, by synchronisation, the write before its primary operation".to_owned());
        }
        let source = (0..=self.graph.location(location).writes.len() as u32).find(|&rank| {
            let write = self.graph.at_rank(location, rank);
            self.graph.value_of(write, location) == expected
                && self.is_observed_before(write, main)
                && self.graph.location(location).writes[rank as usize..]
                    .iter()
                    .all(|&later| self.graph.event(later).exclusive && self.graph.event(later).value != expected)
        });
        if source.is_none() {
            return Some(
                "the value its primary operation expects was not observed before it, or can come back later".to_owned(),
            );
        }
        None
    }

    /// The exchange that ends a primary operation: reads, then one compare-and-exchange.
    fn exchange_of(&self, main: EventId) -> Option<(EventId, u64)> {
        let events = &self.graph.threads()[main.thread() as usize].events;
        for (position, event) in events.iter().enumerate().skip(main.position() as usize + 1) {
            match (event.kind, event.update()) {
                (Kind::Read, Update::Exchange { expected, .. }) => {
                    return Some((EventId::new(main.thread(), position as u32), expected));
                }
                (Kind::Read, Update::Load) => {}
                _ => return None,
            }
        }
        None
    }

    /// A primary operation without its exchange is wrong, unless its thread could not go on.
    fn main_fault(&self, main: EventId) -> Option<String> {
        let events = &self.graph.threads()[main.thread() as usize].events[main.position() as usize + 1..];
        let unfinished = events.iter().all(Event::is_read);
        (!unfinished).then(|| "its primary operation is not reads followed by one compare-and-exchange".to_owned())
    }

    /// Whether a write is before `main` in its thread, or was read there.
    fn is_observed_before(&self, write: EventId, main: EventId) -> bool {
        let events = &self.graph.threads()[main.thread() as usize].events[..main.position() as usize];
        write == EventId::INIT
            || write.thread() == main.thread() && write.position() < main.position()
            || events.iter().any(|event| event.is_read() && event.other == write)
    }
}
