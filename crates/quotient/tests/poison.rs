//! Panics that unwind: poisoned locks, errors of `join`, `catch_unwind`, and what is still a violation.

use std::panic::AssertUnwindSafe;

use quotient::panic::catch_unwind;
use quotient::sync::atomic::{AtomicUsize, Ordering::*};
use quotient::sync::{Arc, Condvar, Mutex, Once, OnceLock, RwLock, TryLockError};
use quotient::{Builder, Report, ViolationKind, thread};

fn run(program: fn()) -> Report {
    Builder::new().unwind(true).run(program)
}

#[track_caller]
fn holds(program: fn()) -> Report {
    let report = run(program);
    assert!(report.holds(), "{report}");
    report
}

fn panics_with_lock(lock: &Arc<Mutex<u32>>) -> thread::JoinHandle<()> {
    let lock = lock.clone();
    thread::spawn(move || {
        let _guard = lock.lock();
        panic!("with the lock");
    })
}

#[test]
fn without_unwind_a_panic_is_a_violation_at_once() {
    let report = Builder::new().run(|| {
        let lock = Arc::new(Mutex::new(0));
        let _ = panics_with_lock(&lock).join();
    });
    assert_eq!(report.violation(), Some(ViolationKind::Panic));
    assert!(report.message().is_some_and(|message| message.contains("with the lock")), "{report}");
}

#[test]
fn join_gives_what_the_panic_has_said() {
    holds(|| {
        let result = thread::spawn(|| panic!("on purpose")).join();
        let said = result.expect_err("the thread panics");
        assert_eq!(said.downcast_ref::<&str>(), Some(&"on purpose"));
    });
}

#[test]
fn a_thread_that_nobody_joins_must_not_panic() {
    let report = run(|| drop(thread::spawn(|| panic!("unseen"))));
    assert_eq!(report.violation(), Some(ViolationKind::Panic));
    let message = report.message().unwrap_or_default().to_owned();
    assert!(message.contains("unseen") && message.contains("nobody joins"), "{message}");
}

#[test]
fn a_panic_that_leaves_the_closure_is_a_violation() {
    let report = run(|| thread::spawn(|| panic!("first")).join().unwrap());
    assert_eq!(report.violation(), Some(ViolationKind::Panic));
    assert!(report.to_string().contains("poison.rs"), "{report}");
}

#[test]
fn whoever_comes_after_a_panic_finds_the_mutex_poisoned() {
    static SEEN: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    SEEN.store(0, SeqCst);
    let report = holds(|| {
        let lock = Arc::new(Mutex::new(0));
        let thread = panics_with_lock(&lock);
        let seen = match lock.lock() {
            Ok(_) => 1,
            Err(poisoned) => {
                assert_eq!(*poisoned.into_inner(), 0);
                2
            }
        };
        SEEN.fetch_or(seen, SeqCst);
        assert!(thread.join().is_err());
        assert!(lock.is_poisoned());
        lock.clear_poison();
        assert!(!lock.is_poisoned() && lock.lock().is_ok());
    });
    assert_eq!(report.executions(), 2, "one for each order of the two");
    assert_eq!(SEEN.load(SeqCst), 3);
}

#[test]
fn a_program_that_forgets_poison_is_found() {
    let report = run(|| {
        let lock = Arc::new(Mutex::new(0));
        let thread = panics_with_lock(&lock);
        *lock.lock().unwrap() += 1;
        let _ = thread.join();
    });
    assert_eq!(report.violation(), Some(ViolationKind::Panic));
    assert!(report.message().is_some_and(|message| message.contains("Poison")), "{report}");
}

#[test]
fn try_lock_says_poisoned_or_would_block() {
    holds(|| {
        let lock = Arc::new(Mutex::new(0));
        let thread = panics_with_lock(&lock);
        match lock.try_lock() {
            Ok(_) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Poisoned(_)) => assert!(lock.is_poisoned()),
        }
        assert!(thread.join().is_err());
        assert!(matches!(lock.try_lock(), Err(TryLockError::Poisoned(_))));
    });
}

#[test]
fn a_guard_that_is_dropped_before_the_panic_does_not_poison() {
    holds(|| {
        let lock = Arc::new(Mutex::new(0));
        let of_thread = lock.clone();
        let thread = thread::spawn(move || {
            *of_thread.lock().unwrap() += 1;
            panic!("without the lock");
        });
        assert!(lock.lock().is_ok());
        assert!(thread.join().is_err());
        assert_eq!(*lock.lock().unwrap(), 1);
    });
}

