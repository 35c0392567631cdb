//! Threads that may borrow from the one that spawns them, because that one waits for them.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Mutex;

use super::packet::Delivery;
use super::start::{Started, start};
use super::{Result, Thread};
use crate::ops;

/// Calls `body` with a scope, and then waits for all threads that were spawned in it.
#[track_caller]
pub fn scope<'env, F, T>(body: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope { members: Mutex::new(Vec::new()), scope: PhantomData, env: PhantomData };
    let result = ops::catch(|| body(&scope));
    let mut ended = Vec::new();
    // A thread of the scope can spawn more, until it ends.
    while let Some(member) = scope.next_member(ended.len()) {
        if !member.delivery.is_joined() {
            ops::join(member.id);
        }
        ended.push(member);
    }
    let mut panics = false;
    for member in ended.iter().filter(|member| !member.delivery.is_joined()) {
        if member.delivery.take_panic().is_some() {
            ops::claim(member.id);
            panics = true;
        }
    }
    // Results that nobody has taken are dropped here, by a thread that everybody agrees on.
    drop(ended);
    match result {
        Err(panic) => ops::rethrow(panic),
        Ok(_) if panics => panic!("a scoped thread panicked"),
        Ok(result) => result,
    }
}

/// Where threads are spawned that end before it does, like `std::thread::Scope`.
pub struct Scope<'scope, 'env: 'scope> {
    members: Mutex<Vec<Member>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// A thread of the scope.
#[derive(Clone)]
struct Member {
    id: ops::ThreadId,
    delivery: Delivery,
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread, which can be symmetric to others as those of [`spawn`](super::spawn()) are.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, body: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(None, body)
    }

    #[track_caller]
    pub(super) fn start<F, T>(&'scope self, name: Option<String>, body: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        // SAFETY: `scope` waits for all its members, and an abandoned execution unwinds spawned threads before those
        // that have spawned them. The scope is dropped before what its threads and their results may borrow.
        let started = unsafe { start(name, body) };
        let member = Member { id: started.id(), delivery: started.delivery() };
        self.members.lock().expect("nothing panics while it holds the list").push(member);
        ScopedJoinHandle { started, scope: PhantomData }
    }

    fn next_member(&self, ended: usize) -> Option<Member> {
        self.members.lock().expect("nothing panics while it holds the list").get(ended).cloned()
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

/// A thread of a scope to wait for, like `std::thread::ScopedJoinHandle`.
pub struct ScopedJoinHandle<'scope, T> {
    started: Started<T>,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits until the thread has ended; gives its result.
    ///
    /// # Errors
    /// The thread has panicked; see [`Builder::unwind`](crate::Builder::unwind).
    #[track_caller]
    pub fn join(self) -> Result<T> {
        self.started.join()
    }

    /// The thread. A program that asks for it can tell the thread from others, which ends its symmetry with them.
    pub fn thread(&self) -> &Thread {
        self.started.handle()
    }

    /// Whether the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.started.is_finished()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
