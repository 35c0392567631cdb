//! What can be wrong with an execution.

use quotient_graph::EventId;
use std::panic::Location as Site;

/// What kind of violation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A thread panicked: an assertion did not hold.
    Panic,
    /// Two accesses, one not atomic, one a write, are not ordered.
    Race,
    /// Every thread that has not ended waits for another.
    Deadlock,
    /// A thread spins on values that nobody will change.
    Livelock,
    /// An object is never freed.
    Leak,
    /// Memory is accessed after it was freed, or freed twice.
    Memory,
    /// A lock or another object is used against its rules.
    Misuse,
    /// A helping annotation does not hold.
    Annotation,
    /// The program behaves differently on the same inputs.
    Nondeterminism,
    /// An execution has too many events or threads.
    Bound,
    /// The execution that was asked for is not one of the program: nothing is known of the program.
    Replay,
}

impl Kind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Panic => "panic",
            Kind::Race => "race",
            Kind::Deadlock => "deadlock",
            Kind::Livelock => "livelock",
            Kind::Leak => "leak",
            Kind::Memory => "memory",
            Kind::Misuse => "misuse",
            Kind::Annotation => "annotation",
            Kind::Nondeterminism => "nondeterminism",
            Kind::Bound => "bound",
            Kind::Replay => "replay",
        }
    }
}

/// A violation: what is wrong in the current graph.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind it is.
    pub kind: Kind,
    /// One sentence.
    pub message: String,
    /// The events concerned, the latest last.
    pub events: Vec<EventId>,
    /// Where in the program.
    pub site: Option<&'static Site<'static>>,
}
