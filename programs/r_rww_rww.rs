//! R+RWW+RWW, example 5 of SPORE (PLDI 2024): the second and third threads are alike, and their writes are unordered.
//!
//! If one of them reads the other's write of x, that orders these writes; if none does, they go either way: 4 cases.
//! The writes of y go either way in each, and y is read from one of them or none: 24 executions. No one is its own
//! mirror image, because the writes of x are ordered: 12 orbits. GenMC refuses to reduce programs with unordered
//! writes.
//
// expect off=24 on=12
// expect model=sc off=24 on=12
// expect model=tso off=24 on=12
// expect model=ra off=24 on=12

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;
use std::sync::Arc;

pub(crate) fn program(_n: usize) {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let reader = thread::spawn({
        let y = y.clone();
        move || {
            y.load(Relaxed);
        }
    });
    let writers = thread::spawn_symmetric(2, move || {
        x.load(Relaxed);
        x.store(1, Relaxed);
        y.store(1, Relaxed);
    });
    reader.join().unwrap();
    writers.join();
}
