//! A directory for what a compiler makes: nobody else can look into it, its name cannot be guessed, and it goes away.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The directories that are there.
static ALL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A directory that goes away.
#[derive(Debug)]
pub(crate) struct Directory(pub PathBuf);

impl Directory {
    /// Makes a directory where the system wants such things.
    pub(crate) fn new() -> std::io::Result<Self> {
        let only_ours = std::fs::Permissions::from_mode(0o700);
        let made = tempfile::Builder::new().prefix("quotient-").permissions(only_ours).tempdir().map_err(|error| {
            let place = std::env::temp_dir();
            std::io::Error::new(error.kind(), format!("{error} (TMPDIR says where, now {})", place.display()))
        })?;
        let path = made.keep();
        all().push(path.clone());
        Ok(Directory(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        all().retain(|path| *path != self.0);
        // What cannot be removed stays in the system's directory for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Removes all directories: the process is about to end without dropping anything.
pub fn remove_all() {
    crate::build::watch::stop_all();
    for path in all().drain(..) {
        let _ = std::fs::remove_dir_all(path);
    }
}

/// The directory that was made last: compilers put there what they leave when they are stopped.
pub(crate) fn newest() -> Option<PathBuf> {
    all().last().cloned()
}

fn all() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}
