//! Mutual exclusion. To lock is to wait for 0 and write 1 in one step, to unlock is to write 0.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use super::poison::Poison;
use super::{LockResult, PoisonError, TryLockError, TryLockResult};
use crate::contents::Contents;
use crate::ops::{self, MemoryCell, Order, Rmw, When};

const FREE: u64 = 0;
const HELD: u64 = 1;

/// A lock around a value, like `std::sync::Mutex`.
pub struct Mutex<T: ?Sized> {
    place: MemoryCell,
    poison: Poison,
    contents: Contents<T>,
}

impl<T> Mutex<T> {
    /// A free mutex around `value`.
    pub const fn new(value: T) -> Self {
        Mutex { place: MemoryCell::new(), poison: Poison::new(), contents: Contents::new(value) }
    }

    /// Takes the value out.
    ///
    /// # Errors
    /// A thread has panicked while it held the lock.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.poison.is_set();
        let value = self.contents.into_inner();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is free and locks it.
    ///
    /// # Errors
    /// A thread has panicked while it held the lock; see [`Builder::unwind`](crate::Builder::unwind).
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.poison.wrap(self.acquire())
    }

    /// Locks the mutex if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match ops::exchange(&self.place, FREE, FREE, HELD, Order::Acquire, Order::Relaxed, false) {
            Ok(_) => Ok(self.poison.wrap(self.guard())?),
            Err(_) => Err(TryLockError::WouldBlock),
        }
    }

    /// The value, for the one who has the mutex for itself.
    ///
    /// # Errors
    /// A thread has panicked while it held the lock.
    #[track_caller]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let Mutex { poison, contents, .. } = self;
        poison.wrap(contents.get_mut())
    }

    /// Whether a thread has panicked while it held the lock.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.poison.is_set()
    }

    /// Forgets that a thread has panicked while it held the lock.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.poison.clear();
    }

    /// Locks, whether or not a thread has panicked meanwhile.
    #[track_caller]
    pub(crate) fn acquire(&self) -> MutexGuard<'_, T> {
        ops::acquire(&self.place, FREE, When::Is(FREE), Rmw::Swap, HELD, Order::Acquire, "for a mutex");
        self.guard()
    }

    #[track_caller]
    fn guard(&self) -> MutexGuard<'_, T> {
        let was_unwinding = ops::is_unwinding();
        let (value, taken) = (self.contents.get("Mutex"), Location::caller());
        MutexGuard { mutex: self, value, taken, was_unwinding, not_send: PhantomData }
    }

    /// Unlocks on behalf of the holder.
    #[track_caller]
    pub(super) fn unlock(&self) {
        ops::store(&self.place, FREE, FREE, Order::Release);
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Mutex::new(value)
    }
}

/// Shows the type only: to look inside one would have to lock.
impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

/// The right to use what a locked [`Mutex`] protects; unlocks when dropped.
#[must_use = "the mutex is unlocked at once if the guard is not kept"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    value: *mut T,
    /// Where the mutex was locked. Nobody can say where a guard is dropped.
    taken: &'static Location<'static>,
    was_unwinding: bool,
    not_send: PhantomData<*mut ()>,
}

// SAFETY: a shared guard gives only shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The locked mutex, without the guard that would unlock it.
    pub(super) fn into_mutex(self) -> &'a Mutex<T> {
        std::mem::ManuallyDrop::new(self).mutex
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the holder of the lock is the only user of the value.
        unsafe { &*self.value }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the holder of the lock is the only user of the value.
        unsafe { &mut *self.value }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.mutex.poison.leave(self.was_unwinding, self.taken);
        ops::store_at(&self.mutex.place, FREE, FREE, Order::Release, self.taken);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
