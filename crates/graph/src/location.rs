//! Locations: the coherence order of their writes, and who reads them.

use crate::{Event, EventId, Order, ThreadId};

/// The number of a location in a graph.
pub type LocationId = u32;

/// One location of memory.
#[derive(Clone, Debug)]
pub struct Location {
    /// The value before any write.
    pub init: u64,
    /// The writes in coherence order, without the initial one.
    pub writes: Vec<EventId>,
    /// The reads, in no particular order.
    pub reads: Vec<EventId>,
    /// The thread of the first access.
    pub first: ThreadId,
    /// How many accesses are by other threads than the first.
    pub by_others: u32,
    /// How many accesses are not atomic.
    pub plain: u32,
    /// The thread that has made the location, and how many events it had then, if it was made during the execution.
    pub origin: Option<(ThreadId, u32)>,
    /// The read-modify-write that has taken the initial value, or `NONE`.
    pub init_taken_by: EventId,
    /// The last access of each thread that accesses it.
    pub(crate) latest: Vec<EventId>,
    /// At most so many values have been taken by two read-modify-writes.
    pub(crate) conflicts: u32,
    /// Whether some of its accesses are no longer in their threads.
    pub(crate) loses: bool,
}

impl Default for Location {
    fn default() -> Self {
        Location {
            init: 0,
            writes: Vec::new(),
            reads: Vec::new(),
            first: 0,
            by_others: 0,
            plain: 0,
            origin: None,
            init_taken_by: EventId::NONE,
            latest: Vec::new(),
            conflicts: 0,
            loses: false,
        }
    }
}

impl Location {
    /// Forgets everything but the storage.
    pub fn clear(&mut self) {
        self.init = 0;
        self.origin = None;
        (self.by_others, self.plain) = (0, 0);
        self.writes.clear();
        self.reads.clear();
        self.latest.clear();
        self.conflicts = 0;
        self.init_taken_by = EventId::NONE;
    }

    /// Becomes a copy of another location.
    pub(crate) fn copy(&mut self, other: &Location) {
        self.writes.clone_from(&other.writes);
        self.reads.clone_from(&other.reads);
        self.latest.clone_from(&other.latest);
        self.conflicts = other.conflicts;
        (self.init, self.origin, self.init_taken_by) = (other.init, other.origin, other.init_taken_by);
        (self.first, self.by_others, self.plain) = (other.first, other.by_others, other.plain);
    }

    /// Notes a new access: a write is the newest one now, and its rank is given back.
    #[inline]
    pub(crate) fn enter(&mut self, id: EventId, event: &Event) -> u32 {
        self.count(id.thread(), event.order == Order::Plain);
        if event.is_read() {
            self.reads.push(id);
            return 0;
        }
        self.writes.push(id);
        self.writes.len() as u32
    }

    /// Notes the last access of a thread. Returns where the one before is, plus one; 0 if there is none.
    #[inline]
    pub(crate) fn link(&mut self, id: EventId) -> u32 {
        match self.latest.iter_mut().find(|last| last.thread() == id.thread()) {
            Some(last) => std::mem::replace(last, id).position() + 1,
            None => {
                self.latest.push(id);
                0
            }
        }
    }

    /// Takes back what [`link`](Self::link) has noted.
    #[inline]
    pub(crate) fn unlink(&mut self, thread: ThreadId, link: u32) {
        let index = self.latest.iter().position(|last| last.thread() == thread).expect("a thread that accesses it");
        if link > 0 {
            self.latest[index] = EventId::new(thread, link - 1);
        } else {
            self.latest.swap_remove(index);
        }
    }

    /// Counts an access that is there now.
    #[inline]
    fn count(&mut self, thread: ThreadId, plain: bool) {
        if self.is_unused() {
            self.first = thread;
        }
        self.by_others += (thread != self.first) as u32;
        self.plain += plain as u32;
    }

    /// Takes back what [`count`](Self::count) has counted.
    #[inline]
    pub(crate) fn discount(&mut self, thread: ThreadId, plain: bool) {
        self.by_others -= (thread != self.first) as u32;
        self.plain -= plain as u32;
    }

    /// Whether no thread but this one accesses the location.
    #[inline]
    pub fn is_private_to(&self, thread: ThreadId) -> bool {
        self.by_others == 0 && self.first == thread
    }

    /// Whether no event accesses the location.
    #[inline]
    pub fn is_unused(&self) -> bool {
        self.writes.is_empty() && self.reads.is_empty()
    }

    /// The last write in coherence order.
    #[inline]
    pub fn last(&self) -> EventId {
        self.writes.last().copied().unwrap_or(EventId::INIT)
    }
}
