//! Programs that depend on which of two blocks of memory has the lower address, and programs that do not.

use std::collections::BTreeSet;

use quotient::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use quotient::sync::{Arc, Mutex};
use quotient::{AddressOrder, Builder, Report, ViolationKind, thread};

fn run(order: AddressOrder, symmetry: bool, program: fn()) -> Report {
    Builder::new().address_order(order).symmetry(symmetry).run(program)
}

/// Two like threads publish a lock each and take both, in the order of their addresses; `wrong` says which of them takes
/// them the other way round, if its lock has the lower address.
fn lock_in_order(wrong: usize) {
    type Lock = Mutex<()>;
    struct Shared {
        published: [AtomicPtr<Lock>; 2],
        count: AtomicUsize,
    }
    let published = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];
    let shared = Arc::new(Shared { published, count: AtomicUsize::new(0) });
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let shared = shared.clone();
            thread::spawn(move || {
                let mine = Box::into_raw(Box::new(Mutex::new(())));
                let index = shared.count.fetch_add(1, AcqRel);
                shared.published[index].store(mine, Release);
                let other = shared.published[1 - index].load(Acquire);
                if other.is_null() {
                    return;
                }
                let (mut first, mut second) = if mine < other { (mine, other) } else { (other, mine) };
                if index == wrong && mine < other {
                    (first, second) = (second, first);
                }
                // SAFETY: the locks are never freed while threads run.
                let (first, second) = unsafe { (&*first, &*second) };
                let guard = first.lock();
                drop(second.lock());
                drop(guard);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    for lock in &shared.published {
        // SAFETY: the threads have ended, and each has made one.
        drop(unsafe { Box::from_raw(lock.load(Acquire)) });
    }
}

#[test]
fn locks_taken_by_address_can_deadlock() {
    for symmetry in [true, false] {
        for order in [AddressOrder::Auto, AddressOrder::Both] {
            let report = run(order, symmetry, || lock_in_order(1));
            assert_eq!(report.violation(), Some(ViolationKind::Deadlock), "{order:?} {symmetry}: {report}");
            let report = run(order, symmetry, || lock_in_order(0));
            assert_eq!(report.violation(), Some(ViolationKind::Deadlock), "{order:?} {symmetry}: {report}");
        }
    }
}

#[test]
fn locks_taken_in_the_right_order_hold() {
    for symmetry in [true, false] {
        for order in [AddressOrder::Auto, AddressOrder::Both] {
            let report = run(order, symmetry, || lock_in_order(2));
            assert!(report.holds(), "{report}");
        }
    }
}

#[test]
fn a_dependence_on_the_order_gets_a_warning_with_a_line() {
    for symmetry in [true, false] {
        let report = run(AddressOrder::Auto, symmetry, || {
            let before: Arc<AtomicPtr<u8>> = Arc::default();
            let order = Arc::new(AtomicUsize::new(0));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let (before, order) = (before.clone(), order.clone());
                    thread::spawn(move || {
                        let mine = Box::into_raw(Box::new(0u8));
                        let other = before.swap(mine, AcqRel);
                        if !other.is_null() {
                            order.store(if other < mine { 1 } else { 2 }, Relaxed);
                            // SAFETY: whoever takes a block frees it.
                            drop(unsafe { Box::from_raw(other) });
                        }
                    })
                })
                .collect();
            for thread in threads {
                thread.join().unwrap();
            }
            // SAFETY: one block is left.
            drop(unsafe { Box::from_raw(before.load(Acquire)) });
        });
        assert!(report.holds(), "{report}");
        let warning = report.warnings().first().cloned().unwrap_or_default();
        assert!(warning.contains("order of addresses") && warning.contains("address_order.rs:"), "{report}");
        assert_eq!(report.executions(), 4, "two in each order, whatever is said of symmetry");
    }
}

/// A thread compares its block with one that was made before.
fn compares(is_right: fn(*const u8, *const u8) -> bool) {
    let before = Box::new(0u8);
    let address = AtomicPtr::new((&raw const *before).cast_mut());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mine = Box::new(1u8);
            assert!(is_right(address.load(Acquire), &raw const *mine));
        });
    });
}

#[test]
fn an_assertion_about_an_order_is_wrong_whichever_it_is() {
    for order in [AddressOrder::Auto, AddressOrder::Both] {
        let report = run(order, true, || compares(|before, mine| before < mine));
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "{order:?}: {report}");
        let report = run(order, true, || compares(|before, mine| before > mine));
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "{order:?}: {report}");
    }
    let report = run(AddressOrder::Both, true, || compares(|before, mine| before != mine));
    assert!(report.holds() && report.executions() == 2, "{report}");
}

#[test]
fn one_order_only_is_explored_if_that_is_wanted() {
    let reports = [|| compares(|before, mine| before < mine), || compares(|before, mine| before > mine)]
        .map(|program: fn()| run(AddressOrder::Ascending, true, program).violation());
    assert_eq!(reports.iter().filter(|found| found.is_some()).count(), 1, "{reports:?}");
}

#[test]
fn an_execution_with_descending_addresses_can_be_run_again() {
    let programs: [fn(); 2] = [|| compares(|before, mine| before < mine), || compares(|before, mine| before > mine)];
    let mut descending = 0;
    for program in programs {
        let report = run(AddressOrder::Auto, true, program);
        let text = report.replay().expect("a text").to_owned();
        descending += usize::from(text.starts_with("descending:"));
        let again = Builder::new().replay(text).run(program);
        assert_eq!(again.violation(), Some(ViolationKind::Panic), "{again}");
    }
    assert_eq!(descending, 1, "one of the two goes wrong with ascending addresses");
}

#[test]
fn a_set_of_addresses_is_in_their_order() {
    for symmetry in [true, false] {
        let report = run(AddressOrder::Auto, symmetry, || {
            let all = Arc::new(Mutex::new((BTreeSet::new(), Vec::new())));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let all = all.clone();
                    thread::spawn(move || {
                        let mine = Box::new(0u64);
                        let address = std::ptr::from_ref(&*mine).addr();
                        let mut all = all.lock().unwrap();
                        all.0.insert(address);
                        all.1.push(mine);
                        // The first to come has the lower address.
                        assert_eq!(all.0.first().copied(), Some(std::ptr::from_ref(&*all.1[0]).addr()));
                    })
                })
                .collect();
            for thread in threads {
                thread.join().unwrap();
            }
        });
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "symmetry {symmetry}: {report}");
    }
}

#[test]
fn programs_that_are_blind_to_addresses_keep_their_counts() {
    fn push() {
        struct Node {
            _next: *mut Node,
        }
        let top: Arc<AtomicPtr<Node>> = Arc::default();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let top = top.clone();
                thread::spawn(move || {
                    let mine = Box::into_raw(Box::new(Node { _next: std::ptr::null_mut() }));
                    let before = top.swap(mine, AcqRel);
                    assert_ne!(before, mine);
                    if !before.is_null() {
                        // SAFETY: whoever takes a node frees it.
                        drop(unsafe { Box::from_raw(before) });
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        // SAFETY: one node is left.
        drop(unsafe { Box::from_raw(top.load(Acquire)) });
    }
    let counts = [(true, 1), (false, 2)].map(|(symmetry, count)| {
        let reports = [AddressOrder::Auto, AddressOrder::Ascending, AddressOrder::Both].map(|order| {
            let report = run(order, symmetry, push);
            assert!(report.holds() && report.warnings().is_empty(), "{report}");
            report.executions()
        });
        (reports, [count, count, 2 * count])
    });
    for (found, expected) in counts {
        assert_eq!(found, expected);
    }
}
