//! Programs that the checker must survive: a clear error, no hang, no abort.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, Rmw};
use quotient_runtime::{Failure, Options, Outcome, Settings, ViolationKind, check};
use std::sync::Arc;
use std::time::Duration;

fn run_with(options: Options, program: impl Fn() + Send + Sync + 'static) -> Outcome {
    check(options, Arc::new(program))
}

fn run(program: impl Fn() + Send + Sync + 'static) -> Outcome {
    run_with(Options::default(), program)
}

fn failure(outcome: Outcome, kind: ViolationKind) -> Failure {
    let failure = outcome.failure.expect("something is wrong");
    assert_eq!(failure.violation.kind, kind, "{}", failure.violation.message);
    failure
}

fn spawn(body: impl FnOnce() + 'static) -> ops::ThreadId {
    ops::spawn(Box::new(body), None, Likeness::Unlike)
}

#[test]
fn outside_a_check() {
    let result = std::panic::catch_unwind(|| ops::load(&MemoryCell::new(), 0, Order::Relaxed));
    let message = *result.expect_err("there is nobody to answer").downcast::<String>().expect("a text");
    assert!(message.contains("inside `quotient::check`"), "{message}");
}

#[test]
fn nested() {
    let failure = failure(run(|| drop(run(|| ()))), ViolationKind::Panic);
    assert!(failure.violation.message.contains("a check inside a check"));
}

#[test]
fn side_by_side() {
    let checks: Vec<_> = (0..4)
        .map(|count| {
            std::thread::spawn(move || {
                run(move || {
                    ops::choose(count + 1);
                })
                .statistics
                .complete
            })
        })
        .collect();
    let counts: Vec<u64> = checks.into_iter().map(|check| check.join().expect("no panic")).collect();
    assert_eq!(counts, [1, 2, 3, 4]);
}

#[test]
fn spins_on_nothing() {
    let outcome = run(|| {
        loop {
            ops::spin();
        }
    });
    failure(outcome, ViolationKind::Livelock);
}

#[test]
fn never_ends_with_operations() {
    let options = Options { settings: Settings { max_events: 1000, ..Settings::default() }, ..Options::default() };
    let outcome = run_with(options, || {
        let x = MemoryCell::new();
        loop {
            ops::update(&x, 0, Rmw::Add, 1, 64, Order::Relaxed);
        }
    });
    let failure = failure(outcome, ViolationKind::Bound);
    assert!(failure.violation.message.contains("more than 1000 events"), "{}", failure.violation.message);
}

#[test]
fn never_ends_without_operations() {
    let options = Options { stall_timeout: Duration::from_millis(300), ..Options::default() };
    let outcome = run_with(options, || {
        let x = MemoryCell::new();
        ops::load(&x, 0, Order::Relaxed);
        loop {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let failure = failure(outcome, ViolationKind::Bound);
    assert!(failure.violation.site.is_some_and(|site| site.file().ends_with("bad_use.rs")));
}

#[test]
fn many_threads() {
    let outcome = run(|| {
        let x = Arc::new(MemoryCell::new());
        let spawn = |_| {
            let x = x.clone();
            let body = move || {
                ops::update(&x, 0, Rmw::Add, 1, 64, Order::Relaxed);
            };
            ops::spawn(Box::new(body), None, Likeness::Class(1))
        };
        let threads: Vec<_> = (0..300).map(spawn).collect();
        threads.into_iter().for_each(ops::join);
    });
    assert!(outcome.failure.is_none());
    assert_eq!(outcome.statistics.complete, 1);
}

#[test]
fn too_many_threads() {
    let outcome = run(|| {
        for _ in 0..2000 {
            spawn(|| ());
        }
    });
    let failure = failure(outcome, ViolationKind::Bound);
    assert!(failure.violation.message.contains("more than 1000 threads"), "{}", failure.violation.message);
}

#[test]
fn many_events() {
    let outcome = run(|| {
        let x = MemoryCell::new();
        for number in 0..40_000 {
            ops::store(&x, 0, number, Order::Release);
            assert_eq!(ops::load(&x, 0, Order::Acquire), number);
        }
    });
    assert!(outcome.failure.is_none(), "{}", outcome.failure.unwrap().violation.message);
    assert!(outcome.statistics.longest > 80_000);
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("in the destructor");
    }
}

#[test]
fn panics_while_unwinding() {
    let outcome = run(|| {
        let _guard = PanicsWhenDropped;
        panic!("in the program");
    });
    let failure = failure(outcome, ViolationKind::Panic);
    assert_eq!(failure.violation.message, "in the program");
}

/// Executions that are given up are unwound, and there the destructor panics; the exploration goes on.
#[test]
fn panics_when_given_up() {
    struct Checks(Arc<MemoryCell>);
    impl Drop for Checks {
        fn drop(&mut self) {
            assert_eq!(ops::load(&self.0, 0, Order::Relaxed), 2, "not finished");
        }
    }
    let outcome = run(|| {
        let x = Arc::new(MemoryCell::new());
        let y = x.clone();
        let waiting = spawn(move || {
            let checks = Checks(y.clone());
            ops::assume(ops::load(&y, 0, Order::Relaxed) == 1);
            ops::store(&y, 0, 2, Order::Relaxed);
            drop(checks);
        });
        ops::store(&x, 0, 1, Order::Relaxed);
        ops::join(waiting);
    });
    assert!(outcome.failure.is_none(), "{}", outcome.failure.unwrap().violation.message);
    assert_eq!(outcome.statistics.complete, 1);
}

#[test]
fn not_deterministic() {
    use std::sync::atomic::{AtomicU64, Ordering};
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let outcome = run(|| {
        let (x, y) = (MemoryCell::new(), MemoryCell::new());
        ops::choose(2);
        if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            ops::load(&x, 0, Order::Relaxed);
        } else {
            ops::store(&y, 0, 1, Order::Relaxed);
        }
        ops::choose(2);
    });
    let failure = failure(outcome, ViolationKind::Nondeterminism);
    assert!(failure.violation.message.contains("not deterministic"));
}

/// Panics of the engine itself, in the scheduler and on the stack of a modelled thread, end the check at once.
#[test]
fn the_engine_panics() {
    for jobs in [1, 2] {
        let begun = std::time::Instant::now();
        let options = Options { stack_size: 1 << 50, jobs, ..Options::default() };
        let failure = failure(run_with(options, || ()), ViolationKind::Bound);
        let message = &failure.violation.message;
        assert!(message.contains("the checker itself has failed"), "{message}");
        assert!(message.contains("memory for the stack"), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[test]
#[cfg(unix)]
fn the_engine_panics_on_the_stack_of_a_thread() {
    for jobs in [1, 2] {
        let begun = std::time::Instant::now();
        let options = Options { jobs, ..Options::default() };
        let outcome = run_with(options, || ops::join(ops::ThreadId(9999)));
        let message = failure(outcome, ViolationKind::Bound).violation.message;
        assert!(message.contains("the checker itself has failed"), "{message}");
        assert!(message.contains("9999"), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

/// Loops are recognised only if the checker sees what the program keeps in memory.
#[global_allocator]
static ALLOCATOR: quotient_runtime::Tracked = quotient_runtime::Tracked;
