//! A notification that one thread waits for. It is a token: to notify puts it down, to wait takes it.

use quotient::any_bool;
use quotient::ops::{self, Order, Place, Rmw, When};
use quotient::sync::atomic::AtomicBool;
use quotient::sync::atomic::Ordering::Relaxed;

const NONE: u64 = 0;
const TOKEN: u64 = 1;

/// A notification for one waiting thread: loom's building block for mock-ups of whatever parks threads.
///
/// To notify happens before the return of the wait. As in loom, one wait of each `Notify` also returns without having been
/// notified: both are explored.
#[derive(Debug, Default)]
pub struct Notify {
    token: Place,
    /// Whether a thread waits.
    waiting: AtomicBool,
    /// Whether a wait has returned without a reason.
    spurious: AtomicBool,
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
        // These belong to the one thread that waits, so their orders do not matter, and cost no executions.
        let alone = self.waiting.compare_exchange(false, true, Relaxed, Relaxed).is_ok();
        assert!(alone || ops::abandoning(), "only one thread at a time may wait for a Notify");
        if !self.spurious.load(Relaxed) && any_bool() {
            self.spurious.store(true, Relaxed);
        } else {
            let why = "to be notified";
            ops::acquire(&self.token, NONE, When::Is(TOKEN), Rmw::Swap, NONE, Order::Acquire, why);
        }
        self.waiting.store(false, Relaxed);
    }
}
