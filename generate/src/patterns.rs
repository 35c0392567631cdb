//! Small models, each with one way to write symmetric code that is easily missed, and the groups that must be found.
//! Where a group is not all permutations of a type's processes, brute force shows that it cannot be larger.

mod expressions;
mod families;
mod near;
mod sequences;

pub use expressions::{ARITHMETIC, GUARDED, NONE, ORDER, REMOTE, UNREAD};
pub use families::{ENDING, GAPS, OUTSIDE_ARRAYS, SPECIAL};
pub use near::NEAR;
pub use sequences::{LOOPS, NESTED, OPTIONS, RESETS, SCRATCH};

/// A model.
pub struct Pattern {
    /// What is special about it.
    pub name: &'static str,
    /// The model.
    pub text: &'static str,
    /// How what is found begins, one per set.
    pub found: &'static [&'static str],
}

const fn pattern(name: &'static str, text: &'static str, found: &'static [&'static str]) -> Pattern {
    Pattern { name, text, found }
}
