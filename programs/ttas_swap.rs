//! The test-and-test-and-set lock with an exchange instead of a compare-and-exchange, as in Herlihy & Shavit (2008,
//! §7.2). GenMC refuses to reduce it by symmetry, because the writes of threads that do not get the lock are unordered.
//!
//! A thread that does not get the lock writes all the same, once for each time that another thread holds the lock. For
//! n = 2 a thread that finds the lock free at first and taken then makes 3 executions of 2, in each order. For n = 3
//! the second thread comes without such a write in 2 ways and with one in 1 way, the third in 5 and 3 ways with respect
//! to the first time that the lock is held; if both write then, their order counts: 2·(5 + 3) + 1·(5 + 2·3) = 27.
//!
//! GenMC takes an exchange that writes what it reads for an attempt without effect, and cuts it. `cut` does so as well,
//! and has the numbers of the lock with a compare-and-exchange: each of n! orders has n! executions.
//
// expect n=2 off=6 on=3
// expect n=3 off=162 on=27
// expect n=4 on=865
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

pub fn program(n: usize) {
    lock_and_unlock(n, false);
}

pub fn cut(n: usize) {
    lock_and_unlock(n, true);
}
