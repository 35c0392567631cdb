//! Sets of Unix processes without an operating system: trees of what processes do, the objects that they share, and searches of
//! their interleavings. Follows Godefroid, *Exploiting Symmetry when Model-Checking Software* (1999), but for one thing: the
//! checker is every communication object, so that a process runs once for every history of its own and not for every path.
//!
//! # Where things are
//!
//! - `op.rs`, `outcome.rs` and `grow.rs` are the boundary to whoever runs processes: operations and outcomes as data, and
//!   the trait `Grow`. `script.rs` implements it with small programs written as data, for tests.
//! - `state.rs`, `object.rs`: a state is a value. `names.rs` names what processes can see by its maker and a count;
//!   `label.rs` numbers what they cannot see anew after every transition. `tree.rs` has the trees.
//! - `work.rs` is one operation at work on a copy of a state: every access to something shared goes through it and is
//!   noted. The calls are in `life.rs` (fork, exec, exit, wait, close), `sem.rs`, `pipe.rs`, `queue.rs`, `files.rs` with
//!   `path.rs`, `lock.rs`, `socket.rs`, `poll.rs`, `memory.rs` and `signal.rs`; `perform.rs` is the table. `private.rs`
//!   says which operations are nobody else's business: they are done at once and are no transitions.
//! - `world.rs` has transitions; `search.rs` is the search, `options.rs` says how it is made and `found.rs` what it
//!   gives, `reach.rs` its persistent sets, `symmetry.rs` and `rename.rs` its symmetry; `livelock.rs` looks for fair
//!   cycles in the whole graph, `leak.rs` for what is left at the end; `naive.rs` is the search to which tests hold it.
//!   `run.rs` and `describe.rs` tell a run.
//!
//! # What must stay true
//!
//! - What an operation does, and whether it waits, depends on nothing but what it has touched. `tests/reductions.rs`
//!   looks for operations that touch nothing in common and do not commute.
//! - A reduction never changes what is found. What it relies on without proof (nobody sends signals; semaphores are only
//!   taken and given back; symmetry) is looked at in every state, and if it is not so the search begins again without it.
//! - A transition that closes a cycle does not sleep afterwards, and a state that is entered again because something woke
//!   up leaves nothing out unless all is new behind it (`Frame::strict`, `Frame::closes`).

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
pub use names::{Made, Names, Noticed};
pub use object::NOW;
pub use op::{
    Action, Address, EpollEntry, EpollOp, Fd, FileOp, Handler, Id, Lock, MemoryOp, MqOp, MsgOp, Op, OpenHow, Pid,
    PollEntry, Range, SemEntry, SemOp, Signal, SocketKind, SocketOp, Target, Timeout, Whence, Who,
};
pub use options::{Compare, Damage, Fairness, Independence, Options, Persistent, Symmetry};
pub use outcome::{Contents, Entry, Extra, Outcome, Stat};
pub use perform::Choice;
pub use run::{NarratedStep, Narration, Waiting, narrate};
pub use search::explore;
pub use state::State;
pub use symmetry::Asymmetry;
pub use tree::{Edge, Tree};
pub use world::{Program, StartContent, StartFile, System};
