//! What is done when a state is entered, met again and left, beside exploring it. Safety needs nothing; a search for cycles
//! (Tarjan's components, or a nested search) needs just these three.

use quotient_store::Entry;

/// What wants to know of the states of a search. It is a parameter of the engine, and not an object, so that one that does
/// nothing costs nothing.
///
/// It may keep what it likes. It may not change the search, and what it does must depend on nothing but the calls, so that
/// a search can be repeated. Depth-first, states are left in the opposite order of entering them, each after all that
/// follows from it was seen. Breadth-first, a state is left before the next one is entered. States inside atomic sequences
/// are not stored, and nothing is told of them. A search that ends early does not leave what is on its stack.
pub(crate) trait Visitor {
    /// A new state is expanded.
    #[inline(always)]
    fn enter(&mut self, _state: Entry) {}

    /// A step leads to a state that was stored before.
    #[inline(always)]
    fn meet_again(&mut self, _state: Entry) {}

    /// A state was expanded.
    #[inline(always)]
    fn leave(&mut self, _state: Entry) {}
}

/// Does nothing: for safety.
impl Visitor for () {}
