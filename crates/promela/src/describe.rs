//! Description files: what is symmetric about a plain Promela model, said beside it, as SymmSpin's users did (section
//! 4.3 of "Symmetric Spin"). The paper leaves the syntax open; here it resembles Promela's declarations:
//!
//! ```text
//! scalarset PID;               /* all permutations; `ring` for rotations, `dihedral` for reflections too */
//! byte flag[PID];              /* an array with an element for every member */
//! PID turn[*];                 /* an array of names of members */
//! chan ask[PID] of { PID, byte };
//! proctype P[PID] { PID i; PID(1) leader; bool seen[PID] }
//! ```
//!
//! What is not mentioned is plain data that stays where it is; what is said last of a variable holds. `PID(1)` is a name whose values begin with 1. A set has as
//! many members as the arrays and families that it indexes; `PID[4]` says so. The instances of a family are its members
//! in the order of a parameter that is a name, or else in the order in which they are created.

mod parse;
mod resolve;

use std::path::Path;

use quotient_ir::{Group, Model};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::{SourceMap, Span};

use crate::preprocess::{Loader, Options, preprocess};

/// Reads a description and gives the model the symmetry that it tells of. With errors, the model is left as it was.
pub fn describe(
    model: &mut Model,
    path: &Path,
    options: &Options,
    sources: &mut SourceMap,
    loader: Loader,
) -> Vec<Diagnostic> {
    let preprocessed = preprocess(path, options, sources, loader);
    let mut diagnostics = preprocessed.diagnostics;
    let (description, found) = parse::parse(&preprocessed.tokens);
    diagnostics.extend(found);
    if diagnostics.is_empty() {
        match resolve::resolve(model, &description) {
            Ok(symmetry) => model.symmetry = Some(symmetry),
            Err(found) => diagnostics = found,
        }
    }
    diagnostics
}

/// A description as it is written.
#[derive(Debug, Default)]
struct Description {
    sets: Vec<Set>,
    globals: Vec<Declaration>,
    families: Vec<Family>,
}

#[derive(Debug)]
struct Set {
    name: String,
    size: Option<usize>,
    group: Group,
    span: Span,
}

/// A proctype, with the sets that index its instances; none for one that is not a family.
#[derive(Debug)]
struct Family {
    name: String,
    span: Span,
    sets: Vec<usize>,
    locals: Vec<Declaration>,
}

/// A variable or array.
#[derive(Debug)]
struct Declaration {
    ty: Type,
    path: Vec<Step>,
    /// For a channel, the types of its messages' fields.
    fields: Option<Vec<Type>>,
    span: Span,
}

/// A name in a path, with its index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    name: String,
    index: Option<Index>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Index {
    /// Members of a set.
    Set(usize),
    /// All elements alike.
    Any,
    /// One element.
    Number(usize),
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Plain,
    Channel,
    /// A name of a member; the value of the first.
    Member(usize, u8),
}
