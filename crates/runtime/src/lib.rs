//! Runs a program's threads as coroutines on the current OS thread, under the explorer's control.
//!
//! Every visible operation of the program is a call of one of the functions in [`ops`]; the explorer answers it. When
//! an execution has ended the program runs again, its prefix answered from the execution graph.
//!
//! # Where things are
//!
//! `ops.rs` is what the library is made of; `context.rs` carries an operation to the explorer and back;
//! `threads.rs` has the coroutines, `body.rs` what they run, `loops.rs` the waiting loops, `memory.rs` and `arena.rs` the
//! allocator, `check.rs` the exploration (`check/work.rs` its workers), `watch.rs` who watches over them, `overflow.rs`
//! stacks that are used up; `again.rs` runs executions once more to see that the program is deterministic, `likeness.rs`
//! to see that threads are alike; `panics.rs` has panics that the program expects, `readers.rs` read locks that a thread
//! takes twice; `narrate.rs` turns a failure into a run that a person can read, `answer.rs` the outcome of an exploration
//! into an answer, for Rust, C and C++ alike.
//!
//! # What must stay true
//!
//! - The program's code never runs while the context is borrowed.
//! - A thread waits in a loop only if the execution is covered by one that is explored. `loops.rs` has the rule and what
//!   it rests on; `loops/question.rs` asks whether a thread was in the same state before, `forethought.rs` notes states
//!   that may be asked for, `cover.rs` has what it could have done at once, and `trial.rs` tries that; `snapshot.rs` has
//!   the state of a thread, `frame.rs`, `unwind.rs` and `variables.rs` what of its stack is live, `ahead.rs` what it does next whatever it reads, `livelock.rs` what is
//!   forever; `dpor/rounds.rs` which events can be left out. What is decided depends on everything that the thread can
//!   know, and on nothing else (`Explorer::past_of`); whether a round was seen is decided when nobody else can go on.
//!   `QUOTIENT_NOISE=1` overwrites everything on the stacks of C programs that is said to be dead, which must change
//!   nothing; `QUOTIENT_TELL_LOOPS=1` says what is found out.
//! - The pulse of a worker says whether the program or the engine runs; only the program can stall.
//! - Before anything else is explored, the first execution has been run twice with the same events and the same end. No
//!   count depends on runs that only repeat.
//! - Executions run in an order that extends program order and reads-from, so plain memory without races is the same each
//!   time. Otherwise a thread that is replayed goes on as long as it can, because every switch costs. If a program then
//!   turns out not to be deterministic, in the same way twice, it may have state that Quotient does not see, such as
//!   std's reference counts: the exploration begins again, and threads take turns in the order of the graph, which keeps
//!   the relative order of what a revisit keeps.

mod again;
mod answer;
mod arena;
mod body;
mod call;
mod check;
mod context;
mod environment;
mod failure;
pub mod files;
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
