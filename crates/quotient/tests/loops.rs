//! Loops that wait, and loops that only look like it: what is kept from round to round counts. The same tests run at
//! opt-level 0 and 3 in `levels/`, because it is the compiled code in which loops are found.

mod common;

use common::Shared;
use quotient::{Builder, Report, ViolationKind, thread};
use std::sync::Arc;

#[path = "loops/forms.rs"]
mod forms;
#[path = "loops/handlers.rs"]
mod handlers;
#[path = "loops/kept.rs"]
mod kept;
#[path = "loops/locks.rs"]
mod locks;
#[path = "loops/places.rs"]
mod places;
#[path = "loops/shapes.rs"]
mod shapes;

/// Checks a program with symmetry reduction or without.
fn run(symmetry: bool, program: impl Fn() + Send + Sync + 'static) -> Report {
    Builder::new().symmetry(symmetry).max_events(200).max_executions(2000).run(program)
}

/// Nothing is wrong with the program.
#[track_caller]
fn holds(program: impl Fn() + Copy + Send + Sync + 'static) {
    for symmetry in [true, false] {
        let report = run(symmetry, program);
        assert!(report.holds(), "symmetry {symmetry}: {report}");
    }
}

/// Nothing is wrong with the program, and without symmetry reduction it has so many executions.
#[track_caller]
fn holds_with(executions: u64, program: impl Fn() + Copy + Send + Sync + 'static) {
    holds(program);
    let report = run(false, program);
    assert_eq!(report.executions(), executions, "{report}");
}

/// The same, but in code that is not optimised there are more executions: the address of a temporary value is passed to a
/// function, and what the temporary was in the last round is then taken for something that may still be used.
#[track_caller]
fn holds_with_temporaries(executions: u64, unoptimised: u64, program: impl Fn() + Copy + Send + Sync + 'static) {
    let is_optimised = env!("CARGO_PKG_NAME") != "quotient-level0";
    holds_with(if is_optimised { executions } else { unoptimised }, program);
}

#[track_caller]
fn violates(kind: ViolationKind, program: impl Fn() + Copy + Send + Sync + 'static) {
    for symmetry in [true, false] {
        let report = run(symmetry, program);
        assert_eq!(report.violation(), Some(kind), "symmetry {symmetry}: {report}");
    }
}

/// An assertion of the program fails in some execution.
#[track_caller]
fn fails(program: impl Fn() + Copy + Send + Sync + 'static) {
    violates(ViolationKind::Panic, program);
}

/// Threads race in some execution.
#[track_caller]
fn races(program: impl Fn() + Copy + Send + Sync + 'static) {
    violates(ViolationKind::Race, program);
}

/// A thread waits forever in some execution.
#[track_caller]
fn livelocks(program: impl Fn() + Copy + Send + Sync + 'static) {
    violates(ViolationKind::Livelock, program);
}

/// No number of rounds is enough.
#[track_caller]
fn is_undecided(program: impl Fn() + Copy + Send + Sync + 'static) {
    for symmetry in [true, false] {
        let report = run(symmetry, program);
        let limit = report.stop().is_some() || report.violation() == Some(ViolationKind::Bound);
        assert!(!report.holds() && limit, "symmetry {symmetry}: {report}");
    }
}

/// Runs one closure beside another on what they share.
fn beside<T: Send + Sync + 'static>(shared: T, other: impl FnOnce(&T) + Send + 'static, own: impl FnOnce(&T)) {
    let shared = Arc::new(shared);
    let theirs = shared.clone();
    let thread = thread::spawn(move || other(&theirs));
    own(&shared);
    thread.join().unwrap();
}

/// Runs so many threads of one function on what they share.
fn together<T: Send + Sync + 'static>(count: usize, shared: T, each: fn(&T)) -> Arc<T> {
    let shared = Arc::new(shared);
    let threads: Vec<_> = (0..count)
        .map(|_| {
            let shared = shared.clone();
            thread::spawn(move || each(&shared))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    shared
}
