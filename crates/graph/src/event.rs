//! Events, and how they are named: a thread and a position within it.

use crate::{LocationId, OpWords, Order, Outcome, Update, When};
use std::fmt;
use std::panic::Location as Site;

/// The number of a thread in a graph.
pub type ThreadId = u32;

/// An event's name: its thread and its position in the thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(u32);

const POSITION_BITS: u32 = 20;

impl EventId {
    /// The pseudo event that has written every location's initial value.
    pub const INIT: EventId = EventId(u32::MAX);
    /// No event.
    pub const NONE: EventId = EventId(u32::MAX - 1);
    /// How many threads an execution may have.
    pub const MAX_THREADS: usize = (1 << (32 - POSITION_BITS)) - 1;
    /// How many events a thread may have.
    pub const MAX_EVENTS: usize = (1 << POSITION_BITS) - 1;

    /// The event at `position` of `thread`.
    #[inline]
    pub fn new(thread: ThreadId, position: u32) -> Self {
        EventId((thread << POSITION_BITS) | position)
    }

    /// The event's thread.
    #[inline]
    pub fn thread(self) -> ThreadId {
        self.0 >> POSITION_BITS
    }

    /// The event's position in its thread, from 0.
    #[inline]
    pub fn position(self) -> u32 {
        self.0 & ((1 << POSITION_BITS) - 1)
    }

    /// The name as a number.
    #[inline]
    pub(crate) fn number(self) -> u64 {
        u64::from(self.0)
    }

    /// The next event of the same thread.
    #[inline]
    pub fn next(self) -> Self {
        EventId(self.0 + 1)
    }

    /// The event before it in the same thread.
    #[inline]
    pub fn previous(self) -> Option<Self> {
        (self.position() > 0).then(|| EventId(self.0 - 1))
    }

    /// Whether this is an event of a thread, neither `INIT` nor `NONE`.
    #[inline]
    pub fn is_real(self) -> bool {
        self.0 < Self::NONE.0
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::INIT => write!(f, "init"),
            Self::NONE => write!(f, "none"),
            _ => write!(f, "{}.{}", self.thread(), self.position()),
        }
    }
}

/// What kind of step an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A thread's first event; `other` is the spawn.
    Begin,
    /// A thread's last event.
    End,
    /// The start of the thread whose begin is `other`.
    Spawn,
    /// The end of thread `other` was awaited; `other` is that end.
    Join,
    /// A read; `other` is the write that it reads. Alone, or the first half of a read-modify-write.
    Read,
    /// A write. Alone, or the second half of a read-modify-write.
    Write,
    /// A fence.
    Fence,
    /// A free choice; `value` was chosen.
    Choose,
    /// The thread goes no further: it spins, or what the program assumes does not hold.
    Block,
    /// The thread begins the primary operation `value` of an idempotent pair.
    Primary,
    /// The thread leaves operation `value` to the one who runs it.
    Help,
}

/// One step of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// What kind of step it is.
    pub kind: Kind,
    /// The memory order of an access (for a failed exchange, its failure order) or a fence.
    pub order: Order,
    /// Whether this is half of a read-modify-write that has happened.
    pub exclusive: bool,
    /// Whether an exchange has failed without a reason.
    pub spurious: bool,
    /// The location accessed.
    pub location: LocationId,
    /// The event this one takes something from; see [`Kind`].
    pub other: EventId,
    /// When the event was added, relative to others (`≤G` in the paper).
    pub stamp: u32,
    /// A write's place in coherence order.
    pub rank: u32,
    /// The read half of the read-modify-write that has taken this write's value, or `NONE`.
    pub taken_by: EventId,
    /// The value read, written or chosen.
    pub value: u64,
    /// The operation, of which this event is the whole or the first half.
    pub asked: OpWords,
    /// Where in the program.
    pub site: &'static Site<'static>,
}

impl Event {
    /// Whether this event accesses memory.
    #[inline]
    pub fn is_access(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Write)
    }

    /// Whether this is a read.
    #[inline]
    pub fn is_read(&self) -> bool {
        self.kind == Kind::Read
    }

    /// Whether this is a write.
    #[inline]
    pub fn is_write(&self) -> bool {
        self.kind == Kind::Write
    }

    /// What follows a read within the same operation.
    #[inline]
    pub fn update(&self) -> Update {
        self.asked.update()
    }

    /// What a read waits for.
    #[inline]
    pub fn when(&self) -> When {
        self.asked.when()
    }

    /// What the operation does with a value that it reads.
    #[inline]
    pub fn outcome(&self, value: u64) -> Outcome {
        self.update().outcome(self.when(), value)
    }

    /// Whether this is the read of an exchange that may fail without a reason.
    #[inline]
    pub fn is_weak(&self) -> bool {
        self.asked.what.weak
    }

    /// Whether this is a write that frees the location.
    #[inline]
    pub fn frees(&self) -> bool {
        self.asked.what.frees
    }

    /// Whether this is an access that is not atomic.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.is_access() && self.order == Order::Plain
    }
}
