//! Consistency of execution graphs under SC, TSO, RA and RC11.
//!
//! Coherence is decided while options are listed: [`floor`] gives the oldest write that a new access may still see.
//! What remains, a cycle through several locations, is decided by `consistent` on the whole graph, and only for
//! options that are not the newest ones, because all four models are extensible: reading from or writing after the
//! newest write never makes a consistent graph inconsistent (TruSt, POPL 2022).
//!
//! # Where things are
//!
//! `before.rs` computes happens-before and what follows from it (coherence as an interval, races);
//! `cycles.rs` and `psc.rs` look for cycles through several locations, as cycles of a graph with some edges for each
//! event (`edges.rs`). `matrices.rs` is `psc` as the paper has it, for tests.
//!
//! # What must stay true
//!
//! - A check takes time proportional to the number of events (times that of threads). What is asked at every new
//!   operation is answered without a search through the thread or the location: `Graph::latest` and
//!   `Graph::access_before` lead to the accesses of a location by thread, the newest first.
//! - Taking the newest option never makes a consistent graph inconsistent, so it is not checked.

#![forbid(unsafe_code)]

mod before;
mod cycles;
mod edges;
#[cfg(test)]
mod matrices;
mod psc;
#[cfg(test)]
mod tests;

pub use before::{floor, floor_of_read, learn_clocks, race, race_of_read};
pub use cycles::Checker;

/// A memory model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemoryModel {
    /// Sequential consistency: executions are interleavings.
    Sc,
    /// Total store order, as on x86: a write may be delayed past later reads of its thread. A store of order SeqCst is
    /// followed by a fence, as compilers do it.
    Tso,
    /// Release-acquire: RC11 without its condition on SeqCst, which is here no more than AcqRel.
    Ra,
    /// The repaired C11 model with release sequences as in C++20.
    #[default]
    Rc11,
}

impl MemoryModel {
    /// All models, the strongest first.
    pub const ALL: [MemoryModel; 4] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra, MemoryModel::Rc11];

    /// Whether every write that is read is ordered before the read, whatever orders the program asks for.
    #[inline]
    pub(crate) fn is_strong(self) -> bool {
        matches!(self, MemoryModel::Sc | MemoryModel::Tso)
    }

    /// The model's name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Ra => "ra",
            MemoryModel::Rc11 => "rc11",
        }
    }

    /// The model with this name.
    pub fn from_name(name: &str) -> Option<MemoryModel> {
        MemoryModel::ALL.into_iter().find(|model| model.name() == name)
    }
}
