//! What a representative is, for those who write their own.

use crate::HeapReducer;

/// Says which states are taken for one: those that have the same representative.
///
/// It must be a renaming of the state: the same with its records by other names and its threads in another order, or with
/// the entries of values in another order that has no meaning. Then whatever can happen in one of the states that are
/// taken for one can happen in the others. How many states there are depends on it, and no verdict does.
pub trait Representative {
    /// The representative of a state.
    fn representative(&mut self, state: &[u8]) -> Vec<u8>;
}

/// Every state stands for itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Itself;

impl Representative for Itself {
    fn representative(&mut self, state: &[u8]) -> Vec<u8> {
        state.to_vec()
    }
}

impl Representative for HeapReducer {
    fn representative(&mut self, state: &[u8]) -> Vec<u8> {
        HeapReducer::representative(self, state).to_vec()
    }
}
