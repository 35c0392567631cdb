//! Ways to write a loop: pure waiting, retries, rounds before the loop, loops in loops, calls.

use super::*;
use quotient::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*, fence};

fn flag() -> AtomicBool {
    AtomicBool::new(false)
}

fn set(flag: &AtomicBool) {
    flag.store(true, Release);
}

#[test]
fn pure_waiting() {
    holds_with(1, || beside(flag(), |flag| while !flag.load(Acquire) {}, set));
}

#[test]
fn pure_waiting_with_a_hint() {
    holds_with(1, || {
        let wait = |flag: &AtomicBool| {
            while !flag.load(Acquire) {
                quotient::hint::spin_loop();
            }
        };
        beside(flag(), wait, set);
    });
}

#[test]
fn pure_waiting_that_yields() {
    holds_with(1, || {
        let wait = |flag: &AtomicBool| {
            loop {
                if flag.load(Acquire) {
                    return;
                }
                thread::yield_now();
            }
        };
        beside(flag(), wait, set);
    });
}

#[test]
fn pure_waiting_in_a_function() {
    #[inline(never)]
    fn is_set(flag: &AtomicBool) -> bool {
        flag.load(Acquire)
    }
    holds_with(1, || beside(flag(), |flag| while !is_set(flag) {}, set));
}

#[test]
fn pure_waiting_through_a_pointer() {
    holds_with(1, || {
        let wait = |flag: &AtomicBool| {
            let look: Box<dyn Fn() -> bool + '_> = Box::new(|| flag.load(Acquire));
            while !look() {}
        };
        beside(flag(), wait, set);
    });
}

#[test]
fn pure_waiting_of_an_iterator() {
    holds_with_temporaries(1, 2, || {
        let wait = |flag: &AtomicBool| std::iter::repeat_with(|| flag.load(Acquire)).find(|set| *set).map_or((), drop);
        beside(flag(), wait, set);
    });
}

#[test]
fn nobody_sets_the_flag() {
    livelocks(|| beside(flag(), |flag| while !flag.load(Acquire) {}, |_| {}));
}

#[test]
fn somebody_sets_the_flag_back() {
    livelocks(|| {
        let set_and_reset = |flag: &AtomicBool| {
            flag.store(true, Release);
            flag.store(false, Release);
        };
        beside(flag(), |flag| while !flag.load(Acquire) {}, set_and_reset);
    });
}

#[test]
fn waiting_and_then_joining() {
    holds_with(1, || {
        let shared = Arc::new(flag());
        let theirs = shared.clone();
        let thread = thread::spawn(move || set(&theirs));
        while !shared.load(Acquire) {}
        thread.join().unwrap();
    });
}

/// Stores 1 to 3.
fn three_stores(x: &AtomicUsize) {
    (1..=3).for_each(|value| x.store(value, SeqCst));
}

#[test]
fn retries_without_reloading() {
    holds_with(4, || {
        let retry = |x: &AtomicUsize| {
            let mut old = x.load(SeqCst);
            while let Err(now) = x.compare_exchange(old, old + 100, SeqCst, SeqCst) {
                old = now;
            }
        };
        beside(AtomicUsize::new(0), retry, three_stores);
    });
}

#[test]
fn retries_with_reloading() {
    holds_with_temporaries(4, 21, || {
        let retry = |x: &AtomicUsize| {
            loop {
                let old = x.load(SeqCst);
                if x.compare_exchange(old, old + 100, SeqCst, SeqCst).is_ok() {
                    break;
                }
            }
        };
        beside(AtomicUsize::new(0), retry, three_stores);
    });
}

#[test]
fn retries_of_fetch_update() {
    holds_with_temporaries(4, 10, || {
        let retry = |x: &AtomicUsize| {
            x.fetch_update(SeqCst, SeqCst, |old| Some(old + 100)).unwrap();
        };
        beside(AtomicUsize::new(0), retry, three_stores);
    });
}

#[test]
fn retries_that_are_counted() {
    fails(|| {
        let retry = |x: &AtomicUsize| {
            let mut failed = 0;
            let mut old = x.load(SeqCst);
            while let Err(now) = x.compare_exchange_weak(old, old + 100, SeqCst, SeqCst) {
                old = now;
                failed = 2.min(failed + 1);
            }
            assert!(failed < 2);
        };
        beside(AtomicUsize::new(0), retry, three_stores);
    });
}

