//! Memory of the library itself, straight from the system's allocator. An allocator that tracks the program's memory
//! would take it for the program's, and expect the program to order accesses that it does not know of.

use std::alloc::{GlobalAlloc, Layout, System, handle_alloc_error};
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A value with several owners, like `std::sync::Arc`.
pub(crate) struct Internal<T> {
    inner: NonNull<Counted<T>>,
}

struct Counted<T> {
    owners: AtomicUsize,
    value: T,
}

// SAFETY: as for `Arc`: owners on several threads share the value, and the last of them drops it.
unsafe impl<T: Send + Sync> Send for Internal<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Internal<T> {}

impl<T> Internal<T> {
    pub(crate) fn new(value: T) -> Self {
        Internal { inner: place(Counted { owners: AtomicUsize::new(1), value }) }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl<T> Deref for Internal<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the value lives as long as it has owners.
        unsafe { &self.inner.as_ref().value }
    }
}

impl<T> Clone for Internal<T> {
    fn clone(&self) -> Self {
        // SAFETY: the value lives as long as it has owners.
        unsafe { self.inner.as_ref() }.owners.fetch_add(1, Ordering::Relaxed);
        Internal { inner: self.inner }
    }
}

impl<T> Drop for Internal<T> {
    fn drop(&mut self) {
        // SAFETY: the value lives as long as it has owners.
        if unsafe { self.inner.as_ref() }.owners.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: it came from `place`, and this was the last owner.
            unsafe { remove(self.inner) };
        }
    }
}

/// Moves a value to memory of its own.
pub(crate) fn place<T>(value: T) -> NonNull<T> {
    let memory = allocate(Layout::new::<T>()).cast::<T>();
    // SAFETY: the memory is new, and made for a `T`.
    unsafe { memory.write(value) };
    memory
}

/// Drops a value and frees its memory.
///
/// # Safety
/// It came from [`place`], and nobody uses it any more.
pub(crate) unsafe fn remove<T>(memory: NonNull<T>) {
    // SAFETY: there is a value, and nobody else uses it.
    unsafe { memory.drop_in_place() };
    // SAFETY: the memory was allocated with this layout.
    unsafe { free(memory.cast(), Layout::new::<T>()) };
}

/// Memory for any purpose.
pub(crate) fn allocate(layout: Layout) -> NonNull<u8> {
    if layout.size() == 0 {
        return NonNull::without_provenance(layout.align().try_into().expect("an alignment is not zero"));
    }
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { System.alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Gives memory back.
///
/// # Safety
/// It came from [`allocate`] with this layout, and nobody uses it any more.
pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    if layout.size() != 0 {
        // SAFETY: memory of this size came from the system's allocator, with this layout.
        unsafe { System.dealloc(memory.as_ptr(), layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_last_owner_drops_the_value() {
        struct Tells<'a>(&'a Cell<u32>);
        impl Drop for Tells<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let drops = Cell::new(0);
        let first = Internal::new(Tells(&drops));
        let second = first.clone();
        assert!(first.is_same(&second));
        drop(first);
        assert_eq!(drops.get(), 0);
        drop(second);
        assert_eq!(drops.get(), 1);
    }

    #[test]
    fn values_of_any_size_and_alignment_are_placed() {
        #[repr(align(64))]
        struct Aligned(u8);
        let aligned = Internal::new(Aligned(7));
        assert_eq!((aligned.0, std::ptr::from_ref(&*aligned).addr() % 64), (7, 0));
        let nothing = place(());
        // SAFETY: it came from `place`.
        unsafe { remove(nothing) };
    }
}
