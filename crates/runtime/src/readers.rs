//! Read locks that a thread takes while it holds one: whether a writer may come between.
//!
//! std leaves open whether a reader has to wait behind a writer that waits. If it has to, a thread that reads again while it
//! holds a read lock waits for a writer that waits for this thread. An execution shows that this can happen if a writer
//! comes after the first read, and what it does before does not come after the second: then it could have been there.

use crate::context::{Context, with};
use crate::ops::MemoryCell;
use quotient_dpor::graph::{Clock, EventId, Graph, Kind};
use quotient_dpor::{Violation, ViolationKind};
use std::panic::Location;

type Site = &'static Location<'static>;

/// A lock that was taken: which, by which event, and where.
type Taken = (usize, EventId, Site);

/// The read locks and write locks of an execution.
#[derive(Default)]
pub(crate) struct Readers {
    /// Those that are held for reading.
    held: Vec<Taken>,
    /// Read locks that a thread has taken while it held the lock: the first, and the second.
    again: Vec<(Taken, Taken)>,
    /// Write locks.
    writers: Vec<Taken>,
}

impl Readers {
    pub(crate) fn reset(&mut self) {
        self.held.clear();
        self.again.clear();
        self.writers.clear();
    }
}

impl Context {
    /// The last event of the current thread.
    fn last_event(&self) -> EventId {
        let thread = self.current.0;
        EventId::new(thread, self.explorer.position(thread).saturating_sub(1))
    }

    /// A writer that may have come between two reads of a thread, in the execution that has ended.
    pub(crate) fn writer_between(&self) -> Option<Violation> {
        let graph = self.explorer.graph();
        let exists = |id: EventId| graph.len_of(id.thread()) > id.position();
        for &((place, first, at), (_, second, again)) in &self.readers.again {
            for &(_, writer, waits) in self.readers.writers.iter().filter(|(other, ..)| *other == place) {
                // An update is two events, of which the second was the last.
                let before = EventId::new(writer.thread(), writer.position().saturating_sub(2));
                let comes_after = exists(writer) && exists(second) && graph.covers(writer, Clock::Before, first);
                if writer.thread() == first.thread() || !comes_after || depends(graph, before, second) {
                    continue;
                }
                let message = format!(
                    "deadlock: thread {} takes a read lock again ({again}) that it holds since {at}; if thread {} waits for the \
                     write lock meanwhile ({waits}), std's RwLock may let neither go on",
                    first.thread(),
                    writer.thread()
                );
                let events = vec![first, writer, second];
                return Some(Violation { kind: ViolationKind::Deadlock, message, events, site: Some(again) });
            }
        }
        None
    }
}

/// Whether an event can only be after another: by program order, reads-from, and starts and ends of threads.
fn depends(graph: &Graph, event: EventId, on: EventId) -> bool {
    let threads = graph.threads();
    // How many events of each thread come before.
    let mut before = vec![0u32; threads.len()];
    let mut pending = vec![event];
    while let Some(last) = pending.pop() {
        let thread = last.thread() as usize;
        let known = before[thread];
        if last.position() < known {
            continue;
        }
        before[thread] = last.position() + 1;
        if known == 0 && threads[thread].spawned_by.is_real() {
            pending.push(threads[thread].spawned_by);
        }
        for one in &threads[thread].events[known as usize..=last.position() as usize] {
            if matches!(one.kind, Kind::Read | Kind::Join) && one.other.is_real() {
                pending.push(one.other);
            }
        }
    }
    before[on.thread() as usize] > on.position()
}

/// The current thread has locked for reading.
pub fn has_read_lock(place: &MemoryCell, site: Site) {
    let place = std::ptr::from_ref(place) as usize;
    crate::memory::as_engine(|| {
        with(|context| {
            if context.abandoning {
                return;
            }
            let taken = (place, context.last_event(), site);
            let thread = context.current.0;
            let first =
                context.readers.held.iter().find(|(other, event, _)| *other == place && event.thread() == thread);
            if let Some(&first) = first {
                context.readers.again.push((first, taken));
            }
            context.readers.held.push(taken);
        });
    });
}

/// The current thread unlocks what it had locked for reading.
pub fn gives_read_lock(place: &MemoryCell) {
    if !crate::context::checking() {
        return;
    }
    let place = std::ptr::from_ref(place) as usize;
    with(|context| {
        let thread = context.current.0;
        let held = &mut context.readers.held;
        if let Some(index) = held.iter().rposition(|(other, event, _)| *other == place && event.thread() == thread) {
            held.remove(index);
        }
    });
}

/// The current thread has locked for writing.
pub fn has_write_lock(place: &MemoryCell, site: Site) {
    let place = std::ptr::from_ref(place) as usize;
    crate::memory::as_engine(|| {
        with(|context| {
            if !context.abandoning {
                let event = context.last_event();
                context.readers.writers.push((place, event, site));
            }
        });
    });
}
