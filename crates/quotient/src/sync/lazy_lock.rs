//! A value that is made when it is first needed: a [`OnceLock`] and the function that makes the value. In a static it
//! is made anew in each execution.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::{ManuallyDrop, needs_drop};
use std::ops::{Deref, DerefMut};
use std::ptr;

use super::OnceLock;
use crate::ops::{self, ProgramError};

/// A value made on first use, like `std::sync::LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    value: OnceLock<T>,
    make: Maker<F>,
}

/// The function that makes the value. It is copied out for the call, since a static's is needed again in the next
/// execution; if it owns something it can be called only once.
struct Maker<F> {
    function: UnsafeCell<ManuallyDrop<F>>,
    used: std::sync::atomic::AtomicBool,
}

// SAFETY: the function is called by one thread of an execution, and is `Send` for that.
unsafe impl<F: Send> Sync for Maker<F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that `make` will make.
    pub const fn new(make: F) -> Self {
        let function = UnsafeCell::new(ManuallyDrop::new(make));
        LazyLock { value: OnceLock::new(), make: Maker { function, used: std::sync::atomic::AtomicBool::new(false) } }
    }

    /// The value; makes it if that has not been done. Other threads wait meanwhile.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        this.value.get_or_init(|| this.make.call())
    }

    /// The value, for the one who has it for itself.
    #[track_caller]
    pub fn force_mut(this: &mut Self) -> &mut T {
        Self::force(this);
        this.value.get_mut().expect("the value has just been made")
    }

    /// The value, if it has been made.
    #[track_caller]
    pub fn get(this: &Self) -> Option<&T> {
        this.value.get()
    }
}

impl<F> Maker<F> {
    fn call<T>(&self) -> T
    where
        F: FnOnce() -> T,
    {
        use std::sync::atomic::Ordering;
        if self.used.swap(true, Ordering::Relaxed) && needs_drop::<F>() {
            ops::fail(
                ProgramError::Misuse,
                "the function of this LazyLock owns something, so it cannot run again".into(),
            );
        }
        // SAFETY: either this is the first call, or the function owns nothing and a copy of it does no harm.
        let function = unsafe { ptr::read(self.function.get()) };
        ManuallyDrop::into_inner(function)()
    }
}

impl<F> Drop for Maker<F> {
    fn drop(&mut self) {
        if !*self.used.get_mut() {
            // SAFETY: the function was not called, so it is still here, and nobody will use it after this.
            unsafe { ManuallyDrop::drop(self.function.get_mut()) };
        }
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        Self::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        Self::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> Self {
        LazyLock::new(T::default)
    }
}

/// Shows the type only: to look inside would be an operation.
impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock").finish_non_exhaustive()
    }
}
