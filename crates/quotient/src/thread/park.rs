//! Parking. Each thread has a token that `unpark` puts down and `park` takes, waiting for it if need be.

use std::time::Duration;

use super::Thread;
use crate::ops;
use crate::token;

/// Waits until another thread calls [`Thread::unpark`], unless one has done so since the last call. Returns without
/// a reason, which std allows, are explored if [`Builder::spurious_wakeups`](crate::Builder::spurious_wakeups) asks for
/// them.
#[track_caller]
pub fn park() {
    ops::may_be_woken();
    let thread = Thread::of(ops::current_unobserved());
    if ops::may_wake_without_reason() && ops::choose(2) == 1 {
        ops::wakes_without_reason();
        // If the token is there, this is an execution in which the thread was just unparked.
        ops::assume(!token::try_take(thread.token()));
        return;
    }
    token::take(thread.token(), "to be unparked");
}

/// Like [`park`], or gives up. When it gives up is left open: at every moment before it is unparked.
#[track_caller]
pub fn park_timeout(_duration: Duration) {
    let thread = Thread::of(ops::current_unobserved());
    let _ = token::try_take(thread.token());
}
