//! The beginning and the end of an access to a cell. Both are reported to the race detector, the end only if its
//! thread has performed an operation in between: otherwise nothing can tell them apart.

use crate::engine;
use crate::ops::{self, MemoryCell};

/// What an access does.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Read,
    Write,
}

/// Reports the beginning of an access; the result is for [`end`].
#[track_caller]
pub(super) fn begin(place: &MemoryCell, access: Access) -> u32 {
    report(place, access);
    engine::operations_so_far()
}

/// Reports the end of an access.
#[track_caller]
pub(super) fn end(place: &MemoryCell, access: Access, operations: u32) {
    if engine::operations_so_far() != operations {
        report(place, access);
    }
}

#[track_caller]
fn report(place: &MemoryCell, access: Access) {
    match access {
        _ if !ops::checking() => {}
        Access::Read => ops::read_plain(place),
        Access::Write => ops::write_plain(place),
    }
}