#[test]
fn writers_poison_and_readers_do_not() {
    holds(|| {
        let lock = Arc::new(RwLock::new(0));
        let of_reader = lock.clone();
        let reader = thread::spawn(move || {
            let _guard = of_reader.read();
            panic!("a reader");
        });
        assert!(reader.join().is_err());
        assert!(!lock.is_poisoned() && lock.read().is_ok());
        let of_writer = lock.clone();
        let writer = thread::spawn(move || {
            let _guard = of_writer.write();
            panic!("a writer");
        });
        assert!(writer.join().is_err());
        assert!(lock.is_poisoned() && lock.read().is_err() && lock.write().is_err());
        lock.clear_poison();
        assert!(lock.write().is_ok());
    });
}

#[test]
fn a_caught_panic_goes_no_further() {
    holds(|| {
        let lock = Arc::new(Mutex::new(0));
        let of_thread = lock.clone();
        let thread = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _guard = of_thread.lock();
                panic!("caught");
            }));
            assert!(caught.is_err() && !thread::panicking());
            // The poison stays.
            assert!(of_thread.lock().is_err());
            7
        });
        assert_eq!(thread.join().ok(), Some(7));
        assert!(lock.is_poisoned());
    });
}

#[test]
fn the_catch_of_std_works_as_well() {
    holds(|| {
        let lock = Arc::new(Mutex::new(0));
        let of_thread = lock.clone();
        let thread = thread::spawn(move || {
            let caught = std::panic::catch_unwind(AssertUnwindSafe(|| {
                let _guard = of_thread.lock();
                panic!("caught");
            }));
            assert!(caught.is_err());
            // The thread does not unwind any more, so this poisons nothing that was clean.
            of_thread.clear_poison();
            drop(of_thread.lock());
        });
        drop(lock.lock());
        assert!(thread.join().is_ok());
        assert!(!lock.is_poisoned());
    });
}

#[test]
fn a_thread_that_unwinds_does_not_poison_what_others_hold() {
    holds(|| {
        let (first, second) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        let thread = panics_with_lock(&first);
        for _ in 0..2 {
            drop(second.lock());
        }
        assert!(thread.join().is_err());
        assert!(!second.is_poisoned());
    });
}

#[test]
fn who_waits_for_a_condition_gets_to_know_of_the_panic() {
    holds(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let of_thread = shared.clone();
        let thread = thread::spawn(move || {
            let mut guard = of_thread.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            *guard = true;
            of_thread.1.notify_one();
            panic!("after the notification");
        });
        let mut poisoned = false;
        let guard = shared.0.lock();
        let mut guard = guard.unwrap_or_else(|error| {
            poisoned = true;
            error.into_inner()
        });
        while !*guard {
            guard = shared.1.wait(guard).unwrap_or_else(|error| {
                poisoned = true;
                error.into_inner()
            });
        }
        drop(guard);
        assert!(poisoned, "the condition holds only when the thread has panicked");
        assert!(thread.join().is_err());
    });
}

#[test]
fn a_deadlock_after_a_panic_names_the_panic() {
    let report = run(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let of_thread = shared.clone();
        let thread = thread::spawn(move || {
            let _guard = of_thread.0.lock();
            panic!("before the notification");
        });
        let mut guard = shared.0.lock().unwrap_or_else(|error| error.into_inner());
        while !*guard {
            guard = shared.1.wait(guard).unwrap_or_else(|error| error.into_inner());
        }
        drop(guard);
        let _ = thread.join();
    });
    assert_eq!(report.violation(), Some(ViolationKind::Deadlock));
    assert!(report.message().is_some_and(|message| message.contains("before the notification")), "{report}");
}

#[test]
fn a_scope_panics_for_its_threads_unless_they_are_joined() {
    holds(|| {
        let caught = catch_unwind(|| {
            thread::scope(|scope| {
                scope.spawn(|| panic!("in the scope"));
            })
        });
        assert!(caught.is_err());
        let joined = catch_unwind(|| thread::scope(|scope| scope.spawn(|| panic!("joined")).join().is_err()));
        assert_eq!(joined.ok(), Some(true));
    });
}

