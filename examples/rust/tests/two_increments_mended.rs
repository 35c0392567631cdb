//! The counter of `two_increments.rs`, which loses nothing.

use quotient::sync::Arc;
use quotient::sync::atomic::AtomicUsize;
use quotient::sync::atomic::Ordering::{AcqRel, Acquire};
use quotient::thread;

#[quotient::test]
fn two_increments() {
    let counter = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                counter.fetch_add(1, AcqRel);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(counter.load(Acquire), 2);
}
