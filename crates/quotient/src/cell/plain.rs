//! A cell whose value goes in and out as a whole. Only one thread at a time can have it, which is checked.

use std::fmt;

use super::UnsafeCell;

/// A value that changes behind a shared reference, like `std::cell::Cell`.
pub struct Cell<T> {
    inner: UnsafeCell<T>,
}

impl<T> Cell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> Self {
        Cell { inner: UnsafeCell::new(value) }
    }

    /// Replaces the value and drops the old one.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Replaces the value; gives the old one.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        let mut value = value;
        // SAFETY: the cell is one thread's, and no reference to its value exists.
        self.inner.with_mut(|inside| unsafe { std::ptr::swap(inside, &mut value) });
        value
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: the cell is one thread's, so its value does not change meanwhile.
        self.inner.with(|inside| unsafe { *inside })
    }

    /// Takes the value, and leaves the default.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// Replaces the value by `change` of it.
    #[track_caller]
    pub fn update(&self, change: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        self.set(change(self.get()));
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Self) {
        if !std::ptr::eq(self, other) {
            // SAFETY: the cells are one thread's, and different.
            self.inner.with_mut(|mine| other.inner.with_mut(|other| unsafe { std::ptr::swap(mine, other) }));
        }
    }

    /// The value, for the one who has the cell for itself.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.inner_mut()
    }

    /// Takes the value out.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: Default> Default for Cell<T> {
    fn default() -> Self {
        Cell::new(T::default())
    }
}

impl<T> From<T> for Cell<T> {
    fn from(value: T) -> Self {
        Cell::new(value)
    }
}

/// Shows the type only: to look inside would be an access.
impl<T> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").finish_non_exhaustive()
    }
}
