//! BIR, the language of Bogor: lex · parse · lower (resolve, check and translate to the intermediate form).
//!
//! [`load`] does it all. Diagnostics are collected with their places; bad input never panics.
//!
//! # Where things are
//!
//! - `parse/` builds the syntax tree (`ast.rs`); `declare.rs` has what a system declares, with types (`types.rs`) and
//!   constants.
//! - `lower/expressions.rs` checks types and makes expressions; `low.rs` lowers bodies with locations, `high.rs` those
//!   with statements; `split.rs` splits statements into steps that touch shared memory once; `graph.rs` is the automaton
//!   while it is made.
//! - `extensions.rs` knows which extensions can be declared; nothing can be done with their values yet.
//!
//! # What must stay true
//!
//! - As for Promela: bad input never panics, and diagnostics are collected with their places.

#![forbid(unsafe_code)]

mod ast;
mod constants;
mod declare;
mod extensions;
mod lower;
mod parse;
mod token;
mod types;

use std::path::Path;

use quotient_extension::Registry;
use quotient_ir::Model;
use quotient_ir::heap::{MOST_RECORDS, USUAL_CALLS};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::{SourceMap, Span};

/// How a model is loaded.
#[derive(Clone, Debug)]
pub struct Options {
    /// Constants to set: `C.N` and the value.
    pub defines: Vec<(String, Option<String>)>,
    /// How many records there may be at once.
    pub most_records: usize,
    /// How many calls a thread may be in at once.
    pub most_calls: usize,
    /// The extensions that a model can use.
    pub extensions: Registry,
    /// Temporal formulas, each with its name: they are read as if `ltl name { formula }` stood at the end of the model.
    pub formulas: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            defines: Vec::new(),
            most_records: MOST_RECORDS,
            most_calls: USUAL_CALLS,
            extensions: Registry::default(),
            formulas: Vec::new(),
        }
    }
}

/// What loading a model gave.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model, if there were no errors.
    pub model: Option<Model>,
    /// The file read.
    pub sources: SourceMap,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads a model from its text, which was in a file of this name.
pub fn load(path: &Path, text: &[u8], options: &Options) -> Loaded {
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    let text = match std::str::from_utf8(text) {
        Ok(text) => text.to_string(),
        Err(_) => {
            diagnostics.push(Diagnostic::global(format!("`{}` is not text: it is not in UTF-8", path.display())));
            return Loaded { model: None, sources, diagnostics };
        }
    };
    let file = sources.add(path, text);
    let (tokens, found) = token::lex(file, &sources.file(file).text);
    diagnostics.extend(found);
    let starts = tokens.iter().any(|token| matches!(&token.kind, token::TokenKind::Word(word) if &**word == "start"));
    let (mut system, found) = parse::parse(tokens);
    diagnostics.extend(found);
    for (name, text) in &options.formulas {
        let (claim, found) = formula(&mut sources, name, text);
        diagnostics.extend(found);
        if let (Some(system), Some(claim)) = (&mut system, claim) {
            system.members.push(ast::Member::Claim(claim));
        }
    }
    let failed = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|one| one.severity == Severity::Error);
    let (Some(system), false) = (system, failed(&diagnostics)) else {
        // What was not understood would only give errors that follow from it.
        return Loaded { model: None, sources, diagnostics };
    };
    let (model, found) = lower::lower(&system, options, starts, &sources);
    diagnostics.extend(found);
    let model = (!failed(&diagnostics)).then_some(model);
    Loaded { model, sources, diagnostics }
}

/// Reads a formula of the command line.
fn formula(sources: &mut SourceMap, name: &str, text: &str) -> (Option<ast::Claim>, Vec<Diagnostic>) {
    let file = sources.add("--property", text.to_string());
    let (tokens, mut diagnostics) = token::lex(file, text);
    let span = Span { file, start: 0, end: text.len() as u32 };
    let (claim, found) = parse::parse_formula(tokens, ast::Name { text: name.into(), span });
    diagnostics.extend(found);
    (claim, diagnostics)
}
