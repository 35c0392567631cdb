//! Programs with locks and lock-free structures, written once for all tools that have locks and compare-exchange.
//! Nodes are freed at the end only, so nothing here needs a scheme to reclaim memory.

use crate::counters::together;
use crate::tool::{AtomicPtr, AtomicUsize, Mutex, thread};
use harness::Program;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The program of this name.
pub fn find(name: &str) -> Option<Program> {
    match name {
        "mutex" => Some(mutex),
        "spin-lock" => Some(spin_lock),
        "treiber-push" => Some(treiber_push),
        "ms-enqueue" => Some(ms_enqueue),
        _ => None,
    }
}

/// Each thread adds one to a number under the tool's own lock.
fn mutex(threads: usize) {
    let number = Arc::new(Mutex::new(0));
    let shared = number.clone();
    together(threads, move || *shared.lock().expect("no thread panics") += 1);
    assert_eq!(*number.lock().expect("no thread panics"), threads);
}

/// Each thread adds one to a number under a lock made of compare-exchange in a loop.
fn spin_lock(threads: usize) {
    let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let lock_and_number = shared.clone();
    together(threads, move || {
        let (lock, number) = &*lock_and_number;
        while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            thread::yield_now();
        }
        number.store(number.load(Relaxed) + 1, Relaxed);
        lock.store(0, Release);
    });
    assert_eq!(shared.1.load(Relaxed), threads);
}

/// A node of Treiber's stack.
struct Below(*mut Below);

/// Each thread pushes a node on Treiber's stack.
fn treiber_push(threads: usize) {
    let top = Arc::new(AtomicPtr::new(ptr::null_mut::<Below>()));
    let shared = top.clone();
    together(threads, move || {
        let node = Box::into_raw(Box::new(Below(shared.load(Relaxed))));
        loop {
            // SAFETY: the node is this thread's own until it is in the stack.
            let below = unsafe { (*node).0 };
            match shared.compare_exchange(below, node, Release, Relaxed) {
                Ok(_) => break,
                // SAFETY: as above.
                Err(newer) => unsafe { (*node).0 = newer },
            }
        }
    });
    let mut count = 0;
    let mut node = top.load(Acquire);
    while !node.is_null() {
        // SAFETY: every node came from a box and is in the stack once; all threads have ended.
        node = unsafe { Box::from_raw(node) }.0;
        count += 1;
    }
    assert_eq!(count, threads);
}

/// A node of Michael and Scott's queue.
struct Behind(AtomicPtr<Behind>);

impl Behind {
    fn last() -> *mut Behind {
        Box::into_raw(Box::new(Behind(AtomicPtr::new(ptr::null_mut()))))
    }
}

/// Each thread appends a node to Michael and Scott's queue.
fn ms_enqueue(threads: usize) {
    let first = Behind::last();
    let tail = Arc::new(AtomicPtr::new(first));
    let shared = tail.clone();
    together(threads, move || {
        let node = Behind::last();
        loop {
            let last = shared.load(Acquire);
            // SAFETY: nodes are freed when all threads have ended.
            let next = unsafe { &(*last).0 };
            let behind = next.load(Acquire);
            if !behind.is_null() {
                let _ = shared.compare_exchange(last, behind, AcqRel, Relaxed);
            } else if next.compare_exchange(ptr::null_mut(), node, AcqRel, Relaxed).is_ok() {
                let _ = shared.compare_exchange(last, node, AcqRel, Relaxed);
                break;
            }
        }
    });
    let mut count = 0;
    let mut node = first;
    while !node.is_null() {
        // SAFETY: every node came from a box and is in the queue once; all threads have ended.
        let behind = unsafe { Box::from_raw(node) };
        node = behind.0.load(Acquire);
        count += 1;
    }
    assert_eq!(count, threads + 1);
}
