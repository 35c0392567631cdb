//! Broken models and what is said about them. Each file in `broken/` has one mistake; its first lines tell the messages
//! expected, all of them and no others:
//!
//! ```text
//! // error: line 7: message
//! // warning: line 2 of part.h: message
//! // error: message without a place
//! ```

use std::path::{Path, PathBuf};

use quotient_promela::{Loaded, Options};
use quotient_report::diagnostic::Severity;

#[test]
fn every_broken_model_has_its_messages() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the directory can be read")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .collect();
    files.sort();
    assert!(files.len() >= 90, "only {} files", files.len());
    let mut problems = Vec::new();
    for path in &files {
        let text = std::fs::read_to_string(path).expect("the model can be read");
        let expected: Vec<String> =
            text.lines().map_while(|line| line.strip_prefix("// ")).map(str::to_string).collect();
        let found = messages(path);
        if found != expected {
            problems.push(format!(
                "{}\n  expected {}\n  found    {}",
                path.file_name().unwrap_or_default().display(),
                expected.join("\n           "),
                found.join("\n           ")
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What loading a model says, in the form of the headers.
fn messages(path: &Path) -> Vec<String> {
    let Loaded { model, sources, diagnostics, .. } = quotient_promela::load(path, &Options::default());
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(model.is_none(), failed, "{}: a model loads exactly if there is no error", path.display());
    diagnostics
        .iter()
        .map(|diagnostic| {
            let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
            let place = match diagnostic.span {
                None => String::new(),
                Some(span) if sources.file(span.file).path == path => format!("line {}: ", sources.line(span)),
                Some(span) => {
                    let file = sources.file(span.file).path.file_name().unwrap_or_default();
                    format!("line {} of {}: ", sources.line(span), file.display())
                }
            };
            // A file that cannot be read is named with its directory, which is not the same everywhere.
            let directory = format!("{}/", path.parent().expect("the file is in a directory").display());
            format!("{severity}: {place}{}", diagnostic.message.replace(&directory, ""))
        })
        .collect()
}
