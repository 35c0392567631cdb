//! Limits that hold inside an execution, and stacks that are used up.

mod common;

use quotient::sync::Arc;
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use quotient::{Builder, Stop, ViolationKind, thread};
use std::hint::black_box;
use std::time::Duration;

#[test]
fn the_time_limit_holds_inside_an_execution() {
    let report = Builder::new().max_time(Duration::ZERO).run(|| {
        let counter = AtomicUsize::new(0);
        for _ in 0..15_000 {
            counter.fetch_add(1, Relaxed);
        }
    });
    assert_eq!((report.stop(), report.executions(), report.holds()), (Some(Stop::Time), 0, false));
    assert_eq!(report.violation(), None);
}

#[test]
fn the_event_limit_holds_inside_an_execution() {
    let report = Builder::new().max_events(1000).run(|| {
        let counter = AtomicUsize::new(0);
        loop {
            counter.fetch_add(1, Relaxed);
        }
    });
    assert_eq!((report.violation(), report.holds()), (Some(ViolationKind::Bound), false));
}

#[test]
fn a_long_thread_beside_a_short_one() {
    for length in [100, 10_000] {
        let report = Builder::new().run(move || {
            let (counter, flag) = (AtomicUsize::new(0), AtomicUsize::new(0));
            thread::scope(|scope| {
                scope.spawn(|| {
                    for index in 0..length {
                        counter.store(index, SeqCst);
                    }
                    flag.store(1, SeqCst);
                });
                flag.store(2, SeqCst);
                flag.load(SeqCst);
            });
        });
        assert_eq!((report.executions(), report.holds()), (3, true));
    }
}

#[inline(never)]
fn deeper(left: u32) -> u32 {
    let more = black_box([left; 16]);
    if left == 0 { 0 } else { 1 + deeper(left - 1) + more[3] - more[3] }
}

#[test]
fn a_stack_overflow_is_a_violation() {
    let report = Builder::new().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let theirs = flag.clone();
        let body = move || {
            theirs.store(1, Relaxed);
            black_box(deeper(20_000));
        };
        _ = thread::spawn(body).join();
    });
    assert_eq!((report.violation(), report.holds()), (Some(ViolationKind::Memory), false));
    let text = report.to_string();
    assert!(text.contains("stack overflow in `limits::deeper`: thread 1 needs more than 256 KB of stack"), "{text}");
    assert!(text.contains("limits.rs:"), "{text}");
    assert!(text.contains("stack_size"), "{text}");
}
