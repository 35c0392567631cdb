//! Choices and assumptions.

mod common;

use common::{complaint, outcomes};
use quotient::{any_bool, assume, choose};

#[test]
fn all_choices_are_explored() {
    assert_eq!(outcomes(|| (choose(3), any_bool())).len(), 6);
    assert_eq!(outcomes(|| choose(1)), [0]);
    assert!(complaint(|| choose(0)).contains("nothing to choose from"));
}

#[test]
fn assumptions_discard_executions() {
    let even = outcomes(|| {
        let number = choose(6);
        assume(number.is_multiple_of(2));
        number
    });
    assert_eq!(even, [0, 2, 4]);
}
