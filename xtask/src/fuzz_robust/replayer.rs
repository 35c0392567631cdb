//! Small programs in which something goes wrong, for texts of executions that are damaged. Run with the name of one, it says
//! what is found; `QUOTIENT_REPLAY` is honoured by the library.

use quotient::sync::atomic::{AtomicUsize, Ordering::*, fence};
use quotient::sync::{Arc, Barrier, Condvar, Mutex, RwLock, mpsc};
use quotient::{Builder, any_bool, choose, thread};

fn lost_update() {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| counter.store(counter.load(Relaxed) + 1, Relaxed));
        }
    });
    assert_eq!(counter.load(Relaxed), 3, "an increment is lost");
}

fn store_buffering() {
    let (x, y) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (a, b) = thread::scope(|scope| {
        let one = scope.spawn(|| (x.store(1, Release), fence(AcqRel), y.load(Acquire)).2);
        let two = scope.spawn(|| (y.store(1, Release), fence(AcqRel), x.load(Acquire)).2);
        (one.join().unwrap(), two.join().unwrap())
    });
    assert!(a + b > 0, "neither has seen the other");
}

fn two_locks() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let other = locks.clone();
    let thread = thread::spawn(move || {
        let _second = other.1.lock().unwrap();
        *other.0.lock().unwrap() += 1;
    });
    let first = locks.0.lock().unwrap();
    *locks.1.lock().unwrap() += 1;
    drop(first);
    thread.join().unwrap();
}

fn lost_signal() {
    let shared = Arc::new((Mutex::new(false), Condvar::new(), RwLock::new(0)));
    let other = shared.clone();
    let thread = thread::spawn(move || {
        *other.2.write().unwrap() += 1;
        other.1.notify_one();
    });
    let _seen = *shared.2.read().unwrap();
    let _guard = shared.1.wait(shared.0.lock().unwrap()).unwrap();
    thread.join().unwrap();
}

fn choices() {
    let (sender, receiver) = mpsc::channel();
    let barrier = Arc::new(Barrier::new(2));
    let theirs = barrier.clone();
    let thread = thread::spawn(move || {
        theirs.wait();
        let _ = sender.send(choose(3));
        let _ = sender.send(usize::from(any_bool()));
    });
    barrier.wait();
    let sum: usize = receiver.iter().sum();
    thread.join().unwrap();
    assert!(sum < 3, "both choices were the largest");
}

const PROGRAMS: [(&str, fn()); 5] = [
    ("lost_update", lost_update),
    ("store_buffering", store_buffering),
    ("two_locks", two_locks),
    ("lost_signal", lost_signal),
    ("choices", choices),
];

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for (name, program) in PROGRAMS.iter().filter(|one| wanted.is_empty() || one.0 == wanted) {
        let report = Builder::new().symmetry(false).run(*program);
        println!("{name} {}", report.replay().unwrap_or_default());
        eprintln!("{report}");
    }
}
