//! Spawning threads that can live as long as the execution.

use std::fmt;
use std::io;

use super::start::{Started, start};
use super::{Result, Scope, ScopedJoinHandle, Thread};

/// Starts a thread.
///
/// Threads that are spawned one after the other, run the same closure on the same captured values and have no result
/// are symmetric: of the executions that differ only in which of them does what, one is explored.
#[track_caller]
pub fn spawn<F, T>(body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    // SAFETY: nothing is borrowed for less than `'static`.
    JoinHandle { started: unsafe { start(None, body) } }
}

/// A thread to wait for, like `std::thread::JoinHandle`.
pub struct JoinHandle<T> {
    started: Started<T>,
}

impl<T> JoinHandle<T> {
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

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        self.started.detach();
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Says how to start a thread, like `std::thread::Builder`.
#[derive(Debug, Default)]
#[must_use = "a builder starts no thread until `spawn` is called"]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// A thread like those of [`spawn`].
    pub fn new() -> Self {
        Builder::default()
    }

    /// Gives the thread a name, which reports show.
    pub fn name(self, name: String) -> Self {
        Builder { name: Some(name) }
    }

    /// Does nothing: all threads of a check have stacks of the size that
    /// [`Builder::stack_size`](crate::Builder::stack_size) of the check says.
    pub fn stack_size(self, _bytes: usize) -> Self {
        self
    }

    /// Starts the thread. Never an error.
    #[track_caller]
    pub fn spawn<F, T>(self, body: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: nothing is borrowed for less than `'static`.
        Ok(JoinHandle { started: unsafe { start(self.name, body) } })
    }

    /// Starts a thread that may borrow what does not live forever. Never an error.
    ///
    /// # Safety
    /// The thread has ended before what it borrows does; then it must have been joined.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, body: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        // SAFETY: the caller's promise.
        Ok(JoinHandle { started: unsafe { start(self.name, body) } })
    }

    /// Starts a thread of a [`scope`](super::scope()). Never an error.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        body: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Ok(scope.start(self.name, body))
    }
}
