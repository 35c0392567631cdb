//! What std leaves open about waiting: readers that read again while a writer waits, and waits that end without a reason.

use quotient::sync::atomic::{AtomicBool, Ordering::*};
use quotient::sync::{Arc, Condvar, Mutex, RwLock};
use quotient::{Builder, Report, ViolationKind, thread};

fn run(program: fn()) -> Report {
    Builder::new().run(program)
}

#[test]
fn a_second_read_may_wait_behind_a_writer() {
    let report = run(|| {
        let lock = Arc::new(RwLock::new(0));
        let of_writer = lock.clone();
        let writer = thread::spawn(move || *of_writer.write().unwrap() += 1);
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        assert_eq!(*first, *second);
        drop((first, second));
        writer.join().unwrap();
    });
    assert_eq!(report.violation(), Some(ViolationKind::Deadlock), "{report}");
    let message = report.message().unwrap_or_default();
    assert!(message.contains("waits.rs:18") && message.contains("waits.rs:17"), "{message}");
}

#[test]
fn a_second_read_without_a_writer_is_right() {
    let report = run(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || *other.read().unwrap());
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        drop((first, second));
        thread.join().unwrap();
        *lock.write().unwrap() = 1;
    });
    assert!(report.holds(), "{report}");
}

#[test]
fn a_writer_that_comes_before_or_after_does_no_harm() {
    // The writer is started when all reads are over.
    let after = run(|| {
        let lock = Arc::new(RwLock::new(0));
        drop((lock.read().unwrap(), lock.read().unwrap()));
        let other = lock.clone();
        thread::spawn(move || *other.write().unwrap() = 1).join().unwrap();
    });
    assert!(after.holds(), "{after}");
    // The writer waits for a flag that is set after the second read, though nothing is ordered by that.
    let told = run(|| {
        let lock = Arc::new(RwLock::new(0));
        let flag = Arc::new(AtomicBool::new(false));
        let (other, seen) = (lock.clone(), flag.clone());
        let thread = thread::spawn(move || {
            if seen.load(Relaxed) {
                *other.write().unwrap() = 1;
            }
        });
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        flag.store(true, Relaxed);
        drop((first, second));
        thread.join().unwrap();
    });
    assert!(told.holds(), "{told}");
}

#[test]
fn a_writer_that_only_tries_does_not_wait() {
    let report = run(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || drop(other.try_write()));
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        drop((first, second));
        thread.join().unwrap();
    });
    assert!(report.holds(), "{report}");
}

#[test]
fn a_read_that_was_given_back_is_not_held() {
    let report = run(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || *other.write().unwrap() = 1);
        drop(lock.read().unwrap());
        drop(lock.read().unwrap());
        thread.join().unwrap();
    });
    assert!(report.holds(), "{report}");
}

/// A thread sets a flag under the lock and notifies; the other waits, in a loop or not.
fn waits(in_a_loop: bool) {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let other = shared.clone();
    let thread = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut guard = shared.0.lock().unwrap();
    if in_a_loop {
        while !*guard {
            guard = shared.1.wait(guard).unwrap();
        }
    } else if !*guard {
        guard = shared.1.wait(guard).unwrap();
    }
    assert!(*guard);
    drop(guard);
    thread.join().unwrap();
}

#[test]
fn a_wait_without_a_loop_gets_a_warning_with_its_line() {
    let report = run(|| waits(false));
    assert!(report.holds(), "{report}");
    assert_eq!(report.warnings().len(), 1, "{report}");
    assert!(report.warnings()[0].contains("waits.rs:113"), "{}", report.warnings()[0]);
    assert!(report.to_json().contains("waits.rs:113") && report.to_string().contains("warning: the wait"));
}

#[test]
fn a_wait_in_a_loop_gets_none() {
    let report = run(|| waits(true));
    assert!(report.holds() && report.warnings().is_empty(), "{report}");
}

#[test]
fn a_park_without_a_loop_gets_a_warning() {
    fn parks(in_a_loop: bool) {
        let done = Arc::new(AtomicBool::new(false));
        let other = done.clone();
        let parked = thread::current();
        let thread = thread::spawn(move || {
            other.store(true, Release);
            parked.unpark();
        });
        if in_a_loop {
            while !done.load(Acquire) {
                thread::park();
            }
        } else {
            thread::park();
        }
        assert!(done.load(Acquire));
        thread.join().unwrap();
    }
    let report = run(|| parks(false));
    assert!(report.holds() && report.warnings().len() == 1, "{report}");
    let report = run(|| parks(true));
    assert!(report.holds() && report.warnings().is_empty(), "{report}");
}

#[test]
fn counts_do_not_depend_on_the_second_look() {
    let once = run(|| waits(true)).executions();
    assert_eq!(once, Builder::new().run(|| waits(false)).executions());
    let report = Builder::new().spurious_wakeups(1).run(|| waits(true));
    assert!(report.holds() && report.warnings().is_empty() && report.executions() > once, "{report}");
}
