//! Properties: what can be asked of a model. Safety is checked by every search; claims are temporal, and are carried by the
//! model until a search can check them.

use std::fmt;

use quotient_ltl::Formula;
use quotient_report::source::Span;

use crate::{Expr, Model, ProctypeId};

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
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// How it is stated.
    pub kind: ClaimKind,
    /// What its formula says of single states, by number.
    pub propositions: Vec<Proposition>,
    /// Where it is written.
    pub span: Span,
}

/// How a claim is stated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ClaimKind {
    /// As an automaton that must not accept any run: this process type.
    Never(ProctypeId),
    /// As a formula of linear temporal logic, which must hold on every run.
    Ltl {
        /// The formula, over the numbers of the claim's propositions.
        formula: Formula,
        /// The formula as it is written, on one line.
        text: String,
    },
    /// No run visits states with acceptance labels forever.
    Acceptance,
    /// Every run visits states with progress labels forever.
    Progress,
}

/// Something that a formula says of a single state.
#[derive(Clone, Debug)]
pub struct Proposition {
    /// It holds where this is not zero. It has no side effects, and no process evaluates it.
    pub expr: Expr,
    /// As a person would write it.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl Proposition {
    /// The formula that it is, by its number among those that are known; it is added unless one of the same text is.
    pub fn number(self, known: &mut Vec<Proposition>) -> Formula {
        match (&self.expr, known.iter().position(|other| other.text == self.text)) {
            (Expr::Const(0), _) => Formula::False,
            (Expr::Const(_), _) => Formula::True,
            (_, Some(number)) => Formula::Proposition(number),
            (_, None) => {
                known.push(self);
                Formula::Proposition(known.len() - 1)
            }
        }
    }
}

impl Claim {
    /// A claim without propositions.
    pub fn new(name: impl Into<String>, kind: ClaimKind, span: Span) -> Self {
        Claim { name: name.into(), kind, propositions: Vec::new(), span }
    }

    /// The claim that no run visits states with acceptance labels forever.
    pub fn acceptance() -> Self {
        Claim::new("acceptance", ClaimKind::Acceptance, Span::default())
    }

    /// The claim that every run visits states with progress labels forever.
    pub fn progress() -> Self {
        Claim::new("progress", ClaimKind::Progress, Span::default())
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ClaimKind::Never(_) => write!(f, "never claim {}", self.name),
            ClaimKind::Ltl { .. } => write!(f, "ltl {}", self.name),
            ClaimKind::Acceptance => f.write_str("acceptance labels"),
            ClaimKind::Progress => f.write_str("progress labels"),
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
