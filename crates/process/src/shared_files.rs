//! What is in a shared directory at the start of a check: read from the disk once, and never written back. Follows section 5 of
//! the design of process checks.

use quotient_system::{StartContent, StartFile};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The most bytes of files that are read.
const MOST: u64 = 1 << 30;

/// Reads shared directories. One that does not exist is an empty one.
///
/// # Errors
/// Something cannot be read, or is neither a file nor a directory, a symbolic link or a named pipe, or there is too much.
pub fn shared_files(directories: &[PathBuf]) -> std::io::Result<Vec<StartFile>> {
    let mut files = Vec::new();
    let mut left = MOST;
    for directory in directories {
        let path = std::path::absolute(directory)?;
        if path.exists() {
            read(&path, &mut files, &mut left)?;
        } else {
            files.push(StartFile { path: bytes(&path), content: StartContent::Directory, mode: 0o755, written: None });
        }
    }
    Ok(files)
}

fn bytes(path: &Path) -> Vec<u8> {
    crate::world::normalise(path.as_os_str().as_bytes())
}

/// Reads one file, or a directory with everything in it.
fn read(path: &Path, files: &mut Vec<StartFile>, left: &mut u64) -> std::io::Result<()> {
    let say = |what: &str| std::io::Error::other(format!("{} {what}", path.display()));
    let facts = path.symlink_metadata()?;
    let kind = facts.file_type();
    let mut within = Vec::new();
    let content = if kind.is_dir() {
        within = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        within.sort();
        StartContent::Directory
    } else if kind.is_symlink() {
        StartContent::Symlink(path.read_link()?.as_os_str().as_bytes().to_vec())
    } else if kind.is_file() {
        *left = left.checked_sub(facts.len()).ok_or_else(|| say("and the files before it are too large"))?;
        StartContent::File(std::fs::read(path)?)
    } else if kind.is_fifo() {
        StartContent::Fifo
    } else {
        return Err(say("is neither a file nor a directory"));
    };
    let written = facts.mtime().saturating_mul(1_000_000_000).saturating_add(facts.mtime_nsec());
    let mode = facts.permissions().mode() & 0o7777;
    files.push(StartFile { path: bytes(path), content, mode, written: Some(written) });
    within.iter().try_for_each(|path| read(path, files, left))
}
