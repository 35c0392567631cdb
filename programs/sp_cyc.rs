//! SP-CYC, example 6 of SPORE (PLDI 2024): weak models allow a cycle of program order, reads-from and coherence here.
//!
//! None, one or both of the threads that are alike read x = 2: 8 + 16 + 12 executions. If the last thread reads y = 1,
//! its x = 1 comes after x = 2 unless there may be cycles: 8 executions fewer. Of the 28, there are 4 that do not
//! change when the threads that are alike are exchanged, so there are 16 orbits. In the presence of cycles the
//! reduction may miss executions (section 2.2.4), so nothing is said about it for the weak models.
//
// expect off=36
// expect model=ra off=36
// expect model=sc off=28 on=16
// expect model=tso off=28 on=16

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;
use std::sync::Arc;

pub(crate) fn program(_n: usize) {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let first = thread::spawn({
        let x = x.clone();
        move || x.store(2, Relaxed)
    });
    let alike = thread::spawn_symmetric(2, {
        let (x, y) = (x.clone(), y.clone());
        move || {
            if x.load(Relaxed) == 2 {
                y.store(1, Relaxed);
            }
        }
    });
    let last = thread::spawn(move || {
        y.load(Relaxed);
        x.store(1, Relaxed);
    });
    first.join().unwrap();
    alike.join();
    last.join().unwrap();
}
