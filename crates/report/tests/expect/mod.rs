//! Compares a text with a file of expectations; with `UPDATE_EXPECT=1` in the environment the file is written instead.

use std::fs;
use std::path::Path;

/// Fails if `text` is not what the file holds.
#[track_caller]
pub(crate) fn expect(file: &Path, text: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
        fs::write(file, text).expect("the file of expectations can be written");
        return;
    }
    let expected = fs::read_to_string(file).unwrap_or_default();
    let differs = expected.lines().zip(text.lines()).position(|(expected, found)| expected != found);
    let line = differs.unwrap_or(expected.lines().count().min(text.lines().count())) + 1;
    assert!(
        expected == text,
        "line {line} differs from {}; run again with UPDATE_EXPECT=1 if this is right:\n\n{text}",
        file.display()
    );
}
