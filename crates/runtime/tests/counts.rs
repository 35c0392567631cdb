//! Small programs written directly in visible operations, with the numbers of their executions.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, Rmw, When};
use quotient_runtime::{Knowledge, Options, Outcome, Settings, check};
use std::sync::Arc;

fn run(symmetry: bool, program: impl Fn() + Send + Sync + 'static) -> Outcome {
    let settings = Settings { symmetry, ..Settings::default() };
    let outcome = check(Options { settings, ..Options::default() }, Arc::new(program));
    if let Some(failure) = &outcome.failure {
        panic!("{}", failure.violation.message);
    }
    outcome
}

fn complete(symmetry: bool, program: impl Fn() + Send + Sync + 'static) -> u64 {
    run(symmetry, program).statistics.complete
}

fn threads(count: usize, body: impl Fn() + Clone + 'static) {
    let handles: Vec<_> = (0..count).map(|_| ops::spawn(Box::new(body.clone()), None, Likeness::Class(1))).collect();
    handles.into_iter().for_each(ops::join);
}

#[test]
fn fetch_add() {
    let program = |count| {
        move || {
            let x = Arc::new(MemoryCell::new());
            threads(count, move || {
                ops::update(&x, 0, Rmw::Add, 1, 64, Order::Relaxed);
            });
        }
    };
    let mut factorial = 1;
    for count in 2..=7 {
        factorial *= count as u64;
        assert_eq!(complete(false, program(count)), factorial);
        assert_eq!(complete(true, program(count)), 1);
    }
    assert_eq!(complete(true, program(32)), 1);
}

#[test]
fn mutex() {
    let program = |count| {
        move || {
            let (m, x) = (Arc::new(MemoryCell::new()), Arc::new(MemoryCell::new()));
            threads(count, move || {
                ops::acquire(&m, 0, When::Is(0), Rmw::Swap, 1, Order::Acquire, "for a mutex");
                ops::write_plain(&x);
                ops::store(&m, 0, 0, Order::Release);
            });
        }
    };
    let mut factorial = 1;
    for count in 2..=6 {
        factorial *= count as u64;
        let all = run(false, program(count)).statistics;
        assert_eq!((all.complete, all.blocked), (factorial, 0));
        let reduced = run(true, program(count)).statistics;
        assert_eq!((reduced.complete, reduced.blocked), (1, 0));
    }
}

/// A lock whose waiters read until it is free, then try to take it.
#[test]
fn test_and_test_and_set() {
    let program = |count| {
        move || {
            let lock = Arc::new(MemoryCell::new());
            threads(count, move || {
                loop {
                    while ops::load(&lock, 0, Order::Acquire) != 0 {
                        ops::spin();
                    }
                    if ops::exchange(&lock, 0, 0, 1, Order::Acquire, Order::Relaxed, false).is_ok() {
                        break;
                    }
                }
                ops::store(&lock, 0, 0, Order::Release);
            });
        }
    };
    assert_eq!(complete(false, program(3)), 36);
    assert_eq!(complete(true, program(3)), 6);
    assert_eq!(complete(false, program(4)), 576);
    assert_eq!(complete(true, program(4)), 24);
}

#[test]
fn ticket_lock() {
    let program = |count| {
        move || {
            let (next, serving) = (Arc::new(MemoryCell::new()), Arc::new(MemoryCell::new()));
            threads(count, move || {
                let mine = ops::update(&next, 0, Rmw::Add, 1, 64, Order::Relaxed);
                while ops::load(&serving, 0, Order::Acquire) != mine {
                    ops::spin();
                }
                ops::store(&serving, 0, mine + 1, Order::Release);
            });
        }
    };
    assert_eq!(complete(false, program(3)), 6);
    assert_eq!(complete(false, program(5)), 120);
    assert_eq!(complete(true, program(5)), 1);
}

#[test]
fn readers() {
    let program = |count| {
        move || {
            let x = Arc::new(MemoryCell::new());
            let y = x.clone();
            let writer = ops::spawn(Box::new(move || ops::store(&y, 0, 1, Order::Release)), None, Likeness::Unlike);
            threads(count, move || {
                ops::load(&x, 0, Order::Acquire);
            });
            ops::join(writer);
        }
    };
    for count in 2..=6 {
        assert_eq!(complete(false, program(count)), 1 << count);
        assert_eq!(complete(true, program(count)), count as u64 + 1);
    }
}

