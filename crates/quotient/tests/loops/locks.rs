//! Locks made of loops, and loops that poll under locks.

use super::*;
use quotient::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use quotient::sync::{Mutex, RwLock};

/// A lock by test-and-set, and what it protects.
type Guarded = (AtomicBool, Shared<usize>);

fn free() -> Guarded {
    (AtomicBool::new(false), Shared::new(0))
}

fn increment(data: &Shared<usize>) {
    data.set(data.get() + 1);
}

fn by_swap((lock, data): &Guarded) {
    while lock.swap(true, Acquire) {}
    increment(data);
    lock.store(false, Release);
}

#[test]
fn test_and_set_of_two() {
    holds_with(2, || assert_eq!(together(2, free(), by_swap).1.get(), 2));
}

#[test]
fn test_and_set_of_three() {
    holds_with(6, || assert_eq!(together(3, free(), by_swap).1.get(), 3));
}

#[test]
fn test_and_set_of_four() {
    holds_with(24, || assert_eq!(together(4, free(), by_swap).1.get(), 4));
}

#[test]
fn test_and_set_by_or() {
    holds_with(2, || {
        let each = |(lock, data): &Guarded| {
            while lock.fetch_or(true, Acquire) {
                thread::yield_now();
            }
            increment(data);
            lock.store(false, Release);
        };
        together(2, free(), each);
    });
}

#[test]
fn test_and_set_by_exchange() {
    holds_with(2, || {
        let each = |(lock, data): &Guarded| {
            while lock.compare_exchange(false, true, Acquire, Relaxed).is_err() {
                quotient::hint::spin_loop();
            }
            increment(data);
            lock.store(false, Release);
        };
        together(2, free(), each);
    });
}

#[test]
fn test_and_set_without_acquire() {
    races(|| {
        let each = |(lock, data): &Guarded| {
            while lock.swap(true, Relaxed) {}
            increment(data);
            lock.store(false, Release);
        };
        together(2, free(), each);
    });
}

#[test]
fn test_and_set_that_had_to_wait() {
    fails(|| {
        let each = |(lock, data): &Guarded| {
            let mut waited = false;
            while lock.swap(true, Acquire) {
                waited = true;
            }
            increment(data);
            lock.store(false, Release);
            assert!(!waited);
        };
        together(2, free(), each);
    });
}

#[test]
fn test_and_set_that_is_never_given_back() {
    livelocks(|| {
        let each = |(lock, _): &Guarded| while lock.swap(true, Acquire) {};
        together(2, free(), each);
    });
}

#[test]
fn test_then_set() {
    holds(|| {
        let each = |(lock, data): &Guarded| {
            loop {
                while lock.load(Relaxed) {}
                if !lock.swap(true, Acquire) {
                    break;
                }
            }
            increment(data);
            lock.store(false, Release);
        };
        assert_eq!(together(2, free(), each).1.get(), 2);
    });
}

#[test]
fn test_then_set_that_has_lost() {
    fails(|| {
        let each = |(lock, data): &Guarded| {
            let mut lost = false;
            loop {
                while lock.load(Relaxed) {}
                if !lock.swap(true, Acquire) {
                    break;
                }
                lost = true;
            }
            increment(data);
            lock.store(false, Release);
            assert!(!lost);
        };
        together(2, free(), each);
    });
}

/// Tickets, turns, and what is protected.
type Tickets = (AtomicUsize, AtomicUsize, Shared<usize>);

fn no_tickets() -> Tickets {
    (AtomicUsize::new(0), AtomicUsize::new(0), Shared::new(0))
}

#[test]
fn tickets() {
    holds_with(6, || {
        let each = |(next, serving, data): &Tickets| {
            let ticket = next.fetch_add(1, Relaxed);
            while serving.load(Acquire) != ticket {
                thread::yield_now();
            }
            increment(data);
            serving.store(ticket + 1, Release);
        };
        assert_eq!(together(3, no_tickets(), each).2.get(), 3);
    });
}

#[test]
fn tickets_of_a_long_queue() {
    fails(|| {
        let each = |(next, serving, data): &Tickets| {
            let ticket = next.fetch_add(1, Relaxed);
            let mut longest = 0;
            loop {
                let queue = ticket - serving.load(Acquire);
                if queue == 0 {
                    break;
                }
                longest = longest.max(queue);
            }
            increment(data);
            serving.store(ticket + 1, Release);
            assert!(longest < 2);
        };
        together(3, no_tickets(), each);
    });
}

