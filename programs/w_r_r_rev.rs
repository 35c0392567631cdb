//! W+R+R-REV, example 4 of SPORE (PLDI 2024): the two readers of x are alike, and the first thread reads y after it has
//! written x.
//!
//! y is read as 0 or 1, and each reader of x finds 0 or 1, independently. Exploring the readers in the wrong order
//! loses executions here.
//
// expect off=8 on=6
// expect model=sc off=8 on=6
// expect model=tso off=8 on=6
// expect model=ra off=8 on=6

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;
use std::sync::Arc;

pub(crate) fn program(_n: usize) {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let first = thread::spawn({
        let (x, y) = (x.clone(), y.clone());
        move || {
            x.store(1, Relaxed);
            y.load(Relaxed);
        }
    });
    let readers = thread::spawn_symmetric(2, move || {
        x.load(Relaxed);
    });
    let last = thread::spawn(move || y.store(1, Relaxed));
    first.join().unwrap();
    readers.join();
    last.join().unwrap();
}
