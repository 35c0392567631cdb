//! How files are read while a program is checked: where the program is kept in, only in a way that nobody else can use.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::sync::OnceLock;

/// Gives what is in a file.
type Reader = fn(&Path) -> Result<Vec<u8>>;

static READER: OnceLock<Reader> = OnceLock::new();

/// From now on files are read in this way.
pub fn read_with(reader: Reader) {
    let _ = READER.set(reader);
}

/// What is in a file.
///
/// # Errors
/// As the system says.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    READER.get().map_or_else(|| std::fs::read(path), |reader| reader(path))
}

/// The text that is in a file.
pub(crate) fn text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
