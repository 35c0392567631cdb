//! A message that is published with a flag.

use quotient::sync::Arc;
use quotient::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use quotient::sync::atomic::{AtomicBool, AtomicUsize};
use quotient::thread;

#[quotient::test]
fn message() {
    let (data, ready) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (theirs, flag) = (data.clone(), ready.clone());
    let sender = thread::spawn(move || {
        theirs.store(42, Relaxed);
        flag.store(true, Release); // with Relaxed here, the test fails and shows the stale read
    });
    if ready.load(Acquire) {
        assert_eq!(data.load(Relaxed), 42);
    }
    sender.join().unwrap();
}
