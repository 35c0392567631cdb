//! The programs of `programs/c/pairs`: each has a right form, and a wrong one with `-DWRONG`, which is found.

mod ways;

use ways::Programs;

#[test]
fn wrong_forms_are_found_and_right_ones_hold() {
    ways::check_all(&Programs { directory: "pairs", options: &[], both_symmetries: false, group: ways::together });
}
