//! The programs of `programs/c/time`: clocks, sleeping, waits with a deadline and wake-ups without a reason. Of every wait with
//! a deadline both ends must be seen.

mod ways;

#[test]
fn time_passes_as_it_must() {
    ways::check_all("time");
}

#[test]
fn what_goes_wrong_with_time_goes_wrong_again() {
    ways::replay_all("time");
}
