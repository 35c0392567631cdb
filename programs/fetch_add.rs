//! FAIS of section 1 of SPORE (PLDI 2024): threads that increment one counter.
//!
//! The updates are totally ordered, in any of n! ways; the threads cannot be told apart, so all of them are one.
//
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1
// expect n=7 off=5040 on=1
// expect n=8 off=40320 on=1
// expect n=16 on=1
// expect n=32 on=1

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;
use std::sync::Arc;

pub(crate) fn program(n: usize) {
    let counter = Arc::new(AtomicUsize::new(0));
    let shared = counter.clone();
    let threads = thread::spawn_symmetric(n, move || {
        shared.fetch_add(1, Relaxed);
    });
    threads.join();
    assert_eq!(counter.load(Relaxed), n);
}
