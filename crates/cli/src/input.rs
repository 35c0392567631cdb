//! Reading a model, and saying what is wrong with it.

use std::path::Path;

use quotient_ir::Model;
use quotient_promela::Options;
use quotient_report::answer::{Rejection, to_json};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::render;
use quotient_report::source::SourceMap;

use crate::args::{Define, Format, Output};
use crate::output::Failure;

/// A model that can be used.
pub struct Input {
    /// Its path as the user wrote it.
    pub path: String,
    /// The model.
    pub model: Model,
    /// Its files.
    pub sources: SourceMap,
    /// Warnings, rendered.
    pub warnings: String,
}

impl Input {
    /// Adds warnings to be told.
    pub fn warn(&mut self, warnings: &[Diagnostic], output: Output) {
        let color = crate::output::color(output.color, &std::io::stderr());
        self.warnings.push_str(&render::render(warnings, &self.sources, color));
    }
}

/// Reads a model; what is wrong with it is rendered in the format asked for.
pub fn load(path: &Path, defines: &[Define], output: Output) -> Result<Input, Failure> {
    let name = path.display().to_string();
    if path.is_dir() {
        let problem = Diagnostic::global(format!("`{name}` is a directory, not a model"));
        return Err(reject(&name, &[problem], &SourceMap::default(), output));
    }
    let mut loaded = quotient_promela::load(path, &Options { defines: defines.to_vec() });
    loaded.sources.hide_others();
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        loaded.diagnostics.iter().cloned().partition(|d| d.severity == Severity::Error);
    match loaded.model {
        Some(model) if errors.is_empty() => Ok(Input {
            path: name,
            model,
            warnings: render::render(
                &warnings,
                &loaded.sources,
                crate::output::color(output.color, &std::io::stderr()),
            ),
            sources: loaded.sources,
        }),
        _ => Err(reject(&name, &loaded.diagnostics, &loaded.sources, output)),
    }
}

/// The answer to an input that cannot be used.
pub fn reject(input: &str, diagnostics: &[Diagnostic], sources: &SourceMap, output: Output) -> Failure {
    match output.format {
        Format::Json => {
            Failure { stdout: to_json(&Rejection::new(input, diagnostics, sources)), stderr: String::new() }
        }
        Format::Human => {
            let color = crate::output::color(output.color, &std::io::stderr());
            let mut text = render::render(diagnostics, sources, color);
            text.push_str(&format!("{input}: {}\n", render::summary(diagnostics)));
            Failure { stdout: String::new(), stderr: text }
        }
    }
}
