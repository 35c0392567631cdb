//! What a search of a set of processes has found, as data. Follows section 8 of the design: violations with their runs, and everything
//! that keeps an answer from being complete.

use rapidhash::RapidHashSet;

use crate::grow::{Node, Trouble};
use crate::names::Names;
use crate::op::Pid;
use crate::perform::Choice;
use crate::state::State;
use crate::symmetry::Asymmetry;

/// One transition: who, and which of several things.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// The process.
    pub pid: Pid,
    /// Which of several things.
    pub choice: Choice,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Exploration {
    /// States that are remembered; without memory, states that were entered.
    pub states: u64,
    /// Transitions that were made.
    pub transitions: u64,
    /// How often a run came to an end, or to nothing but what sleeps.
    pub paths: u64,
    /// States in which nothing can happen and somebody waits.
    pub deadlocks: u64,
    /// The longest run.
    pub longest: usize,
    /// Runs that were cut because they were too long.
    pub cut: u64,
    /// How often a process ran from one operation to the next.
    pub steps: u64,
    /// How many nodes the trees have.
    pub nodes: usize,
    /// What went wrong. The first of each kind and place.
    pub violations: Vec<Violation>,
    /// Why there may be more than was seen.
    pub doubts: Vec<Doubt>,
    /// Why the search came to an end before it was through.
    pub stopped: Option<Stopped>,
    /// What could not be relied on, and was dropped.
    pub dropped: Vec<Dropped>,
    /// How many renamings were used, with the one that changes nothing.
    pub renamings: usize,
    /// Final states, if they are kept.
    pub ends: RapidHashSet<State>,
    /// Where processes were, if it is kept.
    pub locals: RapidHashSet<(Pid, Node)>,
    /// What is still there at the end of some run.
    pub leaks: Vec<Leak>,
    /// States that were looked at for livelocks.
    pub looked_at: u64,
    /// Programs that exit with another status than 0 in some run, by the ids of their processes, each with the first such status.
    pub statuses: Vec<(Pid, i32)>,
    /// A handler of a signal ran in some run.
    pub handlers: bool,
    /// Two processes map the same memory in some state.
    pub shared_memory: bool,
    /// What processes and objects are called, to repeat a run.
    pub names: Names,
}

/// Something that is still there at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leak {
    /// An object with a name of its own, when all have ended.
    Object {
        /// What it is.
        what: &'static str,
        /// Who made it, if that is known.
        maker: Option<Pid>,
    },
    /// A lock on a file, when nothing happens any more and only services are left.
    Lock {
        /// The file, if it still has a name.
        path: Option<Vec<u8>>,
        /// Who has it.
        holder: Pid,
    },
}

/// Something that went wrong, and the run to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What.
    pub kind: ViolationKind,
    /// Who, if it is one process.
    pub pid: Option<Pid>,
    /// The transitions from the first state.
    pub run: Vec<Move>,
}

/// What shells add to the number of the signal that has ended a process.
pub(crate) const KILLED: i32 = 128;

/// What can go wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// Nothing can happen, and somebody waits.
    Deadlock,
    /// An assertion does not hold.
    Assertion,
    /// A process died.
    Crash {
        /// Of this signal.
        signal: i32,
        /// What is known of the reason.
        reason: String,
    },
    /// A process exited with a status that is not 0, or a signal has ended it, which shells tell as 128 and its number.
    ExitStatus(i32),
    /// A process computed for too long without an operation.
    Divergence,
    /// A run goes on forever, and a process never ends in it.
    Livelock {
        /// The moves of the run from this one on lead back to where they began.
        from: usize,
    },
    /// A process did something else than the last time.
    Nondeterminism {
        /// What it did before.
        before: String,
        /// What it did now.
        now: String,
    },
}

/// Why there may be more than was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Who.
    pub pid: Pid,
    /// What happened.
    pub trouble: Trouble,
    /// The transitions from the first state.
    pub run: Vec<Move>,
}

/// Why a search came to an end before it was through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// At the first violation, as it was asked to.
    Violation,
    /// At a limit on transitions.
    Transitions,
    /// At a limit on states.
    States,
    /// Somebody interrupted it.
    Interrupted,
    /// A process could not be run.
    Failed,
}

/// What could not be relied on. The search began again without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// That nobody sends signals.
    Signals,
    /// That semaphores are only taken and given back.
    Semaphores,
    /// A symmetry, and why.
    Symmetry(Asymmetry),
}

/// Whoever watches a search.
pub trait Watch {
    /// Is told how far the search has come, every hundred transitions. Whether it goes on.
    fn goes_on(&mut self, so_far: &Exploration) -> bool {
        let _ = so_far;
        true
    }
}

/// Nobody watches.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {}
