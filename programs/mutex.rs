//! Threads that increment a counter under the library's `Mutex`; the client Mutex(n) of section 4.2 of SPORE.
//!
//! The order in which they have the lock is all there is. A thread that waits for a mutex has no event yet, so no
//! execution is blocked.
//
// expect n=2 off=2 on=1 blocked=0
// expect n=3 off=6 on=1 blocked=0
// expect n=4 off=24 on=1 blocked=0
// expect n=5 off=120 on=1 blocked=0
// expect n=6 off=720 on=1 blocked=0
// expect n=16 on=1 blocked=0

use quotient::sync::Mutex;
use quotient::thread;
use std::sync::Arc;

pub(crate) fn program(n: usize) {
    let counter = Arc::new(Mutex::new(0));
    let shared = counter.clone();
    let threads = thread::spawn_symmetric(n, move || *shared.lock().unwrap() += 1);
    threads.join();
    assert_eq!(*counter.lock().unwrap(), n);
}
