//! Allocation that is checked for leaks and for memory that is freed twice. The functions are those of `std::alloc`;
//! `Track` is loom's, for values whose memory is not allocated here.

use std::collections::BTreeMap;
use std::fmt;

pub use std::alloc::{Layout, LayoutError, handle_alloc_error};

use crate::ops::{self, ProgramError, Registration};
use crate::per_execution::PerExecution;

std::thread_local! {
    /// The live blocks of the current execution, by address.
    static BLOCKS: PerExecution<BTreeMap<usize, Block>> = const { PerExecution::new(BTreeMap::new()) };
}

struct Block {
    layout: Layout,
    registration: Registration,
}

/// Allocates memory, like `std::alloc::alloc`. It must be freed before the execution ends.
///
/// # Safety
/// The size of `layout` is not zero.
#[track_caller]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise.
    track(unsafe { std::alloc::alloc(layout) }, layout)
}

/// Allocates memory filled with zeros, like `std::alloc::alloc_zeroed`. It must be freed before the execution ends.
///
/// # Safety
/// The size of `layout` is not zero.
#[track_caller]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller's promise.
    track(unsafe { std::alloc::alloc_zeroed(layout) }, layout)
}

/// Frees memory from [`alloc`] or [`alloc_zeroed`]. That it is from there, still allocated and of this layout is
/// checked.
///
/// # Safety
/// Nobody uses the memory afterwards.
#[track_caller]
pub unsafe fn dealloc(pointer: *mut u8, layout: Layout) {
    if ops::abandoning() {
        // What is still allocated is freed at the end of the execution, and this block may have been freed already.
        return;
    }
    let Some(block) = blocks(|blocks| blocks.remove(&pointer.addr())) else {
        ops::fail(ProgramError::Memory, "memory is freed that is not allocated: freed twice, or from elsewhere".into());
    };
    if block.layout != layout {
        let (size, align) = (block.layout.size(), block.layout.align());
        let message = format!(
            "memory of {size} bytes, aligned to {align}, is freed as {} bytes, aligned to {}",
            layout.size(),
            layout.align()
        );
        ops::fail(ProgramError::Memory, message);
    }
    ops::unregister(block.registration);
    // SAFETY: the block was allocated with this layout and not freed, and the caller will not use it.
    unsafe { std::alloc::dealloc(pointer, layout) };
}

#[track_caller]
fn track(pointer: *mut u8, layout: Layout) -> *mut u8 {
    if !pointer.is_null() && !ops::abandoning() {
        let block = Block { layout, registration: ops::register("allocated memory") };
        let first = blocks(|blocks| {
            blocks.insert(pointer.expose_provenance(), block);
            blocks.len() == 1
        });
        if first {
            ops::keep(Box::new(FreeRest));
        }
    }
    pointer
}

fn blocks<R>(body: impl FnOnce(&mut BTreeMap<usize, Block>) -> R) -> R {
    BLOCKS.with(|table| table.with(body))
}

/// Frees what an execution has left.
struct FreeRest;

impl Drop for FreeRest {
    fn drop(&mut self) {
        for (address, block) in blocks(std::mem::take) {
            // SAFETY: the block was allocated with this layout and not freed; the execution that used it has ended.
            unsafe { std::alloc::dealloc(std::ptr::with_exposed_provenance_mut(address), block.layout) };
        }
    }
}

/// A value that must be dropped before the execution ends, as in loom.
pub struct Track<T> {
    /// `None` only while being dropped.
    value: Option<T>,
    registration: Option<Registration>,
}

impl<T> Track<T> {
    /// Begins to track a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let registration = if ops::checking() { Some(ops::register("tracked value")) } else { None };
        Track { value: Some(value), registration }
    }

    /// The value.
    pub fn get_ref(&self) -> &T {
        self.value.as_ref().expect("a tracked value is there until it is dropped")
    }

    /// The value, to change it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("a tracked value is there until it is dropped")
    }

    /// Ends the tracking; gives the value.
    #[track_caller]
    pub fn into_inner(mut self) -> T {
        self.value.take().expect("a tracked value is there until it is dropped")
    }
}

impl<T> Drop for Track<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            ops::unregister(registration);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Track<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get_ref().fmt(f)
    }
}
