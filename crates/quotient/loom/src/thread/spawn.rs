//! Spawning threads: Quotient's, around closures that are said to be `Send` whatever they hold.

use std::any::Any;
use std::fmt;
use std::io;

use super::{Result, Thread};

/// Starts a thread.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + 'static,
    T: 'static,
{
    JoinHandle { inner: quotient::thread::spawn(at_home(f)) }
}

/// A thread to wait for.
pub struct JoinHandle<T> {
    inner: quotient::thread::JoinHandle<AtHome<T>>,
}

impl<T: 'static> JoinHandle<T> {
    /// Waits until the thread has ended; gives its result. Never an error: a panic ends the check.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.inner.join() {
            Ok(AtHome(result)) => Ok(result),
            // The execution is being abandoned, and a destructor has asked. What can be given is given.
            Err(error) => (Box::new(()) as Box<dyn Any>).downcast().map(|unit| *unit).map_err(|_| error),
        }
    }
}

impl<T> JoinHandle<T> {
    /// The thread.
    pub fn thread(&self) -> &Thread {
        self.inner.thread()
    }

    /// Whether the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        self.inner.is_finished()
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Says how to start a thread.
#[derive(Debug)]
#[must_use = "a builder starts no thread until `spawn` is called"]
pub struct Builder {
    inner: quotient::thread::Builder,
}

#[allow(clippy::new_without_default, reason = "std's builder has no default either")]
impl Builder {
    /// A thread like those of [`spawn`](spawn()).
    pub fn new() -> Builder {
        Builder { inner: quotient::thread::Builder::new() }
    }

    /// Gives the thread a name, which failures show.
    pub fn name(self, name: String) -> Builder {
        Builder { inner: self.inner.name(name) }
    }

    /// Does nothing: all threads of a check have stacks of the same size, 2 MiB or what `QUOTIENT_STACK` says.
    pub fn stack_size(self, size: usize) -> Builder {
        Builder { inner: self.inner.stack_size(size) }
    }

    /// Starts the thread. Never an error.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + 'static,
        T: 'static,
    {
        Ok(JoinHandle { inner: self.inner.spawn(at_home(f))? })
    }
}

/// A value that never leaves its OS thread.
struct AtHome<T>(T);

// SAFETY: the threads of an execution take turns on one OS thread. A closure goes from one of them to another, and its
// result back, so neither ever reaches another OS thread.
unsafe impl<T> Send for AtHome<T> {}

impl<F> AtHome<F> {
    fn call<T>(self) -> T
    where
        F: FnOnce() -> T,
    {
        (self.0)()
    }
}

fn at_home<F: FnOnce() -> T, T>(f: F) -> impl FnOnce() -> AtHome<T> + Send {
    let f = AtHome(f);
    move || AtHome(f.call())
}
