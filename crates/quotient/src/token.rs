//! A token that one thread waits for and others put down: what `park` and wakers are made of. Putting it down where it
//! already lies changes nothing.

use crate::ops::{self, MemoryCell, Order, Rmw, When};

const NONE: u64 = 0;
const TOKEN: u64 = 1;

/// Waits for the token and takes it. `why` says what for, in a report.
#[track_caller]
pub(crate) fn take(place: &MemoryCell, why: &'static str) {
    ops::acquire(place, NONE, When::Is(TOKEN), Rmw::Swap, NONE, Order::Acquire, why);
}

/// Takes the token if it is there; says whether it was.
#[track_caller]
pub(crate) fn try_take(place: &MemoryCell) -> bool {
    ops::exchange(place, NONE, TOKEN, NONE, Order::Acquire, Order::Relaxed, false).is_ok()
}

/// Puts the token down.
#[track_caller]
pub(crate) fn put(place: &MemoryCell) {
    ops::update(place, NONE, Rmw::Swap, TOKEN, 64, Order::Release);
}
