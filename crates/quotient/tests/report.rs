//! Settings, limits, and what a check says.

mod common;

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::{Builder, Stop, ViolationKind, thread};
use serde_json::Value;
use std::time::Duration;

fn increments(threads: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let counter = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| counter.fetch_add(1, Relaxed) < threads);
            }
        });
    }
}

fn lost_update() {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| counter.store(counter.load(Relaxed) + 1, Relaxed));
        }
    });
    assert_eq!(counter.load(Relaxed), 2, "an increment is lost");
}

#[test]
fn limits_make_a_check_inconclusive() {
    let report = Builder::new().max_executions(10).run(increments(4));
    assert_eq!((report.stop(), report.executions(), report.holds()), (Some(Stop::Executions), 10, false));
    let report = Builder::new().max_time(Duration::from_millis(50)).run(increments(12));
    assert_eq!((report.stop(), report.holds()), (Some(Stop::Time), false));
    let report = Builder::new().max_events(10).run(increments(4));
    assert_eq!((report.violation(), report.holds()), (Some(ViolationKind::Bound), false));
}

#[test]
fn what_is_found_on_several_processors_is_the_same() {
    let report = Builder::new().symmetry(false).jobs(4).run(increments(5));
    assert_eq!((report.executions(), report.holds()), (120, true));
}

#[test]
fn a_violation_can_be_run_again() {
    let report = Builder::new().run(lost_update);
    let replay = report.replay().expect("a panic can be run again").to_owned();
    let again = Builder::new().replay(replay).run(lost_update);
    assert_eq!(again.message(), report.message());
    assert_eq!(again.executions() + again.blocked(), 0);
}

#[test]
fn the_text_of_a_violation_shows_the_run() {
    let text = Builder::new().run(lost_update).to_string();
    assert!(text.contains("an increment is lost"), "{text}");
    assert!(text.contains("reads counter = 0 (Relaxed)"), "{text}");
    assert!(text.contains("writes counter = 1 (Relaxed)"), "{text}");
    assert!(text.contains("test the_text_of_a_violation_shows_the_run"), "{text}");
    assert!(text.contains("QUOTIENT_REPLAY="), "{text}");
}

#[test]
fn a_report_goes_to_a_file_or_to_one_of_its_own_in_a_directory() {
    let directory = std::env::temp_dir().join(format!("quotient-report-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let read = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(directory.join(name)).unwrap()).unwrap()
    };
    let test = "a_report_goes_to_a_file_or_to_one_of_its_own_in_a_directory";

    Builder::new().report(directory.join("violated.json")).run(lost_update);
    let violated = read("violated.json");
    assert_eq!(violated["verdict"], "violated");
    assert_eq!(violated["violations"][0]["kind"], "panic");

    Builder::new().symmetry(false).report(&directory).run(increments(3));
    let holds = read(&format!("{test}.json"));
    assert_eq!((&holds["verdict"], &holds["input"]), (&Value::from("holds"), &Value::from(test)));
    assert_eq!(holds["stats"]["executions"], 6);
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Every execution of this program is as likely as every other, so the estimate is exact.
#[test]
fn an_estimate_says_how_many_executions_there_are() {
    let estimate = Builder::new().symmetry(false).estimate(200, increments(2));
    assert_eq!((estimate.walks, estimate.executions), (200, 2.0));
    let estimate = Builder::new().symmetry(false).estimate(500, increments(5));
    assert!((60.0..240.0).contains(&estimate.executions), "{estimate:?}, but there are 120");
}

#[test]
#[should_panic(expected = "an increment is lost")]
fn an_estimate_reports_what_it_meets() {
    Builder::new().estimate(1000, lost_update);
}
