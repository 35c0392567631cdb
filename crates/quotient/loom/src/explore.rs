//! loom's marks for parts of a program that are not to be explored. They have no effect here: such a part is explored as
//! well, which finds no less, and a part in which only one thread runs costs nothing.

use quotient::ops;

/// Says that a part begins of which every behaviour is to be explored: it is anyway.
#[track_caller]
pub fn explore() {
    must_be_inside_a_check();
}

/// Says that a part begins of which one behaviour is enough. All are explored nevertheless.
#[track_caller]
pub fn stop_exploring() {
    must_be_inside_a_check();
}

/// Says that one behaviour of the rest of this execution is enough. All are explored nevertheless.
#[track_caller]
pub fn skip_branch() {
    must_be_inside_a_check();
}

/// As in loom, a mark outside a check is a mistake.
#[track_caller]
fn must_be_inside_a_check() {
    let _ = ops::execution_number();
}
