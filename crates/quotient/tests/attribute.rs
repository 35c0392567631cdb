//! The attribute `#[quotient::test]`, on tests of its own.

use quotient::sync::Mutex;
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;

fn increment_twice() -> usize {
    let total = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| *total.lock().unwrap() += 1);
        }
    });
    total.into_inner().unwrap()
}

#[quotient::test]
fn without_arguments() {
    assert_eq!(increment_twice(), 2);
}

#[quotient::test(model = "tso", symmetry = false, jobs = 2, max_executions = 100, spurious = true)]
fn with_all_arguments() {
    assert_eq!(increment_twice(), 2);
}

#[quotient::test]
#[should_panic(expected = "lost")]
fn a_violation_is_a_failure() {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| counter.store(counter.load(Relaxed) + 1, Relaxed));
        }
    });
    assert_eq!(counter.load(Relaxed), 2, "an increment is lost");
}

/// Two increments have two orders, which is more than one.
#[quotient::test(symmetry = false, max_executions = 1)]
#[should_panic(expected = "limit on executions")]
fn a_limit_that_is_reached_is_a_failure() {
    increment_twice();
}
