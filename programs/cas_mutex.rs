//! A lock that is taken by a compare-and-exchange from 0 to 1: the simplest lock of all.
//!
//! An attempt that fails changes nothing, so threads wait in the loop without adding executions: only the order in
//! which they have the lock counts.
//
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1

use quotient::cell::UnsafeCell;
use quotient::hint;
use quotient::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Relaxed, Release},
};
use quotient::thread;

struct Lock {
    held: AtomicBool,
    data: UnsafeCell<usize>,
}

// SAFETY: that the lock orders the accesses is what is checked.
unsafe impl Sync for Lock {}

impl Lock {
    fn acquire(&self) {
        while self.held.compare_exchange(false, true, Acquire, Relaxed).is_err() {
            hint::spin_loop();
        }
    }

    fn release(&self) {
        self.held.store(false, Release);
    }
}

pub(crate) fn program(n: usize) {
    let lock = Lock { held: AtomicBool::new(false), data: UnsafeCell::new(0) };
    let threads = thread::spawn_symmetric(n, move || {
        let lock = &lock;
        lock.acquire();
        // SAFETY: the lock is held; if it does not order the accesses, that is reported before they happen.
        lock.data.with_mut(|data| unsafe { *data += 1 });
        lock.release();
    });
    threads.join();
}
