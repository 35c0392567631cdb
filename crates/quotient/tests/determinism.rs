//! State that Quotient does not see: every way in which an execution can fail to repeat what was recorded is reported, and
//! no error is hidden without a word. And that what a process does only once is no such state.

use quotient::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use quotient::sync::{Arc, Condvar, Mutex};
use quotient::{Builder, Report, ViolationKind, any_bool, assume, choose, hint, thread};
use std::sync::atomic::AtomicUsize as Hidden;
use std::sync::{Once, OnceLock};

/// The program is found not to be deterministic, however it is checked. It is told how often it has been run.
#[track_caller]
fn found(program: impl Fn(usize) + Send + Sync + Clone + 'static) -> String {
    let mut said = String::new();
    for (symmetry, jobs) in [(true, 1), (false, 1), (false, 3), (true, 2)] {
        let program = program.clone();
        let runs = Hidden::new(0);
        let report = Builder::new().symmetry(symmetry).jobs(jobs).run(move || program(runs.fetch_add(1, SeqCst)));
        said = message(&report);
    }
    said
}

#[track_caller]
fn message(report: &Report) -> String {
    assert_eq!(report.violation(), Some(ViolationKind::Nondeterminism), "{report}");
    assert!(!report.holds());
    assert!(report.to_string().starts_with("INCONCLUSIVE"), "{report}");
    let message = report.message().expect("a message").to_owned();
    assert!(message.starts_with("the program is not deterministic"), "{message}");
    message
}

/// A thread beside the main one, which reads what the thread may write.
fn beside(body: impl FnOnce(Arc<AtomicUsize>) + Send + 'static) {
    let x = Arc::new(AtomicUsize::new(0));
    let y = x.clone();
    let thread = thread::spawn(move || body(y));
    assert_eq!(x.load(Relaxed), 0);
    thread.join().unwrap();
}

#[test]
fn a_std_once_in_a_static() {
    static INIT: Once = Once::new();
    let report = Builder::new().run(|| beside(|x| INIT.call_once(|| x.store(1, Relaxed))));
    let message = message(&report);
    assert!(message.contains("thread 1 came to a write before, and now comes to its end"), "{message}");
    assert!(message.contains("determinism.rs:"), "{message}");
}

#[test]
fn a_std_atomic_in_a_static() {
    static FIRST: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(true);
    let report = Builder::new().jobs(2).run(|| {
        beside(|x| {
            if FIRST.swap(false, SeqCst) {
                x.store(1, Relaxed);
            }
        });
    });
    message(&report);
}

#[test]
fn a_thread_that_ends_early_or_late() {
    found(|run| {
        beside(move |x| {
            if run == 1 {
                x.load(Relaxed);
            }
        })
    });
    found(|run| {
        beside(move |x| {
            if run != 1 {
                x.load(Relaxed);
            }
        })
    });
}

/// What does not change between the first executions is found when the first one is repeated in the end.
#[test]
fn state_that_changes_later() {
    for later in [2, 3, 6, 15, 24] {
        found(move |run| {
            let x = Arc::new(AtomicUsize::new(0));
            let body = |x: Arc<AtomicUsize>| move || x.fetch_add(1, Relaxed);
            let threads = [0; 4].map(|_| thread::spawn(body(x.clone())));
            threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() < 4));
            if run >= later {
                x.load(Relaxed);
            }
        });
    }
}

#[test]
fn one_execution_only() {
    let said = found(|run| {
        let x = AtomicUsize::new(0);
        x.store(run, Relaxed);
    });
    assert!(said.contains("a write of 1 instead of 0"), "{said}");
    found(|run| {
        let x = AtomicUsize::new(0);
        if run == 1 {
            x.load(Relaxed);
        }
    });
}

