//! REV-EX, example 3 of SPORE (PLDI 2024): a revisit that several graphs could make, and one must.
//!
//! y is read as 0 or 1, and the second thread sees x = 1 or does not: 4 executions in every model. No threads are
//! alike.
//
// expect off=4 on=4
// expect model=sc off=4 on=4
// expect model=tso off=4 on=4
// expect model=ra off=4 on=4

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;
use std::sync::Arc;

pub(crate) fn program(_n: usize) {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let first = thread::spawn({
        let y = y.clone();
        move || {
            y.load(Relaxed);
        }
    });
    let second = thread::spawn({
        let x = x.clone();
        move || {
            if x.load(Relaxed) == 1 {
                x.store(2, Relaxed);
                x.load(Relaxed);
            }
        }
    });
    let third = thread::spawn(move || {
        x.store(1, Relaxed);
        y.store(1, Relaxed);
    });
    for thread in [first, second, third] {
        thread.join().unwrap();
    }
}
