//! Checks a model in BIR that uses `example.Buffer`: `cargo run -p quotient-example-extension -- model.bir`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;
use std::process::ExitCode;

use quotient_bir::{Options, load};
use quotient_canon::Itself;
use quotient_example_extension::{Buffer, FewestFirst};
use quotient_search::modular::explore;

/// More states than this are not looked at.
const MOST_STATES: u64 = 100_000;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: quotient-example-extension MODEL.bir");
        return ExitCode::from(2);
    };
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let mut options = Options::default();
    options.extensions.add(Buffer);
    let loaded = load(Path::new(&path), &text, &options);
    let Some(model) = loaded.model else {
        for one in &loaded.diagnostics {
            let line = one.span.map_or(0, |span| loaded.sources.line(span));
            eprintln!("{path}:{line}: {}", one.message);
        }
        return ExitCode::from(2);
    };
    match explore(&model, &mut FewestFirst::default(), &mut Itself, MOST_STATES) {
        Ok(found) => {
            println!("{} states, {} errors, complete: {}", found.states, found.errors.len(), found.complete);
            for (error, run) in &found.errors {
                println!("{} after {} steps", error.kind(), run.len());
            }
            ExitCode::from(u8::from(!found.complete || !found.errors.is_empty()))
        }
        Err(_) => {
            eprintln!("a representative is no renaming of its state");
            ExitCode::from(2)
        }
    }
}
