//! Extensions: types of values that a language does not have itself, as sets and queues, and what can be done with them. The
//! idea is Bogor's (Robby, Dwyer, Hatcliff, "Bogor: an extensible and highly-modular software model checking framework").
//!
//! A value is a record: some cells at its head, and then any number of entries, which have the same cells each. A cell
//! holds a number or a reference. Whoever writes an extension says which cells there are, and whether the order of the
//! entries means anything. So collection, renaming and the normal form of a value are the checker's business, and there is
//! nothing about them that an extension could get wrong. What is left are the operations; `quotient_extension::laws`
//! tests them.

mod call;
mod contents;

use std::fmt;

pub use call::{Alternative, Call, Stopped};
pub use contents::Contents;

/// Types of values and what can be done with them.
pub trait Extension: fmt::Debug + Send + Sync {
    /// The name by which a model asks for it, as `quotient.Set`.
    fn name(&self) -> &str;

    /// Its types of values.
    fn types(&self) -> &[ValueType];

    /// What can be done with them.
    fn operations(&self) -> &[Operation];

    /// Carries out an operation, by its number. Returns the result, if there is one that is no new value.
    ///
    /// It may depend on nothing but the call, and may do with references nothing but to store, compare and give them back.
    /// With entries whose order means nothing, it must do the same whatever their order is.
    ///
    /// # Errors
    /// Why it could not be carried out.
    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped>;

    /// How many alternatives an operation that chooses can have at most, if that is known from those of its arguments that are
    /// constants. If not, there may be [`MOST_ALTERNATIVES`].
    fn alternatives(&self, operation: usize, constants: &[Option<i32>]) -> Option<u32> {
        let _ = (operation, constants);
        None
    }
}

/// How many alternatives an operation can choose between, if nothing is known of it. More is an error of the model.
pub const MOST_ALTERNATIVES: u32 = 32;

/// A type of values.
#[derive(Clone, Copy, Debug)]
pub struct ValueType {
    /// The name, as in `Set.type`.
    pub name: &'static str,
    /// How many type variables it has.
    pub variables: usize,
    /// The cells that each value has once.
    pub head: &'static [Term],
    /// The cells of an entry.
    pub entry: &'static [Term],
    /// The order of the entries means nothing.
    pub unordered: bool,
}

/// The type of a cell, a parameter or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// True or false.
    Boolean,
    /// A number.
    Int,
    /// Whatever the type variable with this number stands for.
    Variable(usize),
    /// A value of the extension's type with this number, of the operation's first type variables. No cell is of such a type.
    Own(usize),
}

/// Something that can be done.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The name, as in `Set.add`.
    pub name: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// The last parameter stands for any number of arguments.
    pub repeats: bool,
    /// What it gives back. One that gives nothing back is an action, others are expressions.
    pub result: Option<Term>,
    /// It chooses: the same call can give different results.
    pub chooses: bool,
}

/// What an operation takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its type.
    pub term: Term,
    /// The operation changes the value.
    pub writes: bool,
}

/// Why an operation cannot be carried out: an error of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Failure {
    /// There is nothing in the value.
    Empty,
    /// What was asked for is not there.
    Missing,
    /// Nothing more can be put into the value.
    Full,
    /// The operation has no meaning for these arguments.
    Invalid,
}

impl Parameter {
    /// One that is read.
    pub const fn reads(term: Term) -> Self {
        Parameter { term, writes: false }
    }

    /// One that is changed.
    pub const fn writes(term: Term) -> Self {
        Parameter { term, writes: true }
    }
}

impl Operation {
    /// An expression.
    pub const fn expression(name: &'static str, parameters: &'static [Parameter], result: Term) -> Self {
        Operation { name, parameters, repeats: false, result: Some(result), chooses: false }
    }

    /// An action.
    pub const fn action(name: &'static str, parameters: &'static [Parameter]) -> Self {
        Operation { name, parameters, repeats: false, result: None, chooses: false }
    }

    /// With a last parameter that stands for any number of arguments.
    pub const fn repeated(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// One that chooses.
    pub const fn choosing(mut self) -> Self {
        self.chooses = true;
        self
    }

    /// The parameter that an argument is for.
    pub fn parameter(&self, argument: usize) -> Option<Parameter> {
        let last = self.repeats.then(|| self.parameters.last()).flatten();
        self.parameters.get(argument).or(last).copied()
    }

    /// The least and the greatest number of arguments.
    pub fn arguments(&self) -> (usize, Option<usize>) {
        let number = self.parameters.len();
        if self.repeats { (number.saturating_sub(1), None) } else { (number, Some(number)) }
    }

    /// Whether it does more than to read: it changes or makes a value, or it chooses.
    pub fn acts(&self) -> bool {
        let makes = matches!(self.result, Some(Term::Own(_)));
        self.chooses || makes || self.parameters.iter().any(|parameter| parameter.writes)
    }
}

impl ValueType {
    /// A type of values without a head.
    pub const fn of(variables: usize, entry: &'static [Term], unordered: bool) -> Self {
        ValueType { name: "type", variables, head: &[], entry, unordered }
    }
}
