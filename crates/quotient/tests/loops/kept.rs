//! What a loop keeps from round to round in its variables.

use super::*;
use quotient::sync::atomic::{AtomicBool, AtomicUsize, Ordering, Ordering::*, fence};

fn set(flag: &AtomicBool) {
    flag.store(true, Release);
}

/// Goes through three values; loops wait for the last.
fn count_up(x: &AtomicUsize) {
    (1..=3).for_each(|value| x.store(value, Release));
}

#[test]
fn a_flag_of_the_first_round() {
    fails(|| {
        let wait = |flag: &AtomicBool| {
            let mut first = true;
            while !flag.load(Acquire) {
                first = false;
            }
            assert!(first);
        };
        beside(AtomicBool::new(false), wait, set);
    });
}

#[test]
fn a_flag_of_the_first_round_that_is_fine() {
    holds(|| {
        let wait = |flag: &AtomicBool| {
            let mut first = true;
            while !flag.load(Acquire) {
                first = false;
            }
            assert!(first || flag.load(Acquire));
        };
        beside(AtomicBool::new(false), wait, set);
    });
}

#[test]
fn a_pause_that_doubles() {
    fails(|| {
        let wait = |flag: &AtomicBool| {
            let mut pause = 1;
            while !flag.load(Acquire) {
                pause = (2 * pause).min(4);
            }
            assert!(pause < 4);
        };
        beside(AtomicBool::new(false), wait, set);
    });
}

#[test]
fn a_pause_that_doubles_up_to_what_is_allowed() {
    holds(|| {
        let wait = |flag: &AtomicBool| {
            let mut pause = 1;
            while !flag.load(Acquire) {
                pause = (2 * pause).min(4);
            }
            assert!(pause <= 4);
        };
        beside(AtomicBool::new(false), wait, set);
    });
}

#[test]
fn the_last_value() {
    fails(|| {
        let wait = |x: &AtomicUsize| {
            let mut last = None;
            loop {
                match x.load(Acquire) {
                    3 => break,
                    now => last = Some(now),
                }
            }
            assert_ne!(last, Some(1));
        };
        beside(AtomicUsize::new(0), wait, count_up);
    });
}

#[test]
fn the_last_value_is_never_the_one_that_ends_the_loop() {
    holds(|| {
        let wait = |x: &AtomicUsize| {
            let mut last = None;
            loop {
                match x.load(Acquire) {
                    3 => break,
                    now => last = Some(now),
                }
            }
            assert_ne!(last, Some(3));
        };
        beside(AtomicUsize::new(0), wait, count_up);
    });
}

#[test]
fn the_largest_value() {
    fails(|| {
        let wait = |x: &AtomicUsize| {
            let mut largest = 0;
            loop {
                let now = x.load(Acquire);
                largest = largest.max(now);
                if now == 1 {
                    break;
                }
            }
            assert!(largest != 5);
        };
        beside(AtomicUsize::new(0), wait, |x| [2, 5, 1].into_iter().for_each(|value| x.store(value, Release)));
    });
}

#[test]
fn an_error_on_the_way() {
    fails(|| {
        let wait = |state: &AtomicUsize| {
            let mut error = false;
            loop {
                match state.load(Acquire) {
                    3 => break,
                    1 => error = true,
                    _ => {}
                }
                quotient::hint::spin_loop();
            }
            assert!(!error);
        };
        beside(AtomicUsize::new(0), wait, count_up);
    });
}

#[test]
fn an_error_that_never_happens() {
    holds(|| {
        let wait = |state: &AtomicUsize| {
            let mut error = false;
            loop {
                match state.load(Acquire) {
                    3 => break,
                    4 => error = true,
                    _ => {}
                }
            }
            assert!(!error);
        };
        beside(AtomicUsize::new(0), wait, count_up);
    });
}

