//! Two threads and one lock, in every way in which they can run.
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use quotient_loom_example::SpinLock;

struct Shared {
    lock: SpinLock,
    counter: UnsafeCell<usize>,
}

// SAFETY: the counter is used under the lock only, which is what the test is about.
unsafe impl Sync for Shared {}

#[test]
fn nothing_is_lost() {
    loom::model(|| {
        let shared = Arc::new(Shared { lock: SpinLock::default(), counter: UnsafeCell::new(0) });
        let add = |shared: &Shared| {
            // SAFETY: the lock is held.
            shared.lock.with(|| shared.counter.with_mut(|counter| unsafe { *counter += 1 }));
        };
        let other = thread::spawn({
            let shared = shared.clone();
            move || add(&shared)
        });
        add(&shared);
        other.join().unwrap();
        // SAFETY: the other thread has ended.
        assert_eq!(shared.counter.with(|counter| unsafe { *counter }), 2);
    });
}
