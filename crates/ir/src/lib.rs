//! Typed transition systems: what every front end for models lowers to and every engine runs on.
//!
//! A [`Model`] is a set of process types, each a control automaton whose transitions execute guarded effects over
//! global variables, local variables and channels. A state is a tuple of components (globals, channels, live
//! processes), each with typed fields; [`schema`] lays them out as bytes.
//!
//! # Where things are
//!
//! - `dead.rs` says which variables nobody will read before they are written again.
//! - `builder.rs` is for models written in Rust; `validate.rs` finds what is malformed in a model, wherever it comes
//!   from.
//! - `spin.rs` is SPIN's rule of what is shared, word for word, for models that are made to count as SPIN does.
//! - `property.rs` says what can be asked of a model: safety, formulas with their propositions, never claims, labels.
//!   `termination.rs` says what becomes of processes that have ended; everything that depends on it asks there.
//!
//! # What must stay true
//!
//! - Engines get well-formed models only: `validate` finds nothing in them. The front end is held to it in debug builds,
//!   and so by every test.
//! - It is independent of the input language. Every scalar has a *sort* (plain data, channel id, process id), so that
//!   later reductions know what a value stands for.
//! - The schema is computed once per model; offsets inside a component never change.

#![forbid(unsafe_code)]

pub mod action;
pub mod ahead;
mod atomic_calls;
pub mod automaton;
pub mod builder;
pub mod dead;
pub mod effects;
pub mod expr;
pub mod extension;
mod given;
pub mod heap;
pub mod model;
pub mod population;
pub mod property;
pub mod schema;
pub mod spin;
pub mod symmetry;
pub mod termination;
pub mod types;
pub mod validate;

pub use action::{Action, Deterministic, Node, NodeOption, Pattern, Unordered};
pub use automaton::{Block, Exclusive, Proctype, ProctypeKind, Setup, State, Statement, Transition};
pub use builder::{Builder, ProcessBuilder, Variable};
pub use expr::{BinaryOp, Expr, Index, Place, Probe, Scope, UnaryOp};
pub use heap::{
    Access, Callee, Extend, Gives, Handler, Heap, HeapAction, HeapExpr, MonitorOp, Part, Question, RecordId,
    RecordKind, RecordType, ValueKind, Waiting, Which,
};
pub use model::{ChannelType, EventTrace, Instance, Model, Named, Uses};
pub use population::{Founder, population};
pub use property::{Claim, ClaimKind, Property, Proposition};
pub use symmetry::{
    Axis, Declared, DeclaredSet, Element, Group, Names, NamesId, Position, Scalarset, SetId, Steady, Symmetry, Unread,
};
pub use termination::Termination;
pub use types::{Scalar, Slot, Sort, Width};
pub use validate::{At, Defect, Malformed};

/// Index of a process type in [`Model::proctypes`].
pub type ProctypeId = usize;
/// Index of a control state in [`Proctype::states`].
pub type StateId = usize;
/// Index of a statement in [`Proctype::statements`].
pub type StatementId = usize;
/// Index of a channel type in [`Model::channels`].
pub type ChannelTypeId = usize;

/// The most processes and the most channels that may live at once, as in SPIN.
pub const MAX_INSTANCES: usize = 255;
