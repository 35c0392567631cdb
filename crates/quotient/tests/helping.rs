//! Helping annotations: what they save, and that wrong ones are found.

use quotient::helping::Idempotent;
use quotient::sync::Arc;
use quotient::sync::atomic::{AtomicUsize, Ordering, Ordering::Acquire, Ordering::Relaxed};
use quotient::{Builder, Report, ViolationKind, hint, thread};

/// A queue without contents: `last` counts what was linked, and `tail` follows it.
#[derive(Default)]
struct Queue {
    last: AtomicUsize,
    tail: AtomicUsize,
}

type Arguments = (usize, usize, usize);

/// Moves the tail on by one.
fn advance(&(queue, from, to): &Arguments) {
    // SAFETY: the address is that of a queue that lives until all threads are joined.
    let queue = unsafe { &*(queue as *const Queue) };
    let _ = queue.tail.compare_exchange(from, to, Ordering::AcqRel, Relaxed);
}

static ADVANCE: Idempotent<Arguments> = Idempotent::new(advance);

// In functions of their own, so that nothing of the arguments is left on the stack of the loop.
#[inline(never)]
fn main(queue: usize, from: usize, to: usize) {
    ADVANCE.main(&(queue, from, to));
}

#[inline(never)]
fn plain(queue: usize, from: usize, to: usize) {
    advance(&(queue, from, to));
}

#[inline(never)]
fn help(queue: usize, from: usize, to: usize) {
    ADVANCE.help(&(queue, from, to));
}

fn add(queue: &Queue, annotated: bool) {
    let address = std::ptr::from_ref(queue) as usize;
    loop {
        let tail = queue.tail.load(Acquire);
        let last = queue.last.load(Acquire);
        if last == tail {
            if queue.last.compare_exchange(last, last + 1, Ordering::AcqRel, Relaxed).is_ok() {
                return if annotated { main(address, tail, tail + 1) } else { plain(address, tail, tail + 1) };
            }
        } else if annotated {
            help(address, tail, last);
        } else {
            plain(address, tail, last);
        }
        hint::spin_loop();
    }
}

fn run(count: usize, annotated: bool) -> Report {
    Builder::new().symmetry(false).run(move || {
        let queue = Arc::new(Queue::default());
        let add = |_| {
            let queue = queue.clone();
            thread::spawn(move || add(&queue, annotated))
        };
        let threads: Vec<_> = (0..count).map(add).collect();
        threads.into_iter().for_each(|thread| drop(thread.join()));
        assert_eq!(queue.tail.load(Relaxed), count);
    })
}

/// With annotations, the executions are those that differ in who comes first.
#[test]
fn fewer_executions() {
    let plain = run(2, false);
    assert!(plain.holds(), "{plain}");
    let annotated = run(2, true);
    assert!(annotated.holds(), "{annotated}");
    assert_eq!(annotated.executions(), 2);
    assert!(plain.executions() > 2, "{} executions without annotations", plain.executions());
}

fn violation(program: impl Fn() + Send + Sync + 'static) -> ViolationKind {
    let report = Builder::new().run(program);
    report.violation().unwrap_or_else(|| panic!("the annotation should be refused: {report}"))
}

static X: AtomicUsize = AtomicUsize::new(0);
static Y: AtomicUsize = AtomicUsize::new(0);
static SET: Idempotent<usize> = Idempotent::new(|&to| {
    let _ = X.compare_exchange(0, to, Ordering::AcqRel, Relaxed);
});

#[test]
fn nobody_runs_it() {
    assert_eq!(violation(|| SET.help(&1)), ViolationKind::Annotation);
}

#[test]
fn other_arguments() {
    let program = || {
        Y.store(1, Ordering::Release);
        SET.main(&1);
        SET.help(&2);
    };
    assert_eq!(violation(program), ViolationKind::Annotation);
}

/// Example 8 of the paper: the helper has not seen what the main thread did before, so its success would mean less.
#[test]
fn not_observed() {
    let program = || {
        let other = thread::spawn(|| SET.help(&1));
        Y.store(1, Ordering::Release);
        SET.main(&1);
        other.join().unwrap();
    };
    assert_eq!(violation(program), ViolationKind::Annotation);
}

#[test]
fn not_an_exchange() {
    static STORE: Idempotent<usize> = Idempotent::new(|&to| X.store(to, Ordering::Release));
    assert_eq!(violation(|| STORE.main(&1)), ViolationKind::Annotation);
    static NOTHING: Idempotent<()> = Idempotent::new(|()| {
        X.load(Acquire);
    });
    assert_eq!(violation(|| NOTHING.main(&())), ViolationKind::Annotation);
}

/// The value that the operation expects can come back: it might succeed twice.
#[test]
fn can_succeed_twice() {
    let program = || {
        Y.store(1, Ordering::Release);
        SET.main(&1);
        X.swap(0, Ordering::AcqRel);
        SET.help(&1);
    };
    assert_eq!(violation(program), ViolationKind::Annotation);
}
