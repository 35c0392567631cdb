//! Condition variables: Quotient's, except that a timed wait does not time out, as in loom. A program that waits again
//! after each timeout would have executions without end; loom's users count on there being none.

use std::time::Duration;

use super::{LockResult, MutexGuard};

/// A condition variable, like `std::sync::Condvar`. `notify_one` wakes any one of the waiters: each is tried.
#[derive(Debug, Default)]
pub struct Condvar {
    inner: quotient::sync::Condvar,
}

impl Condvar {
    /// A condition variable that nobody waits for.
    pub fn new() -> Condvar {
        Condvar::default()
    }

    /// Unlocks the mutex, waits to be notified, and locks it again. Never an error.
    #[track_caller]
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.inner.wait(guard)
    }

    /// Waits as long as `condition` holds. Never an error.
    #[track_caller]
    pub fn wait_while<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        self.inner.wait_while(guard, condition)
    }

    /// Like [`wait`](Self::wait): it does not time out.
    #[track_caller]
    pub fn wait_timeout<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        _dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        self.inner.wait(guard).map(|guard| (guard, WaitTimeoutResult(false))).map_err(|_| unreachable!("no poison"))
    }

    /// Wakes one of the waiters, if there are any.
    #[track_caller]
    pub fn notify_one(&self) {
        self.inner.notify_one();
    }

    /// Wakes all waiters.
    #[track_caller]
    pub fn notify_all(&self) {
        self.inner.notify_all();
    }
}

/// How a timed wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the wait has timed out.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}
