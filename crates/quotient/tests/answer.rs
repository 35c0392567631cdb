//! Reports as data: the answer that they are made of, its JSON form read back, and its words.

use quotient::sync::atomic::AtomicUsize;
use quotient::sync::atomic::Ordering::SeqCst;
use quotient::{Answer, Builder, Report, thread};

fn add(threads: usize) -> Report {
    Builder::new().run(move || {
        let count = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| count.store(count.load(SeqCst) + 1, SeqCst));
            }
        });
        assert_eq!(count.load(SeqCst), threads, "an increment is lost");
    })
}

#[test]
fn a_violation_has_kind_message_and_place() {
    let report = add(2);
    let violation = &report.answer().violations[0];
    assert_eq!((violation.kind(), Some(violation.message())), ("panic", report.message()));
    let location = violation.location().expect("a place");
    assert!(location.file.ends_with("answer.rs"), "{location}");
    assert!(report.to_string().contains("\nexplored so far: "), "{report}");
}

#[test]
fn json_is_the_answer() {
    for report in [add(1), add(2)] {
        let mut read: Answer = serde_json::from_str(&report.to_json()).expect("an answer");
        // The last digit of a time may be lost.
        read.stats.seconds = report.answer().stats.seconds;
        assert_eq!(&read, report.answer());
        assert_eq!(read.stats.program().executions, report.executions());
    }
}

#[test]
fn a_program_that_holds_is_said_to_hold() {
    assert_eq!(add(1).to_string(), "HOLDS: no error in any execution (1 execution, and 0 given up)");
}
