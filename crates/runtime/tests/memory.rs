//! Memory that a program allocates: published without synchronisation, used after it was freed.

use quotient_runtime::ops::{self, Likeness, Order, Place};
use quotient_runtime::{Options, Outcome, Settings, Tracked, ViolationKind, check};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: Tracked = Tracked;

fn run(program: impl Fn() + Send + Sync + 'static) -> Outcome {
    check(Options { settings: Settings::default(), ..Options::default() }, Arc::new(program))
}

/// One thread makes an object and stores its address; the other reads the address and uses the object.
fn publish(store: Order, load: Order) -> Outcome {
    run(move || {
        let pointer = Arc::new(Place::new());
        let shared = pointer.clone();
        let maker = ops::spawn(
            Box::new(move || {
                let object: &'static Place = Box::leak(Box::new(Place::new()));
                ops::store(&shared, 0, std::ptr::from_ref(object) as u64, store);
            }),
            None,
            Likeness::Unlike,
        );
        let address = ops::load(&pointer, 0, load);
        if address != 0 {
            // SAFETY: the address is that of an object that is never freed.
            ops::load(unsafe { &*(address as *const Place) }, 7, Order::Relaxed);
        }
        ops::join(maker);
    })
}

#[test]
fn published_with_release_and_acquire() {
    let outcome = publish(Order::Release, Order::Acquire);
    assert!(outcome.failure.is_none());
    assert_eq!(outcome.statistics.complete, 2);
}

#[test]
fn published_without_synchronisation() {
    for (store, load) in [(Order::Relaxed, Order::Acquire), (Order::Release, Order::Relaxed)] {
        let failure = publish(store, load).failure.expect("a race with the initialisation");
        assert_eq!(failure.violation.kind, ViolationKind::Race);
        assert!(failure.violation.message.contains("initialised"), "{}", failure.violation.message);
    }
}

#[test]
fn used_after_free() {
    let outcome = run(|| {
        let object = Box::into_raw(Box::new(Place::new()));
        // SAFETY: the object lives.
        ops::load(unsafe { &*object }, 0, Order::Relaxed);
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(object) });
        // SAFETY: it does not live any more: that is the mistake which is found before memory is touched, because the
        // execution keeps what it frees until it ends.
        ops::load(unsafe { &*object }, 0, Order::Relaxed);
    });
    let failure = outcome.failure.expect("a use of freed memory");
    assert_eq!(failure.violation.kind, ViolationKind::Memory);
}

/// Freed memory is not used again within an execution, and is given back afterwards.
#[test]
fn addresses_are_not_reused() {
    let outcome = run(|| {
        let first = Box::into_raw(Box::new(7u64));
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(first) });
        let second = Box::into_raw(Box::new(8u64));
        assert_ne!(first, second);
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(second) });
        let x = Place::new();
        ops::choose(3);
        ops::store(&x, 0, 1, Order::Relaxed);
    });
    assert!(outcome.failure.is_none());
    assert_eq!(outcome.statistics.complete, 3);
}
