//! The ticket lock augmented with a waiting array (Dice & Kogan, Euro-Par 2019). A thread whose turn is more than one
//! ticket away waits at a slot of an array that the ticket selects, and the thread that leaves the lock wakes the one
//! that is two tickets behind it.
//!
//! What happens to different tickets is independent. The thread with ticket t > 1 first reads that t, t − 1, … or 0 is
//! called. With t and t − 1 all is settled. With less it goes to its slot, which has not been touched or has: if it
//! has, t − 1 or t is called when it looks again, 2 ways. If not, all from what it read before to t can be called, of
//! which those below t − 1 send it to sleep, for 2 ways when it wakes up. So reading t − 1 − i first has 2·i + 4 ways,
//! and the tickets have 1, 2, 8, 16 (and then 26) ways, in each of the n! orders of the tickets. The slots must differ:
//! the array is as large as there are tickets.
//
// expect n=2 off=4 on=2
// expect n=3 off=96 on=16
// expect n=4 off=6144 on=256
// expect n=5 on=6656

use quotient::cell::UnsafeCell;
use quotient::hint;
use quotient::sync::atomic::{
    AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use quotient::thread;

/// How far away its turn may be for a thread to wait at the lock itself.
const THRESHOLD: usize = 1;

struct Lock {
    ticket: AtomicUsize,
    grant: AtomicUsize,
    waiting: Vec<AtomicUsize>,
    data: UnsafeCell<usize>,
}

// SAFETY: that the lock orders the accesses is what is checked.
unsafe impl Sync for Lock {}

impl Lock {
    fn new(slots: usize) -> Self {
        let waiting = (0..slots).map(|_| AtomicUsize::new(0)).collect();
        Lock { ticket: AtomicUsize::new(0), grant: AtomicUsize::new(0), waiting, data: UnsafeCell::new(0) }
    }

    fn slot(&self, ticket: usize) -> &AtomicUsize {
        &self.waiting[ticket % self.waiting.len()]
    }

    fn acquire(&self) {
        let ticket = self.ticket.fetch_add(1, Relaxed);
        let distance = ticket - self.grant.load(Acquire);
        if distance == 0 {
            return;
        }
        if distance > THRESHOLD {
            self.wait_for_long(ticket);
        }
        while self.grant.load(Acquire) != ticket {
            hint::spin_loop();
        }
    }

    fn wait_for_long(&self, ticket: usize) {
        let slot = self.slot(ticket);
        let mut seen = slot.load(Acquire);
        while ticket - self.grant.load(Acquire) > THRESHOLD {
            seen = loop {
                let now = slot.load(Acquire);
                if now != seen {
                    break now;
                }
                hint::spin_loop();
            };
        }
    }

    fn release(&self) {
        let next = self.grant.load(Relaxed) + 1;
        self.grant.store(next, Release);
        self.slot(next + THRESHOLD).fetch_add(1, Release);
    }
}

pub(crate) fn program(n: usize) {
    let lock = Lock::new(n + THRESHOLD + 1);
    let threads = thread::spawn_symmetric(n, move || {
        let lock = &lock;
        lock.acquire();
        // SAFETY: the lock is held; if it does not order the accesses, that is reported before they happen.
        lock.data.with_mut(|data| unsafe { *data += 1 });
        lock.release();
    });
    threads.join();
}