#[test]
fn other_operands_and_orders() {
    let one = |body: fn(&AtomicUsize, usize)| {
        found(move |run| {
            let x = AtomicUsize::new(7);
            body(&x, run);
        })
    };
    one(|x, run| {
        x.fetch_add(run, Relaxed);
    });
    one(|x, run| {
        let _ = x.compare_exchange(9, run, Relaxed, Relaxed);
    });
    one(|x, run| {
        let _ = x.compare_exchange(9 + run, 1, Relaxed, Relaxed);
    });
    one(|x, run| {
        x.load(if run == 0 { Relaxed } else { Acquire });
    });
    one(|x, run| x.store(1, if run == 0 { Relaxed } else { Release }));
    one(|x, run| {
        if run == 0 {
            x.fetch_add(1, Relaxed);
        } else {
            x.fetch_sub(1, Relaxed);
        }
    });
    one(|_, run| quotient::sync::atomic::fence(if run == 0 { Acquire } else { Release }));
}

#[test]
fn another_initial_value() {
    let said = found(|run| {
        AtomicUsize::new(run).load(Relaxed);
    });
    assert!(said.contains("a read of 1 instead of 0"), "{said}");
}

#[test]
fn another_place_in_memory() {
    found(|run| {
        let places = [AtomicUsize::new(0), AtomicUsize::new(0)];
        places[0].load(Relaxed);
        places[1].load(Relaxed);
        places[run % 2].load(Relaxed);
    });
    // The first access to memory in another thread: it is known where it was before.
    let said = found(|run| {
        let places = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let others = places.clone();
        let thread = thread::spawn(move || others[run % 2].store(1, Relaxed));
        thread.join().unwrap();
        places[0].load(Relaxed);
    });
    assert!(said.contains("other memory"), "{said}");
}

#[test]
fn another_place_in_the_code() {
    let said = found(|run| {
        let x = AtomicUsize::new(0);
        if run == 0 {
            assert_eq!(x.load(Relaxed), 0);
        } else {
            assert!(x.load(Relaxed) == 0);
        }
    });
    assert!(said.contains("the same at another place in the code"), "{said}");
}

#[test]
fn more_or_fewer_threads() {
    for [first, later] in [[1, 2], [2, 1], [0, 1], [1, 0]] {
        found(move |run| {
            let threads = if run == 0 { first } else { later };
            let x = Arc::new(AtomicUsize::new(0));
            let body = |x: Arc<AtomicUsize>| move || x.store(1, Relaxed);
            let all: Vec<_> = (0..threads).map(|_| thread::spawn(body(x.clone()))).collect();
            all.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }
}

#[test]
fn another_thread_is_awaited() {
    found(|run| {
        let threads = [thread::spawn(|| 1), thread::spawn(|| 2)];
        let [first, second] = threads;
        if run == 0 {
            first.join().unwrap();
            second.join().unwrap();
        } else {
            second.join().unwrap();
            first.join().unwrap();
        }
    });
}

#[test]
fn other_choices() {
    found(|run| {
        choose(2 + run);
    });
    found(|run| {
        if run == 0 {
            any_bool();
        }
    });
}

#[test]
fn a_panic_while_an_execution_is_repeated() {
    let said = found(|run| {
        beside(move |x| {
            assert!(run != 1, "the hidden number");
            x.load(Relaxed);
        })
    });
    assert!(said.contains("the hidden number"), "{said}");
    // After the last operation.
    found(|run| {
        AtomicUsize::new(0).load(Relaxed);
        assert!(run != 1);
    });
}

#[test]
fn waiting_instead_of_going_on() {
    // In a deadlock, which then is none.
    found(|run| {
        let pair = (Mutex::new(false), Condvar::new());
        let mut guard = pair.0.lock().unwrap();
        while run == 1 && !*guard {
            guard = pair.1.wait(guard).unwrap();
        }
    });
    found(|run| assume(run == 0));
    found(|run| {
        let x = AtomicUsize::new(0);
        while run == 1 && x.load(Relaxed) == 0 {
            hint::spin_loop();
        }
        x.store(1, Relaxed);
    });
}

#[test]
fn going_on_instead_of_waiting() {
    found(|run| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = x.clone();
        let thread = thread::spawn(move || {
            while run == 0 && y.load(Relaxed) == 0 {
                hint::spin_loop();
            }
            if run > 0 {
                y.store(7, Relaxed);
            }
        });
        x.load(Relaxed);
        x.store(1, Relaxed);
        thread.join().unwrap();
    });
    found(|run| assume(run != 0));
}

#[test]
fn a_check_that_begins_again() {
    // The counts of references are looked at, so the check begins again after the first run has ended early.
    static INIT: Once = Once::new();
    let report = Builder::new().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = x.clone();
        let thread = thread::spawn(move || INIT.call_once(|| y.store(1, Relaxed)));
        let value = x.load(Relaxed);
        let _ = Arc::strong_count(&x);
        assert_eq!(value, 0);
        thread.join().unwrap();
    });
    message(&report);
    // Like threads are told apart.
    static OTHER: Once = Once::new();
    let report = Builder::new().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let body = |x: Arc<AtomicUsize>| {
            move || {
                OTHER.call_once(|| x.store(1, Relaxed));
                let _ = thread::current().id();
            }
        };
        let threads = [thread::spawn(body(x.clone())), thread::spawn(body(x.clone()))];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    message(&report);
}

