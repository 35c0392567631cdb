//! Programs run step by step, to check the axioms against machines. SC is the interleaving machine of Lamport (1979),
//! TSO the store-buffer machine of Owens, Sarkar, Sewell (TPHOLs 2009).

mod sc;
mod tso;

pub use sc::{interleavings, stuck};
pub use tso::buffered;

/// What remains of an execution when it is over: the registers of each thread and the memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    /// The final registers of each thread.
    pub registers: Vec<Vec<u64>>,
    /// The final values of the locations.
    pub memory: Vec<u64>,
}
