//! Successor generation: what a model can do next.
//!
//! [`mod@reference`] is small and obviously right: it defines the meaning of a model, and [`replay`] repeats runs on it.
//! [`machine`] is the fast back end on flat bytes; tests hold it to the reference on every state.
//!
//! # Where things are
//!
//! - `reference/`: `State`, `Interpreter::moves`, one file each for actions, expressions and channel events.
//! - `machine/program.rs` is a compiled model, `compile.rs` and `translate.rs` make it; `code.rs` and `evaluate.rs` are
//!   the operations and their loop; `shape.rs` is the tree of populations, `numbers.rs` gives each the number that states
//!   carry; `rare.rs` holds what is too rare for an operation of its own.
//! - `machine/convert.rs` turns states into those of the reference interpreter, and back.
//! - `machine/resets.rs`: steps of a program with resets write over what nobody will read.
//! - `fault.rs` lists the errors that a step can show.
//! - `replay.rs` is the one loop that repeats a run, for whoever checks, tells or simulates it.
//!
//! # What must stay true
//!
//! - On every state, the machine offers the same choices in the same order with the same successors and faults as the
//!   reference interpreter. `crates/search/tests/differential.rs` holds it to that.
//! - A state's bytes mean the same to every machine for a program, whoever made the state and in whatever order shapes
//!   were met. `crates/search/tests/shapes.rs` holds them to that.
//! - The order is SPIN's: youngest process first, transitions in the order of the control state, escapes first.

pub mod fault;
pub mod machine;
pub mod reference;
pub mod replay;

pub use fault::{Fault, FaultKind};

/// One step of a run: a process executes a transition; in a rendezvous a second one does too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Choice {
    /// The process, by its id.
    pub process: usize,
    /// The transition, by its index in the process's control state.
    pub transition: usize,
    /// The receiver's id and transition, in a rendezvous.
    pub partner: Option<(usize, usize)>,
}

/// Who may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// Every process.
    Free,
    /// Only this one: it is inside an atomic sequence.
    Exclusive(usize),
}
