//! A value that is written once: a [`Once`] and the value it has made. One in a static is empty again in each
//! execution, and what it held is dropped when the execution ends.

use std::fmt;

use super::Once;
use crate::contents::Contents;

/// A value that is written once, like `std::sync::OnceLock`.
pub struct OnceLock<T> {
    once: Once,
    value: Contents<Option<T>>,
}

// SAFETY: as in std: the value is shared, and may be taken out by another thread than the one that has put it in.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// An empty one.
    pub const fn new() -> Self {
        OnceLock { once: Once::new(), value: Contents::new(None) }
    }

    /// The value, if there is one.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if self.once.is_completed() { self.value() } else { None }
    }

    /// The value, if there is one, for the one who has the lock for itself.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// Writes the value, or gives it back if there already is one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        if self.once.begin() {
            self.fill(value);
            Ok(())
        } else {
            Err(value)
        }
    }

    /// The value; makes it if there is none. Other callers wait while it is being made.
    #[track_caller]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        // There is a value unless the execution is being abandoned.
        if self.once.begin() || self.value().is_none() {
            let unfinished = self.once.reset_if_it_panics();
            let value = make();
            std::mem::forget(unfinished);
            self.fill(value);
        }
        self.value().expect("the value was made before the state said so")
    }

    /// Waits until there is a value.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait();
        self.value().expect("the value was made before the state said so")
    }

    /// Takes the value out. The lock is empty then, and can be written again.
    pub fn take(&mut self) -> Option<T> {
        std::mem::take(self).into_inner()
    }

    /// Takes the value out.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    #[track_caller]
    fn fill(&self, value: T) {
        // SAFETY: between `begin` and `finish` the caller is the only user of the value.
        unsafe { *self.value.get_or_fresh(|| None) = Some(value) };
        self.once.finish();
    }

    /// The value, once the state says that there is one.
    fn value(&self) -> Option<&T> {
        // SAFETY: a value that is there is only read; it lasts as long as the object or, in a static, the execution.
        unsafe { (*self.value.get_or_fresh(|| None)).as_ref() }
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        let lock = OnceLock::new();
        let _ = lock.set(value);
        lock
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        match self.get() {
            Some(value) => OnceLock::from(value.clone()),
            None => OnceLock::new(),
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

/// Shows the type only: to look inside would be an operation.
impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceLock").finish_non_exhaustive()
    }
}
