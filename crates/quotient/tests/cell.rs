//! Cells whose accesses are checked.

mod common;

use common::{Shared, executions, violation};
use quotient::cell::{Cell, RefCell, UnsafeCell};
use quotient::sync::Mutex;
use quotient::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use quotient::{ViolationKind, thread};

#[test]
fn readers_do_not_race() {
    let only = executions(|| {
        let cell = Shared::new(5);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(cell.get(), 5));
            }
        });
    });
    assert_eq!(only, 1);
}

#[test]
fn a_reader_and_a_writer_race() {
    let found = violation(|| {
        let cell = Shared::new(5);
        thread::scope(|scope| {
            scope.spawn(|| cell.set(6));
            scope.spawn(|| cell.get());
        });
    });
    assert_eq!(found, ViolationKind::Race);
}

#[test]
fn a_lock_orders_accesses() {
    let both = executions(|| {
        let (cell, mutex) = (Shared::new(0), Mutex::new(()));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _guard = mutex.lock();
                    cell.set(cell.get() + 1);
                });
            }
        });
        assert_eq!(cell.get(), 2);
    });
    assert_eq!(both, 2);
}

struct Exposed(UnsafeCell<u32>);

// SAFETY: that accesses are ordered is what is checked.
unsafe impl Sync for Exposed {}

/// The access goes on after the flag is set, so the other thread is too early.
#[test]
fn an_access_lasts_until_its_end() {
    fn publish(early: bool) {
        let (cell, ready) = (Exposed(UnsafeCell::new(0)), AtomicBool::new(false));
        thread::scope(|scope| {
            let cell = &cell;
            scope.spawn(|| {
                cell.0.with_mut(|value| {
                    // SAFETY: accesses are checked.
                    unsafe { *value = 1 };
                    if early {
                        ready.store(true, Release);
                    }
                });
                ready.store(true, Release);
            });
            scope.spawn(|| {
                if ready.load(Acquire) {
                    // SAFETY: accesses are checked.
                    assert_eq!(unsafe { *cell.0.get().deref() }, 1);
                }
            });
        });
    }
    assert_eq!(executions(|| publish(false)), 2);
    assert_eq!(violation(|| publish(true)), ViolationKind::Race);
}

#[test]
fn a_pointer_ends_its_access_when_dropped() {
    fn publish(early: bool) {
        let (cell, ready) = (Exposed(UnsafeCell::new(0)), AtomicBool::new(false));
        thread::scope(|scope| {
            let cell = &cell;
            scope.spawn(|| {
                let pointer = cell.0.get_mut();
                // SAFETY: accesses are checked.
                unsafe { *pointer.deref() = 1 };
                if early {
                    ready.store(true, Release);
                }
                drop(pointer);
                ready.store(true, Release);
            });
            scope.spawn(|| {
                if ready.load(Acquire) {
                    // SAFETY: accesses are checked.
                    assert_eq!(cell.0.get().with(|value| unsafe { *value }), 1);
                }
            });
        });
    }
    assert_eq!(executions(|| publish(false)), 2);
    assert_eq!(violation(|| publish(true)), ViolationKind::Race);
}

#[test]
fn the_shapes_of_std() {
    executions(|| {
        let mut cell = Cell::from(1);
        cell.set(cell.get() + 1);
        assert_eq!(cell.replace(5), 2);
        *cell.get_mut() += 1;
        cell.update(|value| value * 2);
        let other = Cell::new(0);
        cell.swap(&other);
        cell.swap(&cell);
        assert_eq!((cell.take(), other.into_inner()), (0, 12));
        let mut inner = UnsafeCell::new(String::from("a"));
        inner.inner_mut().push('b');
        assert_eq!(inner.into_inner(), "ab");
        assert_eq!(RefCell::new(1).into_inner(), 1);
    });
}

#[test]
fn statics_begin_anew() {
    static CELL: Shared<u32> = Shared::new(3);
    static LOCK: Mutex<()> = Mutex::new(());
    let both = executions(|| {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _guard = LOCK.lock();
                    CELL.set(CELL.get() + 1);
                });
            }
        });
        assert_eq!(CELL.get(), 5);
    });
    assert_eq!(both, 2);
}
