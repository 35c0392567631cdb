//! Memory that threads may share without synchronisation only if they do not use it at the same time.

use std::fmt;
use std::marker::PhantomData;

use super::access::{self, Access};
use super::{ConstPtr, MutPtr};
use crate::contents::Contents;
use crate::ops::MemoryCell;

/// A cell for the building of other types, like loom's `UnsafeCell`. Two accesses that are not ordered are a data race
/// and end the check, unless both only read.
pub struct UnsafeCell<T: ?Sized> {
    place: MemoryCell,
    not_sync: PhantomData<std::cell::Cell<()>>,
    contents: Contents<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> Self {
        UnsafeCell { place: MemoryCell::new(), not_sync: PhantomData, contents: Contents::new(value) }
    }

    /// Takes the value out.
    #[track_caller]
    pub fn into_inner(self) -> T {
        access::begin(&self.place, Access::Write);
        self.contents.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `body` with a pointer for reading, which must not be used afterwards.
    #[track_caller]
    pub fn with<R>(&self, body: impl FnOnce(*const T) -> R) -> R {
        let operations = access::begin(&self.place, Access::Read);
        let result = body(self.contents.get("UnsafeCell"));
        access::end(&self.place, Access::Read, operations);
        result
    }

    /// Calls `body` with a pointer for writing, which must not be used afterwards.
    #[track_caller]
    pub fn with_mut<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
        let operations = access::begin(&self.place, Access::Write);
        let result = body(self.contents.get("UnsafeCell"));
        access::end(&self.place, Access::Write, operations);
        result
    }

    /// A pointer for reading. The access lasts as long as it lives.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr::new(&self.place, self.contents.get("UnsafeCell"))
    }

    /// A pointer for writing. The access lasts as long as it lives.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr::new(&self.place, self.contents.get("UnsafeCell"))
    }

    /// The value, for the one who has the cell for itself. It is std's `get_mut`, whose name is taken by loom's.
    #[track_caller]
    pub fn inner_mut(&mut self) -> &mut T {
        access::begin(&self.place, Access::Write);
        self.contents.get_mut()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> Self {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
