//! Threads: results, scopes, parking, symmetry.

mod common;

use common::{complaint, executions, orbits, outcomes, violation};
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread::{self, park, park_timeout, spawn_symmetric, yield_now};
use quotient::{Builder, ViolationKind};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn threads_give_results() {
    let only = executions(|| {
        let threads: Vec<_> = (0..3).map(|number| thread::spawn(move || format!("{number}"))).collect();
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(results, ["0", "1", "2"]);
    });
    assert_eq!(only, 1);
}

#[test]
fn scoped_threads_borrow() {
    let only = executions(|| {
        let mut numbers = vec![1, 2, 3];
        let total = thread::scope(|scope| {
            let halves = numbers.split_at_mut(1);
            scope.spawn(|| halves.0[0] = 10);
            let rest = scope.spawn(|| {
                // A thread of the scope can spawn into it.
                scope.spawn(|| halves.1[0] = 20);
                5
            });
            rest.join().unwrap()
        });
        assert_eq!((numbers, total), (vec![10, 20, 3], 5));
    });
    assert_eq!(only, 1);
}

#[test]
fn a_token_waits_for_who_parks_later() {
    let program = || {
        let parked = thread::spawn(|| {
            park();
            7
        });
        parked.thread().unpark();
        assert_eq!(parked.join().unwrap(), 7);
    };
    assert_eq!(executions(program), 1);
}

#[test]
fn two_tokens_are_one() {
    let found = violation(|| {
        thread::current().unpark();
        thread::current().unpark();
        park();
        park();
    });
    assert_eq!(found, ViolationKind::Deadlock);
    let message = complaint(park);
    assert!(message.contains("thread 0 waits to be unparked"), "{message}");
}

#[test]
fn unparking_publishes() {
    executions(|| {
        let shared = Arc::new(common::Shared::new(0));
        let seen = shared.clone();
        let parked = thread::spawn(move || {
            park();
            seen.get()
        });
        shared.set(5);
        parked.thread().unpark();
        assert_eq!(parked.join().unwrap(), 5);
    });
}

#[test]
fn a_timed_park_returns_with_or_without_the_token() {
    let results = outcomes(|| {
        let main = thread::current();
        let flag = Arc::new(AtomicUsize::new(0));
        let set = flag.clone();
        let thread = thread::spawn(move || {
            set.store(1, Relaxed);
            main.unpark();
        });
        park_timeout(Duration::from_secs(1));
        let seen = flag.load(Relaxed);
        thread.join().unwrap();
        seen
    });
    assert_eq!(results, [0, 1]);
}

#[test]
fn a_thread_may_have_ended_or_not() {
    let results = outcomes(|| {
        let thread = thread::spawn(|| yield_now());
        let finished = thread.is_finished();
        thread.join().unwrap();
        finished
    });
    assert_eq!(results, [false, true]);
}

#[test]
fn names_and_ids() {
    executions(|| {
        let worker = thread::Builder::new().name(String::from("worker")).stack_size(1 << 20);
        let worker = worker.spawn(|| (thread::current().id(), thread::current().name().map(String::from))).unwrap();
        let id = worker.thread().id();
        assert_ne!(id, thread::current().id());
        assert_eq!(worker.join().unwrap(), (id, Some(String::from("worker"))));
        thread::scope(|scope| {
            let scoped = thread::Builder::new().spawn_scoped(scope, || thread::current().name().is_none()).unwrap();
            assert!(scoped.join().unwrap());
        });
    });
}

fn three_increments(body: fn(&AtomicUsize)) -> impl Fn() + Send + Sync + 'static {
    move || {
        let counter = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| body(&counter));
            }
        });
        assert_eq!(counter.load(Relaxed), 3);
    }
}

/// Like threads are found to be alike: one order of three increments stands for all six.
#[test]
fn like_threads_are_symmetric() {
    fn increment(counter: &AtomicUsize) {
        counter.fetch_add(1, Relaxed);
    }
    assert_eq!(orbits(three_increments(increment)), 1);
    assert_eq!(executions(three_increments(increment)), 6);
}

/// A thread that knows its id is not like others, which is noticed when it asks.
#[test]
fn threads_that_know_who_they_are_are_not_symmetric() {
    let program = three_increments(|counter| {
        let _ = thread::current();
        counter.fetch_add(1, Relaxed);
    });
    assert_eq!(orbits(program), 6);
}

#[test]
fn threads_with_different_data_are_not_symmetric() {
    let count = orbits(|| {
        let counter = AtomicUsize::new(0);
        thread::scope(|scope| {
            for add in 1..3 {
                let counter = &counter;
                scope.spawn(move || {
                    counter.fetch_add(add, Relaxed);
                });
            }
        });
        assert_eq!(counter.load(Relaxed), 3);
    });
    assert_eq!(count, 2);
}

/// The boxes have different contents, but could be at the same address if the first thread were already gone.
#[test]
fn threads_that_own_different_things_are_not_symmetric() {
    let results = common::outcomes_of(Builder::new(), || {
        let last = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (1..3)
            .map(|number| {
                let (last, number) = (last.clone(), Box::new(number));
                thread::spawn(move || last.store(*number, Relaxed))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        last.load(Relaxed)
    });
    assert_eq!(results, [1, 2]);
}

#[test]
fn a_declared_group_is_symmetric() {
    let program = || {
        let counter = Arc::new(AtomicUsize::new(0));
        let shared = counter.clone();
        let group = spawn_symmetric(4, move || {
            shared.fetch_add(1, Relaxed);
        });
        assert_eq!(group.len(), 4);
        group.join();
        assert_eq!(counter.load(Relaxed), 4);
    };
    assert_eq!(orbits(program), 1);
    assert_eq!(executions(program), 24);
}

#[test]
fn a_loop_that_waits_ends() {
    let both = executions(|| {
        let flag = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| flag.store(1, Relaxed));
            while flag.load(Relaxed) == 0 {
                yield_now();
            }
        });
    });
    assert_eq!(both, 1);
}

#[test]
fn a_detached_thread_may_outlive_main() {
    let results = executions(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let shared = counter.clone();
        drop(thread::spawn(move || {
            shared.fetch_add(1, Relaxed);
            // The result owns something with a destructor that performs an operation.
            quotient::sync::mpsc::channel::<u32>().0
        }));
        counter.load(Relaxed);
    });
    assert_eq!(results, 2);
}

#[test]
fn the_panic_of_a_thread_is_found() {
    assert_eq!(complaint(|| thread::spawn(|| panic!("no reason")).join()), "no reason");
    assert_eq!(thread::available_parallelism().unwrap().get(), 2);
}
