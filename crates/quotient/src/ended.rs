//! Which threads have ended, as far as a thread knows because it has joined them. It is a part of happens-before that
//! the library can see by itself, and it tells when the order of invisible operations is settled.

use crate::ops::{self, ThreadId};
use crate::per_execution::PerExecution;

std::thread_local! {
    /// By thread, the threads that it knows to have ended.
    static KNOWN: PerExecution<Vec<Threads>> = const { PerExecution::new(Vec::new()) };
}

/// A set of threads.
#[derive(Clone, Default)]
struct Threads {
    /// The first 64, without which most programs do.
    first: u64,
    others: Vec<u64>,
}

impl Threads {
    fn contains(&self, thread: ThreadId) -> bool {
        let (word, bit) = (thread.0 / 64, thread.0 % 64);
        let words = if word == 0 { Some(&self.first) } else { self.others.get(word as usize - 1) };
        words.is_some_and(|word| word >> bit & 1 == 1)
    }

    fn insert(&mut self, thread: ThreadId) {
        let (word, bit) = (thread.0 as usize / 64, thread.0 % 64);
        if self.others.len() < word {
            self.others.resize(word, 0);
        }
        let word = if word == 0 { &mut self.first } else { &mut self.others[word - 1] };
        *word |= 1 << bit;
    }

    fn extend(&mut self, more: &Threads) {
        self.first |= more.first;
        self.others.resize(self.others.len().max(more.others.len()), 0);
        for (mine, theirs) in self.others.iter_mut().zip(&more.others) {
            *mine |= theirs;
        }
    }
}

/// Whether the calling thread knows that `thread` has ended, or is that thread: what it has done is then before what
/// the caller does.
pub fn is_known(thread: ThreadId) -> bool {
    let current = ops::current_unobserved();
    thread == current || known(|known| known.get(current.0 as usize).is_some_and(|known| known.contains(thread)))
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

fn entry(known: &mut Vec<Threads>, thread: ThreadId) -> &mut Threads {
    let number = thread.0 as usize;
    if known.len() <= number {
        known.resize_with(number + 1, Threads::default);
    }
    &mut known[number]
}

fn known<R>(body: impl FnOnce(&mut Vec<Threads>) -> R) -> R {
    KNOWN.with(|known| known.with(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut some = Threads::default();
        let mut more = Threads::default();
        [0, 63, 64].into_iter().for_each(|number| some.insert(ThreadId(number)));
        [5, 200].into_iter().for_each(|number| more.insert(ThreadId(number)));
        some.extend(&more);
        let members: Vec<u32> = (0..300).filter(|&number| some.contains(ThreadId(number))).collect();
        assert_eq!(members, [0, 5, 63, 64, 200]);
        more.extend(&some);
        assert!((0..300).all(|number| more.contains(ThreadId(number)) == some.contains(ThreadId(number))));
    }
}
