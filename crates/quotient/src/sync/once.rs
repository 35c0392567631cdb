//! Code that runs once. The first caller changes the state from new to running; the others wait until it is done.

use std::fmt;
use std::panic::Location;

use crate::ops::{self, MemoryCell, Order, Rmw, When};

const NEW: u64 = 0;
const RUNNING: u64 = 1;
const DONE: u64 = 2;
const POISONED: u64 = 3;

/// Runs code once per execution, like `std::sync::Once`.
#[derive(Default)]
pub struct Once {
    state: MemoryCell,
}

/// A `Once` that has not run, under the name of old.
#[allow(clippy::declare_interior_mutable_const, reason = "as in std, it initialises statics")]
pub const ONCE_INIT: Once = Once::new();

impl Once {
    /// A `Once` that has not run.
    pub const fn new() -> Self {
        Once { state: MemoryCell::new() }
    }

    /// Runs `body` unless that has been done, and waits if another thread is doing it.
    ///
    /// # Panics
    /// If an earlier run has panicked.
    #[track_caller]
    pub fn call_once(&self, body: impl FnOnce()) {
        self.run(false, |_| body());
    }

    /// Like [`call_once`](Self::call_once), but runs also if an earlier run has panicked.
    #[track_caller]
    pub fn call_once_force(&self, body: impl FnOnce(&OnceState)) {
        self.run(true, body);
    }

    #[track_caller]
    fn run(&self, force: bool, body: impl FnOnce(&OnceState)) {
        let Some(poisoned) = self.try_begin() else { return };
        if poisoned && !force {
            ops::store(&self.state, NEW, POISONED, Order::Release);
            panic!("Once instance has previously been poisoned");
        }
        let unfinished = Unfinished { once: self, then: POISONED, site: Location::caller() };
        body(&OnceState { poisoned });
        std::mem::forget(unfinished);
        self.finish();
    }

    /// Whether the code has run.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        ops::load(&self.state, NEW, Order::Acquire) == DONE
    }

    /// Waits until the code has run. If it has panicked, that is until somebody has run it again.
    #[track_caller]
    pub fn wait(&self) {
        ops::wait(&self.state, NEW, When::Is(DONE), Order::Acquire, "for another thread's initialisation");
    }

    /// Like [`wait`](Self::wait): there is no poison to ignore.
    #[track_caller]
    pub fn wait_force(&self) {
        self.wait();
    }

    /// Whether the caller must run the code, and say [`finish`](Self::finish) then. Otherwise it has been run.
    #[track_caller]
    pub(super) fn begin(&self) -> bool {
        self.try_begin().is_some()
    }

    /// As [`begin`](Self::begin); says also whether an earlier run has panicked.
    #[track_caller]
    fn try_begin(&self) -> Option<bool> {
        let mut expected = NEW;
        loop {
            if ops::abandoning() {
                // The answer below would be made up, and two threads could believe to be the first.
                return None;
            }
            match ops::exchange(&self.state, NEW, expected, RUNNING, Order::Acquire, Order::Acquire, false) {
                Ok(_) => return Some(expected == POISONED),
                Err(RUNNING) if ops::unwinds() => {
                    let why = "for another thread's initialisation";
                    match ops::acquire(&self.state, NEW, When::IsNot(RUNNING), Rmw::Add, 0, Order::Acquire, why) {
                        DONE => return None,
                        other => expected = other,
                    }
                }
                Err(RUNNING) => {
                    self.wait();
                    return None;
                }
                Err(DONE) => return None,
                Err(other) => expected = other,
            }
        }
    }

    /// What becomes of the state if the code panics.
    #[track_caller]
    pub(super) fn reset_if_it_panics(&self) -> impl Sized + '_ {
        Unfinished { once: self, then: NEW, site: Location::caller() }
    }

    #[track_caller]
    pub(super) fn finish(&self) {
        ops::store(&self.state, NEW, DONE, Order::Release);
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// Code that runs; if this is dropped, it has panicked.
struct Unfinished<'a> {
    once: &'a Once,
    then: u64,
    site: &'static Location<'static>,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if ops::unwinds() {
            ops::store_at(&self.once.state, NEW, self.then, Order::Release, self.site);
        }
    }
}

/// What [`Once::call_once_force`] tells the code that it runs.
#[derive(Debug)]
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Whether an earlier run has panicked.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}
