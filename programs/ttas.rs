//! The test-and-test-and-set lock (Herlihy & Shavit 2008, §7.2): a waiting thread reads until the lock is free, then
//! tries to take it by a compare-and-exchange.
//!
//! The k-th thread to have the lock may have read that it is free from any of the k states in which it was free, so
//! each of the n! orders has n! executions.
//
// expect n=2 off=4 on=2
// expect n=3 off=36 on=6
// expect n=4 off=576 on=24
// expect n=5 off=14400 on=120
// expect n=6 on=720

use quotient::hint;
use quotient::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Relaxed, Release},
};
use quotient::thread;

struct Lock {
    held: AtomicBool,
}

impl Lock {
    fn acquire(&self) {
        loop {
            while self.held.load(Acquire) {
                hint::spin_loop();
            }
            if self.held.compare_exchange(false, true, Acquire, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn release(&self) {
        self.held.store(false, Release);
    }
}

pub(crate) fn program(n: usize) {
    let lock = Lock { held: AtomicBool::new(false) };
    let threads = thread::spawn_symmetric(n, move || {
        lock.acquire();
        lock.release();
    });
    threads.join();
}
