//! Structures of the system as bytes. Follows the headers of Linux for x86-64.

use quotient_system::{NOW, Stat};

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

/// The device of all files that the checker plays.
const DEVICE: u64 = 0x5653;

/// The owner of all files that the checker plays: whoever runs it.
fn owner() -> (u32, u32) {
    (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw())
}

/// Puts a number into bytes.
fn put(bytes: &mut [u8], at: usize, number: impl Into<u64>, size: usize) {
    let number: u64 = number.into();
    bytes[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
}

/// A `struct stat`.
pub(crate) fn stat(facts: Stat) -> Vec<u8> {
    let (user, group) = owner();
    let mut bytes = vec![0; size_of::<libc::stat>()];
    put(&mut bytes, 0, DEVICE, 8);
    put(&mut bytes, 8, facts.inode, 8);
    put(&mut bytes, 16, facts.links, 8);
    put(&mut bytes, 24, facts.mode, 4);
    put(&mut bytes, 28, user, 4);
    put(&mut bytes, 32, group, 4);
    put(&mut bytes, 48, facts.size as u64, 8);
    put(&mut bytes, 56, 4096_u64, 8);
    put(&mut bytes, 64, (facts.size as u64).div_ceil(512), 8);
    for (at, time) in [72, 88, 104].into_iter().zip([facts.times[0], facts.times[1], NOW]) {
        put(&mut bytes, at, time.div_euclid(SECOND) as u64, 8);
        put(&mut bytes, at + 8, time.rem_euclid(SECOND) as u64, 8);
    }
    bytes
}

/// A `struct statx`.
pub(crate) fn statx(facts: Stat) -> Vec<u8> {
    /// `STATX_BASIC_STATS`.
    const BASIC: u32 = 0x7ff;
    let (user, group) = owner();
    let mut bytes = vec![0; 256];
    put(&mut bytes, 0, BASIC, 4);
    put(&mut bytes, 4, 4096_u32, 4);
    put(&mut bytes, 16, facts.links, 4);
    put(&mut bytes, 20, user, 4);
    put(&mut bytes, 24, group, 4);
    put(&mut bytes, 28, facts.mode, 2);
    put(&mut bytes, 32, facts.inode, 8);
    put(&mut bytes, 40, facts.size as u64, 8);
    put(&mut bytes, 48, (facts.size as u64).div_ceil(512), 8);
    for (at, time) in [64, 96, 112].into_iter().zip([facts.times[0], NOW, facts.times[1]]) {
        put(&mut bytes, at, time.div_euclid(SECOND) as u64, 8);
        put(&mut bytes, at + 8, time.rem_euclid(SECOND) as u32, 4);
    }
    put(&mut bytes, 136, DEVICE >> 8, 4);
    put(&mut bytes, 140, DEVICE & 0xff, 4);
    bytes
}

/// What `waitid` tells of a child.
pub(crate) fn child_info(pid: i32, status: i32) -> Vec<u8> {
    let mut bytes = vec![0; 128];
    let (code, value) = if libc::WIFEXITED(status) {
        (libc::CLD_EXITED, libc::WEXITSTATUS(status))
    } else {
        (libc::CLD_KILLED, libc::WTERMSIG(status))
    };
    put(&mut bytes, 0, libc::SIGCHLD as u32, 4);
    put(&mut bytes, 8, code as u32, 4);
    put(&mut bytes, 16, pid as u32, 4);
    put(&mut bytes, 24, value as u32, 4);
    bytes
}
