//! Files that are to be written at the end of a search: what is wrong with them is told before it begins. Saved runs and
//! checkpoints follow the same rules.

use std::path::{Path, PathBuf};

/// Why a file will not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// It is a directory.
    #[error("cannot write `{}`: it is a directory", .0.display())]
    IsDirectory(PathBuf),
    /// There is no directory that it could be in.
    #[error("cannot write `{}`: there is no directory `{}`", .path.display(), .directory.display())]
    NoDirectory {
        /// The file.
        path: PathBuf,
        /// The directory.
        directory: PathBuf,
    },
    /// It is a pipe or a device, and one file cannot take its place.
    #[error("cannot write `{}`: it is no regular file, so it cannot be replaced", .0.display())]
    IsSpecial(PathBuf),
    /// The input is read from it.
    #[error("cannot write `{}`: it is a file of the {input}", .path.display())]
    IsInput {
        /// The file.
        path: PathBuf,
        /// What is read from it: `model` or `program`.
        input: &'static str,
    },
}

/// Sees that there may be such a file.
///
/// # Errors
/// It certainly cannot be written.
pub fn check_writable(path: &Path) -> Result<(), TargetError> {
    if path.is_dir() {
        return Err(TargetError::IsDirectory(path.to_path_buf()));
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
            Err(TargetError::NoDirectory { path: path.to_path_buf(), directory: parent.to_path_buf() })
        }
        _ => Ok(()),
    }
}

/// As [`check_writable`], for a file that is written under another name first and then takes its place.
///
/// # Errors
/// It certainly cannot be written, or not in this way.
pub fn check_replaceable(path: &Path) -> Result<(), TargetError> {
    match path.exists() && !path.is_dir() && !path.is_file() {
        true => Err(TargetError::IsSpecial(path.to_path_buf())),
        false => check_writable(path),
    }
}

/// Sees that a file is none of those that the input is read from; `input` says what that is: `model` or `program`.
///
/// # Errors
/// It is one of them.
pub fn spare_inputs<'a>(
    path: &Path,
    input: &'static str,
    files: impl IntoIterator<Item = &'a Path>,
) -> Result<(), TargetError> {
    let is_same = |file: &Path| matches!((path.canonicalize(), file.canonicalize()), (Ok(a), Ok(b)) if a == b);
    match files.into_iter().any(is_same) {
        true => Err(TargetError::IsInput { path: path.to_path_buf(), input }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("m.pml");
        std::fs::write(&file, "").expect("a file");
        assert_eq!(check_writable(&file), Ok(()));
        assert_eq!(check_writable(directory.path()), Err(TargetError::IsDirectory(directory.path().into())));
        let lost = directory.path().join("no/run.json");
        assert!(matches!(check_writable(&lost), Err(TargetError::NoDirectory { .. })));
        assert!(matches!(check_replaceable(Path::new("/dev/null")), Err(TargetError::IsSpecial(_))));
        assert_eq!(check_writable(Path::new("/dev/null")), Ok(()));
    }

    #[test]
    fn the_input_is_not_written_over() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("m.pml");
        std::fs::write(&file, "").expect("a file");
        let same = directory.path().join(".").join("m.pml");
        let said = spare_inputs(&same, "model", [file.as_path()]).expect_err("it is the model");
        assert!(said.to_string().ends_with("it is a file of the model"), "{said}");
        assert_eq!(spare_inputs(&directory.path().join("run.json"), "model", [file.as_path()]), Ok(()));
    }
}
