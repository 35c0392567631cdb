//! Optimal exploration of execution graphs: one execution per class of equivalent interleavings, and, if threads are
//! alike, one per orbit.
//!
//! Follows SPORE (Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024) on top of TruSt (POPL 2022). The explorer never sees
//! a thread run: whoever runs the program asks it, for every visible operation, what happens ([`Explorer::step`]).
//! Deviations from the paper: blocking read-modify-writes ([`When`](quotient_graph::When)) have no event until they
//! succeed; unordered writes are accepted together with symmetry; writes to memory that only its thread knows do not
//! end a likeness.
//!
//! # Where things are
//!
//! `forward.rs` lists the ways in which an operation can happen, `revisit.rs`
//! the backward revisits, `going.rs` what goes then, `symmetry.rs` decides between symmetric graphs, `run.rs` replays and
//! adds, `turns.rs` says who goes next; `helping.rs`, `estimate.rs`, `parallel.rs` and `script.rs` are what their names say; `share.rs` divides an
//! exploration between processes that do not talk to each other; `position.rs` says where an exploration is, and goes
//! there again; `permute.rs` copies a graph with threads in each other's places; `difference.rs` compares a thread that
//! is replayed with its events, `repeat.rs` runs an execution once more, `told.rs` follows a script.
//!
//! # What must stay true
//!
//! - A revisit keeps the ends of threads, and waits for them, whose past it keeps: nothing else can happen there. It
//!   takes the graph as it stands, with what was added since the alternative was listed: none of that is in the prefix of
//!   the write, so it goes. For the same reason an end, or the wait for a thread that has ended, is added whenever it is
//!   asked for, whoever's turn it is (`end_at_once`).
//! - Every alternative is checked before the program is run for it, so no run of the program is in vain but for loops
//!   that turn out not to wait. Coherence and atomicity are checked when it is listed; the rest when its turn comes, so
//!   that a long execution does not cost a check of the whole graph for each of its many alternatives. With like threads
//!   and in random walks everything is checked when it is listed.
//! - Limits hold inside an execution. `alarm.rs` looks at the clock once in so much work; what is replayed is no work.
//! - A script is not believed: a run that follows one is an execution that the exploration has as well, or ends with an
//!   error (`tests/scripts.rs` damages scripts).
//! - An execution is explored once; with symmetry, one per orbit. `tests/oracle.rs` and `tests/litmus.rs` hold it to
//!   that.

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
mod turns;
mod violation;

pub use difference::{Difference, NAMES};
pub use estimate::Estimate;
pub use explorer::{Explorer, MAX_EVENTS, Settings, Statistics};
pub use operation::{Operation, Step};
pub use parallel::Task;
pub use permute::{Renaming, rename_update, rename_when};
pub use position::{Astray, Position};
pub use quotient_graph as graph;
pub use quotient_graph::mix;
pub use quotient_memory::MemoryModel;
pub use repeat::Repetition;
pub use rounds::{Choices, Heads, Publication, Removal, Round};
pub use run::Ending;
pub use script::ScriptError;
pub use violation::{Kind as ViolationKind, Violation};
