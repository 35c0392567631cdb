//! A small program for every kind of violation: its report is as expected, and the execution can be run again.

#[path = "../../report/tests/expect/mod.rs"]
mod expect;

use quotient_report::execution::text;
use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, ProgramError, Rmw, ThreadId, When};
use quotient_runtime::{Failure, MemoryModel, Options, Settings, ViolationKind, check, narrate};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Checks a program that is wrong, compares the report, and runs the execution again.
#[track_caller]
fn report(name: &str, kind: ViolationKind, settings: Settings, program: impl Fn() + Send + Sync + 'static) -> Failure {
    let program = Arc::new(program);
    let failure = fail(Options { settings: settings.clone(), ..Options::default() }, program.clone());
    assert_eq!(failure.violation.kind, kind, "{}", failure.violation.message);
    compare(name, &failure, settings.model);
    let replay = Some(failure.script.clone());
    let again = fail(Options { settings, replay, ..Options::default() }, program);
    assert_eq!(again.violation.kind, kind, "{}", again.violation.message);
    assert_eq!(again.violation.message, failure.violation.message);
    assert_eq!(again.script, failure.script);
    failure
}

#[track_caller]
fn fail(options: Options, program: Arc<impl Fn() + Send + Sync + 'static>) -> Failure {
    check(options, program).failure.expect("a violation")
}

#[track_caller]
fn compare(name: &str, failure: &Failure, model: MemoryModel) {
    let shown = text::render(&narrate(failure, model, Some(name)));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reports/{name}.txt"));
    expect::expect(&file, &shown);
}

#[track_caller]
fn spawn(name: &str, body: impl FnOnce() + 'static) -> ThreadId {
    ops::spawn(Box::new(body), Some(name.to_owned()), Likeness::Unlike)
}

fn two_places() -> (Arc<MemoryCell>, Arc<MemoryCell>) {
    (Arc::new(MemoryCell::new()), Arc::new(MemoryCell::new()))
}

#[test]
fn lost_update() {
    report("lost_update", ViolationKind::Panic, Settings::default(), || {
        let counter = Arc::new(MemoryCell::new());
        let threads: Vec<ThreadId> = (0..2)
            .map(|_| {
                let counter = counter.clone();
                let increment = move || {
                    let value = ops::load(&counter, 0, Order::Relaxed);
                    ops::store(&counter, 0, value + 1, Order::Relaxed);
                };
                ops::spawn(Box::new(increment), None, Likeness::Class(1))
            })
            .collect();
        threads.into_iter().for_each(ops::join);
        assert_eq!(ops::load(&counter, 0, Order::Relaxed), 2, "lost update");
    });
}

/// The reader sees the flag and not the data, because the flag is written and read without ordering.
#[test]
fn stale_data() {
    report("stale_data", ViolationKind::Panic, Settings::default(), || {
        let (data, flag) = two_places();
        let (d, f) = (data.clone(), flag.clone());
        spawn("writer", move || {
            ops::store(&d, 0, 42, Order::Relaxed);
            ops::store(&f, 0, 1, Order::Relaxed);
        });
        if ops::load(&flag, 0, Order::Acquire) == 1 {
            assert_eq!(ops::load(&data, 0, Order::Relaxed), 42);
        }
    });
}

/// Two stores that both overtake the other thread's load.
#[test]
fn store_buffering() {
    let settings = Settings { model: MemoryModel::Tso, ..Settings::default() };
    report("store_buffering", ViolationKind::Panic, settings, || {
        let (x, y) = two_places();
        let (mine, theirs) = (x.clone(), y.clone());
        let saw = Arc::new(AtomicU64::new(9));
        let told = saw.clone();
        let other = spawn("other", move || {
            ops::store(&theirs, 0, 1, Order::Relaxed);
            told.store(ops::load(&mine, 0, Order::Relaxed), Ordering::Relaxed);
        });
        ops::store(&x, 0, 1, Order::Relaxed);
        let seen = ops::load(&y, 0, Order::Relaxed);
        ops::join(other);
        assert!(seen + saw.load(Ordering::Relaxed) > 0, "both threads have read the old value");
    });
}