/// Random walks tell how many executions there are, roughly; where all paths weigh the same, exactly.
#[test]
fn estimate() {
    let program = || {
        let x = Arc::new(MemoryCell::new());
        threads(5, move || {
            ops::update(&x, 0, Rmw::Add, 1, 64, Order::Relaxed);
        });
    };
    let settings = Settings { symmetry: false, ..Settings::default() };
    let options = Options { settings, walks: Some(400), ..Options::default() };
    let estimate = check(options, Arc::new(program)).estimate.expect("an estimate was asked for");
    assert_eq!(estimate.walks, 400);
    let off = (estimate.executions - 120.0).abs();
    assert!(off < 5.0 * estimate.error() + 1e-6, "{estimate:?}");
}

/// Several workers explore what one does.
#[test]
fn parallel() {
    // Several times, because tasks are handed over at other points each time.
    for jobs in [1, 2, 3, 2, 2, 4] {
        let program = || {
            let x = Arc::new(MemoryCell::new());
            threads(6, move || {
                ops::update(&x, 0, Rmw::Add, 1, 64, Order::Relaxed);
            });
        };
        let settings = Settings { symmetry: false, ..Settings::default() };
        let outcome = check(Options { settings, jobs, ..Options::default() }, Arc::new(program));
        assert_eq!((outcome.statistics.complete, outcome.statistics.blocked), (720, 0), "with {jobs} workers");
    }
}

/// A value that is written to when the last reference to it goes.
struct Farewell(Arc<MemoryCell>);

impl Drop for Farewell {
    fn drop(&mut self) {
        ops::update(&self.0, 0, Rmw::Add, 1, 64, Order::AcqRel);
    }
}

/// Which thread drops the last of some references depends on the order in which threads run, which Quotient does not see.
/// When that shows, they take turns as they did before, and the executions are the same as if they always had. (For some
/// programs that is not enough; they need references that Quotient knows of.)
#[test]
fn hidden_counts_of_references() {
    let (mut compared, mut shown) = (0, 0);
    for seed in 0..300u64 {
        let program = move || {
            let places = [(); 2].map(|()| Arc::new(MemoryCell::new()));
            let shared = Arc::new(Farewell(Arc::new(MemoryCell::new())));
            let mut random = seed * 2 + 1;
            let mut next = move |below: u64| {
                random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
                (random >> 33) % below
            };
            let handles: Vec<_> = (0..3)
                .map(|_| {
                    let operations: Vec<_> = (0..1 + next(3)).map(|_| (next(2) as usize, next(3))).collect();
                    let (places, shared, drops) = (places.clone(), shared.clone(), next(4) as usize);
                    let body = move || {
                        let mut shared = Some(shared);
                        for (index, &(place, operation)) in operations.iter().enumerate() {
                            match operation {
                                0 => _ = ops::load(&places[place], 0, Order::Acquire),
                                1 => ops::store(&places[place], 0, 1 + index as u64, Order::Release),
                                _ => _ = ops::update(&places[place], 0, Rmw::Add, 1, 64, Order::AcqRel),
                            }
                            shared.take_if(|_| index == drops);
                        }
                    };
                    ops::spawn(Box::new(body), None, Likeness::Unlike)
                })
                .collect();
            drop(shared);
            handles.into_iter().for_each(ops::join);
        };
        let outcome = |keep_order: bool| {
            let knowledge = Knowledge { keep_order, ..Knowledge::default() };
            check(Options { knowledge, ..Options::default() }, Arc::new(program))
        };
        let (found, kept) = (outcome(false), outcome(true));
        assert_eq!(found.failure.is_none(), kept.failure.is_none(), "{seed}");
        if kept.failure.is_none() {
            assert_eq!(found.statistics, kept.statistics, "{seed}");
            compared += 1;
            shown += found.knowledge.keep_order as u32;
        }
    }
    assert!(compared > 100 && shown > 0, "{compared} programs are deterministic enough, of {shown} the order shows");
}

/// Loops are recognised only if the checker sees what the program keeps in memory.
#[global_allocator]
static ALLOCATOR: quotient_runtime::Tracked = quotient_runtime::Tracked;
