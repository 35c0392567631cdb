//! Runs a program's threads as coroutines on the current OS thread, under the explorer's control.
//!
//! Every visible operation of the program is a call of one of the functions in [`ops`]; the explorer answers it. When
//! an execution has ended the program runs again, its prefix answered from the execution graph.

mod again;
mod answer;
mod arena;
mod body;
mod call;
mod check;
mod context;
mod environment;
mod failure;
mod hook;
mod host;
mod likeness;
mod loops;
mod memory;
mod names;
mod narrate;
pub mod native;
pub mod ops;
mod overflow;
mod panics;
mod readers;
mod threads;
mod watch;
mod workers;

pub use answer::answer;
pub use check::{Knowledge, Limits, Options, Outcome, Progress, Stop, Whereabouts, check};
pub use failure::{Failure, Waiting};
pub use likeness::ThreadPermutation;
pub use memory::Tracked;
pub use narrate::narrate;
pub use quotient_dpor::{
    Estimate, MAX_EVENTS, MemoryModel, Position, Settings, Statistics, ViolationKind, graph, rename_update, rename_when,
};