#[test]
fn a_round_before_the_loop() {
    races(|| {
        let wait = |(flag, data): &(AtomicBool, Shared<u32>)| {
            if !flag.load(Acquire) {
                while !flag.load(Relaxed) {}
            }
            assert_eq!(data.get(), 1);
        };
        let publish = |(flag, data): &(AtomicBool, Shared<u32>)| {
            data.set(1);
            flag.store(true, Release);
        };
        beside((flag(), Shared::new(0)), wait, publish);
    });
}

#[test]
fn a_round_before_the_loop_that_is_fine() {
    holds(|| {
        let wait = |(flag, data): &(AtomicBool, Shared<u32>)| {
            if !flag.load(Acquire) {
                while !flag.load(Acquire) {}
            }
            assert_eq!(data.get(), 1);
        };
        let publish = |(flag, data): &(AtomicBool, Shared<u32>)| {
            data.set(1);
            flag.store(true, Release);
        };
        beside((flag(), Shared::new(0)), wait, publish);
    });
}

#[test]
fn looking_three_times() {
    fails(|| {
        let wait = |flag: &AtomicBool| assert!((0..3).any(|_| flag.load(Acquire)));
        beside(flag(), wait, set);
    });
}

#[test]
fn looking_three_times_at_most() {
    holds(|| {
        let wait = |flag: &AtomicBool| {
            let looks = (0..3).take_while(|_| !flag.load(Acquire)).count();
            assert!(looks <= 3);
        };
        beside(flag(), wait, set);
    });
}

/// The number of a sequence lock, and two values that are written together.
type Sequence = (AtomicUsize, AtomicUsize, AtomicUsize);

fn sequence() -> Sequence {
    (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0))
}

fn write((number, left, right): &Sequence) {
    number.store(1, Relaxed);
    fence(Release);
    left.store(1, Relaxed);
    right.store(1, Relaxed);
    number.store(2, Release);
}

/// What was read, and whether it took several tries.
fn read((number, left, right): &Sequence) -> (usize, usize, bool) {
    let mut again = false;
    loop {
        let before = number.load(Acquire);
        let values = (left.load(Relaxed), right.load(Relaxed));
        fence(Acquire);
        if before % 2 == 0 && number.load(Relaxed) == before {
            return (values.0, values.1, again);
        }
        again = true;
    }
}

#[test]
fn readers_of_a_sequence_lock() {
    holds(|| {
        let check = |lock: &Sequence| {
            let (left, right, _) = read(lock);
            assert_eq!(left, right);
        };
        beside(sequence(), check, write);
    });
}

#[test]
fn readers_of_a_sequence_lock_that_try_again() {
    fails(|| beside(sequence(), |lock| assert!(!read(lock).2), write));
}

#[test]
fn loops_in_loops() {
    fails(|| {
        let wait = |(near, far): &(AtomicBool, AtomicBool)| {
            let mut rounds = 0;
            loop {
                while !near.load(Acquire) {}
                rounds = 2.min(rounds + 1);
                if far.load(Acquire) {
                    break;
                }
            }
            assert!(rounds < 2);
        };
        let open = |(near, far): &(AtomicBool, AtomicBool)| {
            near.store(true, Release);
            far.store(true, Release);
        };
        beside((flag(), flag()), wait, open);
    });
}

#[test]
fn loops_in_loops_that_are_fine() {
    holds(|| {
        let wait = |(near, far): &(AtomicBool, AtomicBool)| {
            loop {
                while !near.load(Acquire) {}
                if far.load(Acquire) {
                    break;
                }
            }
        };
        let open = |(near, far): &(AtomicBool, AtomicBool)| {
            near.store(true, Release);
            far.store(true, Release);
        };
        beside((flag(), flag()), wait, open);
    });
}

#[test]
fn a_state_machine() {
    fails(|| {
        let wait = |x: &AtomicUsize| {
            let mut kept = 0;
            loop {
                match (x.load(Acquire), kept) {
                    (0, _) => {}
                    (1, _) => kept = 2,
                    (2, 2) => kept = 5,
                    (3, _) => break,
                    (_, other) => kept = other,
                }
            }
            assert_ne!(kept, 5);
        };
        beside(AtomicUsize::new(0), wait, three_stores);
    });
}

#[test]
fn two_waiters() {
    fails(|| {
        let shared = Arc::new((flag(), AtomicUsize::new(0)));
        let threads = [(); 2].map(|()| {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut waited = false;
                while !shared.0.load(Acquire) {
                    waited = true;
                }
                shared.1.fetch_add(usize::from(waited), Relaxed);
            })
        });
        shared.0.store(true, Release);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(shared.1.load(Relaxed) < 2);
    });
}
