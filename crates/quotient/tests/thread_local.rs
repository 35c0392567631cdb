//! Thread locals.

mod common;

use common::{executions, outcomes};
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::thread;
use std::cell::{Cell, RefCell};

quotient::thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(1) };
    static NAMES: RefCell<Vec<String>> = RefCell::new(vec![String::from("first")]);
}

#[test]
fn each_thread_of_each_execution_has_its_own() {
    let program = || {
        let order = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    assert_eq!(NUMBER.get(), 1);
                    NUMBER.set(NUMBER.get() + 5);
                    order.fetch_add(1, Relaxed);
                    assert_eq!(NUMBER.replace(0), 6);
                });
            }
        });
        assert_eq!(NUMBER.take(), 1);
        NUMBER.update(|number| number + 1);
        assert_eq!(NUMBER.with(Cell::get), 1);
    };
    assert_eq!(executions(program), 2);
}

#[test]
fn the_shapes_of_std() {
    executions(|| {
        NAMES.with_borrow_mut(|names| names.push(String::from("second")));
        assert_eq!(NAMES.with_borrow(Vec::len), 2);
        assert_eq!(NAMES.replace(Vec::new()).len(), 2);
        NAMES.set(vec![String::from("third")]);
        assert_eq!(NAMES.take(), ["third"]);
        thread::spawn(|| {
            // Setting it first does without the initial value.
            NAMES.set(Vec::new());
            assert!(NAMES.take().is_empty());
        })
        .join()
        .unwrap();
    });
}

static DROPS: AtomicUsize = AtomicUsize::new(0);

struct Tells;

impl Drop for Tells {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Relaxed);
        assert!(GONE.try_with(|_| ()).is_err(), "it was made later, so it goes first");
    }
}

quotient::thread_local! {
    static TELLS: Tells = Tells;
    static GONE: Box<u32> = Box::new(1);
}

#[test]
fn destructors_run_before_the_thread_is_joined() {
    let results = outcomes(|| {
        let thread = thread::spawn(|| {
            TELLS.with(|_| ());
            GONE.with(|gone| assert_eq!(**gone, 1));
        });
        let before = DROPS.load(Relaxed);
        thread.join().unwrap();
        assert_eq!(DROPS.load(Relaxed), 1);
        before
    });
    assert_eq!(results, [0, 1]);
}
