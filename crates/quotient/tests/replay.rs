//! Running one execution again by its text: what fits is run exactly so; what does not is an error that says where; and the
//! answer is about one execution, never about the program.

use quotient::sync::atomic::{AtomicUsize, Ordering::*, fence};
use quotient::sync::{Arc, Condvar, Mutex, mpsc};
use quotient::{Builder, Report, Stop, ViolationKind, any_bool, choose, hint, thread};
use std::sync::Arc as Shared;

fn lost_update() {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| counter.store(counter.load(Relaxed) + 1, Relaxed));
        }
    });
    assert_eq!(counter.load(Relaxed), 2, "an increment is lost");
}

fn replay(text: &str, program: impl Fn() + Send + Sync + 'static) -> Report {
    Builder::new().replay(text).run(program)
}

fn failing(program: impl Fn() + Send + Sync + Clone + 'static) -> (ViolationKind, String) {
    let report = Builder::new().symmetry(false).run(program);
    (report.violation().unwrap_or_else(|| panic!("{report}")), report.replay().expect("a text").to_owned())
}

#[test]
fn a_passing_execution_does_not_hold() {
    let report = replay("0*2-1<i-1>i-1-2<1.2-2>1.2-2-0*2-0<2.2-0", lost_update);
    assert_eq!((report.violation(), report.error(), report.stop()), (None, None, Some(Stop::Replay)), "{report}");
    assert_eq!((report.holds(), report.executions()), (false, 1));
    assert!(report.to_string().starts_with("INCONCLUSIVE: this execution shows nothing wrong"), "{report}");
    assert!(report.to_json().contains(r#""verdict": "inconclusive""#), "{}", report.to_json());
}

#[test]
fn a_failing_execution_is_one_execution() {
    let (_, text) = failing(lost_update);
    let report = replay(&text, lost_update);
    assert_eq!((report.violation(), report.stop()), (Some(ViolationKind::Panic), Some(Stop::Replay)), "{report}");
    assert!(report.to_string().contains("this is the one execution that was run again"), "{report}");
    assert!(report.to_json().contains(r#""verdict": "violated""#), "{}", report.to_json());
}

#[test]
#[should_panic(expected = "INCONCLUSIVE: this execution shows nothing wrong")]
fn a_check_of_one_execution_is_not_passed() {
    Builder::new().replay("0").check(|| {});
}

#[test]
#[should_panic(expected = "is not an execution of this program: step 1")]
fn a_check_of_another_program_is_not_passed() {
    Builder::new().replay("1").check(|| {});
}

/// What was an execution of a program is not one of the repaired program.
#[test]
fn a_text_of_another_program_is_an_error() {
    let (_, text) = failing(lost_update);
    let repaired = || {
        let counter = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    fence(SeqCst);
                    counter.fetch_add(1, Relaxed)
                });
            }
        });
        assert_eq!(counter.load(Relaxed), 2, "an increment is lost");
    };
    let report = replay(&text, repaired);
    assert_eq!((report.violation(), report.holds()), (None, false), "{report}");
    let error = report.error().unwrap_or_else(|| panic!("{report}"));
    assert!(error.contains("of the text (`") && error.contains("replay.rs:"), "{error}");
    assert!(report.to_json().contains(r#""message": "step"#), "{}", report.to_json());
}

#[test]
fn errors_say_where_and_why() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = x.clone();
        let thread = thread::spawn(move || y.store(choose(3), Relaxed));
        x.load(Relaxed);
        thread.join().unwrap();
    };
    assert_eq!(replay("0-0<i-1=1-1>i-1-0*2", program).executions(), 1);
    for (text, expected) in [
        ("0-0<i-1=1-1>i-1-0", "the text ends after 6 steps, but the execution does not: thread 0 goes on with its end"),
        ("0-0<i-1=1-1>i-1-0*3", "step 8 of the text (`0`) does not fit: that thread has ended"),
        ("0-0<i-1=3", "step 3 of the text (`1=3`) does not fit: there are 3 to choose from"),
        ("0-0<i-0", "thread 0 waits for thread 1, which has not ended"),
        ("0-0<1.2", "there is no write 1.2 yet"),
        ("0-1=0-1>0.1", "0.1 is not a write, but the start of a thread"),
        ("0-2", "there is no such thread"),
        ("", "ends after 0 steps"),
        ("0-0>i", "the text has a write, and thread 0 comes to a read"),
        ("0<", "this is not the text of an execution"),
    ] {
        let report = replay(text, program);
        let error = report.error().unwrap_or_else(|| panic!("{text}: {report}"));
        assert!(error.contains(expected), "{text}: {error}");
    }
}

