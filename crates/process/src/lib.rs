//! Real Linux processes, one step at a time: starts them, stops them at system calls, answers, copies and compares them.
//! Follows the design of process checks; `quotient-system` has all objects that processes share, and decides every result.
//!
//! # Where things are
//!
//! - `launch.rs` starts programs: fixed addresses, a small environment, a session of their own, limits. `start.rs` hides
//!   what would let a program see the clock or chance without a call. `filter.rs` says which calls do not stop.
//! - `tracee.rs` is one process: stops, registers, calls put into it, copies. `memory.rs` reads and writes its memory.
//! - `run.rs` runs a process from one operation to the next. `call.rs` says what can be done about a call; `call/` has a
//!   file for each family; `finish.rs` gives the outcome back; `layout.rs` has structures of the system as bytes.
//! - `own.rs` is what follows from a process's own history: numbers of descriptors, its directory, its clock, files
//!   outside the shared directories. The numbers are the system's: an object of the checker has a placeholder there.
//! - `grow.rs` implements `Grow`; `snapshots.rs` keeps stopped processes, the least recently used go first, and one that
//!   is gone is run again from the nearest that is kept. The first edges are run twice, by processes from two starts
//!   (twins).
//! - `likeness.rs` tells whether two processes are the same: registers, vectors, mappings, private memory above the stack
//!   pointer, and `own.rs`. `place.rs` finds lines of the source. `footprint.rs` says how much memory stopped processes
//!   take, `missing.rs` finds scripts that lack their command for assertions.
//! - `programs/processes` has the programs of its tests, and `vs.h`, `vs.c`, `vs.py` for choices and assertions. `calls/`
//!   makes random calls, which `tests/emulation.rs` compares between the system and the checker (`QUOTIENT_CALLS=2000`
//!   for many).
//!
//! # What must stay true
//!
//! - The system decides nothing in which another process could have a part: a call is answered from the process's own
//!   history, made because it concerns nobody else, or is an operation of `system`. Everything else is unsupported, by
//!   name.
//! - Nothing is written outside the checker; nothing is left running. Processes die with the thread that traces them.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere)))]

mod call;
mod core;
mod end;
mod filter;
mod finish;
mod footprint;
mod grow;
mod launch;
mod layout;
mod likeness;
mod loaded;
mod memory;
mod missing;
mod own;
mod run;
mod shared_files;
mod slot;
mod snapshots;
mod source;
mod start;
mod tracee;
mod world;

pub use call::{ASSERT, TOSS};
pub use end::end_all;
pub use grow::{Counts, Processes, Setup};
pub use launch::{Follow, LaunchError, Limits, Program};
pub use shared_files::shared_files;
