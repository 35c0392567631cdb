//! Sets of Unix processes without an operating system: trees of what processes do, the objects that they share, and searches of
//! their interleavings. Follows Godefroid, *Exploiting Symmetry when Model-Checking Software* (1999), but for one thing: the
//! checker is every communication object, so that a process runs once for every history of its own and not for every path.

#![forbid(unsafe_code)]

mod describe;
pub mod errno;
mod files;
mod found;
mod grow;
mod label;
mod leak;
mod life;
mod livelock;
mod lock;
mod memory;
mod naive;
mod names;
mod object;
mod op;
mod options;
mod outcome;
mod path;
mod perform;
mod pipe;
mod poll;
mod private;
mod queue;
mod reach;
mod rename;
mod run;
pub mod script;
mod search;
mod sem;
mod signal;
mod socket;
mod state;
mod symmetry;
mod tree;
mod work;
mod world;

pub use found::{Doubt, Dropped, Exploration, Leak, Move, Stopped, Unwatched, Violation, ViolationKind, Watch};
pub use grow::{Arrival, Grow, Node, Printed, Signals, SourceLocation, Step, Stop, Trouble, Wrote};
pub use naive::{compare, compare_symmetric, strangers_that_meet};
pub use names::{Made, Names};
pub use object::NOW;
pub use op::{
    Address, EpollEntry, EpollOp, Fd, FileOp, Id, Lock, MemoryOp, MqOp, MsgOp, Op, OpenHow, Pid, PollEntry, Range,
    SemEntry, SemOp, Signal, SocketKind, SocketOp, Target, Timeout, Whence, Who,
};
pub use options::{Compare, Damage, Fairness, Independence, Options, Persistent, Symmetry};
pub use outcome::{Contents, Entry, Extra, Outcome, Stat};
pub use perform::Choice;
pub use run::{NarratedStep, Narration, Waiting, narrate};
pub use search::explore;
pub use state::State;
pub use tree::{Edge, Tree};
pub use world::{Program, StartContent, StartFile, System};
