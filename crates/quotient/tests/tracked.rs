//! With the allocator that knows the program's memory: what it finds, and that it leaves the library's own alone.

mod common;

use common::{executions, violation};
use quotient::sync::atomic::{
    AtomicPtr, AtomicUsize, Ordering, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use quotient::sync::{Condvar, Mutex, RwLock, mpsc};
use quotient::{ViolationKind, thread};
use std::time::Duration;

/// A thread makes an object and publishes it; another one finds it, and uses it.
fn publish(order: Ordering) {
    let slot = AtomicPtr::new(std::ptr::null_mut());
    thread::scope(|scope| {
        scope.spawn(|| slot.store(Box::into_raw(Box::new(AtomicUsize::new(7))), order));
        scope.spawn(|| {
            let object = slot.load(Acquire);
            if !object.is_null() {
                // SAFETY: the object is freed at the end only; that it can be seen is checked.
                assert_eq!(unsafe { (*object).load(Relaxed) }, 7);
            }
        });
    });
    // SAFETY: the object came from a box, and all threads have ended.
    drop(unsafe { Box::from_raw(slot.into_inner()) });
}

#[test]
fn an_object_must_be_published() {
    assert_eq!(executions(|| publish(Release)), 2);
    assert_eq!(violation(|| publish(Relaxed)), ViolationKind::Race);
}

#[test]
fn freed_memory_must_not_be_used() {
    let found = violation(|| {
        let object = Box::into_raw(Box::new(AtomicUsize::new(7)));
        // SAFETY: the object is used after it was freed, which is caught.
        unsafe {
            drop(Box::from_raw(object));
            (*object).load(Relaxed);
        }
    });
    assert_eq!(found, ViolationKind::Memory);
}

/// Queues, tokens and copies of statics belong to the library, which has its own ways to order accesses to them.
#[test]
fn the_memory_of_the_library_is_its_own() {
    static NUMBERS: RwLock<[AtomicUsize; 1]> = RwLock::new([AtomicUsize::new(1)]);
    executions(|| {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        let (sender, receiver) = mpsc::sync_channel(1);
        thread::scope(|scope| {
            let parked = scope.spawn(move || {
                thread::park();
                receiver.iter().count()
            });
            scope.spawn(|| drop(condvar.wait_timeout(mutex.lock().unwrap(), Duration::ZERO)));
            condvar.notify_one();
            sender.send(1).unwrap();
            drop(sender);
            parked.thread().unpark();
            assert_eq!(parked.join().unwrap(), 1);
        });
    });
    executions(|| {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(NUMBERS.read().unwrap()[0].load(Relaxed), 1));
            }
        });
    });
}