/// Exchanges until one succeeds, with this order where one fails; who has read what was published reads the data.
fn exchange_in_vain(failure: Ordering) {
    let retry = move |(x, data): &(AtomicUsize, Shared<u32>)| {
        let mut seen = x.load(Acquire);
        while let Err(now) = x.compare_exchange(seen, seen + 100, Relaxed, failure) {
            seen = now;
        }
        if seen == 1 {
            assert_eq!(data.get(), 1);
        }
    };
    let publish = |(x, data): &(AtomicUsize, Shared<u32>)| {
        data.set(1);
        x.store(1, Release);
    };
    beside((AtomicUsize::new(0), Shared::new(0)), retry, publish);
}

/// The value that an exchange reads in vain is one that the load before it could have read; but the load would have
/// acquired it, and the exchange does not.
#[test]
fn what_an_exchange_in_vain_does_not_acquire() {
    races(|| exchange_in_vain(Relaxed));
}

/// A round writes what was there before it, but does not release what was released there. Who reads it then need not know
/// of `y`.
#[test]
fn a_round_that_does_not_release() {
    fails(|| {
        let [x, y, stale, flag] = [(); 4].map(|()| Arc::new(AtomicUsize::new(0)));
        let theirs = (x.clone(), y.clone());
        let publisher = thread::spawn(move || {
            theirs.1.store(1, Relaxed);
            theirs.0.store(2, Release);
        });
        let theirs = (x.clone(), y, stale.clone(), flag.clone());
        let reader = thread::spawn(move || {
            let (x, y, stale, flag) = theirs;
            if x.load(Acquire) == 2 && y.load(Relaxed) == 0 {
                stale.store(1, Relaxed);
            }
            flag.store(1, Release);
        });
        while flag.load(Acquire) == 0 {
            if x.load(Relaxed) == 2 {
                x.store(3, Relaxed);
                x.store(2, Relaxed);
            }
        }
        assert_eq!(stale.load(Relaxed), 0);
        publisher.join().unwrap();
        reader.join().unwrap();
    });
}

/// A round changes `x` and changes it back, and somebody writes it in between: without the round that would be the last write.
#[test]
fn somebody_writes_in_the_middle_of_a_round() {
    fails(|| {
        let round = |(x, flag, overwritten): &(AtomicUsize, AtomicBool, AtomicBool)| {
            while !flag.load(Acquire) {
                if x.compare_exchange(0, 1, Relaxed, Relaxed).is_ok() {
                    x.store(0, Relaxed);
                }
            }
            assert!(!overwritten.load(Relaxed));
        };
        let write = |(x, flag, overwritten): &(AtomicUsize, AtomicBool, AtomicBool)| {
            x.store(5, Relaxed);
            if x.load(Relaxed) == 0 {
                overwritten.store(true, Relaxed);
            }
            flag.store(true, Release);
        };
        beside((AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false)), round, write);
    });
}

#[test]
fn what_an_exchange_in_vain_acquires() {
    holds(|| exchange_in_vain(Acquire));
}

#[test]
fn who_has_waited_leaves_out_the_fence() {
    races(|| {
        let wait = |(flag, data): &(AtomicBool, Shared<u32>)| {
            let mut waited = false;
            while !flag.load(Relaxed) {
                waited = true;
            }
            if !waited {
                fence(Acquire);
            }
            assert_eq!(data.get(), 1);
        };
        let publish = |(flag, data): &(AtomicBool, Shared<u32>)| {
            data.set(1);
            flag.store(true, Release);
        };
        beside((AtomicBool::new(false), Shared::new(0)), wait, publish);
    });
}

#[test]
fn nobody_leaves_out_the_fence() {
    holds(|| {
        let wait = |(flag, data): &(AtomicBool, Shared<u32>)| {
            while !flag.load(Relaxed) {}
            fence(Acquire);
            assert_eq!(data.get(), 1);
        };
        let publish = |(flag, data): &(AtomicBool, Shared<u32>)| {
            data.set(1);
            flag.store(true, Release);
        };
        beside((AtomicBool::new(false), Shared::new(0)), wait, publish);
    });
}

