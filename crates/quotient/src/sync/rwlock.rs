//! A lock for one writer or many readers. Its place counts the readers; a large number stands for the writer.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use super::poison::Poison;
use super::{LockResult, PoisonError, TryLockError, TryLockResult};
use crate::contents::Contents;
use crate::ops::{self, MemoryCell, Order, Rmw, When};

const FREE: u64 = 0;
const WRITER: u64 = 1 << 32;

/// A lock around a value that lets readers in together, like `std::sync::RwLock`. Which of the waiting threads comes
/// first is left open: all orders are explored.
pub struct RwLock<T: ?Sized> {
    place: MemoryCell,
    poison: Poison,
    contents: Contents<T>,
}

// SAFETY: as in std; readers share the value between threads, so it must be `Sync` too.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    /// A free lock around `value`.
    pub const fn new(value: T) -> Self {
        RwLock { place: MemoryCell::new(), poison: Poison::new(), contents: Contents::new(value) }
    }

    /// Takes the value out.
    ///
    /// # Errors
    /// A writer has panicked.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.poison.is_set();
        let value = self.contents.into_inner();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until there is no writer and locks for reading. A thread that already reads may wait forever if a writer
    /// waits, which std leaves open: where that can happen it is reported as a deadlock.
    ///
    /// # Errors
    /// A writer has panicked; see [`Builder::unwind`](crate::Builder::unwind).
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        ops::acquire(&self.place, FREE, When::Below(WRITER), Rmw::Add, 1, Order::Acquire, "for a read lock");
        self.poison.wrap(self.reader())
    }

    /// Locks for reading if there is no writer.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let mut seen = ops::load(&self.place, FREE, Order::Relaxed);
        while seen < WRITER {
            match ops::exchange(&self.place, FREE, seen, seen + 1, Order::Acquire, Order::Relaxed, false) {
                Ok(_) => return Ok(self.poison.wrap(self.reader())?),
                Err(_) if ops::abandoning() => break,
                Err(newer) => seen = newer,
            }
        }
        Err(TryLockError::WouldBlock)
    }

    /// Waits until the lock is free and locks for writing.
    ///
    /// # Errors
    /// A writer has panicked; see [`Builder::unwind`](crate::Builder::unwind).
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        ops::acquire(&self.place, FREE, When::Is(FREE), Rmw::Swap, WRITER, Order::Acquire, "for a write lock");
        ops::has_write_lock(&self.place, Location::caller());
        self.poison.wrap(self.writer())
    }

    /// Locks for writing if the lock is free.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        match ops::exchange(&self.place, FREE, FREE, WRITER, Order::Acquire, Order::Relaxed, false) {
            Ok(_) => Ok(self.poison.wrap(self.writer())?),
            Err(_) => Err(TryLockError::WouldBlock),
        }
    }

    /// The value, for the one who has the lock for itself.
    ///
    /// # Errors
    /// A writer has panicked.
    #[track_caller]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let RwLock { poison, contents, .. } = self;
        poison.wrap(contents.get_mut())
    }

    /// Whether a writer has panicked.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.poison.is_set()
    }

    /// Forgets that a writer has panicked.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.poison.clear();
    }

    #[track_caller]
    fn reader(&self) -> RwLockReadGuard<'_, T> {
        ops::has_read_lock(&self.place, Location::caller());
        RwLockReadGuard { lock: self, value: self.contents.get("RwLock"), taken: Location::caller() }
    }

    #[track_caller]
    fn writer(&self) -> RwLockWriteGuard<'_, T> {
        RwLockWriteGuard {
            lock: self,
            value: self.contents.get("RwLock"),
            taken: Location::caller(),
            was_unwinding: ops::is_unwinding(),
            not_send: PhantomData,
        }
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        RwLock::new(value)
    }
}

/// Shows the type only: to look inside one would have to lock.
impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

/// The right to look at what a [`RwLock`] protects; unlocks when dropped.
#[must_use = "the lock is released at once if the guard is not kept"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    value: *const T,
    /// Where the lock was taken. Nobody can say where a guard is dropped.
    taken: &'static Location<'static>,
}

// SAFETY: a shared guard gives only shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: while there are readers the value does not change.
        unsafe { &*self.value }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        ops::gives_read_lock(&self.lock.place);
        ops::update_at(&self.lock.place, FREE, (Rmw::Sub, 1), 64, Order::Release, self.taken);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// The right to change what a [`RwLock`] protects; unlocks when dropped.
#[must_use = "the lock is released at once if the guard is not kept"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    value: *mut T,
    /// As for readers.
    taken: &'static Location<'static>,
    was_unwinding: bool,
    not_send: PhantomData<*mut ()>,
}

// SAFETY: a shared guard gives only shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Becomes a reader, without letting a writer come between.
    #[track_caller]
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'a, T> {
        let lock = ManuallyDrop::new(guard).lock;
        ops::store(&lock.place, FREE, 1, Order::Release);
        lock.reader()
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the writer is the only user of the value.
        unsafe { &*self.value }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the writer is the only user of the value.
        unsafe { &mut *self.value }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.poison.leave(self.was_unwinding, self.taken);
        ops::store_at(&self.lock.place, FREE, FREE, Order::Release, self.taken);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
