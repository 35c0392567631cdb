//! Promela: preprocess · lex · parse · lower (resolve, check and translate to the intermediate form).
//!
//! [`load`] does it all. Diagnostics are collected with their places; bad input never panics.

pub mod ast;
mod describe;
pub mod display;
pub mod lex;
mod lower;
pub mod parse;
pub mod preprocess;
mod symbols;
pub mod token;

use std::io;
use std::path::Path;

use quotient_ir::Model;
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::SourceMap;

pub use describe::describe;
pub use preprocess::Options;

/// What loading a model gave.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model, if there were no errors.
    pub model: Option<Model>,
    /// The files read.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads a model from disk.
pub fn load(path: &Path, options: &Options) -> Loaded {
    load_with(path, options, &|path| std::fs::read(path))
}

/// Loads a model, reading files through `loader`.
pub fn load_with(path: &Path, options: &Options, loader: &dyn Fn(&Path) -> io::Result<Vec<u8>>) -> Loaded {
    let mut sources = SourceMap::default();
    let preprocessed = preprocess::preprocess(path, options, &mut sources, loader);
    let mut diagnostics = preprocessed.diagnostics;
    let failed = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|d| d.severity == Severity::Error);
    if failed(&diagnostics) && preprocessed.tokens.len() <= 1 {
        return Loaded { model: None, sources, diagnostics };
    }
    let (spec, found) = parse::parse_with_lines(&preprocessed.tokens, &sources);
    diagnostics.extend(found);
    if failed(&diagnostics) {
        // What was not understood would only give errors that follow from it.
        return Loaded { model: None, sources, diagnostics };
    }
    let (model, found) = lower::lower(&spec);
    diagnostics.extend(found);
    let model = (!failed(&diagnostics)).then_some(model);
    Loaded { model, sources, diagnostics }
}
