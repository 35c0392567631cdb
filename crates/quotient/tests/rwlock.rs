//! Reader-writer locks.

mod common;

use common::{executions, outcomes, violation};
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::sync::{RwLock, RwLockWriteGuard};
use quotient::{ViolationKind, thread};

#[test]
fn readers_do_not_exclude_each_other() {
    let most = outcomes(|| {
        let (lock, inside) = (RwLock::new(()), AtomicUsize::new(0));
        let most = [(); 2].map(|()| AtomicUsize::new(0));
        thread::scope(|scope| {
            for most in &most {
                let (lock, inside) = (&lock, &inside);
                scope.spawn(move || {
                    let _guard = lock.read();
                    most.store(inside.fetch_add(1, Relaxed) + 1, Relaxed);
                    inside.fetch_sub(1, Relaxed);
                });
            }
        });
        most.map(AtomicUsize::into_inner).into_iter().max()
    });
    assert_eq!(most, [Some(1), Some(2)]);
}

/// The writes are in one of two orders, and a reader is before, between or after them.
#[test]
fn writers_exclude_everybody() {
    let program = || {
        let lock = RwLock::new((0, 0));
        let mut seen = (0, 0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut pair = lock.write().unwrap();
                    pair.0 += 1;
                    pair.1 += 1;
                });
            }
            scope.spawn(|| seen = *lock.read().unwrap());
        });
        assert_eq!(*lock.read().unwrap(), (2, 2));
        seen
    };
    assert_eq!(outcomes(program), [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(executions(program), 6);
}

#[test]
fn a_downgraded_writer_lets_readers_in_but_no_writer() {
    let seen = outcomes(|| {
        let lock = RwLock::new(0);
        let mut seen = 0;
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut guard = lock.write().unwrap();
                *guard = 1;
                let guard = RwLockWriteGuard::downgrade(guard);
                assert_eq!(*guard, 1);
            });
            scope.spawn(|| {
                if let Ok(mut guard) = lock.try_write() {
                    *guard += 10;
                }
            });
            scope.spawn(|| seen = *lock.read().unwrap());
        });
        seen
    });
    // The second writer's 10 is overwritten if it comes first.
    assert_eq!(seen, [0, 1, 10, 11]);
}

#[test]
fn trying_to_read_fails_only_while_there_is_a_writer() {
    let results = outcomes(|| {
        let lock = RwLock::new(());
        let (mut beside_reader, mut beside_writer) = (false, false);
        let reader = lock.read();
        thread::scope(|scope| {
            scope.spawn(|| beside_reader = lock.try_read().is_ok());
        });
        assert!(lock.try_write().is_err());
        drop(reader);
        thread::scope(|scope| {
            scope.spawn(|| drop(lock.write()));
            scope.spawn(|| beside_writer = lock.try_read().is_ok());
        });
        (beside_reader, beside_writer)
    });
    assert_eq!(results, [(true, false), (true, true)]);
}

#[test]
fn a_reader_that_wants_to_write_deadlocks() {
    let found = violation(|| {
        let lock = RwLock::new(());
        let _reader = lock.read();
        let _writer = lock.write();
    });
    assert_eq!(found, ViolationKind::Deadlock);
}
