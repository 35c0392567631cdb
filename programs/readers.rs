//! W+R+R of section 2 of SPORE (PLDI 2024) with n readers: one thread writes, the others read.
//!
//! Every reader finds the old value or the new one; how many find the new one is all that distinguishes executions up
//! to the readers' names.
//
// expect n=1 off=2 on=2
// expect n=2 off=4 on=3
// expect n=3 off=8 on=4
// expect n=4 off=16 on=5
// expect n=5 off=32 on=6
// expect n=6 off=64 on=7
// expect n=12 off=4096 on=13

use quotient::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Release},
};
use quotient::thread;
use std::sync::Arc;

pub(crate) fn program(n: usize) {
    let x = Arc::new(AtomicUsize::new(0));
    let written = x.clone();
    let writer = thread::spawn(move || written.store(1, Release));
    let readers = thread::spawn_symmetric(n, move || {
        x.load(Acquire);
    });
    writer.join().unwrap();
    readers.join();
}
