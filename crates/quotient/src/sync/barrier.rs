//! Barriers. Arrivals are counted by a place; the last of each round opens the gate that the others wait for.

use std::fmt;

use crate::ops::{self, MemoryCell, Order, Rmw, When};

/// Lets threads through only together, like `std::sync::Barrier`. Any of them can be the leader.
pub struct Barrier {
    threads: u64,
    arrivals: MemoryCell,
    /// The number of rounds that are over.
    rounds: MemoryCell,
}

impl Barrier {
    /// A barrier for `n` threads. As in std, 0 means 1.
    pub const fn new(n: usize) -> Self {
        Barrier { threads: if n == 0 { 1 } else { n as u64 }, arrivals: MemoryCell::new(), rounds: MemoryCell::new() }
    }

    /// Waits until all threads of this round are here. One of them is told that it is the leader.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let earlier = ops::update(&self.arrivals, 0, Rmw::Add, 1, 64, Order::AcqRel);
        let round = earlier / self.threads;
        let is_leader = earlier % self.threads == self.threads - 1;
        if is_leader {
            ops::store(&self.rounds, 0, round + 1, Order::Release);
        } else {
            ops::wait(&self.rounds, 0, When::AtLeast(round + 1), Order::Acquire, "at a barrier");
        }
        BarrierWaitResult { is_leader }
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

/// What [`Barrier::wait`] tells a thread.
#[derive(Debug)]
pub struct BarrierWaitResult {
    is_leader: bool,
}

impl BarrierWaitResult {
    /// Whether this thread is the leader of its round.
    pub fn is_leader(&self) -> bool {
        self.is_leader
    }
}
