//! A notification that one thread waits for. It is a token: to notify puts it down, to wait takes it.

use quotient::ops::{self, MemoryCell, Order, Rmw, When};
use quotient::sync::atomic::AtomicBool;
use quotient::sync::atomic::Ordering::Relaxed;

const NONE: u64 = 0;
const TOKEN: u64 = 1;

/// A notification for one waiting thread: loom's building block for mock-ups of whatever parks threads.
///
/// To notify happens before the return of the wait. In loom a wait may also return once without having been notified, when
/// no other thread can run; here it returns only when notified.
#[derive(Debug, Default)]
pub struct Notify {
    token: MemoryCell,
    /// Whether a thread waits.
    waiting: AtomicBool,
}

impl Notify {
    /// A `Notify` that has not been notified.
    pub fn new() -> Notify {
        Notify::default()
    }

    /// Lets the waiting thread return from [`wait`](Self::wait): from the current call, or else from the next.
    #[track_caller]
    pub fn notify(&self) {
        ops::update(&self.token, NONE, Rmw::Swap, TOKEN, 64, Order::Release);
    }

    /// Waits to be notified, unless that has happened since the last call.
    ///
    /// # Panics
    /// If another thread waits.
    #[track_caller]
    pub fn wait(&self) {
        // Only the thread that waits does this, so it costs no executions.
        let alone = self.waiting.compare_exchange(false, true, Relaxed, Relaxed).is_ok();
        assert!(alone || ops::abandoning(), "only one thread at a time may wait for a Notify");
        self.wait_alone();
        self.waiting.store(false, Relaxed);
    }

    /// Waits, where it is certain that no other thread does.
    #[track_caller]
    pub(crate) fn wait_alone(&self) {
        ops::acquire(&self.token, NONE, When::Is(TOKEN), Rmw::Swap, NONE, Order::Acquire, "to be notified");
    }
}
