//! Shared ownership: when the order of drops matters, and when it does not.

mod common;

use common::{complaint, executions, orbits, outcomes, violation};
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::sync::{Arc, Mutex, Weak};
use quotient::{ViolationKind, thread};
use std::collections::BTreeSet;
use std::fmt::Display;

/// Nobody can tell which reference goes last, so drops add no executions to the two orders of the increments.
#[test]
fn drops_that_nobody_notices_cost_nothing() {
    let program = || {
        let counter = Arc::new(AtomicUsize::new(0));
        let threads = [(); 2].map(|()| {
            let counter = counter.clone();
            thread::spawn(move || {
                counter.fetch_add(1, Relaxed);
            })
        });
        drop(counter);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    assert_eq!(executions(program), 2);
    assert_eq!(orbits(program), 1);
}

/// All other references are dropped by threads that have been joined, so there is nothing to explore.
#[test]
fn the_last_one_knows_it_after_joining() {
    let program = || {
        let total = Arc::new(Mutex::new(0));
        let threads = [(); 2].map(|()| {
            let total = total.clone();
            thread::spawn(move || *total.lock().unwrap() += 1)
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(Arc::strong_count(&total), 1);
        assert_eq!(Arc::try_unwrap(total).unwrap().into_inner().unwrap(), 2);
    };
    assert_eq!(executions(program), 2);
    assert_eq!(orbits(program), 1);
}

#[test]
fn the_last_one_of_two_that_race_gets_the_value() {
    let program = || {
        let value = Arc::new(5);
        let other = value.clone();
        let thread = thread::spawn(move || Arc::into_inner(other));
        let mine = Arc::into_inner(value);
        let theirs = thread.join().unwrap();
        assert_ne!(mine.is_some(), theirs.is_some());
        mine
    };
    assert_eq!(outcomes(program), [None, Some(5)]);
    assert_eq!(executions(program), 2);
}

#[test]
fn uniqueness_depends_on_the_other_thread() {
    let results = outcomes(|| {
        let mut value = Arc::new(1);
        let other = value.clone();
        let thread = thread::spawn(move || drop(other));
        let alone = Arc::get_mut(&mut value).is_some();
        thread.join().unwrap();
        assert!(Arc::get_mut(&mut value).is_some());
        alone
    });
    assert_eq!(results, [false, true]);
    let counts = outcomes(|| {
        let value = Arc::new(1);
        let other = value.clone();
        let thread = thread::spawn(move || drop(other.clone()));
        let count = Arc::strong_count(&value);
        thread.join().unwrap();
        count
    });
    assert_eq!(counts, [1, 2, 3]);
}

/// The destructor performs an operation, so it matters who runs it.
#[test]
fn a_destructor_that_does_something_can_run_in_either_thread() {
    struct Tells(std::sync::Arc<AtomicUsize>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    let results = outcomes(|| {
        let drops = std::sync::Arc::new(AtomicUsize::new(0));
        let value = Arc::new(Tells(drops.clone()));
        let other = value.clone();
        let thread = thread::spawn(move || drop(other));
        drop(value);
        let seen = drops.load(Relaxed);
        thread.join().unwrap();
        assert_eq!(drops.load(Relaxed), 1);
        seen
    });
    assert_eq!(results, [0, 1]);
}

#[test]
fn what_is_kept_for_ever_is_a_leak() {
    let message = complaint(|| std::mem::forget(Arc::new(5)));
    assert!(message.contains("Arc is never freed"), "{message}");
    let found = violation(|| {
        struct Node(Mutex<Option<Arc<Node>>>);
        let node = Arc::new(Node(Mutex::new(None)));
        *node.0.lock().unwrap() = Some(node.clone());
    });
    assert_eq!(found, ViolationKind::Leak);
}

#[test]
fn a_weak_reference_finds_the_value_or_not() {
    let results = outcomes(|| {
        let value = Arc::new(7);
        let weak = Arc::downgrade(&value);
        let thread = thread::spawn(move || drop(value));
        let found = weak.upgrade().map(|value| *value);
        thread.join().unwrap();
        assert!(weak.upgrade().is_none());
        found
    });
    assert_eq!(results, [None, Some(7)]);
}

#[test]
fn cycles_through_weak_references_are_no_leak() {
    struct Node {
        me: Weak<Node>,
    }
    executions(|| {
        let node = Arc::new_cyclic(|me| Node { me: me.clone() });
        assert!(Arc::ptr_eq(&node, &node.me.upgrade().unwrap()));
        assert_eq!((Arc::strong_count(&node), Arc::weak_count(&node)), (1, 1));
        assert!(Weak::<u32>::new().upgrade().is_none());
    });
}

#[test]
fn a_shared_value_is_cloned_before_it_is_changed() {
    executions(|| {
        let mut mine = Arc::new(vec![1]);
        Arc::make_mut(&mut mine).push(2);
        let theirs = mine.clone();
        Arc::make_mut(&mut mine).push(3);
        assert_eq!((&**mine, &**theirs), (&[1, 2, 3][..], &[1, 2][..]));
        let weak = Arc::downgrade(&mine);
        Arc::make_mut(&mut mine).push(4);
        assert!(weak.upgrade().is_none());
        assert_eq!(Arc::unwrap_or_clone(mine), [1, 2, 3, 4]);
    });
}

#[test]
fn references_can_be_pointers_for_a_while() {
    executions(|| {
        let value = Arc::new(String::from("raw"));
        let pointer = Arc::into_raw(value.clone());
        assert_eq!(pointer, Arc::as_ptr(&value));
        // SAFETY: the pointer came from `into_raw` once, so two references can be made of it after the first line.
        unsafe {
            Arc::increment_strong_count(pointer);
            Arc::decrement_strong_count(pointer);
            assert_eq!(*Arc::from_raw(pointer), "raw");
        }
        assert_eq!(Arc::strong_count(&value), 1);
    });
}

#[test]
fn the_rest_of_the_shape_of_std() {
    executions(|| {
        let shown: Arc<dyn Display + Send + Sync> = Arc::from_std(std::sync::Arc::new(5));
        assert_eq!(shown.to_string(), "5");
        let texts: BTreeSet<Arc<str>> = [Arc::from("b"), Arc::from(String::from("a"))].into();
        assert_eq!(format!("{texts:?}"), r#"{"a", "b"}"#);
        assert!(texts.contains("a"));
        let numbers: Arc<[u32]> = (1..4).collect();
        assert_eq!(*numbers, [1, 2, 3]);
        assert_eq!(Arc::<[u32]>::from(vec![1, 2, 3]), numbers);
        assert_eq!(*Arc::pin(3), 3);
        assert_eq!(Arc::<u8>::default(), Arc::from(Box::new(0)));
    });
}

#[test]
fn references_made_outside_a_check_are_usable_inside() {
    let outside = Arc::new(AtomicUsize::new(1));
    let program = move || {
        let clone = outside.clone();
        let thread = thread::spawn(move || clone.fetch_add(1, Relaxed));
        assert_eq!(thread.join().unwrap(), 1);
    };
    assert_eq!(executions(program), 1);
}
