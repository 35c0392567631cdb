//! Code that runs once, values that are made once, and statics made of them.

mod common;

use common::{Shared, count, executions, orbits, outcomes, violation};
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::sync::{Arc, LazyLock, Mutex, Once, OnceLock};
use quotient::{Builder, ViolationKind, thread};
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn code_runs_exactly_once_and_before_anyone_goes_on() {
    let program = || {
        let (once, data) = (Once::new(), Shared::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    once.call_once(|| data.set(data.get() + 1));
                    assert_eq!(data.get(), 1);
                });
            }
        });
        assert!(once.is_completed());
        once.call_once_force(|state| panic!("it ran again, poisoned: {}", state.is_poisoned()));
    };
    // One of two is first; the other comes while the code runs or when it has run.
    assert_eq!(executions(program), 4);
    assert_eq!(orbits(program), 2);
}

#[test]
fn a_once_inside_itself_deadlocks() {
    let found = violation(|| {
        let once = Once::new();
        once.call_once(|| once.call_once(|| ()));
    });
    assert_eq!(found, ViolationKind::Deadlock);
}

#[test]
fn waiting_for_a_once_that_nobody_runs_deadlocks() {
    assert_eq!(violation(|| Once::new().wait()), ViolationKind::Deadlock);
    assert_eq!(violation(|| *OnceLock::<u32>::new().wait()), ViolationKind::Deadlock);
}

#[test]
fn the_first_value_stays() {
    let results = outcomes(|| {
        let cell = OnceLock::new();
        thread::scope(|scope| {
            let other = scope.spawn(|| cell.set(1));
            let mine = cell.set(2);
            assert_ne!(other.join().unwrap().is_ok(), mine.is_ok());
        });
        assert_eq!(cell.get_or_init(|| 3), cell.wait());
        *cell.get().unwrap()
    });
    assert_eq!(results, [1, 2]);
}

#[test]
fn a_value_is_seen_when_it_is_there() {
    let results = outcomes(|| {
        let cell = OnceLock::new();
        let mut seen = None;
        thread::scope(|scope| {
            scope.spawn(|| *cell.get_or_init(|| String::from("made")) == "made");
            scope.spawn(|| seen = cell.get().cloned());
        });
        seen
    });
    assert_eq!(results, [None, Some(String::from("made"))]);
}

#[test]
fn the_rest_of_the_shape_of_std() {
    executions(|| {
        let mut cell = OnceLock::from(1);
        *cell.get_mut().unwrap() += 1;
        assert_eq!(cell.clone(), cell);
        assert_eq!(cell.take(), Some(2));
        assert_eq!(cell.get(), None);
        assert_eq!(cell.set(5), Ok(()));
        assert_eq!(cell.set(6), Err(6));
        assert_eq!(cell.into_inner(), Some(5));
        let mut lazy = LazyLock::new(|| vec![1]);
        assert!(LazyLock::get(&lazy).is_none());
        lazy.push(2);
        assert_eq!(*lazy, [1, 2]);
        assert_eq!(LazyLock::force(&lazy).len(), 2);
    });
}

/// What a lazy value's function owns is dropped once, whether it is called or not.
#[test]
fn the_function_of_a_lazy_value_is_dropped_once() {
    executions(|| {
        let drops = Rc::new(Cell::new(0));
        struct Counts(Rc<Cell<u32>>);
        impl Drop for Counts {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let counts = Counts(drops.clone());
        drop(LazyLock::new(move || drop(counts)));
        assert_eq!(drops.get(), 1);
        let counts = Counts(drops.clone());
        let lazy = LazyLock::new(move || drop(counts));
        LazyLock::force(&lazy);
        drop(lazy);
        assert_eq!(drops.get(), 2);
    });
}

quotient::lazy_static! {
    /// Made anew in each execution.
    static ref LOG: Mutex<Vec<usize>> = Mutex::new(Vec::new());
}

/// What is in statics is made anew in each execution, on each processor, and is no leak when it ends.
#[test]
fn statics_begin_anew() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    static SHARED: LazyLock<Arc<usize>> = LazyLock::new(|| Arc::new(MADE.fetch_add(1, Relaxed)));
    static NAME: OnceLock<String> = OnceLock::new();
    static START: Once = Once::new();
    fn program() {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    START.call_once(|| NAME.set(String::from("name")).expect("a new execution"));
                    let mut log = LOG.lock().unwrap();
                    log.push(**SHARED);
                });
            }
        });
        assert_eq!(NAME.get().map(String::as_str), Some("name"));
        assert_eq!(*LOG.lock().unwrap(), [0, 0]);
        assert_eq!(MADE.load(Relaxed), 1);
    }
    let expected = executions(program);
    assert_eq!(count(Builder::new().symmetry(false).jobs(2), program), expected);
}
