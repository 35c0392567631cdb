//! Tables of the library that belong to one execution. All threads of a program run on one OS thread, so a table is
//! an OS thread's local; it empties itself when it notices that another execution has begun.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::ops;

/// A table that is empty again in each execution.
pub(crate) struct PerExecution<T> {
    execution: Cell<u64>,
    table: RefCell<T>,
}

/// A table that can be emptied. It may keep its storage.
pub(crate) trait Table {
    fn empty(&mut self);
}

impl<T> Table for Vec<T> {
    fn empty(&mut self) {
        self.clear();
    }
}

impl<K, V> Table for BTreeMap<K, V> {
    fn empty(&mut self) {
        self.clear();
    }
}

impl<T: Table> PerExecution<T> {
    /// A table that no execution has used.
    pub(crate) const fn new(empty: T) -> Self {
        PerExecution { execution: Cell::new(0), table: RefCell::new(empty) }
    }

    /// Gives the table of the current execution. `body` must not perform visible operations: another thread could
    /// then ask for the table while it is lent. What it allocates outlasts the execution, and is not the program's.
    pub(crate) fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        let current = ops::execution_number();
        let mut table = self.table.borrow_mut();
        ops::as_library(|| {
            if self.execution.replace(current) != current {
                table.empty();
            }
            body(&mut table)
        })
    }
}
