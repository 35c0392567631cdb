//! A cell whose value goes in and out as a whole.

use std::cmp::Ordering;

use super::UnsafeCell;

/// A value that changes behind a shared reference, like `std::cell::Cell`. Only one thread at a time can have it, which
/// is checked.
#[derive(Debug)]
pub struct Cell<T> {
    inner: UnsafeCell<T>,
}

impl<T> Cell<T> {
    /// A cell with this value.
    #[track_caller]
    pub fn new(v: T) -> Self {
        Cell { inner: UnsafeCell::new(v) }
    }

    /// Replaces the value and drops the old one.
    #[track_caller]
    pub fn set(&self, val: T) {
        drop(self.replace(val));
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Self) {
        if !std::ptr::eq(self, other) {
            // SAFETY: the cells are different and in use by nobody else, which has just been checked.
            self.inner.with_mut(|mine| other.inner.with_mut(|theirs| unsafe { std::ptr::swap(mine, theirs) }));
        }
    }

    /// Replaces the value; gives the old one.
    #[track_caller]
    pub fn replace(&self, val: T) -> T {
        // SAFETY: nobody else uses the cell, which has just been checked.
        self.inner.with_mut(|inside| unsafe { std::ptr::replace(inside, val) })
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: nobody writes the cell, which has just been checked.
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

    /// Takes the value out.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: Default> Default for Cell<T> {
    #[track_caller]
    fn default() -> Cell<T> {
        Cell::new(T::default())
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Cell<T> {
        Cell::new(self.get())
    }
}

impl<T> From<T> for Cell<T> {
    #[track_caller]
    fn from(src: T) -> Cell<T> {
        Cell::new(src)
    }
}

impl<T: PartialEq + Copy> PartialEq for Cell<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq + Copy> Eq for Cell<T> {}

impl<T: PartialOrd + Copy> PartialOrd for Cell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Ord + Copy> Ord for Cell<T> {
    #[track_caller]
    fn cmp(&self, other: &Self) -> Ordering {
        self.get().cmp(&other.get())
    }
}
