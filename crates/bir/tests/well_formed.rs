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
