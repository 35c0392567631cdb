//! The frame of a state under expansion: a cursor over its moves, and what is known so far. A deep search has millions
//! of frames, so they are small; what led to them is kept apart, in the trail.

use quotient_store::Entry;

/// A state under expansion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Its entry in the visited set; `None` inside an atomic sequence or a rendezvous.
    pub(crate) entry: Option<Entry>,
    /// Where its bytes start on the stack, and how many there are; an offered message follows.
    pub(crate) start: usize,
    pub(crate) length: u32,
    /// How long the trail was before the steps that led here.
    pub(crate) trail: usize,
    /// The next move to try of the current process, or [`Frame::UNSEEN`] before the first.
    pub(crate) next: u32,
    /// One past the last move of the current process.
    pub(crate) end: u32,
    /// The escape of an `unless` that was executed.
    pub(crate) escape: u32,
    /// The channel of an offered message; 0 for none.
    pub(crate) offer: u16,
    /// The process whose moves are being tried; below `last` when all were.
    pub(crate) process: i16,
    /// The last process to try: 0, or the only one.
    pub(crate) last: i16,
    pub(crate) flags: u16,
}

impl Frame {
    /// The current process's moves were not looked at yet.
    pub(crate) const UNSEEN: u32 = u32::MAX;

    /// Some process moved.
    pub(crate) const MOVED: u16 = 1;
    /// The current process moved.
    pub(crate) const MOVED_HERE: u16 = 2;
    /// `timeout` is true: nothing else could move.
    pub(crate) const TIMEOUT: u16 = 4;
    /// Only one process is expanded, chosen by partial-order reduction.
    pub(crate) const PRESELECTED: u16 = 8;
    /// Some successor is not on the stack.
    pub(crate) const OUTSIDE: u16 = 16;
    /// Reached inside an atomic sequence or a rendezvous, so not stored.
    pub(crate) const PASSING: u16 = 32;
    /// The control of an atomic sequence was lost here.
    pub(crate) const RELEASED: u16 = 64;
    /// Only one process may move: it is inside an atomic sequence.
    pub(crate) const EXCLUSIVE: u16 = 128;

    /// Inside an atomic sequence.
    pub(crate) const PASSED: u16 = Self::PASSING | Self::EXCLUSIVE;

    #[inline(always)]
    pub(crate) fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether its state is not needed any more: it is not stored, something was done there, and nothing is left to try.
    #[inline(always)]
    pub(crate) fn is_through(&self) -> bool {
        self.flags & (Self::PASSED | Self::MOVED) == Self::PASSED | Self::MOVED && self.offer == 0 && self.exhausted()
    }

    /// Whether nothing is left to try, as far as can be told without the state.
    #[inline(always)]
    pub(crate) fn exhausted(&self) -> bool {
        self.process < self.last || (self.process == self.last && self.next != Self::UNSEEN && self.next >= self.end)
    }
}

/// One process's part in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The transition, within its control state.
    pub(crate) transition: u32,
    /// The process.
    pub(crate) process: u16,
    /// What it did.
    pub(crate) role: Role,
}

/// What a process did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Moved alone.
    Alone,
    /// Offered a message; a receiver follows.
    Offers,
    /// Received the message offered.
    Receives,
}
