//! Broken models and what is said about them. Each file in `broken/` has one mistake; its first lines tell the messages
//! expected, all of them and no others:
//!
//! ```text
//! // error: line 7: message
//! // error: message without a place
//! ```
//!
//! With `QUOTIENT_WRITE_BROKEN=1` the headers are written anew.

use std::path::{Path, PathBuf};

use quotient_bir::{Options, load};
use quotient_report::diagnostic::Severity;

#[test]
fn every_broken_model_has_its_messages() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let entries = std::fs::read_dir(&directory).expect("the directory can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the directory can be read").path()).collect();
    files.sort();
    assert!(files.len() >= 110, "only {} files", files.len());
    let writes = std::env::var_os("QUOTIENT_WRITE_BROKEN").is_some();
    let mut problems = Vec::new();
    for path in &files {
        let text = std::fs::read_to_string(path).expect("the model can be read");
        let expected: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("// ")).collect();
        let found = messages(path, &text);
        assert!(!found.is_empty(), "{}: nothing is wrong with it", path.display());
        if writes {
            write(path, &text, expected.len());
        } else if found != expected {
            let name = path.file_name().unwrap_or_default().display();
            problems.push(format!("{name}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Writes the header of a file, whose lines are counted with it.
fn write(path: &Path, text: &str, header: usize) {
    let body: Vec<&str> = text.lines().skip(header).collect();
    let mut lines = vec!["//".to_string(); messages(path, &body.join("\n")).len()];
    lines.extend(body.iter().map(|line| line.to_string()));
    let found = messages(path, &(lines.join("\n") + "\n"));
    for (line, message) in lines.iter_mut().zip(&found) {
        *line = format!("// {message}");
    }
    std::fs::write(path, lines.join("\n") + "\n").expect("the file can be written");
}

/// What loading a model says, in the form of the headers.
fn messages(path: &Path, text: &str) -> Vec<String> {
    let loaded = load(path, text.as_bytes(), &Options::default());
    let failed = loaded.diagnostics.iter().any(|one| one.severity == Severity::Error);
    assert_eq!(loaded.model.is_none(), failed, "{}: a model loads exactly if there is no error", path.display());
    let shown = loaded.diagnostics.iter().map(|one| {
        let severity = if one.severity == Severity::Error { "error" } else { "warning" };
        let place = one.span.map_or(String::new(), |span| format!("line {}: ", loaded.sources.line(span)));
        format!("{severity}: {place}{}", one.message)
    });
    shown.collect()
}