#[test]
fn race() {
    report("race", ViolationKind::Race, Settings::default(), || {
        let (data, ready) = two_places();
        let (d, r) = (data.clone(), ready.clone());
        spawn("writer", move || {
            ops::write_plain(&d);
            ops::store(&r, 0, 1, Order::Release);
        });
        spawn("reader", move || {
            if ops::load(&ready, 0, Order::Relaxed) == 1 {
                ops::read_plain(&data);
            }
        });
    });
}

#[test]
fn deadlock() {
    report("deadlock", ViolationKind::Deadlock, Settings::default(), || {
        let (fork, knife) = two_places();
        let (first, second) = (fork.clone(), knife.clone());
        let left = spawn("left", move || {
            lock(&first);
            lock(&second);
            unlock(&second);
            unlock(&first);
        });
        lock(&knife);
        lock(&fork);
        unlock(&fork);
        unlock(&knife);
        ops::join(left);
    });
}

#[track_caller]
fn lock(mutex: &MemoryCell) {
    ops::acquire(mutex, 0, When::Is(0), Rmw::Swap, 1, Order::Acquire, "for a mutex");
}

#[track_caller]
fn unlock(mutex: &MemoryCell) {
    ops::store(mutex, 0, 0, Order::Release);
}

#[test]
fn livelock() {
    report("livelock", ViolationKind::Livelock, Settings::default(), || {
        let (flag, turn) = two_places();
        let (f, t) = (flag.clone(), turn.clone());
        spawn("waiter", move || {
            while ops::load(&f, 0, Order::Acquire) == 0 || ops::load(&t, 0, Order::Acquire) != 1 {
                ops::spin();
            }
        });
        ops::store(&flag, 0, 1, Order::Release);
        ops::store(&turn, 0, 2, Order::Release);
    });
}

/// A loop in which nothing happens at all.
#[test]
fn idle() {
    report("idle", ViolationKind::Livelock, Settings::default(), || {
        spawn("idle", || {
            loop {
                ops::spin();
            }
        });
    });
}

#[test]
fn leak() {
    report("leak", ViolationKind::Leak, Settings::default(), || {
        let number = Arc::new(MemoryCell::new());
        let n = number.clone();
        let thread = spawn("maker", move || {
            if ops::update(&n, 0, Rmw::Add, 1, 64, Order::AcqRel) == 1 {
                let _forgotten = ops::register("a node");
            }
        });
        ops::update(&number, 0, Rmw::Add, 1, 64, Order::AcqRel);
        ops::join(thread);
    });
}

#[test]
fn memory() {
    report("memory", ViolationKind::Memory, Settings::default(), || {
        let state = Arc::new(MemoryCell::new());
        let s = state.clone();
        let other = spawn("other", move || release(&s));
        release(&state);
        ops::join(other);
    });
    /// The last of two owners would have to see 2.
    fn release(state: &MemoryCell) {
        if ops::update(state, 0, Rmw::Add, 1, 64, Order::AcqRel) == 1 {
            ops::fail(ProgramError::Memory, "the object is freed twice".to_owned());
        }
    }
}

/// The thread that is wrong has not made a step before.
#[test]
fn misuse() {
    report("misuse", ViolationKind::Misuse, Settings::default(), || {
        let thread = spawn("stranger", || {
            ops::fail(ProgramError::Misuse, "a lock is released by a thread that does not hold it".to_owned());
        });
        ops::join(thread);
    });
}

/// Nobody runs the operation that a thread leaves to others.
#[test]
fn annotation() {
    report("annotation", ViolationKind::Annotation, Settings::default(), || {
        let head = Arc::new(MemoryCell::new());
        let h = head.clone();
        spawn("helper", move || {
            if ops::load(&h, 0, Order::Acquire) == 1 {
                ops::help_operation(7);
            }
        });
        ops::store(&head, 0, 1, Order::Release);
    });
}

/// The primary operation is not a compare-and-exchange.
#[test]
fn annotation_of_another_operation() {
    report("annotation_of_another_operation", ViolationKind::Annotation, Settings::default(), || {
        let (head, tail) = two_places();
        let h = head.clone();
        spawn("helper", move || {
            if ops::load(&h, 0, Order::Acquire) == 1 {
                ops::help_operation(7);
            }
        });
        ops::store(&head, 0, 1, Order::Release);
        ops::primary_operation(7);
        ops::store(&tail, 0, 1, Order::Release);
    });
}

