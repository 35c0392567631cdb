//! Atomics: values, orderings, exclusive access.

mod common;

use common::{Shared, complaint, count, executions, orbits, outcomes, outcomes_of, violation};
use quotient::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use quotient::sync::atomic::{
    AtomicBool, AtomicI8, AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering, compiler_fence, fence,
};
use quotient::{Builder, MemoryModel, ViolationKind, thread};
use std::sync::Arc;

/// Two threads store to one of two locations each and load the other: which results are there?
fn store_buffering(builder: Builder, store: Ordering, load: Ordering) -> Vec<(usize, usize)> {
    outcomes_of(builder, move || {
        let (x, y) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (mut a, mut b) = (0, 0);
        thread::scope(|scope| {
            scope.spawn(|| {
                x.store(1, store);
                a = y.load(load);
            });
            scope.spawn(|| {
                y.store(1, store);
                b = x.load(load);
            });
        });
        (a, b)
    })
}

#[test]
fn store_buffering_depends_on_model_and_orderings() {
    let strong = vec![(0, 1), (1, 0), (1, 1)];
    let weak = vec![(0, 0), (0, 1), (1, 0), (1, 1)];
    assert_eq!(store_buffering(Builder::new(), Relaxed, Relaxed), weak);
    assert_eq!(store_buffering(Builder::new(), Release, Acquire), weak);
    assert_eq!(store_buffering(Builder::new(), SeqCst, SeqCst), strong);
    assert_eq!(store_buffering(Builder::new().model(MemoryModel::Sc), Relaxed, Relaxed), strong);
    assert_eq!(store_buffering(Builder::new().model(MemoryModel::Tso), Relaxed, Relaxed), weak);
}

/// Two increments can happen in two orders; which thread is first does not matter, so there is one orbit.
#[test]
fn increments_are_never_lost() {
    let program = || {
        let counter = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let counter = counter.clone();
                thread::spawn(move || {
                    counter.fetch_add(1, Relaxed);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(counter.load(Relaxed), 2);
    };
    assert_eq!(executions(program), 2);
    assert_eq!(orbits(program), 1);
}

#[test]
fn a_load_and_a_store_can_lose_an_increment() {
    let found = violation(|| {
        let counter = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| counter.store(counter.load(Relaxed) + 1, Relaxed));
            }
        });
        assert_eq!(counter.load(Relaxed), 2);
    });
    assert_eq!(found, ViolationKind::Panic);
}

#[test]
fn a_release_store_publishes_and_a_relaxed_one_does_not() {
    fn publish(order: Ordering) {
        let (ready, data) = (AtomicBool::new(false), Shared::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                data.set(7);
                ready.store(true, order);
            });
            scope.spawn(|| {
                if ready.load(Acquire) {
                    assert_eq!(data.get(), 7);
                }
            });
        });
    }
    assert_eq!(executions(|| publish(Release)), 2);
    assert_eq!(violation(|| publish(Relaxed)), ViolationKind::Race);
}

#[test]
fn fences_publish() {
    let results = outcomes(|| {
        let (x, y) = (AtomicU32::new(0), AtomicU32::new(0));
        let mut seen = (0, 0);
        thread::scope(|scope| {
            scope.spawn(|| {
                x.store(1, Relaxed);
                fence(Release);
                y.store(1, Relaxed);
            });
            scope.spawn(|| {
                seen.0 = y.load(Relaxed);
                fence(Acquire);
                compiler_fence(SeqCst);
                seen.1 = x.load(Relaxed);
            });
        });
        seen
    });
    assert_eq!(results, [(0, 0), (0, 1), (1, 1)]);
}

#[test]
fn operators_wrap_at_their_width() {
    let alone = executions(|| {
        let unsigned = AtomicU8::new(250);
        assert_eq!(unsigned.fetch_add(10, Relaxed), 250);
        assert_eq!(unsigned.fetch_sub(5, Relaxed), 4);
        assert_eq!(unsigned.load(Relaxed), 255);
        assert_eq!(unsigned.fetch_nand(0x0f, Relaxed), 255);
        assert_eq!(unsigned.fetch_and(0x3c, Relaxed), 0xf0);
        assert_eq!(unsigned.fetch_or(1, Relaxed), 0x30);
        assert_eq!(unsigned.fetch_xor(0xff, Relaxed), 0x31);
        assert_eq!(unsigned.fetch_max(0xff, Relaxed), 0xce);
        assert_eq!(unsigned.fetch_min(3, AcqRel), 0xff);
        assert_eq!(unsigned.swap(9, SeqCst), 3);
        assert_eq!(unsigned.into_inner(), 9);
        let signed = AtomicI8::new(-1);
        assert_eq!(signed.fetch_max(1, Relaxed), -1);
        assert_eq!(signed.fetch_min(-128, Relaxed), 1);
        assert_eq!(signed.fetch_sub(1, Relaxed), -128);
        assert_eq!(signed.load(Relaxed), 127);
    });
    assert_eq!(alone, 1);
}

