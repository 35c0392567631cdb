//! What a program can leave open, or rule out, in what is checked.

use crate::ops;

/// Goes on only if `condition` holds: other executions are discarded.
#[track_caller]
pub fn assume(condition: bool) {
    ops::assume(condition);
}

/// One of the numbers below `options`: all of them are explored.
///
/// # Panics
/// If there is nothing to choose from.
#[track_caller]
pub fn choose(options: usize) -> usize {
    assert!(options > 0, "there is nothing to choose from");
    if options == 1 { 0 } else { ops::choose(options) }
}

/// `false` or `true`: both are explored.
#[track_caller]
pub fn any_bool() -> bool {
    ops::choose(2) == 1
}
