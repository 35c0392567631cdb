//! Futures: a thread that waits for one, and a place to leave the waker of a task.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use quotient::any_bool;
pub use quotient::future::AtomicWaker;

use crate::sync::{Arc, Notify};

/// Runs a future on the calling thread until it is ready. While it is pending the thread waits to be woken; as in loom, it
/// also polls once without having been woken, which a future must bear. A waker that outlives the execution is a leak.
#[track_caller]
pub fn block_on<F: Future>(f: F) -> F::Output {
    let mut future = pin!(f);
    let notify = Arc::new(Notify::new());
    let waker = waker(notify.clone());
    let mut context = Context::from_waker(&waker);
    let mut without_reason = false;
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending if !without_reason && any_bool() => without_reason = true,
            Poll::Pending => notify.wait_alone(),
        }
    }
}

/// A waker that notifies. Wakers of std are made of std's `Arc`, whose leaks nobody would notice.
fn waker(notify: Arc<Notify>) -> Waker {
    // SAFETY: the functions treat the pointer as what it is: a reference that has been turned into a pointer.
    unsafe { Waker::from_raw(raw(Arc::into_raw(notify))) }
}

fn raw(notify: *const Notify) -> RawWaker {
    RawWaker::new(notify.cast(), &FUNCTIONS)
}

/// What can be done with a pointer that stands for a reference: clone it, wake and drop, wake, drop.
static FUNCTIONS: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, discard);

/// # Safety
/// As for all that follow: `notify` is a reference to a `Notify` in the form of a pointer.
#[track_caller]
unsafe fn clone(notify: *const ()) -> RawWaker {
    let notify = notify.cast::<Notify>();
    // SAFETY: the waker that is being cloned owns a reference.
    unsafe { Arc::increment_strong_count(notify) };
    raw(notify)
}

#[track_caller]
unsafe fn wake(notify: *const ()) {
    // SAFETY: the waker gives its reference away.
    unsafe { Arc::from_raw(notify.cast::<Notify>()) }.notify();
}

#[track_caller]
unsafe fn wake_by_ref(notify: *const ()) {
    // SAFETY: the waker owns a reference, so the value is there.
    unsafe { &*notify.cast::<Notify>() }.notify();
}

#[track_caller]
unsafe fn discard(notify: *const ()) {
    // SAFETY: the waker gives its reference away.
    drop(unsafe { Arc::from_raw(notify.cast::<Notify>()) });
}
