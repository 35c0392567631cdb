//! Pointers into a cell that end their access when they are dropped. They are raw pointers otherwise: nothing keeps the
//! cell alive.

use std::fmt;

use super::overlap::Use;

/// A pointer for reading, from [`UnsafeCell::get`](super::UnsafeCell::get).
pub struct ConstPtr<T: ?Sized> {
    inner: quotient::cell::ConstPtr<T>,
    _use: Use,
}

/// A pointer for writing, from [`UnsafeCell::get_mut`](super::UnsafeCell::get_mut).
pub struct MutPtr<T: ?Sized> {
    inner: quotient::cell::MutPtr<T>,
    _use: Use,
}

impl<T: ?Sized> ConstPtr<T> {
    pub(super) fn new(inner: quotient::cell::ConstPtr<T>, reading: Use) -> Self {
        ConstPtr { inner, _use: reading }
    }

    /// The value.
    ///
    /// # Safety
    /// The cell exists as long as the reference is used. (That nobody changes it meanwhile is checked.)
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: the caller's promise.
        unsafe { self.inner.deref() }
    }

    /// Calls `f` with the pointer.
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        self.inner.with(f)
    }
}

impl<T: ?Sized> MutPtr<T> {
    pub(super) fn new(inner: quotient::cell::MutPtr<T>, writing: Use) -> Self {
        MutPtr { inner, _use: writing }
    }

    /// The value.
    ///
    /// # Safety
    /// The cell exists as long as the reference is used, and there is no second reference from here. (That nobody else
    /// uses it meanwhile is checked.)
    #[allow(clippy::mut_from_ref, reason = "as in loom; what makes it right is the caller's promise")]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { self.inner.deref() }
    }

    /// Calls `f` with the pointer.
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        self.inner.with(f)
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
