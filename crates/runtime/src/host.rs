//! What the explorer asks of whoever keeps the memory of a native program: of its executions, of its names, of threads that are
//! alike.

use crate::check::Whereabouts;
use crate::likeness::ThreadPermutation;
use crate::native::Site;
use quotient_dpor::Explorer;
use quotient_dpor::graph::{EventId, LocationId};
use std::collections::BTreeMap;
use std::ops::Range;

/// Whoever keeps the memory of a native program.
pub trait Host: Execution + Names + LikeThreads {}

impl<T: Execution + Names + LikeThreads> Host for T {}

/// How a program is run, and what it has done.
pub trait Execution: Send + Sync {
    /// An execution begins: memory is to be as at the beginning.
    fn begin(&self);
    /// The stack of a thread, lowest and highest address. Below it is memory that cannot be accessed.
    fn stack(&self, thread: u32) -> (usize, usize);
    /// What the function at an address does with addresses that it is given.
    fn callee(&self, function: usize) -> Callee;
    /// From now on what this thread writes is noted.
    fn watch(&self, thread: u32);
    /// Nothing is noted any more.
    fn unwatch(&self);
    /// How far the notes are.
    fn mark(&self, thread: u32) -> Mark;
    /// What the thread has written since, its own stack apart.
    fn changes(&self, thread: u32, since: Mark) -> Changes;
    /// Whether a thread has written to memory other than its own stack, by plain writes, after it has had so many events and
    /// before it has had so many.
    fn has_written(&self, thread: u32, after: u32, before: u32) -> bool;
    /// Where a location is in memory.
    fn address_of(&self, location: LocationId) -> usize;
    /// Whether the program has ended in this execution, and with it all threads that still wait.
    fn has_ended(&self) -> bool;
    /// The program has ended while these threads wait forever, each for something at some place. Whether that is wrong.
    fn is_wrong_at_end(&self, stuck: &[(u32, &'static str, Site)]) -> bool;
    /// An execution has ended with all threads; what it has left behind is wrong.
    fn leak(&self) -> Option<(String, Option<Site>)>;
    /// Events of threads whose writes the program has said to be the last ones to their locations.
    fn said_to_be_final(&self) -> Vec<(u32, Range<u32>)>;
    /// Whether somebody wants to know where the exploration is.
    fn wants_whereabouts(&self) -> bool;
    /// Where the exploration is; the host adds what it knows of all executions so far.
    fn keep_whereabouts(&self, whereabouts: &Whereabouts);
    /// The exploration is where another process has left it: what that one knew of its executions is known now.
    fn carry_on(&self);
}

/// What things are called.
pub trait Names: Send + Sync {
    /// Where a place in the code is: file, line, column.
    fn place_of(&self, site: Site) -> Option<(String, u32, u32)>;
    /// What is wrong besides events, the latest first: the thread, its next event, what it has done, and where.
    fn related(&self) -> Vec<(EventId, String, Site)>;
    /// What is at an address, in words.
    fn describe_memory(&self, address: usize) -> String;
    /// What a location is called.
    fn name_of(&self, location: LocationId) -> Option<String>;
}

/// Threads that run the same function with different arguments: whether the program can tell them apart.
pub trait LikeThreads: Send + Sync {
    /// Whether threads of this class may turn out not to be alike, so that every execution has to be looked at.
    fn is_in_doubt(&self, class: u64) -> bool;
    /// The execution that has just been run will be run again with threads in these places; first with each in its own.
    fn before_permuted_run(&self, class: u64, places: &ThreadPermutation);
    /// The value that stands for this one when threads are in these places.
    fn renamed_value(&self, places: &ThreadPermutation, location: LocationId, value: u64) -> u64;
    /// The execution has been run again; if something was different, what.
    fn after_permuted_run(&self, class: u64, places: &ThreadPermutation, explorer: &Explorer) -> Option<String>;
    /// Why an execution could not be run again in this way.
    fn why_not(&self) -> String;
    /// The threads are not alike. An error, if the program has said that they are.
    fn refute(&self, class: u64, members: &[u32], reason: String) -> Option<(String, Option<Site>)>;
}

/// What a function that is called does with addresses that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// It may keep them.
    Unknown,
    /// Nothing: it is told of an access that its caller makes.
    Told,
    /// It reads, and may write, so many bytes at its second argument, and keeps nothing of that.
    Operand(u8),
    /// It is an atomic store to its first argument.
    Store,
}

/// How far a host's notes are about what a thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many there are.
    pub notes: usize,
    /// How often the thread has allocated memory, started threads, and done other things that last; how deep it holds locks; its
    /// error number, if that matters; the result that it has left.
    pub counts: [u64; COUNTS],
}

/// How much a host counts.
pub const COUNTS: usize = 6;

/// What a thread has done to memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// What it has written, by address: what was there, and what is there now. Of a native program, bytes.
    pub words: BTreeMap<usize, (u64, u64)>,
    /// Whether it has ever been other than it is now. Only a host knows.
    pub meanwhile: bool,
    /// By how much what a host counts has changed, or a number for what was done if that says more.
    pub counts: [u64; COUNTS],
}

impl Changes {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether memory is not as it was, and where, if that is known.
    pub(crate) fn difference(&self) -> Option<Option<usize>> {
        let changed = self.words.iter().find(|(_, (old, new))| old != new).map(|(&address, _)| Some(address));
        changed.or((self.counts != [0; COUNTS]).then_some(None))
    }

    /// Whether memory that was the same before is the same after these changes and those.
    pub(crate) fn leads_to_same(&self, other: &Changes) -> bool {
        let agrees = |one: &Changes, other: &Changes| {
            one.words.iter().all(|(address, &(old, new))| match other.words.get(address) {
                Some(&(_, there)) => there == new,
                None => old == new,
            })
        };
        self.counts == other.counts && agrees(self, other) && agrees(other, self)
    }
}
