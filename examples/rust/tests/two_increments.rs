//! A counter that loses an increment: the test fails, and shows how. Its twin is `two_increments_mended.rs`.

use quotient::sync::Arc;
use quotient::sync::atomic::AtomicUsize;
use quotient::sync::atomic::Ordering::{Acquire, Release};
use quotient::thread;

#[quotient::test]
fn two_increments() {
    let counter = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                let value = counter.load(Acquire);
                counter.store(value + 1, Release);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(counter.load(Acquire), 2);
}
