//! An allocator that counts, for tests of what must not allocate.
//! A test makes it its global allocator, and compares the count before and after.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, with a count.
pub struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// How many blocks have been allocated so far.
pub fn allocations() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

// SAFETY: everything is passed on to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(block, layout) }
    }
}
