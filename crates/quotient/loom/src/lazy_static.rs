//! What loom's `lazy_static!` declares. Quotient's macro declares a `LazyLock` instead, which is used in the same way; the
//! type here is for code that names loom's.

use std::fmt;

use quotient::sync::LazyLock;

pub use quotient::thread::{AccessError, panicking, yield_now};

/// A value that is made when it is first needed, anew in each execution.
pub struct Lazy<T: 'static> {
    value: LazyLock<T>,
}

impl<T: 'static> Lazy<T> {
    /// A value that `init` will make.
    pub const fn new(init: fn() -> T) -> Self {
        Lazy { value: LazyLock::new(init) }
    }

    /// The value; makes it if that has not been done in this execution. It lasts until the execution ends.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        LazyLock::force(&self.value)
    }
}

impl<T: 'static> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}