/// What is polled under a lock goes to 2 in two steps.
fn two_steps(x: &Mutex<u32>) {
    *x.lock().unwrap() = 1;
    *x.lock().unwrap() = 2;
}

#[test]
fn polling_under_a_lock() {
    holds(|| {
        let poll = |x: &Mutex<u32>| while *x.lock().unwrap() != 2 {};
        beside(Mutex::new(0), poll, two_steps);
    });
}

#[test]
fn polling_under_a_lock_twice() {
    fails(|| {
        let poll = |x: &Mutex<u32>| {
            let mut polls = 0;
            while *x.lock().unwrap() != 2 {
                polls = 2.min(polls + 1);
            }
            assert!(polls < 2);
        };
        beside(Mutex::new(0), poll, two_steps);
    });
}

#[test]
fn polling_under_a_lock_what_is_between() {
    fails(|| {
        let poll = |x: &Mutex<u32>| {
            let mut last = 0;
            loop {
                let now = *x.lock().unwrap();
                if now == 2 {
                    break;
                }
                last = now;
            }
            assert_ne!(last, 1);
        };
        beside(Mutex::new(0), poll, two_steps);
    });
}

#[test]
fn polling_under_a_lock_for_ever() {
    livelocks(|| {
        let poll = |x: &Mutex<u32>| while *x.lock().unwrap() != 2 {};
        beside(Mutex::new(0), poll, |x| *x.lock().unwrap() = 1);
    });
}

#[test]
fn polling_as_a_reader() {
    holds(|| {
        let poll = |x: &RwLock<u32>| while *x.read().unwrap() != 1 {};
        beside(RwLock::new(0), poll, |x| *x.write().unwrap() = 1);
    });
}

#[test]
fn trying_a_lock() {
    holds(|| {
        let each = |x: &Mutex<u32>| {
            loop {
                if let Ok(mut inside) = x.try_lock() {
                    *inside += 1;
                    break;
                }
            }
        };
        assert_eq!(*together(2, Mutex::new(0), each).lock().unwrap(), 2);
    });
}

#[test]
fn trying_a_lock_in_vain() {
    fails(|| {
        let each = |x: &Mutex<u32>| {
            let mut failed = 0;
            loop {
                if let Ok(mut inside) = x.try_lock() {
                    *inside += 1;
                    break;
                }
                failed = 2.min(failed + 1);
            }
            assert!(failed < 2);
        };
        together(2, Mutex::new(0), each);
    });
}

#[test]
fn polling_whenever_the_lock_is_free() {
    holds(|| {
        let poll = |x: &Mutex<u32>| while !x.try_lock().is_ok_and(|inside| *inside == 2) {};
        beside(Mutex::new(0), poll, two_steps);
    });
}

#[test]
fn an_observer_of_two_polls() {
    fails(|| {
        let poll = |x: &Mutex<u32>| while *x.lock().unwrap() != 1 {};
        let observe = |x: &Mutex<u32>| {
            let taken = [0; 3].map(|_| x.try_lock().is_err());
            assert_ne!(taken, [true, false, true]);
            *x.lock().unwrap() = 1;
        };
        beside(Mutex::new(0), poll, observe);
    });
}

#[test]
fn a_pair_without_an_effect() {
    holds(|| {
        let wait = |(flag, users): &(AtomicBool, AtomicUsize)| {
            loop {
                users.fetch_add(1, SeqCst);
                let now = flag.load(Acquire);
                users.fetch_sub(1, SeqCst);
                if now {
                    break;
                }
            }
        };
        beside((AtomicBool::new(false), AtomicUsize::new(0)), wait, |(flag, _)| flag.store(true, Release));
    });
}

#[test]
fn a_pair_that_somebody_sees() {
    fails(|| {
        let wait = |(flag, users): &(AtomicBool, AtomicUsize)| {
            loop {
                users.fetch_add(1, SeqCst);
                let now = flag.load(Acquire);
                users.fetch_sub(1, SeqCst);
                if now {
                    break;
                }
            }
        };
        let observe = |(flag, users): &(AtomicBool, AtomicUsize)| {
            let seen = [0; 3].map(|_| users.load(SeqCst));
            assert_ne!(seen, [1, 0, 1]);
            flag.store(true, Release);
        };
        beside((AtomicBool::new(false), AtomicUsize::new(0)), wait, observe);
    });
}
