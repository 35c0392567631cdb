//! Execution graphs: events, program order, reads-from, coherence, insertion order and clocks.
//!
//! Follows section 3.1 of SPORE (Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024). A graph is flat: one array of
//! events per thread, clocks in one array beside it, so that copying a restricted graph is a handful of memory copies.

mod clocks;
mod event;
mod graph;
mod location;
mod op_words;
mod operation;

pub use clocks::Clock;
pub use event::{Event, EventId, Kind, ThreadId};
pub use graph::{Graph, Thread};
pub use location::{Location, LocationId};
pub use op_words::{Condition, OpCode, OpHeader, OpWords};
pub use operation::{Order, Outcome, Rmw, Update, When};
