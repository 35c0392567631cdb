//! Condition variables. A place puts the calls that look at the queue of waiters in one order, in which the queue itself
//! changes as ordinary memory; each waiter waits for a token of its own.

use std::fmt;
use std::time::Duration;

use super::{LockResult, MutexGuard, PoisonError};
use crate::contents::Contents;
use crate::internal::Internal;
use crate::ops::{self, MemoryCell, Order, Rmw, When};

/// A condition variable, like `std::sync::Condvar`.
///
/// `notify_one` wakes any one of the waiters: each is tried. A timed wait can time out at any moment before it is
/// notified. Wake-ups without a reason, which std allows, are explored if
/// [`Builder::spurious_wakeups`](crate::Builder::spurious_wakeups) asks for them.
pub struct Condvar {
    /// Every call that looks at the queue updates this place first, when it is `FREE`.
    turn: MemoryCell,
    waiters: Contents<Vec<Internal<Waiter>>>,
}

/// A thread that waits.
struct Waiter {
    token: MemoryCell,
}

const FREE: u64 = 0;
const HELD: u64 = 1;

const WAITING: u64 = 0;
const NOTIFIED: u64 = 1;

impl Condvar {
    /// A condition variable that nobody waits for.
    pub const fn new() -> Self {
        Condvar { turn: MemoryCell::new(), waiters: Contents::new(Vec::new()) }
    }

    /// Unlocks the mutex, waits to be notified, and locks it again.
    ///
    /// # Errors
    /// A thread has panicked while it held the mutex.
    #[track_caller]
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        ops::may_be_woken();
        let waiter = self.join_queue();
        let mutex = guard.into_mutex();
        mutex.unlock();
        if ops::may_wake_without_reason() && ops::choose(2) == 1 {
            ops::wakes_without_reason();
            // If there is a reason after all, this is an execution in which the thread was just woken.
            ops::assume(self.leave_queue(&waiter));
            return mutex.lock();
        }
        // Only the mutex orders memory, as in std, so the token is relaxed.
        ops::wait(&waiter.token, WAITING, When::Is(NOTIFIED), Order::Relaxed, "for a condition variable");
        mutex.lock()
    }

    /// Waits as long as `condition` holds.
    ///
    /// # Errors
    /// A thread has panicked while it held the mutex.
    #[track_caller]
    pub fn wait_while<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while !ops::abandoning() && condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Like [`wait`](Self::wait), or gives up. When it gives up is left open: at every moment before it is notified.
    ///
    /// A program that waits again after each timeout can do so forever; limit it with
    /// [`Builder::max_events`](crate::Builder::max_events), or wait without a timeout.
    #[track_caller]
    pub fn wait_timeout<'a, T: ?Sized>(
        &self,
        guard: MutexGuard<'a, T>,
        _duration: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let waiter = self.join_queue();
        let mutex = guard.into_mutex();
        mutex.unlock();
        let timed_out = self.leave_queue(&waiter);
        let result = WaitTimeoutResult { timed_out };
        match mutex.lock() {
            Ok(guard) => Ok((guard, result)),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), result))),
        }
    }

    /// Waits as long as `condition` holds, or gives up, like [`wait_timeout`](Self::wait_timeout).
    #[track_caller]
    pub fn wait_timeout_while<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        duration: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let mut timed_out = false;
        loop {
            let must_wait = !ops::abandoning() && condition(&mut guard);
            if !must_wait || timed_out {
                return Ok((guard, WaitTimeoutResult { timed_out: must_wait }));
            }
            let (locked, result) = self.wait_timeout(guard, duration)?;
            (guard, timed_out) = (locked, result.timed_out);
        }
    }

    /// Wakes one of the waiters, if there are any.
    #[track_caller]
    pub fn notify_one(&self) {
        // A choice is an operation, at which other threads can run: nobody else may touch the queue until it is made.
        self.take_turn(HELD);
        let chosen = match self.with_waiters(|waiters| waiters.len()) {
            0 => None,
            1 => Some(0),
            several => Some(ops::choose(several)),
        };
        let waiter = chosen.map(|chosen| self.with_waiters(|waiters| waiters.remove(chosen)));
        ops::store(&self.turn, FREE, FREE, Order::Relaxed);
        if let Some(waiter) = waiter {
            ops::store(&waiter.token, WAITING, NOTIFIED, Order::Relaxed);
        }
    }

    /// Wakes all waiters.
    #[track_caller]
    pub fn notify_all(&self) {
        self.take_turn(FREE);
        for waiter in self.with_waiters(std::mem::take) {
            ops::store(&waiter.token, WAITING, NOTIFIED, Order::Relaxed);
        }
    }

    #[track_caller]
    fn join_queue(&self) -> Internal<Waiter> {
        self.take_turn(FREE);
        let waiter = Internal::new(Waiter { token: MemoryCell::new() });
        self.with_waiters(|waiters| waiters.push(waiter.clone()));
        waiter
    }

    /// Leaves unless already notified; says whether it has left.
    #[track_caller]
    fn leave_queue(&self, waiter: &Internal<Waiter>) -> bool {
        self.take_turn(FREE);
        self.with_waiters(|waiters| {
            let position = waiters.iter().position(|other| other.is_same(waiter));
            position.map(|position| waiters.remove(position)).is_some()
        })
    }

    /// Waits until nobody holds the queue; leaves it `FREE` if the caller has no operation to do meanwhile.
    #[track_caller]
    fn take_turn(&self, state: u64) {
        let why = "for a condition variable's queue";
        ops::acquire(&self.turn, FREE, When::Is(FREE), Rmw::Swap, state, Order::Relaxed, why);
    }

    fn with_waiters<R>(&self, body: impl FnOnce(&mut Vec<Internal<Waiter>>) -> R) -> R {
        // SAFETY: called after taking a turn, before any other operation or while holding the queue; and no `body`
        // comes back here.
        body(unsafe { &mut *self.waiters.get_or_fresh(Vec::new) })
    }
}

impl Default for Condvar {
    fn default() -> Self {
        Condvar::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}

/// How a timed wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult {
    timed_out: bool,
}

impl WaitTimeoutResult {
    /// Whether the wait has timed out.
    pub fn timed_out(&self) -> bool {
        self.timed_out
    }
}
