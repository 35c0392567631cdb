//! Code that runs once. The first caller changes the state from new to running; the others wait until it is done.

use std::fmt;

use crate::ops::{self, Order, Place, When};

const NEW: u64 = 0;
const RUNNING: u64 = 1;
const DONE: u64 = 2;

/// Runs code once per execution, like `std::sync::Once`.
#[derive(Default)]
pub struct Once {
    state: Place,
}

/// A `Once` that has not run, under the name of old.
#[allow(clippy::declare_interior_mutable_const, reason = "as in std, it initialises statics")]
pub const ONCE_INIT: Once = Once::new();

impl Once {
    /// A `Once` that has not run.
    pub const fn new() -> Self {
        Once { state: Place::new() }
    }

    /// Runs `body` unless that has been done, and waits if another thread is doing it.
    #[track_caller]
    pub fn call_once(&self, body: impl FnOnce()) {
        if self.begin() {
            body();
            self.finish();
        }
    }

    /// Like [`call_once`](Self::call_once): there is no poison to ignore.
    #[track_caller]
    pub fn call_once_force(&self, body: impl FnOnce(&OnceState)) {
        if self.begin() {
            body(&OnceState { _private: () });
            self.finish();
        }
    }

    /// Whether the code has run.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        ops::load(&self.state, NEW, Order::Acquire) == DONE
    }

    /// Waits until the code has run.
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
        if ops::abandoning() {
            // The answer below would be made up, and two threads could believe to be the first.
            return false;
        }
        match ops::exchange(&self.state, NEW, NEW, RUNNING, Order::Acquire, Order::Acquire, false) {
            Ok(_) => true,
            Err(RUNNING) => {
                self.wait();
                false
            }
            Err(_) => false,
        }
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

/// What [`Once::call_once_force`] tells the code that it runs.
#[derive(Debug)]
pub struct OnceState {
    _private: (),
}

impl OnceState {
    /// Whether an earlier run has panicked: no, the check would have ended.
    pub fn is_poisoned(&self) -> bool {
        false
    }
}
