//! Whether a thread has panicked while it held a lock. As in std it is a relaxed flag that is written while the lock is
//! held. Only if panics unwind ([`Builder::unwind`](crate::Builder::unwind)) is there anything to see.

use std::panic::Location;
use std::sync::{LockResult, PoisonError};

use crate::ops::{self, MemoryCell, Order};

pub(super) struct Poison {
    place: MemoryCell,
}

const CLEAN: u64 = 0;
const POISONED: u64 = 1;

impl Poison {
    pub(super) const fn new() -> Self {
        Poison { place: MemoryCell::new() }
    }

    #[track_caller]
    pub(super) fn is_set(&self) -> bool {
        ops::unwinds() && ops::load(&self.place, CLEAN, Order::Relaxed) == POISONED
    }

    #[track_caller]
    pub(super) fn clear(&self) {
        if ops::unwinds() {
            ops::store(&self.place, CLEAN, CLEAN, Order::Relaxed);
        }
    }

    /// A guard is dropped that was made when its thread did unwind or not.
    #[inline]
    pub(super) fn leave(&self, was_unwinding: bool, site: &'static Location<'static>) {
        if !was_unwinding && ops::is_unwinding() {
            ops::store_at(&self.place, CLEAN, POISONED, Order::Relaxed, site);
        }
    }

    /// What one gets with the lock.
    #[track_caller]
    pub(super) fn wrap<T>(&self, guard: T) -> LockResult<T> {
        if self.is_set() { Err(PoisonError::new(guard)) } else { Ok(guard) }
    }
}