/// A library object says itself that an annotation is wrong.
#[test]
fn annotation_by_name() {
    report("annotation_by_name", ViolationKind::Annotation, Settings::default(), || {
        ops::fence(Order::SeqCst);
        ops::fail(ProgramError::Annotation, "`enqueue` helps an operation that it has not seen".to_owned());
    });
}

/// What an earlier execution has left in a static decides what the next one does.
#[test]
fn nondeterminism() {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let program = || {
        let flag = Arc::new(MemoryCell::new());
        let f = flag.clone();
        let thread = spawn("writer", move || ops::store(&f, 0, 1, Order::Relaxed));
        if RUNS.fetch_add(1, Ordering::Relaxed) == 0 {
            ops::load(&flag, 0, Order::Relaxed);
        } else {
            ops::store(&flag, 0, 2, Order::Relaxed);
        }
        ops::join(thread);
    };
    let failure = fail(Options::default(), Arc::new(program));
    assert_eq!(failure.violation.kind, ViolationKind::Nondeterminism);
    compare("nondeterminism", &failure, MemoryModel::Rc11);
    // The execution is that of the run before, and the program does not do that again.
    let again = fail(Options { replay: Some(failure.script), ..Options::default() }, Arc::new(program));
    assert_eq!(again.violation.kind, ViolationKind::Replay, "{}", again.violation.message);
}

#[test]
fn too_many_events() {
    let settings = Settings { max_events: 200, ..Settings::default() };
    report("too_many_events", ViolationKind::Bound, settings, || {
        let ticks = Arc::new(MemoryCell::new());
        let t = ticks.clone();
        spawn("clock", move || {
            loop {
                ops::update(&t, 0, Rmw::Add, 1, 64, Order::Relaxed);
            }
        });
        ops::load(&ticks, 0, Order::Relaxed);
    });
}

#[test]
fn too_many_threads() {
    let settings = Settings { max_threads: 4, ..Settings::default() };
    report("too_many_threads", ViolationKind::Bound, settings, || {
        for _ in 0..9 {
            ops::spawn(Box::new(|| ops::fence(Order::SeqCst)), None, Likeness::Class(1));
        }
    });
}

/// Everything else that a step can be.
#[test]
fn every_kind_of_step() {
    let settings = Settings { spurious_failures: true, ..Settings::default() };
    report("every_kind_of_step", ViolationKind::Panic, settings, || {
        let (slots, permits) = ([MemoryCell::new(), MemoryCell::new()], Arc::new(MemoryCell::new()));
        let p = permits.clone();
        let thread = spawn("worker", move || {
            ops::acquire(&p, 2, When::IsNot(0), Rmw::Sub, 1, Order::Acquire, "for a permit");
            ops::update(&p, 2, Rmw::Add, 1, 64, Order::Release);
        });
        for slot in &slots {
            ops::store(slot, 0, 1, Order::Relaxed);
        }
        ops::wait(&slots[0], 0, When::Is(1), Order::Acquire, "for a slot");
        ops::fence(Order::SeqCst);
        ops::update(&slots[1], 0, Rmw::Swap, 5, 64, Order::AcqRel);
        let _ = ops::exchange(&slots[1], 0, 4, 6, Order::AcqRel, Order::Acquire, false);
        let weak = ops::exchange(&slots[1], 0, 5, 6, Order::AcqRel, Order::Acquire, true);
        let strong = ops::exchange(&slots[1], 0, 5, 7, Order::AcqRel, Order::Acquire, false);
        ops::store_plain(&slots[0], 0, 1 << 40);
        let number = ops::choose(3);
        ops::join(thread);
        assert!(number < 2 || weak.is_ok() || strong.is_err(), "three things come together");
    });
}

/// Loops are recognised only if the checker sees what the program keeps in memory.
#[global_allocator]
static ALLOCATOR: quotient_runtime::Tracked = quotient_runtime::Tracked;
