//! The programs of `programs/c/ends`: what runs at the end of a program or a thread, and who is stuck then.

mod ways;

use ways::Programs;

#[test]
fn programs_end_as_they_must() {
    let options = &["--max-events=2000", "--max-executions=5000"];
    ways::check_all(&Programs { directory: "ends", options, both_symmetries: false, group: ways::together });
}
