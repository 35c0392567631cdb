//! Barriers.

mod common;

use common::{executions, orbits, outcomes, violation};
use quotient::sync::Barrier;
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::{ViolationKind, thread};

/// The order of the arrivals is all there is.
#[test]
fn nobody_passes_before_all_have_arrived() {
    let program = || {
        let (barrier, before) = (Barrier::new(3), [(); 3].map(|()| AtomicUsize::new(0)));
        thread::scope(|scope| {
            for mine in &before {
                let (barrier, before) = (&barrier, &before);
                scope.spawn(move || {
                    mine.store(1, Relaxed);
                    barrier.wait();
                    assert!(before.iter().all(|one| one.load(Relaxed) == 1));
                });
            }
        });
    };
    assert_eq!(executions(program), 6);
}

#[test]
fn each_round_has_one_leader_and_anyone_can_be_it() {
    let leaders = outcomes(|| {
        let barrier = Barrier::new(2);
        let leads = [(); 2].map(|()| AtomicUsize::new(0));
        thread::scope(|scope| {
            for mine in &leads {
                let barrier = &barrier;
                scope.spawn(move || {
                    for round in 0..2 {
                        mine.fetch_or(usize::from(barrier.wait().is_leader()) << round, Relaxed);
                    }
                });
            }
        });
        leads.map(AtomicUsize::into_inner)
    });
    assert_eq!(leaders, [[0, 3], [1, 2], [2, 1], [3, 0]]);
}

#[test]
fn like_threads_arrive_in_one_order() {
    let count = orbits(|| {
        let barrier = Barrier::new(3);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    barrier.wait();
                });
            }
        });
    });
    assert_eq!(count, 1);
}

#[test]
fn a_missing_thread_is_a_deadlock() {
    let found = violation(|| {
        let barrier = Barrier::new(3);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| barrier.wait().is_leader());
            }
        });
    });
    assert_eq!(found, ViolationKind::Deadlock);
}

#[test]
fn a_barrier_for_nobody_lets_everybody_through() {
    assert_eq!(executions(|| assert!(Barrier::new(0).wait().is_leader())), 1);
}
