//! Successor generation: what a model can do next.
//!
//! [`mod@reference`] is small and obviously right: it defines the meaning of a model, and [`replay`] repeats runs on it.
//! [`machine`] is the fast back end on flat bytes; tests hold it to the reference on every state.

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
