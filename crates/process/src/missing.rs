//! Finds scripts that want to assert something and cannot, because the command `vs` is not there. Follows what shells do: they look for a
//! command in one directory after the other, and go on without it.

use crate::memory;
use crate::own::Own;
use crate::tracee::Tracee;
use crate::world::join;
use quotient_system::{FileOp, Op, Target, Trouble};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The command for assertions, as the end of a path.
const COMMAND: &[u8] = b"/vs";

/// Notes whether a process that looks for the command finds it.
pub(crate) fn note(tracee: &Tracee, own: &mut Own, number: i64, arguments: [u64; 6]) {
    let address = match number {
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_access | libc::SYS_execve => arguments[0],
        libc::SYS_newfstatat | libc::SYS_faccessat | libc::SYS_faccessat2 | libc::SYS_statx => arguments[1],
        _ => return,
    };
    let Ok(path) = memory::read_string(tracee, address) else { return };
    if path.ends_with(COMMAND) {
        let path = join(&own.directory, &path);
        own.misses_assertions = !Path::new(std::ffi::OsStr::from_bytes(&path)).exists();
    }
}

/// That a process has come to an operation with the command, or without ever looking for it. In a shared directory, the checker looks.
pub(crate) fn check(own: &Own, op: &Op) -> Result<(), Trouble> {
    let looks = match op {
        Op::File(FileOp::Stat { target } | FileOp::Access { target, .. }) => {
            matches!(target, Target::Path(path) | Target::Link(path) if path.ends_with(COMMAND))
        }
        _ => false,
    };
    if own.misses_assertions && !looks {
        let what = "the command vs, so that what it asserts is not checked; vs.c is to be compiled and to be in PATH";
        return Err(Trouble::Missing { what: what.to_owned() });
    }
    Ok(())
}
