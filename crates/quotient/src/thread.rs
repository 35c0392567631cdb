//! Threads: `std::thread` on the checker's threads. A panic of any thread ends the check, so joining always succeeds,
//! unless panics unwind ([`Builder::unwind`](crate::Builder::unwind)).

mod handle;
mod likeness;
mod local;
mod packet;
mod park;
mod scope;
mod spawn;
mod start;
mod symmetric;

use std::num::NonZero;
use std::time::Duration;

use crate::ops;

pub use handle::{Thread, ThreadId, current};
pub use local::{AccessError, LocalKey};
pub use park::{park, park_timeout};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use spawn::{Builder, JoinHandle, spawn};
pub use std::thread::Result;
pub use symmetric::{SymmetricGroup, spawn_symmetric};

/// Says that the thread can do nothing useful until others have gone on. In a loop that waits for something it keeps
/// the loop finite: the thread goes on when what it has read changes.
#[track_caller]
pub fn yield_now() {
    ops::spin();
}

/// Lets time pass. No thread can rely on how much, so it is [`yield_now`].
#[track_caller]
pub fn sleep(_duration: Duration) {
    ops::spin();
}

/// Whether the thread unwinds.
pub fn panicking() -> bool {
    if ops::unwinds() { ops::is_unwinding() } else { std::thread::panicking() }
}

/// How many threads run at once: always 2, so that checks do not depend on the machine.
pub fn available_parallelism() -> std::io::Result<NonZero<usize>> {
    Ok(const { NonZero::new(2).unwrap() })
}
