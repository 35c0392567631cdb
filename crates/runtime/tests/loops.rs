//! Loops that wait, and loops that only look like it.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order};
use quotient_runtime::{Options, Outcome, Settings, check};
use std::sync::Arc;

fn run(jobs: usize, program: impl Fn() + Send + Sync + 'static) -> Outcome {
    run_with(Options { jobs, ..Options::default() }, program)
}

fn run_with(options: Options, program: impl Fn() + Send + Sync + 'static) -> Outcome {
    let settings = Settings { symmetry: false, max_events: 2000, ..Settings::default() };
    let outcome = check(Options { settings, ..options }, Arc::new(program));
    if let Some(failure) = &outcome.failure {
        panic!("{}", failure.violation.message);
    }
    outcome
}

fn spawn(body: impl FnOnce() + 'static) -> ops::ThreadId {
    ops::spawn(Box::new(body), None, Likeness::Unlike)
}

/// One place in the code for all reads.
#[inline(never)]
fn read(place: &MemoryCell) -> u64 {
    ops::load(place, 0, Order::Acquire)
}

/// At the same place in the code, a thread reads a few times and then waits. However often the former has turned out
/// not to be waiting, the latter is still recognised.
#[test]
fn recognition_is_not_lost() {
    let executions = |choices: usize, jobs| {
        let outcome = run(jobs, move || {
            let (x, y) = (Arc::new(MemoryCell::new()), Arc::new(MemoryCell::new()));
            let written = y.clone();
            let writer = spawn(move || {
                ops::choose(choices);
                ops::store(&written, 0, 1, Order::Release);
            });
            ops::choose(choices);
            for _ in 0..3 {
                read(&x);
            }
            while read(&y) == 0 {}
            ops::join(writer);
        });
        (outcome.statistics.complete, outcome.statistics.blocked)
    };
    // The thread finds that the other one has written, or waits until it has.
    assert_eq!(executions(1, 1), (1, 1));
    assert_eq!(executions(12, 1), (144, 144));
    assert_eq!(executions(12, 2), (144, 144));
}

/// A loop may go round once more because of what it has read before; to repeat an old value would be to wait forever.
#[test]
fn an_old_value_is_not_read_again() {
    let executions = |jobs| {
        let outcome = run(jobs, || {
            let x = Arc::new(MemoryCell::new());
            let increment = |x: Arc<MemoryCell>| {
                spawn(move || {
                    loop {
                        let old = ops::load(&x, 0, Order::Acquire);
                        if old != ops::load(&x, 0, Order::Acquire) {
                            continue;
                        }
                        if ops::exchange(&x, 0, old, old + 1, Order::Release, Order::Relaxed, false).is_ok() {
                            break;
                        }
                    }
                })
            };
            let threads = [increment(x.clone()), increment(x.clone())];
            threads.into_iter().for_each(ops::join);
            assert_eq!(ops::load(&x, 0, Order::Relaxed), 2);
        });
        (outcome.statistics.complete, outcome.statistics.blocked)
    };
    assert_eq!(executions(1), executions(2));
}

/// An execution that is given up is taken apart by running its destructors. What they use for the first time works.
#[test]
fn destructors_have_memory() {
    struct Chain(Arc<MemoryCell>);

    impl Drop for Chain {
        fn drop(&mut self) {
            let places: Vec<MemoryCell> = (0..3).map(|_| MemoryCell::new()).collect();
            for (number, place) in places.iter().enumerate() {
                ops::store(place, 7, number as u64, Order::Relaxed);
                assert_eq!(
                    ops::exchange(place, 7, number as u64, 9, Order::Relaxed, Order::Relaxed, false),
                    Ok(number as u64)
                );
            }
            let seen = places.iter().map(|place| ops::load(place, 7, Order::Relaxed)).collect::<Vec<_>>();
            if seen != [9, 9, 9] {
                BROKEN.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            ops::load(&self.0, 0, Order::Relaxed);
        }
    }

    static BROKEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let outcome = run(1, || {
        let x = Arc::new(MemoryCell::new());
        let chain = Chain(x.clone());
        let y = x.clone();
        let writer = spawn(move || ops::store(&y, 0, 1, Order::Release));
        while ops::load(&x, 0, Order::Acquire) == 0 {
            ops::spin();
        }
        ops::join(writer);
        drop(chain);
    });
    assert_eq!((outcome.statistics.complete, outcome.statistics.blocked), (1, 1));
    assert!(!BROKEN.load(std::sync::atomic::Ordering::Relaxed));
}

/// A read before a loop that waits, at the same place in the code, is not an iteration of it: it may read the old value
/// and the loop the new one.
#[test]
fn a_read_before_a_loop_is_not_part_of_it() {
    let outcome = run(1, || {
        let x = Arc::new(MemoryCell::new());
        let y = x.clone();
        let writer = spawn(move || ops::store(&y, 0, 1, Order::Release));
        read(&x);
        while read(&x) == 0 {}
        ops::join(writer);
    });
    assert_eq!((outcome.statistics.complete, outcome.statistics.blocked), (2, 1));
}

/// What a first iteration leaves behind can make later ones different.
#[test]
fn a_first_iteration_counts() {
    let outcome = run(1, || {
        let x = Arc::new(MemoryCell::new());
        let y = x.clone();
        let writer = spawn(move || ops::store(&y, 0, 1, Order::Release));
        let mut waited = false;
        while ops::load(&x, 0, Order::Acquire) == 0 {
            waited = true;
            ops::spin();
        }
        std::hint::black_box(waited);
        ops::join(writer);
    });
    assert_eq!((outcome.statistics.complete, outcome.statistics.blocked), (2, 1));
}

/// Loops are recognised only if the checker sees what the program keeps in memory.
#[global_allocator]
static ALLOCATOR: quotient_runtime::Tracked = quotient_runtime::Tracked;
