//! Threads. As in loom, and unlike in std, what a thread runs and gives need not be `Send`: all threads of a check run on
//! one OS thread.

mod spawn;

pub use quotient::thread::{
    AccessError, LocalKey, Result, Scope, ScopedJoinHandle, Thread, ThreadId, available_parallelism, current,
    panicking, park, park_timeout, scope, sleep, yield_now,
};
pub use spawn::{Builder, JoinHandle, spawn};
