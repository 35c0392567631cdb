//! A lock that spins. Its tests are loom tests: `RUSTFLAGS="--cfg loom" cargo test -p quotient-loom-example`.

#[cfg(loom)]
use loom::{hint, sync::atomic::AtomicBool};
#[cfg(not(loom))]
use std::{hint, sync::atomic::AtomicBool};

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A lock that spins.
pub struct SpinLock(AtomicBool);

impl Default for SpinLock {
    fn default() -> Self {
        SpinLock(AtomicBool::new(false))
    }
}

impl SpinLock {
    /// Runs a closure while nobody else has the lock.
    pub fn with<T>(&self, inside: impl FnOnce() -> T) -> T {
        while self.0.compare_exchange(false, true, Acquire, Relaxed).is_err() {
            hint::spin_loop();
        }
        let result = inside();
        self.0.store(false, Release);
        result
    }
}