#[test]
fn a_scope_waits_for_its_threads_before_its_panic_goes_on() {
    holds(|| {
        let count = AtomicUsize::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|scope| {
                scope.spawn(|| count.fetch_add(1, SeqCst));
                panic!("of the scope itself");
            })
        }));
        assert!(caught.is_err());
        assert_eq!(count.load(SeqCst), 1);
    });
}

#[test]
fn code_that_runs_once_may_panic() {
    holds(|| {
        let once = Once::new();
        assert!(catch_unwind(AssertUnwindSafe(|| once.call_once(|| panic!("once")))).is_err());
        assert!(!once.is_completed());
        assert!(catch_unwind(AssertUnwindSafe(|| once.call_once(|| ()))).is_err());
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.call_once(|| unreachable!("it has run"));
    });
    holds(|| {
        let cell = Arc::new(OnceLock::new());
        let of_thread = cell.clone();
        let thread = thread::spawn(move || {
            of_thread.get_or_init(|| -> usize { panic!("no value") });
        });
        assert_eq!(*cell.get_or_init(|| 5), 5);
        let ended = thread.join();
        assert_eq!(cell.get(), Some(&5));
        drop(ended);
    });
}

#[test]
fn like_threads_that_panic_are_found_with_and_without_symmetry() {
    for symmetry in [true, false] {
        let report = Builder::new().unwind(true).symmetry(symmetry).run(|| {
            let count = Arc::new(AtomicUsize::new(0));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let count = count.clone();
                    thread::spawn(move || {
                        if count.fetch_add(1, Relaxed) == 1 {
                            panic!("the second");
                        }
                    })
                })
                .collect();
            let ended: Vec<bool> = threads.into_iter().map(|thread| thread.join().is_ok()).collect();
            assert_ne!(ended, [false, true], "the first one has panicked");
        });
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "symmetry {symmetry}: {report}");
    }
}

#[test]
fn after_a_check_with_panics_others_run_as_before() {
    for _ in 0..3 {
        let _ = run(|| drop(thread::spawn(|| panic!("unseen"))));
        holds(|| {
            let lock = Arc::new(Mutex::new(0));
            let thread = panics_with_lock(&lock);
            drop(lock.lock());
            assert!(thread.join().is_err());
        });
        let report = Builder::new().run(|| {
            let lock = Arc::new(Mutex::new(0));
            let other = lock.clone();
            let thread = thread::spawn(move || *other.lock().unwrap() += 1);
            *lock.lock().unwrap() += 1;
            thread.join().unwrap();
        });
        assert_eq!((report.holds(), report.executions()), (true, 2), "{report}");
    }
}

/// Calls a function when it is dropped.
struct AtTheEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The destructor of a thread that panics waits in a loop, about which the checker has a question.
#[test]
fn a_destructor_waits_while_a_panic_unwinds() {
    let report = holds(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let waits = flag.clone();
        let waiting = thread::spawn(move || {
            let _guard = AtTheEnd(|| while waits.load(Acquire) == 0 {});
            panic!("on purpose");
        });
        flag.store(1, Release);
        assert!(waiting.join().is_err());
    });
    assert_eq!((report.executions(), report.blocked()), (1, 1), "{report}");
}

/// Others come first where it asks, and the execution is over before it is its turn.
#[test]
fn destructors_of_two_threads_that_panic_take_turns() {
    holds(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let threads = [1, 2].map(|_| {
            let count = count.clone();
            thread::spawn(move || {
                let _guard = AtTheEnd(|| {
                    while count.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
                    count.store(0, Release);
                });
                panic!("on purpose");
            })
        });
        for thread in threads {
            assert!(thread.join().is_err());
        }
        assert_eq!(count.load(Relaxed), 0);
    });
}

/// The check begins again when a thread says who it is, here in the middle of a panic.
#[test]
fn a_destructor_asks_who_it_is_while_a_panic_unwinds() {
    holds(|| {
        let threads = [1, 2].map(|_| {
            thread::spawn(|| {
                let _guard = AtTheEnd(|| assert!(format!("{:?}", thread::current().id()).len() > 1));
                panic!("on purpose");
            })
        });
        for thread in threads {
            assert!(thread.join().is_err());
        }
    });
}
