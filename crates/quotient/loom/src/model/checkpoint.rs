//! The file that keeps a failed execution, so that the next run begins with it. It is text with a first line of its own,
//! by which a file that loom has written is told apart.

use std::path::Path;

const HEADER: &str = "quotient-loom: a failed execution";

/// The execution in the file, if there is a file.
///
/// # Panics
/// If the file cannot be read, or is of another kind.
#[track_caller]
pub(super) fn load(file: &Path) -> Option<String> {
    let name = file.display();
    match std::fs::read_to_string(file) {
        Ok(text) => match text.split_once('\n') {
            Some((HEADER, execution)) => Some(execution.trim_end().to_owned()),
            _ => panic!("the checkpoint file {name} holds no execution of quotient-loom; remove it, or name another"),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("the checkpoint file {name} cannot be read: {error}"),
    }
}

/// Writes an execution to the file.
///
/// # Panics
/// If that does not work.
#[track_caller]
pub(super) fn store(file: &Path, execution: &str) {
    if let Err(error) = std::fs::write(file, format!("{HEADER}\n{execution}\n")) {
        panic!("the checkpoint file {} cannot be written: {error}", file.display());
    }
}

/// Removes the file: what it holds fails no more.
///
/// # Panics
/// If that does not work.
#[track_caller]
pub(super) fn forget(file: &Path) {
    if let Err(error) = std::fs::remove_file(file) {
        panic!("the checkpoint file {} cannot be removed: {error}", file.display());
    }
}
