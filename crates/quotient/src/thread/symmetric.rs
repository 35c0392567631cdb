//! Threads that are declared to be symmetric.

use std::sync::Arc;

use super::likeness::Work;
use super::start::spawn;
use crate::ops;

/// Starts `count` threads that all run `body`. They share one closure, so nothing but [`current`](super::current()) can
/// tell them apart: of the executions that differ only in which of them does what, one is explored.
#[track_caller]
pub fn spawn_symmetric<F>(count: usize, body: F) -> SymmetricGroup
where
    F: Fn() + Send + Sync + 'static,
{
    let body = Arc::new(body);
    let address = Arc::as_ptr(&body).addr().to_ne_bytes();
    let work = Work::shared::<F>(&address);
    let mut threads = Vec::with_capacity(count);
    for _ in 0..count {
        threads.push(spawn(ops::Body::shared(body.clone()), work));
    }
    SymmetricGroup { threads }
}

/// Threads started by [`spawn_symmetric`].
#[derive(Debug)]
pub struct SymmetricGroup {
    threads: Vec<ops::ThreadId>,
}

impl SymmetricGroup {
    /// Waits until all threads have ended.
    #[track_caller]
    pub fn join(self) {
        for thread in self.threads {
            ops::join(thread);
        }
    }

    /// How many threads there are.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Whether there are no threads.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }
}
