//! Which threads have ended, as far as a thread knows because it has joined them. It is a part of happens-before that
//! the library can see by itself, and it tells when the order of invisible operations is settled.

use std::collections::BTreeSet;

use crate::ops::{self, ThreadId};
use crate::per_execution::PerExecution;

std::thread_local! {
    /// By thread, the threads that it knows to have ended.
    static KNOWN: PerExecution<Vec<BTreeSet<ThreadId>>> = const { PerExecution::new(Vec::new()) };
}

/// Whether the calling thread knows that `thread` has ended, or is that thread: what it has done is then before what
/// the caller does.
pub fn is_known(thread: ThreadId) -> bool {
    let current = ops::current_unobserved();
    thread == current || known(|known| known.get(current.0 as usize).is_some_and(|known| known.contains(&thread)))
}

/// Notes that the calling thread has joined `thread`, and so knows what that one knew.
pub fn note_join(thread: ThreadId) {
    let current = ops::current_unobserved();
    known(|known| {
        let more = std::mem::take(entry(known, thread));
        let mine = entry(known, current);
        mine.insert(thread);
        mine.extend(&more);
        *entry(known, thread) = more;
    });
}

/// Notes that the calling thread has spawned `child`, which knows what its parent knew.
pub fn note_spawn(child: ThreadId) {
    let current = ops::current_unobserved();
    known(|known| {
        let inherited = entry(known, current).clone();
        *entry(known, child) = inherited;
    });
}

fn entry(known: &mut Vec<BTreeSet<ThreadId>>, thread: ThreadId) -> &mut BTreeSet<ThreadId> {
    let number = thread.0 as usize;
    if known.len() <= number {
        known.resize_with(number + 1, BTreeSet::new);
    }
    &mut known[number]
}

fn known<R>(body: impl FnOnce(&mut Vec<BTreeSet<ThreadId>>) -> R) -> R {
    KNOWN.with(|known| known.with(body))
}
