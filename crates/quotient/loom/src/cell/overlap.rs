//! Accesses to one cell that last at the same time. Quotient finds those of different threads, which race; this finds
//! those of one thread, which would make references that must not exist together.

use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

/// Who uses a cell now. Pointers into a cell can outlive it, so they share this.
#[derive(Clone, Default)]
pub(super) struct Users {
    /// The number of readers, or -1 for a writer.
    count: Arc<AtomicIsize>,
}

/// An access that lasts until this is dropped.
pub(super) struct Use {
    users: Users,
    change: isize,
}

impl Users {
    /// Begins to read, unless the cell is being written.
    pub(super) fn read(&self) -> Option<Use> {
        (self.count.load(Relaxed) >= 0).then(|| self.begin(1))
    }

    /// Begins to write, unless the cell is being read or written.
    pub(super) fn write(&self) -> Option<Use> {
        (self.count.load(Relaxed) == 0).then(|| self.begin(-1))
    }

    fn begin(&self, change: isize) -> Use {
        self.count.fetch_add(change, Relaxed);
        Use { users: self.clone(), change }
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.users.count.fetch_sub(self.change, Relaxed);
    }
}
