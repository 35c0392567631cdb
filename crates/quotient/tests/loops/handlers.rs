//! What only code reads that runs while a panic unwinds: it counts during a call that may panic.

use super::*;
use quotient::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use quotient::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::atomic::AtomicUsize as Unseen;

/// The answer with panics that unwind.
fn answer(symmetry: bool, program: impl Fn() + Send + Sync + 'static) -> Report {
    Builder::new().unwind(true).symmetry(symmetry).max_events(200).max_executions(2000).run(program)
}

#[track_caller]
fn fails_unwinding(program: impl Fn() + Copy + Send + Sync + 'static) {
    for symmetry in [true, false] {
        let report = answer(symmetry, program);
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "symmetry {symmetry}: {report}");
    }
}

#[track_caller]
fn holds_unwinding(program: impl Fn() + Copy + Send + Sync + 'static) {
    for symmetry in [true, false] {
        let report = answer(symmetry, program);
        assert!(report.holds(), "symmetry {symmetry}: {report}");
    }
}

/// Panics when the last value is there.
#[inline(never)]
fn look(x: &AtomicUsize) -> usize {
    match x.load(Acquire) {
        2 => resume_unwind(Box::new("over")),
        now => now,
    }
}

/// Keeps a value for the time when it is dropped.
struct Kept<'a> {
    value: usize,
    result: &'a Unseen,
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.result.store(self.value, Relaxed);
    }
}

/// What is left in the second number by a loop that waits for the first one, and ends by a panic. Beside it a thread goes
/// through two values.
fn result_of(wait: impl Fn(&AtomicUsize, &Unseen) + Send + Sync + 'static) -> usize {
    let shared = Arc::new((AtomicUsize::new(0), Unseen::new(9)));
    let theirs = shared.clone();
    let waits = thread::spawn(move || {
        assert!(catch_unwind(AssertUnwindSafe(|| wait(&theirs.0, &theirs.1))).is_err());
    });
    shared.0.store(1, Release);
    shared.0.store(2, Release);
    waits.join().expect("it has caught its panic");
    shared.1.load(Relaxed)
}

fn last_value() -> usize {
    result_of(|x, result| {
        let mut kept = Kept { value: 0, result };
        loop {
            kept.value = look(x);
        }
    })
}

#[test]
fn the_last_value_before_a_panic() {
    fails_unwinding(|| assert_ne!(last_value(), 1));
}

#[test]
fn the_last_value_before_a_panic_that_is_fine() {
    holds_unwinding(|| assert!(last_value() < 2));
}

#[test]
fn a_flag_of_the_first_round_for_a_panic() {
    fails_unwinding(|| {
        let result = result_of(|x, result| {
            let mut kept = Kept { value: 1, result };
            loop {
                look(x);
                kept.value = 2;
            }
        });
        assert_ne!(result, 2);
    });
}

#[test]
fn two_values_that_a_panic_drops_in_turn() {
    fails_unwinding(|| {
        let result = result_of(|x, result| {
            let unseen = Unseen::new(0);
            let mut now = Kept { value: 0, result };
            let mut before = Kept { value: 0, result: &unseen };
            loop {
                before.value = now.value;
                now.value = look(x) + if before.value == 1 { 3 } else { 0 };
            }
        });
        assert_ne!(result, 4);
    });
}

#[test]
fn a_saturated_number_for_a_panic() {
    fails_unwinding(|| {
        let result = result_of(|x, result| {
            let mut rounds = Kept { value: 0, result };
            loop {
                rounds.value = (rounds.value + 1).min(3);
                look(x);
            }
        });
        assert_ne!(result, 3);
    });
}

#[test]
fn a_value_that_is_caught_far_from_where_it_is_thrown() {
    #[inline(never)]
    fn deeper(x: &AtomicUsize, depth: usize) -> usize {
        if depth == 0 { look(x) } else { deeper(x, depth - 1) }
    }
    fails_unwinding(|| {
        let result = result_of(|x, result| {
            let mut kept = Kept { value: 0, result };
            loop {
                kept.value = deeper(x, 2);
            }
        });
        assert_ne!(result, 1);
    });
}
