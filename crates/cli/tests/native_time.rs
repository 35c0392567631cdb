//! The programs of `programs/c/time`: clocks, sleeping, waits with a deadline and wake-ups without a reason. Of every wait with
//! a deadline both ends must be seen.

mod ways;

use ways::Programs;

#[test]
fn time_passes_as_it_must() {
    let options = &["--max-events=2000", "--max-executions=5000"];
    ways::check_all(&Programs { directory: "time", options, both_symmetries: false, group: ways::together });
}
