//! Optimal exploration of execution graphs: one execution per class of equivalent interleavings, and, if threads are
//! alike, one per orbit.
//!
//! Follows SPORE (Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024) on top of TruSt (POPL 2022). The explorer never sees
//! a thread run: whoever runs the program asks it, for every visible operation, what happens ([`Explorer::step`]).
//! Deviations from the paper: blocking read-modify-writes ([`When`](quotient_graph::When)) have no event until they
//! succeed; unordered writes are accepted together with symmetry; writes to memory that only its thread knows do not
//! end a likeness.

#![forbid(unsafe_code)]

mod alarm;
mod difference;
mod estimate;
mod explorer;
mod forward;
mod going;
mod helping;
mod operation;
mod parallel;
mod permute;
mod position;
mod repeat;
mod revisit;
mod rounds;
mod run;
mod script;
mod share;
mod symmetry;
mod told;
mod violation;

pub use difference::{Difference, NAMES};
pub use estimate::Estimate;
pub use explorer::{Explorer, MAX_EVENTS, Settings, Statistics};
pub use operation::{Operation, Step};
pub use parallel::Task;
pub use permute::{Renaming, rename_update, rename_when};
pub use position::{Astray, Position};
pub use quotient_graph as graph;
pub use quotient_memory::MemoryModel;
pub use repeat::Repetition;
pub use rounds::{Publication, Removal, Round, mix};
pub use run::Ending;
pub use violation::{Kind as ViolationKind, Violation};
