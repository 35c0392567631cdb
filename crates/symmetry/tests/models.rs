//! The symmetry of every model of the project: what is found is written down in `models.txt`, and renamings commute
//! with steps on the states that a search meets first.

mod common;

use std::path::{Path, PathBuf};

const MOST: usize = 600;

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files = Vec::new();
    for directory in [root.clone(), root.join("conformance"), root.join("regressions")] {
        let entries = std::fs::read_dir(&directory).expect("the directory can be read");
        files.extend(entries.map(|entry| entry.expect("the directory can be read").path()));
    }
    files.retain(|path| path.extension().is_some_and(|e| e == "pml"));
    files.sort();
    files
}

/// Set `UPDATE=1` to write the file anew.
#[test]
fn every_model_has_its_symmetry() {
    let mut text = String::new();
    let mut problems = Vec::new();
    for path in models() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
        let subject = common::load(&path, &[]);
        for line in subject.lines() {
            text.push_str(&format!("{name}: {line}\n"));
        }
        if let Err(problem) = subject.check(MOST) {
            problems.push(format!("{name}: {problem}"));
        }
    }
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&expected, &text).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&expected).expect("the file can be read");
    for (found, expected) in text.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(text.lines().count(), expected.lines().count());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
