//! Memory that threads may share without synchronisation only if they do not use it at the same time: Quotient's cell,
//! written when it is made.

use std::fmt;

use super::overlap::{Use, Users};
use super::{ConstPtr, MutPtr};

/// A cell for the building of other types. Two accesses that are not ordered are a data race and end the check, unless
/// both only read.
pub struct UnsafeCell<T: ?Sized> {
    users: Users,
    inner: quotient::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    #[track_caller]
    pub fn new(data: T) -> UnsafeCell<T> {
        let inner = quotient::cell::UnsafeCell::new(data);
        inner.with_mut(|_| ());
        UnsafeCell { users: Users::default(), inner }
    }

    /// Takes the value out.
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `f` with a pointer for reading, which must not be used afterwards.
    ///
    /// # Panics
    /// If the cell is being written.
    #[track_caller]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        let _use = self.read();
        self.inner.with(f)
    }

    /// Calls `f` with a pointer for writing, which must not be used afterwards.
    ///
    /// # Panics
    /// If the cell is being read or written.
    #[track_caller]
    pub fn with_mut<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        let _use = self.write();
        self.inner.with_mut(f)
    }

    /// A pointer for reading. The access lasts as long as it lives.
    ///
    /// # Panics
    /// If the cell is being written.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        let reading = self.read();
        ConstPtr::new(self.inner.get(), reading)
    }

    /// A pointer for writing. The access lasts as long as it lives.
    ///
    /// # Panics
    /// If the cell is being read or written.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        let writing = self.write();
        MutPtr::new(self.inner.get_mut(), writing)
    }

    #[track_caller]
    fn read(&self) -> Use {
        match self.users.read() {
            Some(reading) => reading,
            None => {
                // If it is another thread that writes, this says that they race.
                self.inner.with(|_| ());
                panic!("a cell is read while it is being written: a pointer for writing is in use");
            }
        }
    }

    #[track_caller]
    fn write(&self) -> Use {
        match self.users.write() {
            Some(writing) => writing,
            None => {
                // If it is another thread that uses the cell, this says that they race.
                self.inner.with_mut(|_| ());
                panic!("a cell is written while it is in use: another pointer for reading or writing is in use");
            }
        }
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    #[track_caller]
    fn from(data: T) -> UnsafeCell<T> {
        UnsafeCell::new(data)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
