//! The start and the end of a thread, which all ways to spawn have in common.

use std::any::type_name;
use std::mem::{needs_drop, transmute_copy};
use std::sync::OnceLock;

use super::likeness::{self, Buffer, Work};
use super::packet::{Delivery, Outcome, pack};
use super::{Result, Thread};
use crate::ops;

/// A thread that has been started, and the way to its result.
pub(super) struct Started<T> {
    id: ops::ThreadId,
    outcome: Outcome<T>,
    handle: OnceLock<Thread>,
}

/// Starts a thread.
///
/// # Safety
/// What `body` and its result borrow must outlive the thread, and what the result borrows those who can ask for it.
#[track_caller]
pub(super) unsafe fn start<F, T>(name: Option<String>, body: F) -> Started<T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    let id = if ops::looks_for_likeness() { start_like(&body) } else { ops::start(ops::Likeness::Unlike) };
    // SAFETY: the caller's promise.
    let (body, outcome) = unsafe { pack(body) };
    ops::set_body(id, body);
    if let Some(name) = name {
        ops::set_name(id, name);
    }
    Started { id, outcome, handle: OnceLock::new() }
}

/// Starts a thread that is like the one before if it does the same work. What it does is still to be said.
#[track_caller]
fn start_like<F: FnOnce() -> T, T>(body: &F) -> ops::ThreadId {
    let mut buffer = Buffer::new();
    start_with(Work::of(body, &mut buffer))
}

#[track_caller]
fn start_with(work: Option<Work>) -> ops::ThreadId {
    let id = ops::start(likeness::of(work));
    likeness::note_spawn(id);
    id
}

/// Starts a thread that does some work, and is like the one before if that does the same work.
#[track_caller]
pub(super) fn spawn(body: ops::Body, work: Work) -> ops::ThreadId {
    let id = if ops::looks_for_likeness() { start_with(Some(work)) } else { ops::start(ops::Likeness::Unlike) };
    ops::set_body(id, body);
    id
}

impl<T> Started<T> {
    pub(super) fn id(&self) -> ops::ThreadId {
        self.id
    }

    /// Waits for the thread and takes its result.
    #[track_caller]
    pub(super) fn join(&self) -> Result<T> {
        ops::join(self.id);
        let result = self.outcome.collect();
        if let Some(panic) = self.outcome.delivery().take_panic() {
            // Whoever asks can tell the thread from others that have not panicked.
            ops::claim(self.id);
            ops::distinguish(self.id);
            return Err(panic);
        }
        match result {
            Some(result) => Ok(result),
            // The execution is being abandoned, and a destructor has asked.
            None => unit().ok_or_else(|| Box::new("the execution is being abandoned") as Box<_>),
        }
    }

    #[track_caller]
    pub(super) fn is_finished(&self) -> bool {
        ops::is_finished(self.id)
    }

    /// The handle, with which a program can tell the thread from others.
    pub(super) fn handle(&self) -> &Thread {
        ops::distinguish(self.id);
        self.handle.get_or_init(|| Thread::of(self.id))
    }

    /// Keeps the result until the execution ends. Otherwise it would be dropped by the thread or by the one that
    /// spawned it, whoever comes last, and the program could tell.
    pub(super) fn detach(&self) {
        // A result that borrows comes from a scope, which does not detach, or from `spawn_unchecked`, whose caller has
        // promised to join.
        if needs_drop::<T>() && !self.outcome.delivery().is_joined() && ops::checking() {
            ops::keep(Box::new(self.delivery()));
        }
    }

    /// Another owner of the result.
    pub(super) fn delivery(&self) -> Delivery {
        self.outcome.delivery().clone()
    }
}

/// The value of the unit type, if that is what `T` is.
fn unit<T>() -> Option<T> {
    let is_unit = size_of::<T>() == 0 && type_name::<T>() == type_name::<()>();
    // SAFETY: no other type has the unit type's name, so `T` is the unit type.
    is_unit.then(|| unsafe { transmute_copy::<(), T>(&()) })
}
