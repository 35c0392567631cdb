//! What to say when a command cannot be carried out: all that is wrong, in the form that was asked for. The exit code is 2.

use std::path::Path;

use quotient_check::{Define, Error, Input, ModelSource, Reading};
use quotient_report::answer::{Rejection, to_json};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::render;
use quotient_report::source::SourceMap;

use crate::args::{Format, Output};
use crate::output::{self, Failure};

/// Reads a model; what is wrong with it is told in the form that was asked for.
pub(crate) fn load(
    path: &Path,
    defines: &[Define],
    formulas: &[(String, String)],
    reading: &Reading,
    output: Output,
) -> Result<Input, Failure> {
    quotient_check::read(&ModelSource::from(path), defines, formulas, reading).map_err(|error| of(path, &error, output))
}

/// The failure of a check of an input.
pub(crate) fn of(input: &Path, error: &Error, output: Output) -> Failure {
    let name = input.display().to_string();
    reject(error.input().unwrap_or(&name), &error.diagnostics(), error.sources(), output)
}

/// The failure of a command, in one sentence.
pub(crate) fn because(input: &Path, problem: impl ToString, output: Output) -> Failure {
    let problem = Diagnostic::global(problem.to_string());
    reject(&input.display().to_string(), &[problem], &SourceMap::default(), output)
}

/// The answer to an input that cannot be used.
pub(crate) fn reject(input: &str, diagnostics: &[Diagnostic], sources: &SourceMap, output: Output) -> Failure {
    match output.format {
        Format::Json => {
            Failure { stdout: to_json(&Rejection::new(input, diagnostics, sources)), stderr: String::new() }
        }
        Format::Human => {
            let mut text = warnings(diagnostics, sources, output);
            text.push_str(&format!("{input}: {}\n", render::summary(diagnostics)));
            Failure { stdout: String::new(), stderr: text }
        }
    }
}

/// Warnings as they go to standard error.
pub(crate) fn warnings(warnings: &[Diagnostic], sources: &SourceMap, output: Output) -> String {
    render::render(warnings, sources, output::color(output.color, &std::io::stderr()))
}
