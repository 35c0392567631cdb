//! The ticket lock: a thread draws a number and waits until it is called.
//!
//! Tickets are drawn in n! orders. Waiting for one's number adds nothing: a read of an older number is an iteration
//! that changes nothing.
//
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1

use quotient::cell::UnsafeCell;
use quotient::hint;
use quotient::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use quotient::thread;

struct Lock {
    next: AtomicUsize,
    serving: AtomicUsize,
    data: UnsafeCell<usize>,
}

// SAFETY: that the lock orders the accesses is what is checked.
unsafe impl Sync for Lock {}

impl Lock {
    fn acquire(&self) -> usize {
        let ticket = self.next.fetch_add(1, Relaxed);
        while self.serving.load(Acquire) != ticket {
            hint::spin_loop();
        }
        ticket
    }

    fn release(&self, ticket: usize) {
        self.serving.store(ticket + 1, Release);
    }
}

pub(crate) fn program(n: usize) {
    let lock = Lock { next: AtomicUsize::new(0), serving: AtomicUsize::new(0), data: UnsafeCell::new(0) };
    let threads = thread::spawn_symmetric(n, move || {
        let lock = &lock;
        let ticket = lock.acquire();
        // SAFETY: the lock is held; if it does not order the accesses, that is reported before they happen.
        lock.data.with_mut(|data| unsafe { *data += 1 });
        lock.release(ticket);
    });
    threads.join();
}
