//! Hints: `std::hint`.

use crate::ops;

pub use std::hint::{assert_unchecked, black_box, unreachable_unchecked};

/// Says that the thread waits in a loop. This keeps the loop finite: the thread goes on when what it has read changes.
#[inline(always)]
#[track_caller]
pub fn spin_loop() {
    ops::spin();
}
