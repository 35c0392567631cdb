//! In which order states are expanded: what becomes of a new state, and which one is next when the stack is empty. This is
//! depth-first order; `breadth.rs` has the other one.

use std::io::{self, Read, Write};
use std::marker::PhantomData;

use quotient_step::machine::Machine;
use quotient_store::{Entry, Exact, Store};

use super::visited::Visited;
use crate::frame::Part;
use crate::path::Path;

/// An order, and the visited set that a search in this order uses. It may put states off and remember how they were reached;
/// it may not look states up, nor execute anything.
pub(crate) trait Frontier: Default {
    /// The visited set.
    type Store: Store;

    /// Whether a new state is expanded before its siblings. Then the stack is the whole run, a state is on it until all
    /// that follows was seen, and a successor may be looked up after the next one was made.
    const DEEPENS: bool;

    /// The initial state was stored; it is expanded next. The steps between states are to be remembered, if `records`.
    fn begin(&mut self, _initial: Entry, _records: bool) {}

    /// Whether a new state is to be expanded at once. If not, the order puts it off.
    #[inline(always)]
    fn accepts(&mut self, _new: New<'_>) -> bool {
        true
    }

    /// The next state of those put off, when the stack is empty.
    #[inline]
    fn next(&mut self) -> Option<(Entry, &[u8])> {
        None
    }

    /// How many steps lead from the initial state to the bottom of the stack.
    #[inline(always)]
    fn depth(&self) -> u64 {
        0
    }

    /// The run to the bottom of the stack.
    fn path(&self, _machine: &Machine, _visited: &Visited<Self::Store>) -> Path {
        Path::new()
    }

    /// Bytes taken.
    fn bytes(&self) -> usize {
        0
    }

    /// The number of the state at the bottom of the stack, in the order of expansion.
    fn current(&self) -> u32 {
        0
    }

    /// Writes what is put off.
    fn save(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Reads what was put off when state number `current` was expanded. The steps between states were remembered, if
    /// `records`.
    fn restore(
        &mut self,
        _input: &mut dyn Read,
        _current: u32,
        _records: bool,
        _: &Machine,
        _: &Visited<Self::Store>,
    ) -> io::Result<()> {
        Ok(())
    }
}

/// A new state: that of the machine.
pub(crate) struct New<'a> {
    /// Its place in the visited set.
    pub(super) entry: Entry,
    /// Its bytes.
    pub(super) state: &'a [u8],
    /// The steps from the bottom of the stack to it.
    pub(super) trail: &'a [Part],
    /// Whether control was lost after them.
    pub(super) released: bool,
}

/// Depth-first, in SPIN's order.
#[derive(Default)]
pub(crate) struct DepthFirst<S = Exact>(PhantomData<S>);

impl<S: Store> Frontier for DepthFirst<S> {
    type Store = S;

    const DEEPENS: bool = true;
}
