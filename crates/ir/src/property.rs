//! Properties: what can be asked of a model. Safety is checked by every search; claims are temporal, and are carried by the
//! model until a search can check them.

use std::fmt;

use crate::{Model, ProctypeId};

/// Something that a model should satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Property {
    /// No step goes wrong: assertions hold, and nothing is done that is an error.
    Assertion,
    /// No run ends where some process may not rest.
    InvalidEndState,
    /// A claim about whole runs, by its index in [`Model::claims`].
    Claim(usize),
}

/// A claim about whole runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// How it is stated.
    pub kind: ClaimKind,
}

/// How a claim is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimKind {
    /// As an automaton that must not accept any run: this process type.
    Never(ProctypeId),
    /// As a formula of linear temporal logic.
    Ltl,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ClaimKind::Never(_) => write!(f, "never claim {}", self.name),
            ClaimKind::Ltl => write!(f, "ltl {}", self.name),
        }
    }
}

impl Model {
    /// What a property is called in reports.
    pub fn property_name(&self, property: Property) -> String {
        match property {
            Property::Assertion => "assertions".to_string(),
            Property::InvalidEndState => "end states".to_string(),
            Property::Claim(claim) => self.claims[claim].to_string(),
        }
    }

    /// Everything that can be asked of the model.
    pub fn properties(&self) -> impl Iterator<Item = Property> {
        [Property::Assertion, Property::InvalidEndState].into_iter().chain((0..self.claims.len()).map(Property::Claim))
    }
}