#[test]
fn booleans_know_logic() {
    executions(|| {
        for (value, operand) in [(false, false), (false, true), (true, false), (true, true)] {
            let results = [
                AtomicBool::fetch_and as fn(&AtomicBool, bool, Ordering) -> bool,
                AtomicBool::fetch_nand,
                AtomicBool::fetch_or,
                AtomicBool::fetch_xor,
            ]
            .map(|operator| {
                let atomic = AtomicBool::new(value);
                assert_eq!(operator(&atomic, operand, Relaxed), value);
                atomic.load(Relaxed)
            });
            assert_eq!(results, [value & operand, !(value & operand), value | operand, value ^ operand]);
        }
        let atomic = AtomicBool::default();
        assert!(!atomic.fetch_not(Relaxed));
        assert!(atomic.load(Relaxed));
    });
}

#[test]
fn an_exchange_gives_the_value_it_has_found() {
    executions(|| {
        let atomic = AtomicUsize::from(5);
        assert_eq!(atomic.compare_exchange(4, 6, SeqCst, Relaxed), Err(5));
        assert_eq!(atomic.compare_exchange(5, 6, SeqCst, Relaxed), Ok(5));
        assert_eq!(atomic.fetch_update(AcqRel, Acquire, |value| (value > 9).then_some(0)), Err(6));
        assert_eq!(atomic.try_update(AcqRel, Acquire, |value| Some(value + 1)), Ok(6));
        assert_eq!(atomic.update(AcqRel, Acquire, |value| value * 2), 7);
        assert_eq!(atomic.into_inner(), 14);
    });
}

#[test]
fn a_weak_exchange_fails_without_reason_if_asked_to() {
    let program = || AtomicUsize::new(0).compare_exchange_weak(0, 1, Relaxed, Relaxed).is_ok();
    assert_eq!(outcomes_of(Builder::new(), program), [true]);
    assert_eq!(outcomes_of(Builder::new().spurious_failures(true), program), [false, true]);
}

#[test]
fn pointers_move_and_swap() {
    executions(|| {
        let mut numbers = [1, 2, 3];
        let first = numbers.as_mut_ptr();
        let pointer = AtomicPtr::new(first);
        assert_eq!(pointer.fetch_ptr_add(2, Relaxed), first);
        // SAFETY: the pointer is to the last number.
        assert_eq!(unsafe { *pointer.load(Relaxed) }, 3);
        assert_eq!(pointer.fetch_ptr_sub(1, Relaxed), first.wrapping_add(2));
        assert_eq!(pointer.swap(std::ptr::null_mut(), Relaxed), first.wrapping_add(1));
        assert!(AtomicPtr::<u8>::default().into_inner().is_null());
    });
}

#[test]
fn what_get_mut_writes_is_what_threads_find() {
    let alone = executions(|| {
        let mut atomic = AtomicUsize::new(1);
        atomic.store(2, Relaxed);
        *atomic.get_mut() += 1;
        atomic.with_mut(|value| *value *= 10);
        let atomic = Arc::new(atomic);
        let (left, right) = (atomic.clone(), atomic.clone());
        let threads = [
            thread::spawn(move || assert_eq!(left.load(Relaxed), 30)),
            thread::spawn(move || assert_eq!(right.load(Relaxed), 30)),
        ];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(atomic.unsync_load(), 30);
    });
    assert_eq!(alone, 1);
}

#[test]
fn an_unsynchronised_load_races_with_a_store() {
    let found = violation(|| {
        let atomic = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| atomic.store(1, Relaxed));
            scope.spawn(|| atomic.unsync_load());
        });
    });
    assert_eq!(found, ViolationKind::Race);
}

#[test]
fn orderings_that_make_no_sense_panic() {
    assert!(complaint(|| AtomicU8::new(0).load(Release)).contains("a load cannot be Release"));
    assert!(complaint(|| AtomicU8::new(0).store(0, AcqRel)).contains("a store cannot be AcqRel"));
    assert!(complaint(|| fence(Relaxed)).contains("a fence cannot be Relaxed"));
    assert!(
        complaint(|| AtomicU8::new(0).compare_exchange(0, 1, SeqCst, Release)).contains("a load cannot be Release")
    );
}

/// A static begins with its initial value in each execution, also on several processors.
#[test]
fn statics_begin_anew() {
    fn program() {
        static COUNTER: AtomicUsize = AtomicUsize::new(5);
        let threads = [(); 2].map(|()| {
            thread::spawn(|| {
                COUNTER.fetch_add(1, Relaxed);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(COUNTER.load(Relaxed), 7);
    }
    assert_eq!(executions(program), 2);
    assert_eq!(count(Builder::new().symmetry(false).jobs(2), program), 2);
}
