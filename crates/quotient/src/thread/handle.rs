//! Names for threads: handles and ids.

use std::fmt;
use std::sync::OnceLock;

use crate::internal::Internal;
use crate::ops::{self, MemoryCell};
use crate::per_execution::PerExecution;
use crate::token;

/// A handle to a thread, like `std::thread::Thread`.
#[derive(Clone)]
pub struct Thread {
    inner: Internal<Inner>,
}

struct Inner {
    id: ops::ThreadId,
    name: OnceLock<Option<String>>,
    /// 1 if a call of `unpark` is waiting for a call of `park`.
    token: MemoryCell,
}

/// Tells threads of an execution apart, like `std::thread::ThreadId`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(ops::ThreadId);

/// The calling thread. A program that asks for it can tell its threads apart, so symmetric threads that do are
/// symmetric no more.
pub fn current() -> Thread {
    Thread::of(ops::current())
}

impl Thread {
    /// The handle of a thread of this execution.
    pub(super) fn of(id: ops::ThreadId) -> Self {
        std::thread_local! {
            static THREADS: PerExecution<Vec<Option<Thread>>> = const { PerExecution::new(Vec::new()) };
        }
        THREADS.with(|threads| {
            threads.with(|threads| {
                let number = id.0 as usize;
                if threads.len() <= number {
                    threads.resize(number + 1, None);
                }
                threads[number].get_or_insert_with(|| Thread::new(id)).clone()
            })
        })
    }

    fn new(id: ops::ThreadId) -> Self {
        Thread { inner: Internal::new(Inner { id, name: OnceLock::new(), token: MemoryCell::new() }) }
    }

    /// The thread's id.
    pub fn id(&self) -> ThreadId {
        ThreadId(self.inner.id)
    }

    /// The thread's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.inner.name.get_or_init(|| ops::thread_name(self.inner.id)).as_deref()
    }

    /// Lets the thread return from [`park`](super::park()): from the current call, or else from the next.
    #[track_caller]
    pub fn unpark(&self) {
        token::put(self.token());
    }

    pub(super) fn token(&self) -> &MemoryCell {
        &self.inner.token
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadId({})", self.0.0)
    }
}
