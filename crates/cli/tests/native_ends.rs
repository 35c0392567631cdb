//! The programs of `programs/c/ends`: what runs at the end of a program or a thread, and who is stuck then.

mod ways;

#[test]
fn programs_end_as_they_must() {
    ways::check_all("ends");
}

#[test]
fn what_goes_wrong_at_the_end_goes_wrong_again() {
    ways::replay_all("ends");
}
