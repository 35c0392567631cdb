//! Pointers into an [`UnsafeCell`](super::UnsafeCell) that end their access when they are dropped. As in loom they are
//! raw pointers otherwise: nothing keeps the cell alive.

use std::fmt;

use super::access::{self, Access};
use crate::engine;
use crate::ops::MemoryCell;

/// A pointer for reading, from [`UnsafeCell::get`](super::UnsafeCell::get).
pub struct ConstPtr<T: ?Sized> {
    place: MemoryCell,
    value: *const T,
    operations: u32,
}

/// A pointer for writing, from [`UnsafeCell::get_mut`](super::UnsafeCell::get_mut).
pub struct MutPtr<T: ?Sized> {
    place: MemoryCell,
    value: *mut T,
    operations: u32,
}

impl<T: ?Sized> ConstPtr<T> {
    #[track_caller]
    pub(super) fn new(place: &MemoryCell, value: *const T) -> Self {
        let operations = access::begin(place, Access::Read);
        ConstPtr { place: engine::same_place(place), value, operations }
    }

    /// The value.
    ///
    /// # Safety
    /// The cell exists, and nobody changes the value, as long as the reference is used. (That no other thread changes
    /// it is checked.)
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: the caller's promise.
        unsafe { &*self.value }
    }

    /// Calls `body` with the pointer.
    pub fn with<R>(&self, body: impl FnOnce(*const T) -> R) -> R {
        body(self.value)
    }
}

impl<T: ?Sized> MutPtr<T> {
    #[track_caller]
    pub(super) fn new(place: &MemoryCell, value: *mut T) -> Self {
        let operations = access::begin(place, Access::Write);
        MutPtr { place: engine::same_place(place), value, operations }
    }

    /// The value.
    ///
    /// # Safety
    /// The cell exists, and nobody else uses the value, as long as the reference is used. (That no other thread uses
    /// it is checked.)
    #[allow(clippy::mut_from_ref, reason = "as in loom; what makes it right is the caller's promise")]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.value }
    }

    /// Calls `body` with the pointer.
    pub fn with<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
        body(self.value)
    }
}

impl<T: ?Sized> Drop for ConstPtr<T> {
    #[track_caller]
    fn drop(&mut self) {
        access::end(&self.place, Access::Read, self.operations);
    }
}

impl<T: ?Sized> Drop for MutPtr<T> {
    #[track_caller]
    fn drop(&mut self) {
        access::end(&self.place, Access::Write, self.operations);
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.value, f)
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.value, f)
    }
}
