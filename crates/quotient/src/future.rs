//! Futures: a thread that waits for one, and a place to leave the waker of a task.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::ops::MemoryCell;
use crate::sync::Mutex;
use crate::token;

pub use std::future::{Future, IntoFuture, Pending, PollFn, Ready, pending, poll_fn, ready};

/// Runs a future on the calling thread until it is ready. While it is pending, the thread waits to be woken.
#[track_caller]
pub fn block_on<F: IntoFuture>(future: F) -> F::Output {
    let mut future = pin!(future.into_future());
    let signal = Arc::new(Signal { token: MemoryCell::new() });
    let waker = Waker::from(signal.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => token::take(&signal.token, "for a future's waker"),
        }
    }
}

/// What wakes a thread in [`block_on`]: a token, like that of [`park`](crate::thread::park).
struct Signal {
    token: MemoryCell,
}

impl Wake for Signal {
    #[track_caller]
    fn wake(self: Arc<Self>) {
        token::put(&self.token);
    }

    #[track_caller]
    fn wake_by_ref(self: &Arc<Self>) {
        token::put(&self.token);
    }
}

/// A place where a task leaves its waker for another, like `futures::task::AtomicWaker`.
#[derive(Default)]
pub struct AtomicWaker {
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// An empty one.
    pub const fn new() -> Self {
        AtomicWaker { waker: Mutex::new(None) }
    }

    /// Leaves a waker, in place of an older one.
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        let old = self.swap(Some(waker));
        drop(old);
    }

    /// Leaves a clone of a waker, in place of an older one.
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Takes the waker that was left.
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        self.swap(None)
    }

    /// Takes the waker that was left, and wakes its task.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    #[track_caller]
    fn swap(&self, waker: Option<Waker>) -> Option<Waker> {
        std::mem::replace(&mut *self.waker.acquire(), waker)
    }
}

impl fmt::Debug for AtomicWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicWaker").finish_non_exhaustive()
    }
}