/// A thread that panics where the text has it go on.
#[test]
fn a_panic_does_not_fit_either() {
    let report = replay("0<i-0", || {
        let x = AtomicUsize::new(0);
        x.load(Relaxed);
        panic!("too early");
    });
    let error = report.error().unwrap_or_else(|| panic!("{report}"));
    assert!(error.contains("step 2 of the text (`0`)") && error.contains("too early"), "{error}");
}

/// Where the counts of references are looked at, they are part of the text.
#[test]
fn references_are_part_of_a_text() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = x.clone();
        let thread = thread::spawn(move || drop(y));
        let count = Arc::strong_count(&x);
        thread.join().unwrap();
        assert_eq!(count, 2);
    };
    let (kind, text) = failing(program);
    let report = replay(&text, program);
    assert_eq!((report.violation(), report.error()), (Some(kind), None), "{report}");
}

/// A generator of numbers that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit.max(1) as u64) as usize
    }
}

fn damage(text: &str, random: &mut Random) -> String {
    let mut tokens: Vec<String> = text.split('-').map(str::to_owned).collect();
    let at = random.below(tokens.len());
    let digit = random.below(6).to_string();
    match random.below(9) {
        0 => tokens.truncate(at),
        1 => drop(tokens.remove(at)),
        2 => tokens.insert(at, tokens[random.below(tokens.len())].clone()),
        3 => {
            let with = random.below(tokens.len());
            tokens.swap(at, with);
        }
        4 => tokens[at] = tokens[at].replacen(|c: char| c.is_ascii_digit(), &digit, 1),
        5 => {
            if let Some(last) = tokens[at].rfind(|c: char| c.is_ascii_digit()) {
                tokens[at].replace_range(last..=last, &digit);
            }
        }
        6 => tokens[at] = format!("{digit}{}", ["<i", ">i", "", "=1", "<1.2", ">1.2", "<2.2"][random.below(7)]),
        7 => tokens[at].push_str(["*2", "!", "*99999999999", "*0", "x", "é"][random.below(6)]),
        _ => tokens.push(digit),
    }
    tokens.join("-")
}

/// A thousand damaged texts of each program: errors, executions that show nothing wrong, or what is wrong with the program.
#[test]
fn damaged_texts_show_nothing_that_is_not_there() {
    let programs: Vec<Shared<dyn Fn() + Send + Sync>> = vec![
        Shared::new(lost_update),
        Shared::new(|| {
            // A deadlock.
            let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
            let others = locks.clone();
            let thread = thread::spawn(move || {
                let first = others[1].lock().unwrap();
                *others[0].lock().unwrap() += *first;
            });
            let first = locks[0].lock().unwrap();
            *locks[1].lock().unwrap() += *first;
            drop(first);
            thread.join().unwrap();
        }),
        Shared::new(|| {
            // A message that is lost, with a choice.
            let pair = Arc::new((Mutex::new(false), Condvar::new()));
            let other = pair.clone();
            let thread = thread::spawn(move || {
                if any_bool() {
                    *other.0.lock().unwrap() = true;
                }
                other.1.notify_one();
            });
            let guard = pair.0.lock().unwrap();
            if !*guard {
                let guard = pair.1.wait(guard).unwrap();
                assert!(*guard);
            }
            thread.join().unwrap();
        }),
        Shared::new(|| {
            // A loop that waits, threads in threads, a channel.
            let flag = Arc::new(AtomicUsize::new(0));
            let (sender, receiver) = mpsc::channel();
            let other = flag.clone();
            let thread = thread::spawn(move || {
                let inner = thread::spawn(move || other.store(1, Release));
                sender.send(1).unwrap();
                inner.join().unwrap();
            });
            while flag.load(Acquire) == 0 {
                hint::spin_loop();
            }
            assert!(receiver.try_recv().is_ok(), "nothing was sent");
            thread.join().unwrap();
        }),
    ];
    let mut errors = 0;
    for (number, program) in programs.into_iter().enumerate() {
        let run = {
            let program = program.clone();
            move || program()
        };
        let (kind, text) = failing(run.clone());
        let mut random = Random(number as u64 * 0x9E37_79B9 + 1);
        for _ in 0..250 {
            let mut damaged = text.clone();
            for _ in 0..=random.below(2) {
                damaged = damage(&damaged, &mut random);
            }
            let report = Builder::new().symmetry(false).replay(damaged.clone()).run(run.clone());
            assert!(!report.holds(), "{damaged}");
            match (report.violation(), report.error()) {
                (None, Some(_)) => errors += 1,
                (None, None) => {}
                (found, _) => assert_eq!(found, Some(kind), "program {number}, {damaged}: {report}"),
            }
        }
    }
    assert!(errors > 700, "{errors} errors");
}
