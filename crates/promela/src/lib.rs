//! Promela: preprocess · lex · parse · lower (resolve, check and translate to the intermediate form).
//!
//! [`load`] does it all. Diagnostics are collected with their places; bad input never panics.
//!
//! # Where things are
//!
//! - `preprocess/` is a C preprocessor as far as models use one. Tokens keep the places of the user's text through macros
//!   and includes.
//! - `parse/` builds the syntax tree (`ast.rs`) and expands inlines. `display.rs` gives statements back in one line, as
//!   reports show them.
//! - `describe/` reads description files: what is symmetric about a plain model.
//! - `lower/` resolves names, checks types, and builds automata; `scalarsets.rs` lowers scalarsets, `rules.rs` checks
//!   what may be done with their members, `messages.rs` those of the fields of messages. `elements.rs` is the graph of
//!   statements and joints in SPIN's construction; `automaton.rs` turns it into control states. **State counts are
//!   decided in these two files.** `spin_default.rs` and its directory imitate SPIN's optimisations, for `--count-as
//!   spin-default`: the graph that SPIN analyses (`flow.rs`), what it resets (`dead.rs`), merges (`merge.rs`) and writes
//!   out (`chains.rs`). `dynamic.rs` and its directory have what dSPIN adds: types of references and records
//!   (`types.rs`), what may be done with them (`rules.rs`), parts of records (`parts.rs`), `new` and `delete`
//!   (`records.rs`), functions (`functions.rs`). The parser of it is `parse/dynamic.rs`.
//!
//! # What must stay true
//!
//! - Bad input never panics and never goes on forever. Diagnostics are collected, not returned at the first; each has a
//!   span.

#![forbid(unsafe_code)]

pub mod ast;
mod describe;
pub mod display;
pub mod lex;
mod lower;
pub mod parse;
pub mod preprocess;
mod symbols;
pub mod token;

use std::io::{self, Read};
use std::path::Path;

use quotient_ir::Model;
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::SourceMap;

pub use describe::describe;
pub use preprocess::{Dynamic, Options};

/// What loading a model gave.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model, if there were no errors.
    pub model: Option<Model>,
    /// The files read.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The syntax tree, if there were no errors in it.
    pub tree: Option<ast::Spec>,
}

impl Loaded {
    /// The model with SPIN's default optimisations, which makes SPIN's default counts; `None` if there were errors. Its
    /// statements are those of the model, and after them those that stand for several of them.
    ///
    /// It is for counting only: SPIN's optimisations are not known to keep errors, and some lose them.
    pub fn as_spin_counts(&self) -> Option<Model> {
        let model = self.model.as_ref().filter(|model| model.heap.is_none());
        model.and(self.tree.as_ref()).and_then(lower::lower_as_spin)
    }
}

/// Loads a model from disk.
pub fn load(path: &Path, options: &Options) -> Loaded {
    load_with(path, options, &read_file)
}

/// Reads a file that is meant to be text: one of a sane size.
///
/// # Errors
/// The file cannot be read, or is larger than 64 MB; some files have no end.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    std::fs::File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST_FILE {
        return Err(io::Error::other(format!("it is larger than {} MB", LARGEST_FILE >> 20)));
    }
    Ok(text)
}

/// Larger files are refused rather than attempted.
const LARGEST_FILE: u64 = 64 << 20;

/// Loads a model, reading files through `loader`.
pub fn load_with(path: &Path, options: &Options, loader: &dyn Fn(&Path) -> io::Result<Vec<u8>>) -> Loaded {
    let mut sources = SourceMap::default();
    let preprocessed = preprocess::preprocess(path, options, &mut sources, loader);
    let mut diagnostics = preprocessed.diagnostics;
    let failed = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|d| d.severity == Severity::Error);
    if failed(&diagnostics) && preprocessed.tokens.len() <= 1 {
        return Loaded { model: None, sources, diagnostics, tree: None };
    }
    let (spec, found) = parse::parse_with_lines(&preprocessed.tokens, &sources, options.dynamic.is_some());
    diagnostics.extend(found);
    if failed(&diagnostics) {
        // What was not understood would only give errors that follow from it.
        return Loaded { model: None, sources, diagnostics, tree: None };
    }
    let (model, found) = lower::lower(&spec, options.dynamic);
    diagnostics.extend(found);
    let model = (!failed(&diagnostics)).then_some(model);
    Loaded { model, sources, diagnostics, tree: Some(spec) }
}
