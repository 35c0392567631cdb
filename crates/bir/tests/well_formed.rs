//! The models of the project are well-formed, as the intermediate form asks.

use std::path::{Path, PathBuf};

use quotient_bir::{Options, load};

fn models() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dynamic");
    let entries = std::fs::read_dir(&directory).expect("the directory can be read");
    let paths = entries.map(|entry| entry.expect("the directory can be read").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "bir")).collect();
    files.sort();
    files
}

#[test]
fn every_model_loads() {
    let files = models();
    assert!(files.len() >= 3, "only {} files", files.len());
    for path in files {
        let text = std::fs::read(&path).expect("the model can be read");
        let loaded = load(&path, &text, &Options::default());
        let messages: Vec<&String> = loaded.diagnostics.iter().map(|one| &one.message).collect();
        assert!(messages.is_empty(), "{}: {messages:?}", path.display());
        assert_eq!(loaded.model.map(|model| model.validate()), Some(Ok(())), "{}", path.display());
    }
}

#[test]
fn the_least_integer_is_a_number() {
    let text = "system M { const C { LEAST = -2147483648; } int (-2147483648, 0) y; int x;
        active thread T() { x := -2147483648; x := C.LEAST; y := - 2147483648; x := 1 + -2147483648; } }";
    let loaded = load(Path::new("m.bir"), text.as_bytes(), &Options::default());
    let messages: Vec<&String> = loaded.diagnostics.iter().map(|one| &one.message).collect();
    assert!(loaded.model.is_some() && messages.is_empty(), "{messages:?}");
}
