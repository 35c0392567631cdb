//! Exploring allocates nothing per event: executions of any length cost the same few allocations, those of the program's
//! own threads.

use quotient_counting::{Counting, allocations};
use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, Rmw};
use quotient_runtime::{Options, Settings, check};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Two threads that each read `length` times and then count: the number of executions, and the allocations in the last
/// quarter of them.
fn late_allocations(length: usize, order: Order) -> (u64, u64) {
    static EXECUTIONS: AtomicU64 = AtomicU64::new(0);
    static MARK: AtomicU64 = AtomicU64::new(0);
    EXECUTIONS.store(0, Ordering::Relaxed);
    MARK.store(0, Ordering::Relaxed);
    let program = move || {
        if EXECUTIONS.fetch_add(1, Ordering::Relaxed) == 540 {
            MARK.store(allocations(), Ordering::Relaxed);
        }
        let (x, y) = (Arc::new(MemoryCell::new()), Arc::new(MemoryCell::new()));
        let spawn = |_| {
            let (x, y) = (x.clone(), y.clone());
            let body = move || {
                for _ in 0..length {
                    ops::fence(Order::Acquire);
                    ops::write_plain(&MemoryCell::new());
                }
                ops::update(&x, 0, Rmw::Add, 1, 64, order);
                ops::load(&y, 0, if order == Order::SeqCst { order } else { Order::Acquire });
            };
            ops::spawn(Box::new(body), None, Likeness::Unlike)
        };
        let threads: Vec<_> = (0..6).map(spawn).collect();
        threads.into_iter().for_each(ops::join);
    };
    let settings = Settings { symmetry: false, ..Settings::default() };
    let outcome = check(Options { settings, ..Options::default() }, Arc::new(program));
    assert_eq!(outcome.statistics.complete, 720);
    (EXECUTIONS.load(Ordering::Relaxed), allocations() - MARK.load(Ordering::Relaxed))
}

#[test]
fn none_per_event() {
    for order in [Order::AcqRel, Order::SeqCst] {
        let (short_runs, short) = late_allocations(1, order);
        let (long_runs, long) = late_allocations(20, order);
        assert_eq!(short_runs, long_runs);
        // Besides what the program allocates itself, a few in all for the watching thread.
        assert!(long <= short + 20, "{short} allocations with short executions, {long} with long ones");
    }
}
