//! Long executions: the work grows with their length and not faster, and limits hold inside of them.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, Rmw};
use quotient_runtime::{Limits, Options, Outcome, Settings, Stop, check};
use std::sync::Arc;
use std::time::Duration;

/// One operation of a long thread, the so-manyeth.
type Operation = fn(&[MemoryCell; 3], u64);

const ADD: Operation = |places, _| {
    ops::update(&places[0], 0, Rmw::Add, 1, 64, Order::Relaxed);
};
const STORE: Operation = |places, index| ops::store(&places[0], 0, index, Order::SeqCst);
const MIX: Operation = |places, index| {
    if index.is_multiple_of(2) {
        ops::store(&places[0], 0, index, Order::SeqCst);
    } else {
        ops::load(&places[1], 0, Order::SeqCst);
    }
};
const FENCE: Operation = |places, index| {
    ops::store(&places[0], 0, index, Order::Relaxed);
    ops::fence(Order::SeqCst);
};

/// What the second thread does, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Second {
    /// It uses a place that the long thread writes once.
    Apart,
    /// It uses a place that the long thread has used all the time.
    Late,
}

fn store_and_load(place: &MemoryCell) {
    ops::store(place, 0, 2, Order::SeqCst);
    ops::load(place, 0, Order::SeqCst);
}

/// Checks a program with a thread that does so many operations.
fn run(operation: Operation, count: u64, second: Second, options: Options) -> Outcome {
    let program = move || {
        let places = Arc::new([const { MemoryCell::new() }; 3]);
        let theirs = places.clone();
        let place = if second == Second::Apart { 2 } else { 0 };
        let short = move || store_and_load(&theirs[place]);
        let thread = ops::spawn(Box::new(short), None, Likeness::Unlike);
        (0..count).for_each(|index| operation(&places, index));
        if second == Second::Apart {
            ops::store(&places[2], 0, 1, Order::SeqCst);
        }
        ops::join(thread);
    };
    let settings = Settings { max_events: 1_000_000, ..options.settings.clone() };
    check(Options { settings, ..options }, Arc::new(program))
}

#[test]
fn the_work_grows_with_the_length() {
    let limits = Limits { executions: Some(10), ..Limits::default() };
    for operation in [ADD, STORE, MIX, FENCE] {
        for second in [Second::Apart, Second::Late] {
            let work = |count| {
                let outcome = run(operation, count, second, Options { limits: limits.clone(), ..Options::default() });
                assert!(outcome.failure.is_none(), "nothing is wrong with it");
                outcome.work
            };
            let works = [1000, 2000, 3000].map(work);
            assert_eq!(works[2] - works[1], works[1] - works[0], "{second:?}: {works:?} is not a line");
            assert!(works[0] < 1_000_000, "{second:?}: at most 100 for an operation and an execution: {works:?}");
        }
    }
}

#[test]
fn the_number_of_executions_does_not_depend_on_the_length() {
    for count in [10, 1000, 5000] {
        let outcome = run(STORE, count, Second::Apart, Options::default());
        assert_eq!((outcome.statistics.complete, outcome.stop), (3, None), "{count} operations");
    }
}

#[test]
fn the_time_limit_holds_inside_an_execution() {
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let outcome = run(ADD, 50_000, Second::Apart, Options { limits, ..Options::default() });
    // The clock is looked at once in 4096 steps, and the first execution has more.
    assert_eq!((outcome.stop, outcome.statistics.complete), (Some(Stop::Time), 0));
    assert!(outcome.failure.is_none());
}

#[test]
fn the_time_limit_holds_inside_one_operation() {
    // Of like threads every way is checked at once.
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let program = || {
        let place = Arc::new(MemoryCell::new());
        let spawn = |count: u64| {
            let place = place.clone();
            let body = move || (0..count).for_each(|index| ops::store(&place, 0, index, Order::SeqCst));
            ops::spawn(Box::new(body), None, Likeness::Class(7))
        };
        let threads = [spawn(1500), spawn(1500)];
        threads.into_iter().for_each(ops::join);
    };
    let outcome = check(Options { limits, ..Options::default() }, Arc::new(program));
    assert_eq!((outcome.stop, outcome.statistics.complete), (Some(Stop::Time), 0));
}

#[test]
fn a_short_execution_that_has_ended_counts() {
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let program = || (0..10).for_each(|_| ops::fence(Order::SeqCst));
    let outcome = check(Options { limits, ..Options::default() }, Arc::new(program));
    assert_eq!((outcome.stop, outcome.statistics.complete), (None, 1), "there was nothing left to explore");
}

#[test]
fn the_time_limit_holds_when_nothing_is_visible() {
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let program = || {
        ops::fence(Order::SeqCst);
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    };
    let outcome = check(Options { limits, ..Options::default() }, Arc::new(program));
    assert_eq!(outcome.stop, Some(Stop::Time));
    assert!(outcome.failure.is_none());
}

#[test]
fn what_the_engine_does_is_not_taken_for_the_program() {
    // A random walk checks every way at once, which takes much longer here than the program may be silent.
    // The system may let the program wait for so long as well, but not every time.
    let stall_timeout = Duration::from_millis(1);
    let silent = || {
        let outcome = run(STORE, 1500, Second::Late, Options { walks: Some(1), stall_timeout, ..Options::default() });
        outcome.failure.map(|failure| failure.violation.message)
    };
    let failures: Vec<String> = (0..10).map_while(|_| silent()).collect();
    assert!(failures.len() < 10, "{failures:?}");
}

#[test]
fn a_program_that_never_asks_is_reported() {
    let stall_timeout = Duration::from_millis(300);
    let program = || {
        ops::fence(Order::SeqCst);
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    };
    let outcome = check(Options { stall_timeout, ..Options::default() }, Arc::new(program));
    let failure = outcome.failure.expect("a program that never ends");
    assert!(failure.violation.message.contains("without a visible operation"), "{}", failure.violation.message);
    assert!(failure.violation.site.is_some_and(|site| site.file().ends_with("long.rs")));
}
