//! The frame of a state under expansion: a cursor over its moves, and what is known so far.

use quotient_step::{Choice, Fault};
use quotient_store::Entry;

/// Which processes are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All.
    All,
    /// One: it is inside an atomic sequence, or its moves are enough.
    One(u32),
}

/// A state under expansion.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Where its bytes start on the stack, and how many there are; an offered message follows.
    pub(crate) start: usize,
    pub(crate) length: usize,
    /// Its entry in the visited set; `None` inside an atomic sequence or a rendezvous.
    pub(crate) entry: Option<Entry>,
    /// The process whose moves are being tried; negative when all were.
    pub(crate) process: i32,
    /// The next move to try, within the process's control state; `None` before the process's first.
    pub(crate) next: Option<u32>,
    pub(crate) scope: Scope,
    /// Some process moved.
    pub(crate) moved: bool,
    /// The current process moved.
    pub(crate) moved_here: bool,
    /// `timeout` is true: nothing else could move.
    pub(crate) timeout: bool,
    /// The scope was chosen by partial-order reduction.
    pub(crate) preselected: bool,
    /// Some successor is not on the stack.
    pub(crate) outside: bool,
    /// Reached inside an atomic sequence or a rendezvous, so not stored.
    pub(crate) passing: bool,
    /// The control of an atomic sequence was lost here.
    pub(crate) released: bool,
    /// The escape of an `unless` that was executed.
    pub(crate) escape: u32,
    /// The channel of an offered message; 0 for none.
    pub(crate) offer: u32,
    /// What went wrong in making the offer; reported when someone receives.
    pub(crate) pending: Vec<Fault>,
    /// What led here.
    pub(crate) choice: Choice,
}
