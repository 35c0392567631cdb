//! Panics that are caught: `std::panic` for a program whose panics unwind ([`Builder::unwind`](crate::Builder::unwind)).

pub use std::panic::{AssertUnwindSafe, Location, RefUnwindSafe, UnwindSafe, resume_unwind};

use crate::ops;

/// Calls `body`; a panic of it is an error. Without [`Builder::unwind`](crate::Builder::unwind) a panic ends the check. std's
/// function can be used as well, unless several threads unwind at the same time.
///
/// # Errors
/// What the panic has said.
pub fn catch_unwind<F: FnOnce() -> R + UnwindSafe, R>(body: F) -> std::thread::Result<R> {
    if ops::checking() { ops::catch(body) } else { std::panic::catch_unwind(body) }
}
