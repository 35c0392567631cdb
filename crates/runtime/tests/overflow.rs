//! A thread that uses up its stack is reported, and the process goes on.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order};
use quotient_runtime::{Failure, Options, ViolationKind, check};
use std::hint::black_box;
use std::sync::Arc;

#[inline(never)]
fn deeper(place: &MemoryCell, left: u32) -> u64 {
    let more = black_box([left; 64]);
    if left == 0 { ops::load(place, 0, Order::Relaxed) } else { deeper(place, left - 1) + u64::from(more[3]) }
}

#[inline(never)]
fn deeper_on_the_heap(left: u32) -> u64 {
    let more = Box::new(black_box([left; 8]));
    if left == 0 { 0 } else { deeper_on_the_heap(left - 1) + u64::from(more[3]) }
}

#[inline(never)]
fn deeper_with_operations(place: &MemoryCell, left: u32) -> u64 {
    let seen = ops::load(place, 0, Order::Relaxed);
    ops::store(place, 0, u64::from(left), Order::Relaxed);
    if left == 0 { seen } else { deeper_with_operations(place, left - 1) + seen }
}

fn fail(program: impl Fn() + Send + Sync + 'static) -> Failure {
    let failure = check(Options::default(), Arc::new(program)).failure.expect("a stack overflow");
    let message = &failure.violation.message;
    assert_eq!(failure.violation.kind, ViolationKind::Memory, "{message}");
    assert!(message.starts_with("stack overflow"), "{message}");
    assert!(message.contains("needs more than 256 KB of stack"), "{message}");
    failure
}

#[test]
fn the_function_and_its_place_are_told() {
    let failure = fail(|| {
        let place = Arc::new(MemoryCell::new());
        let theirs = place.clone();
        let body = move || {
            ops::store(&theirs, 0, 1, Order::Relaxed);
            black_box(deeper(&theirs, 100_000));
        };
        ops::join(ops::spawn(Box::new(body), None, Likeness::Unlike));
    });
    assert!(failure.violation.message.contains("overflow::deeper`: thread 1 "), "{}", failure.violation.message);
    let (file, line, _) = failure.place.clone().expect("a place");
    assert!(file.ends_with("overflow.rs") && (9..=12).contains(&line), "{file}:{line}");
    // What the thread did before is in the run.
    assert!(failure.graph.len_of(1) >= 2);
    assert_eq!(failure.thread, Some(1));
}

#[test]
fn the_main_thread_is_one_of_them() {
    let failure = fail(|| _ = black_box(deeper(&MemoryCell::new(), 100_000)));
    assert!(failure.violation.message.contains("thread 0"), "{}", failure.violation.message);
}

#[test]
fn it_may_be_in_the_allocator() {
    let failure = fail(|| _ = black_box(deeper_on_the_heap(1_000_000)));
    assert!(failure.violation.message.contains("overflow::deeper_on_the_heap"), "{}", failure.violation.message);
}

#[test]
fn it_may_be_in_the_checker() {
    let failure = fail(|| _ = black_box(deeper_with_operations(&MemoryCell::new(), 100_000)));
    // The place is that of the operation in which it was, or of the call.
    let site = failure.violation.site.expect("an operation");
    assert!(site.file().ends_with("overflow.rs") && (22..=23).contains(&site.line()), "{site}");
}

#[test]
fn a_stack_that_is_large_enough_is_enough() {
    let program = || _ = black_box(deeper(&MemoryCell::new(), 10_000));
    let outcome = check(Options { stack_size: 16 << 20, ..Options::default() }, Arc::new(program));
    assert!(outcome.failure.is_none());
    assert_eq!(outcome.statistics.complete, 1);
}
