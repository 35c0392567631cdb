//! What the tests of the library have in common: ways to check a program, and to collect what its executions show.

#![allow(dead_code, reason = "each test file uses some of it")]

use quotient::cell::UnsafeCell;
use quotient::{Builder, ViolationKind};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// The number of executions of a program with which nothing is wrong, without symmetry reduction.
#[track_caller]
pub(crate) fn executions<T>(program: impl Fn() -> T + Send + Sync + 'static) -> u64 {
    count(Builder::new().symmetry(false), program)
}

/// The number of executions of a program with which nothing is wrong, one per orbit.
#[track_caller]
pub(crate) fn orbits<T>(program: impl Fn() -> T + Send + Sync + 'static) -> u64 {
    count(Builder::new(), program)
}

#[track_caller]
pub(crate) fn count<T>(builder: Builder, program: impl Fn() -> T + Send + Sync + 'static) -> u64 {
    let report = builder.run(move || {
        program();
    });
    assert!(report.holds(), "{report}");
    report.executions()
}

/// What is wrong with a program; that is found with and without symmetry reduction.
#[track_caller]
pub(crate) fn violation<T>(program: impl Fn() -> T + Send + Sync + 'static) -> ViolationKind {
    let program = Arc::new(program);
    let found = [true, false].map(|symmetry| {
        let program = program.clone();
        let report = Builder::new().symmetry(symmetry).run(move || {
            program();
        });
        report.violation().unwrap_or_else(|| panic!("nothing was found: {report}"))
    });
    assert_eq!(found[0], found[1]);
    found[0]
}

/// The message of what is wrong with a program.
#[track_caller]
pub(crate) fn complaint<T>(program: impl Fn() -> T + Send + Sync + 'static) -> String {
    let report = Builder::new().run(move || {
        program();
    });
    report.message().unwrap_or_else(|| panic!("nothing was found: {report}")).to_owned()
}

/// All values that a program with which nothing is wrong can give, over all executions.
#[track_caller]
pub(crate) fn outcomes<T: Ord + Debug + Send + 'static>(program: impl Fn() -> T + Send + Sync + 'static) -> Vec<T> {
    outcomes_of(Builder::new().symmetry(false), program)
}

#[track_caller]
pub(crate) fn outcomes_of<T: Ord + Debug + Send + 'static>(
    builder: Builder,
    program: impl Fn() -> T + Send + Sync + 'static,
) -> Vec<T> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let collected = seen.clone();
    let report = builder.run(move || {
        let outcome = program();
        collected.lock().unwrap().insert(outcome);
    });
    assert!(report.holds(), "{report}");
    let outcomes = std::mem::take(&mut *seen.lock().unwrap());
    outcomes.into_iter().collect()
}

/// Memory that is shared without synchronisation: what the program uses it for must provide it.
pub(crate) struct Shared<T>(UnsafeCell<T>);

// SAFETY: that accesses are ordered is what is checked.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    pub(crate) const fn new(value: T) -> Self {
        Shared(UnsafeCell::new(value))
    }

    #[track_caller]
    pub(crate) fn get(&self) -> T {
        // SAFETY: if another thread writes, the access is reported before it happens.
        self.0.with(|value| unsafe { *value })
    }

    #[track_caller]
    pub(crate) fn set(&self, new: T) {
        // SAFETY: as above.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}
