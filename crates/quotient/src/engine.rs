//! What the library asks of the engine beyond visible operations, gathered in one place.

use crate::ops::{self, MemoryCell};

/// Whether making and dropping references (`Arc`, `Weak`) are visible operations in this check.
pub(crate) fn references_visible() -> bool {
    ops::checking() && ops::observe_references()
}

/// Says that the program can tell in which order references are made and dropped. If they are not visible the check
/// starts again with visible references, and this does not return.
pub(crate) fn need_references() {
    if ops::checking() {
        ops::need_references();
    }
}

/// A number that changes whenever the calling thread performs a visible operation.
pub(crate) fn operations_so_far() -> u32 {
    if ops::checking() { ops::operations() } else { 0 }
}

/// Whether operations have no effect on the execution any more. Destructors that would only tidy up must not perform
/// any then.
pub(crate) fn is_over() -> bool {
    !ops::checking() || ops::abandoning()
}

/// The same place of memory once more, for an access that may end after the object that holds the place.
pub(crate) fn same_place(place: &MemoryCell) -> MemoryCell {
    // SAFETY: a place is a number that names a location of this execution; it owns nothing, and two of it are the same
    // location.
    unsafe { std::ptr::read(place) }
}
