//! Complete executions as plain values, the thing by which two checkers are compared. They are the execution graphs of
//! stateless model checking (Kokologiannakis et al., PLDI 2024, section 2): accesses, reads-from, coherence order.

use std::ops::Range;

use crate::program::Program;
use crate::thread;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Reads: a load, or a compare-and-swap that failed.
    Read,
    /// Writes: a store or an unlock.
    Write,
    /// Reads and writes: a read-modify-write, a compare-and-swap that succeeded, a lock.
    Update,
    /// A fence.
    Fence,
}

/// Where a read takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The initial value of the location.
    Init,
    /// A write: the thread, and the index among the accesses of that thread.
    Write(usize, usize),
}

/// One access of a thread. A read-modify-write is one access, and so is a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// What it does.
    pub kind: Kind,
    /// Where; `None` for a fence.
    pub loc: Option<usize>,
    /// Where it reads from, if it reads.
    pub rf: Option<Source>,
    /// The value it reads, if it reads.
    pub read: Option<u64>,
    /// The value it writes, if it writes.
    pub written: Option<u64>,
}

/// A complete execution: every thread has finished, no assumption failed, every lock was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Execution {
    /// The accesses of each thread, in program order.
    pub threads: Vec<Vec<Access>>,
    /// The coherence order of each location: all its writes as thread and index, without the initial one.
    pub co: Vec<Vec<(usize, usize)>>,
}

impl Execution {
    /// The same execution with the threads renamed: thread `t` becomes thread `perm[t]`.
    ///
    /// # Panics
    /// If `perm` is not a permutation of the threads.
    pub fn permuted(&self, perm: &[usize]) -> Execution {
        let mut threads = vec![Vec::new(); self.threads.len()];
        for (thread, accesses) in self.threads.iter().enumerate() {
            let rename = |access: &Access| Access { rf: access.rf.map(|rf| rf.permuted(perm)), ..*access };
            threads[perm[thread]] = accesses.iter().map(rename).collect();
        }
        let co = self.co.iter().map(|co| co.iter().map(|&(t, k)| (perm[t], k)).collect()).collect();
        Execution { threads, co }
    }

    /// The least of all executions that renaming threads within their classes gives.
    pub fn canonical(&self, classes: &[Range<usize>]) -> Execution {
        let renamed = permutations(self.threads.len(), classes).into_iter().map(|perm| self.permuted(&perm));
        renamed.min().unwrap_or_else(|| self.clone())
    }

    /// The final values of each thread's registers; `None` if this is not an execution of the program.
    pub fn registers(&self, program: &Program) -> Option<Vec<Vec<u64>>> {
        thread::replay(program, self).map(|runs| runs.into_iter().map(|run| run.registers).collect())
    }

    /// The final values of the locations: those of the last write in coherence order, or the initial ones.
    pub fn memory(&self, program: &Program) -> Vec<u64> {
        let last = |(init, co): (&u64, &Vec<(usize, usize)>)| match co.last() {
            Some(&(thread, index)) => self.threads[thread][index].written.unwrap_or(*init),
            None => *init,
        };
        program.init.iter().zip(&self.co).map(last).collect()
    }
}

impl Source {
    /// The same source with the threads renamed.
    fn permuted(self, perm: &[usize]) -> Source {
        match self {
            Source::Init => Source::Init,
            Source::Write(thread, index) => Source::Write(perm[thread], index),
        }
    }
}

/// All permutations of `n` threads that keep every thread in its class; threads of no class stay where they are.
pub fn permutations(n: usize, classes: &[Range<usize>]) -> Vec<Vec<usize>> {
    let mut all = vec![(0..n).collect::<Vec<_>>()];
    for class in classes {
        // Every position of the class in turn swaps with itself or a later one, which reaches each order once.
        for at in class.clone() {
            let swap = |perm: &Vec<usize>, with: usize| {
                let mut perm = perm.clone();
                perm.swap(at, with);
                perm
            };
            all = all.iter().flat_map(|perm| (at..class.end).map(move |with| swap(perm, with))).collect();
        }
    }
    all
}
