//! Real Linux processes, one step at a time: starts them, stops them at system calls, answers, copies and compares them.
//! Follows the design of process checks; `quotient-system` has all objects that processes share, and decides every result.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere)))]

mod call;
mod core;
mod filter;
mod finish;
mod footprint;
mod grow;
mod launch;
mod layout;
mod likeness;
mod memory;
mod missing;
mod own;
mod run;
mod shared_files;
mod snapshots;
mod source;
mod start;
mod tracee;
mod world;

pub use call::{ASSERT, TOSS};
pub use grow::{Counts, Processes, Setup};
pub use launch::{LaunchError, Limits, Program};
pub use shared_files::shared_files;
