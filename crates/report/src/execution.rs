//! The run of a concurrent program that shows what is wrong with it: its threads, its steps, and the places of memory
//! they are about. Plain data, made by whoever ran the program; rendered by [`text`] for
//! people, by [`dot`] as a drawing and by [`json`] for machines.

mod act;
pub mod dot;
mod excerpt;
mod facts;
mod graph;
pub mod json;
mod kept;
mod names;
mod reason;
mod table;
pub mod text;

use serde::{Deserialize, Serialize};

use crate::source::Location;

/// The run of a program, and what is wrong with it. Steps are numbered from one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// The test that was run.
    pub test: Option<String>,
    /// The name of the memory model.
    pub memory_model: String,
    /// What kind of violation it is: `panic`, `race`, `deadlock`, …
    pub kind: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub location: Option<Site>,
    /// The thread that did something wrong, if it is known.
    pub thread: Option<usize>,
    /// The steps that are wrong, the latest last.
    pub concerns: Vec<usize>,
    /// The threads, by number; the main thread is 0.
    pub threads: Vec<Thread>,
    /// The places of memory, in the order in which they were first accessed.
    pub places: Vec<MemoryLocation>,
    /// Whether no interleaving of the threads explains the execution: it takes a weak memory. If false, every read reads
    /// the newest write among the steps before it.
    pub weak: bool,
    /// The steps, in an order in which they can have run.
    pub steps: Vec<Step>,
    /// What is wrong besides steps, the latest first: accesses that race and are not steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// Who waits for what at the end.
    pub waiting: Vec<Waiting>,
    /// What was never freed.
    pub leaks: Vec<Leak>,
    /// A text by which exactly this run can be had again; empty if there is none.
    pub replay: String,
}

/// A place in the program's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// File, line and column.
    #[serde(flatten)]
    pub location: Location,
    /// The line itself, if it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Its number.
    pub thread: usize,
    /// The name that the program gave it.
    pub name: Option<String>,
    /// Where it was spawned; nothing for the main thread.
    pub spawned: Option<Site>,
}

/// A place of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLocation {
    /// What to call it; no two places have the same label.
    pub label: String,
    /// The value before any write, if the checker knows the values of this place.
    pub initial: Option<u64>,
    /// The steps that write it, in coherence order: the order in which all threads see them.
    pub writes: Vec<usize>,
}

/// One step of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its number.
    pub step: usize,
    /// The thread that made it.
    pub thread: usize,
    /// What it was.
    #[serde(flatten)]
    pub action: Action,
    /// Where it is in the program; nothing if the library made it by itself, as when a guard is dropped.
    pub location: Option<Site>,
}

/// What a step is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Action {
    /// Memory is accessed.
    Access(Access),
    /// A fence.
    Fence {
        /// How strongly it orders.
        order: Order,
    },
    /// A thread is started.
    Spawn {
        /// The new thread.
        child: usize,
    },
    /// The end of a thread was awaited.
    Join {
        /// The thread that has ended.
        child: usize,
    },
    /// The thread ends.
    End,
    /// A free choice.
    Choose {
        /// What was chosen.
        value: u64,
    },
    /// The clock was read.
    Clock {
        /// Whether a long time has passed since it was read before.
        passed: bool,
    },
    /// The thread waits in a loop, and goes no further.
    Spin {
        /// So many of its last steps are what it would repeat forever.
        steps: usize,
    },
    /// The thread goes no further, because what the program assumes does not hold.
    Assume,
    /// The thread begins an operation that others may leave to it.
    Primary {
        /// The number of the operation.
        operation: u64,
    },
    /// The thread leaves an operation to the one who runs it.
    Help {
        /// The number of the operation.
        operation: u64,
    },
}

/// An access of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// What was done.
    pub operation: Operation,
    /// Which place, as an index into [`Execution::places`].
    pub place: usize,
    /// How strongly it orders; of an exchange that failed, how the read does.
    pub order: Order,
    /// The value that a compare-and-exchange asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<u64>,
    /// The value read, if the checker knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<u64>,
    /// Whose value was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_from: Option<Source>,
    /// The value written, if the checker knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
}

/// Where a value that was read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// It is the initial value.
    Initial,
    /// This step wrote it.
    Step(usize),
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are those of std's methods")]
#[non_exhaustive]
pub enum Operation {
    Load,
    Store,
    Swap,
    FetchAdd,
    FetchSub,
    FetchAnd,
    FetchNand,
    FetchOr,
    FetchXor,
    FetchMax,
    FetchMin,
    CompareExchange,
    CompareExchangeFailed,
    /// A weak exchange failed although the value was the expected one.
    CompareExchangeSpurious,
    /// Waited for the value to be right, and changed it in the same step.
    Lock,
    /// Gave back what a `Lock` took.
    Unlock,
    /// Gave back what a `Lock` took, by dropping a guard; the location is where the guard was taken.
    DropGuard,
    /// Waited for the value to be right.
    Wait,
    /// The place ceased to exist.
    Free,
}

/// How strongly an access or a fence orders memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of std's `Ordering`")]
#[non_exhaustive]
pub enum Order {
    /// Not atomic.
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// Something that a thread has done which is not a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// The thread.
    pub thread: usize,
    /// What it has done.
    pub what: String,
    /// The last step of the thread before, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// Where.
    pub location: Option<Site>,
}

/// A thread that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The thread.
    pub thread: usize,
    /// For what, as the end of the sentence "the thread waits …".
    pub why: String,
    /// Where.
    pub location: Option<Site>,
    /// The place it waits for, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The thread whose end it waits for, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<usize>,
}

/// Something that was never freed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// What it is.
    pub what: String,
    /// Where it was made.
    pub location: Option<Site>,
}