/// Only one of two runs of an execution shows that threads are told apart, or that references are counted.
#[test]
fn something_is_learnt_only_once() {
    for once in [0, 1] {
        found(move |run| {
            let x = Arc::new(AtomicUsize::new(0));
            let y = x.clone();
            y.load(Relaxed);
            if run == once {
                let _ = Arc::strong_count(&x);
            }
        });
    }
}

#[test]
fn counts_stay_as_they_are() {
    let runs = std::sync::Arc::new(Hidden::new(0));
    let counted = runs.clone();
    let report = Builder::new().symmetry(false).run(move || {
        counted.fetch_add(1, SeqCst);
        let x = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| x.fetch_add(1, Relaxed));
            }
        });
    });
    assert!(report.holds(), "{report}");
    assert_eq!((report.executions(), report.blocked()), (120, 0));
    // Each once, and the first, second, fourth, … 64th once more; the first again in the end.
    assert_eq!(runs.load(SeqCst), 128);
}

#[test]
fn what_is_done_only_once_and_not_seen_does_not_matter() {
    static TABLE: OnceLock<Vec<String>> = OnceLock::new();
    let report = Builder::new().run(|| {
        let table = TABLE.get_or_init(|| (0..10).map(|number| number.to_string()).collect());
        let x = Arc::new(AtomicPtr::new(std::ptr::null_mut()));
        let y = x.clone();
        let thread = thread::spawn(move || y.store(Box::into_raw(Box::new(table[3].len())), Release));
        let mine = Box::into_raw(Box::new(1));
        let other = x.swap(mine, AcqRel);
        thread.join().unwrap();
        for pointer in [other, x.load(Acquire)] {
            if !pointer.is_null() {
                // SAFETY: it was made from a box, and is in one place only.
                drop(unsafe { Box::from_raw(pointer) });
            }
        }
        if other.is_null() && x.load(Relaxed) != mine {
            // SAFETY: the thread has overwritten it.
            drop(unsafe { Box::from_raw(mine) });
        }
    });
    assert!(report.holds(), "{report}");
}

/// What threads capture may have padding, in which there is whatever was there before.
#[test]
fn padding_of_what_is_captured_does_not_matter() {
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Padded {
        byte: u8,
        word: u64,
    }
    let runs = Hidden::new(0);
    let report = Builder::new().run(move || {
        let run = runs.fetch_add(1, SeqCst);
        let x = Arc::new(AtomicUsize::new(0));
        for thread in 0..2 {
            let mut padded = Box::<[Padded; 8]>::new_uninit();
            // Like threads in the first run, and unlike ones in the next.
            let padding = (run * thread) as u8;
            // SAFETY: all of it is written, and every value is a `Padded`.
            let padded = unsafe {
                let start = padded.as_mut_ptr().cast::<Padded>();
                start.write_bytes(padding, 8);
                for place in (0..8).map(|index| start.add(index)) {
                    (&raw mut (*place).byte).write(1);
                    (&raw mut (*place).word).write(2);
                }
                *padded.assume_init()
            };
            let x = x.clone();
            thread::spawn(move || {
                let all = std::hint::black_box(padded);
                x.fetch_add(all[3].byte as usize + all[3].word as usize, Relaxed);
            });
        }
    });
    assert!(report.holds(), "{report}");
}
