//! The model: everything an engine needs to know about the system under check.

use crate::{Declared, Proctype, ProctypeId, ProctypeKind, Scalar, Setup, Slot, Symmetry};

/// A closed system of processes.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Global variables.
    pub globals: Vec<Slot>,
    /// How they are initialised, in order.
    pub setup: Vec<Setup>,
    /// Channel types, one per channel declaration.
    pub channels: Vec<ChannelType>,
    /// Process types.
    pub proctypes: Vec<Proctype>,
    /// The processes that exist at the start, in order of their ids.
    pub initial: Vec<Instance>,
    /// A requirement on the order of channel events.
    pub trace: Option<EventTrace>,
    /// Sets of symbolic names; in each, name `i` stands for value `i + 1`.
    pub mtypes: Vec<Vec<String>>,
    /// Temporal properties that the model carries, by name; safety searches do not check them.
    pub temporal: Vec<String>,
    /// What the model makes use of.
    pub uses: Uses,
    /// What its author declared symmetric.
    pub declared: Declared,
    /// What may be renamed in it, where something is known.
    pub symmetry: Option<Symmetry>,
}

/// A process that exists at the start; its parameters are zero.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Its type.
    pub proctype: ProctypeId,
    /// Its priority.
    pub priority: u8,
}

/// What channels made by one declaration have in common.
#[derive(Clone, Debug)]
pub struct ChannelType {
    /// The name in the declaration.
    pub name: String,
    /// How many messages fit; zero for a rendezvous channel.
    pub capacity: usize,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
    /// For each field, the set of symbolic names of its values.
    pub mtypes: Vec<Option<usize>>,
}

/// An automaton over channel events (`trace` and `notrace`).
#[derive(Clone, Debug)]
pub struct EventTrace {
    /// The automaton; its statements are sends and receives.
    pub proctype: ProctypeId,
    /// Matching to the end is the error (`notrace`), rather than an event that does not match.
    pub negated: bool,
}

/// What a model makes use of, so that engines carry only what is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// `_last` is read, so the last mover is part of a state.
    pub last: bool,
    /// Priorities are set or read, so they are part of a state and restrict who moves.
    pub priority: bool,
    /// `timeout` occurs.
    pub timeout: bool,
    /// A rendezvous channel can exist.
    pub rendezvous: bool,
    /// A channel that holds messages can exist.
    pub buffered: bool,
    /// `unless` occurs.
    pub unless: bool,
    /// Some process type is constrained by `provided`.
    pub provided: bool,
    /// Some `else` stands beside channel operations.
    pub mixed_else: bool,
}

impl Model {
    /// Process types whose instances are part of a state.
    pub fn process_types(&self) -> impl Iterator<Item = (ProctypeId, &Proctype)> {
        self.proctypes.iter().enumerate().filter(|(_, p)| matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init))
    }

    /// A value of an `mtype` by name, where it has one.
    pub fn mtype_name(&self, set: usize, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        self.mtypes.get(set)?.get(index).map(String::as_str)
    }

    /// A value as a person would write it: symbolic where the set of names has one.
    pub fn show(&self, mtype: Option<usize>, value: i32) -> String {
        match mtype.and_then(|set| self.mtype_name(set, value)) {
            Some(name) => name.to_string(),
            None => value.to_string(),
        }
    }
}
