//! Condition variables.

mod common;

use common::{complaint, executions, outcomes, violation};
use quotient::sync::{Condvar, Mutex};
use quotient::{ViolationKind, thread};
use std::time::Duration;

#[test]
fn ping_and_pong_take_turns() {
    let only = executions(|| {
        let (turn, changed) = (Mutex::new(0), Condvar::new());
        thread::scope(|scope| {
            for me in 0..2 {
                let (turn, changed) = (&turn, &changed);
                scope.spawn(move || {
                    for round in 0..2 {
                        let mut turn = changed.wait_while(turn.lock().unwrap(), |turn| *turn % 2 != me).unwrap();
                        assert_eq!(*turn, 2 * round + me);
                        *turn += 1;
                        changed.notify_one();
                    }
                });
            }
        });
        assert_eq!(*turn.lock().unwrap(), 4);
    });
    assert!(only > 1);
}

/// Without looking at the condition under the lock, the notification can come before the wait, and is lost.
#[test]
fn a_lost_wakeup_is_a_deadlock() {
    let message = complaint(|| {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| drop(condvar.wait(mutex.lock().unwrap())));
            scope.spawn(|| condvar.notify_one());
        });
    });
    assert!(message.contains("waits for a condition variable"), "{message}");
}

/// If the flag is set first there is no wait; otherwise the waiter is in the queue before the notification comes.
#[test]
fn a_flag_under_the_lock_loses_nothing() {
    let both = executions(|| {
        let (flag, condvar) = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut flag = flag.lock().unwrap();
                while !*flag {
                    flag = condvar.wait(flag).unwrap();
                }
            });
            scope.spawn(|| {
                *flag.lock().unwrap() = true;
                condvar.notify_all();
            });
        });
    });
    assert_eq!(both, 2);
}

#[test]
fn any_waiter_can_be_the_one() {
    let woken = outcomes(|| {
        let (state, condvar) = (Mutex::new((0, 0, Vec::new())), Condvar::new());
        thread::scope(|scope| {
            for me in 0..2 {
                let (state, condvar) = (&state, &condvar);
                scope.spawn(move || {
                    let mut guard = state.lock().unwrap();
                    guard.0 += 1;
                    let mut guard = condvar.wait(guard).unwrap();
                    guard.2.push(me);
                    // Lets the other one go.
                    condvar.notify_one();
                });
            }
            scope.spawn(|| {
                // Only executions in which both wait by now.
                quotient::assume(state.lock().unwrap().0 == 2);
                condvar.notify_one();
            });
        });
        state.into_inner().unwrap().2
    });
    assert_eq!(woken, [[0, 1], [1, 0]]);
}

#[test]
fn one_notification_wakes_only_one() {
    let found = violation(|| {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| drop(condvar.wait(mutex.lock().unwrap())));
            }
            scope.spawn(|| condvar.notify_one());
        });
    });
    assert_eq!(found, ViolationKind::Deadlock);
}

#[test]
fn a_timed_wait_is_notified_or_times_out_but_never_deadlocks() {
    let second = Duration::from_secs(1);
    let timed_out = outcomes(move || {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        let mut timed_out = false;
        thread::scope(|scope| {
            scope.spawn(|| timed_out = condvar.wait_timeout(mutex.lock().unwrap(), second).unwrap().1.timed_out());
            scope.spawn(|| condvar.notify_one());
        });
        timed_out
    });
    assert_eq!(timed_out, [false, true]);
}

#[test]
fn a_timed_wait_for_a_condition_says_whether_it_holds() {
    let second = Duration::from_secs(1);
    let results = outcomes(move || {
        let (ready, condvar) = (Mutex::new(false), Condvar::new());
        let mut result = (false, false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let guard = ready.lock().unwrap();
                let (guard, timeout) = condvar.wait_timeout_while(guard, second, |ready| !*ready).unwrap();
                result = (*guard, timeout.timed_out());
            });
            scope.spawn(|| {
                *ready.lock().unwrap() = true;
                condvar.notify_one();
            });
        });
        result
    });
    assert_eq!(results, [(false, true), (true, false)]);
}

#[test]
fn a_static_condvar_begins_anew() {
    static FLAG: Mutex<bool> = Mutex::new(false);
    static CHANGED: Condvar = Condvar::new();
    let both = executions(|| {
        thread::scope(|scope| {
            scope.spawn(|| drop(CHANGED.wait_while(FLAG.lock().unwrap(), |flag| !*flag)));
            scope.spawn(|| {
                *FLAG.lock().unwrap() = true;
                CHANGED.notify_one();
            });
        });
    });
    assert_eq!(both, 2);
}
