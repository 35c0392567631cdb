//! Mutexes: exclusion, trying, deadlocks, and what they protect.

mod common;

use common::{complaint, count, executions, orbits, outcomes, violation};
use quotient::sync::{LazyLock, Mutex, TryLockError};
use quotient::{Builder, ViolationKind, thread};
use std::sync::Arc;

fn increments(threads: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let total = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| *total.lock().unwrap() += 1);
            }
        });
        assert_eq!(total.into_inner().unwrap(), threads);
    }
}

/// Critical sections can be in any order, and without symmetry the order is all there is.
#[test]
fn no_increment_is_lost() {
    assert_eq!(executions(increments(2)), 2);
    assert_eq!(executions(increments(3)), 6);
    assert_eq!(executions(increments(4)), 24);
    assert_eq!(orbits(increments(2)), 1);
    assert_eq!(orbits(increments(4)), 1);
}

/// Either the critical section is over, has not begun, or is going on.
#[test]
fn trying_fails_only_while_another_thread_holds_the_lock() {
    let program = || {
        let mutex = Mutex::new(());
        let mut result = false;
        thread::scope(|scope| {
            scope.spawn(|| drop(mutex.lock()));
            scope.spawn(|| {
                result = match mutex.try_lock() {
                    Ok(_) => true,
                    Err(TryLockError::WouldBlock) => false,
                    Err(TryLockError::Poisoned(_)) => unreachable!("locks are never poisoned"),
                }
            });
        });
        result
    };
    assert_eq!(outcomes(program), [false, true]);
    assert_eq!(executions(program), 3);
}

#[test]
fn locking_in_different_orders_deadlocks() {
    let found = violation(|| {
        let (a, b) = (Mutex::new(()), Mutex::new(()));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _a = a.lock();
                let _b = b.lock();
            });
            scope.spawn(|| {
                let _b = b.lock();
                let _a = a.lock();
            });
        });
    });
    assert_eq!(found, ViolationKind::Deadlock);
}

#[test]
fn locking_twice_deadlocks() {
    let message = complaint(|| {
        let mutex = Mutex::new(());
        let _first = mutex.lock();
        let _second = mutex.lock();
    });
    assert!(message.contains("thread 0 waits for a mutex"), "{message}");
}

#[test]
fn unsized_contents_are_protected_too() {
    executions(|| {
        let mutex: Arc<Mutex<[u32]>> = Arc::new(Mutex::new([1, 2, 3]));
        mutex.lock().unwrap()[0] = 9;
        assert_eq!(*mutex.lock().unwrap(), [9, 2, 3]);
    });
}

#[test]
fn the_rest_of_the_shape_of_std() {
    executions(|| {
        let mut mutex = Mutex::from(String::from("a"));
        mutex.get_mut().unwrap().push('b');
        assert!(!mutex.is_poisoned());
        mutex.clear_poison();
        let guard = mutex.lock().unwrap();
        assert_eq!(format!("{guard} {guard:?} {mutex:?}"), "ab \"ab\" Mutex { .. }");
        drop(guard);
        assert_eq!(mutex.into_inner().unwrap(), "ab");
        assert_eq!(*Mutex::<u8>::default().lock().unwrap(), 0);
    });
}

#[test]
fn statics_begin_anew() {
    fn program() {
        static TOTAL: Mutex<[u32; 3]> = Mutex::new([1, 2, 3]);
        static LIST: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(vec![7]));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut total = TOTAL.lock().unwrap();
                    total[1] += 10;
                    LIST.lock().unwrap().push(total[1]);
                });
            }
        });
        assert_eq!(*TOTAL.lock().unwrap(), [1, 22, 3]);
        assert_eq!(*LIST.lock().unwrap(), [7, 12, 22]);
    }
    assert_eq!(executions(program), 2);
    assert_eq!(count(Builder::new().symmetry(false).jobs(2), program), 2);
}

#[test]
fn a_static_that_cannot_begin_anew_is_refused() {
    static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let message = complaint(|| NAMES.lock().unwrap().push(String::from("me")));
    assert!(message.contains("make it a static `LazyLock` of a Mutex"), "{message}");
}

#[test]
fn a_mutex_from_outside_is_refused() {
    let mutex = Arc::new(Mutex::new(0));
    let message = complaint(move || {
        let choice = quotient::any_bool();
        *mutex.lock().unwrap() += u32::from(choice);
    });
    assert!(message.contains("this Mutex was made outside the checked closure"), "{message}");
}

/// The assertion unwinds through two guards; the check ends and the next one begins as if nothing had happened.
#[test]
fn a_panic_under_a_lock_is_only_a_panic() {
    let found = violation(|| {
        let (outer, inner) = (Mutex::new(1), Mutex::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                let outer = outer.lock().unwrap();
                let inner = inner.lock().unwrap();
                assert!(*outer > *inner, "not that order");
            });
            scope.spawn(|| drop(outer.lock()));
        });
    });
    assert_eq!(found, ViolationKind::Panic);
}
