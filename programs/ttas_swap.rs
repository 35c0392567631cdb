//! The test-and-test-and-set lock with an exchange instead of a compare-and-exchange, as in Herlihy & Shavit (2008,
//! §7.2). GenMC refuses to reduce it by symmetry, because the writes of threads that do not get the lock are unordered.
//!
//! A thread that does not get the lock writes what it has read: such an exchange changes nothing, so the round is left out,
//! as GenMC does. What remains are the numbers of the lock with a compare-and-exchange: each of n! orders has n! executions.
//! `cut` leaves these rounds out by itself, and has the same numbers.
//
// expect n=2 off=4 on=2
// expect n=3 off=36 on=6
// expect n=4 off=576 on=24
// expect cut n=2 off=4 on=2
// expect cut n=3 off=36 on=6
// expect cut n=4 off=576 on=24
// expect cut n=5 on=120

use quotient::hint;
use quotient::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};
use quotient::thread;

struct Lock {
    held: AtomicBool,
}

impl Lock {
    fn acquire(&self, cut: bool) {
        loop {
            while self.held.load(Acquire) {
                hint::spin_loop();
            }
            if !self.held.swap(true, Acquire) {
                return;
            }
            quotient::assume(!cut);
        }
    }

    fn release(&self) {
        self.held.store(false, Release);
    }
}

fn lock_and_unlock(n: usize, cut: bool) {
    let lock = Lock { held: AtomicBool::new(false) };
    let threads = thread::spawn_symmetric(n, move || {
        lock.acquire(cut);
        lock.release();
    });
    threads.join();
}

pub(crate) fn program(n: usize) {
    lock_and_unlock(n, false);
}

pub(crate) fn cut(n: usize) {
    lock_and_unlock(n, true);
}
