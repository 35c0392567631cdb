//! FAIS+ARRAY of section 1 of SPORE (PLDI 2024): threads that draw a ticket and write to the cell of that number.
//!
//! The writes are independent, so the order of the tickets is all there is. The cells are plain memory: that no two
//! threads draw the same ticket is what keeps them from racing.
//
// expect n=2 off=2 on=1
// expect n=3 off=6 on=1
// expect n=4 off=24 on=1
// expect n=5 off=120 on=1
// expect n=6 off=720 on=1
// expect n=7 off=5040 on=1
// expect n=8 on=1

use quotient::cell::UnsafeCell;
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;

struct Shared {
    next: AtomicUsize,
    cells: Vec<UnsafeCell<usize>>,
}

// SAFETY: that no two threads use the same cell is what is checked.
unsafe impl Sync for Shared {}

pub(crate) fn program(n: usize) {
    let cells = (0..n).map(|_| UnsafeCell::new(0)).collect();
    let shared = Shared { next: AtomicUsize::new(0), cells };
    let threads = thread::spawn_symmetric(n, move || {
        let shared = &shared;
        let ticket = shared.next.fetch_add(1, Relaxed);
        // SAFETY: if another thread uses the cell, the access is reported before it happens.
        shared.cells[ticket].with_mut(|cell| unsafe { *cell = 1 });
    });
    threads.join();
}