#[test]
fn rounds_are_counted_for_others_to_see() {
    fails(|| {
        let shared = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
        let theirs = shared.clone();
        let thread = thread::spawn(move || {
            let (flag, rounds) = &*theirs;
            while !flag.load(Acquire) {
                if rounds.load(Relaxed) < 2 {
                    rounds.fetch_add(1, Relaxed);
                }
            }
        });
        shared.0.store(true, Release);
        thread.join().unwrap();
        assert!(shared.1.load(Relaxed) < 2);
    });
}

#[test]
fn the_loop_says_that_it_waits() {
    fails(|| {
        let shared = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let theirs = shared.clone();
        let thread = thread::spawn(move || {
            while !theirs.0.load(Acquire) {
                theirs.1.store(true, Relaxed);
            }
        });
        shared.0.store(true, Release);
        thread.join().unwrap();
        assert!(!shared.1.load(Relaxed));
    });
}

#[test]
fn the_loop_says_that_it_waits_and_nobody_minds() {
    holds(|| {
        let wait = |(flag, waiting): &(AtomicBool, AtomicBool)| {
            while !flag.load(Acquire) {
                waiting.store(true, Relaxed);
            }
        };
        beside((AtomicBool::new(false), AtomicBool::new(false)), wait, |(flag, _)| flag.store(true, Release));
    });
}

#[test]
fn a_counter_without_a_limit() {
    is_undecided(|| {
        let wait = |flag: &AtomicBool| {
            let mut rounds = 0_u64;
            while !flag.load(Acquire) {
                rounds += 1;
            }
            assert_ne!(rounds, u64::MAX);
        };
        beside(AtomicBool::new(false), wait, set);
    });
}

#[test]
fn a_counter_without_a_limit_and_an_error_in_the_first_round() {
    fails(|| {
        let wait = |flag: &AtomicBool| {
            let mut rounds = 0_u64;
            while !flag.load(Acquire) {
                rounds += 1;
            }
            assert_ne!(rounds, 1);
        };
        beside(AtomicBool::new(false), wait, set);
    });
}

#[test]
fn the_last_value_is_the_result() {
    for symmetry in [true, false] {
        let report = run(symmetry, || {
            let shared = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let theirs = shared.clone();
            let waiter = thread::spawn(move || {
                let mut last = 0;
                while theirs[0].load(SeqCst) == 0 {
                    last = theirs[1].load(SeqCst);
                }
                last
            });
            shared[1].store(1, SeqCst);
            shared[1].store(0, SeqCst);
            shared[0].store(1, SeqCst);
            assert_ne!(waiter.join().unwrap(), 1);
        });
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "symmetry {symmetry}: {report}");
    }
}

/// The same, as a compiler may write it.
#[test]
fn the_last_value_is_the_result_after_a_peeled_round() {
    fails(|| {
        let shared = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let theirs = shared.clone();
        let waiter = thread::spawn(move || {
            let [flag, value] = &*theirs;
            let load = |x: &AtomicUsize| x.load(SeqCst);
            #[rustfmt::skip]
            let last = if load(flag) != 0 { 0 } else { loop { let last = load(value); if load(flag) != 0 { break last } } };
            last
        });
        shared[1].store(1, SeqCst);
        shared[1].store(0, SeqCst);
        shared[0].store(1, SeqCst);
        assert_ne!(waiter.join().unwrap(), 1);
    });
}

static LAST: quotient::sync::Mutex<usize> = quotient::sync::Mutex::new(0);

#[test]
fn the_last_value_in_a_static() {
    fails(|| {
        let wait = |x: &AtomicUsize| {
            loop {
                match x.load(Acquire) {
                    3 => break,
                    now => *LAST.lock().unwrap() = now,
                }
            }
            assert_ne!(*LAST.lock().unwrap(), 2);
        };
        beside(AtomicUsize::new(0), wait, count_up);
    });
}
