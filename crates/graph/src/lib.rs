//! Execution graphs: events, program order, reads-from, coherence, insertion order and clocks.
//!
//! Follows section 3.1 of SPORE (Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024). A graph is flat: one array of
//! events per thread, clocks in one array beside it, so that copying a restricted graph is a handful of memory copies.
//!
//! # Where things are
//!
//! Execution graphs: one flat array of events per thread, clocks beside it, the coherence order and readers of every
//! location, and the order in which the program can be run. `op_words.rs` is an operation in three words, as it is passed
//! in registers, kept with its event and compared when it is replayed. Knows nothing of memory models.
//!
//! # What must stay true
//!
//! - Events are added and removed at the end of their thread; `restrict` copies a graph that is closed under what events
//!   depend on.

mod clocks;
mod event;
mod graph;
mod location;
mod op_words;
mod operation;

pub use clocks::Clock;
pub use event::{Event, EventId, Kind, ThreadId};
pub use graph::{Graph, Thread, mix};
pub use location::{Location, LocationId};
pub use op_words::{Condition, OpCode, OpHeader, OpWords};
pub use operation::{Order, Outcome, Rmw, Update, When};
