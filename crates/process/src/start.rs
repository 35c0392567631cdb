//! What is done to a program before its first instruction, so that it cannot see the clock or chance except through calls.
//! Follows section 6 of the design of process checks: the system's own code page is hidden, and the sixteen random bytes are not random.

use crate::memory;
use crate::tracee::{Traced, Tracee};
use nix::errno::Errno;

/// Sixteen bytes that take the place of random ones.
const FIXED: [u8; 16] = *b"quotient is here";

/// Prepares a process that has just become a program.
pub(crate) fn hide_chance(tracee: &Tracee) -> Traced<()> {
    // The stack has the number of arguments, their addresses, 0, the addresses of variables, 0, and then pairs.
    let mut at = tracee.registers()?.rsp;
    let arguments = memory::read_u64(tracee, at)?;
    at += 8 * (arguments + 2);
    while memory::read_u64(tracee, at)? != 0 {
        at += 8;
    }
    at += 8;
    loop {
        let (kind, value) = (memory::read_u64(tracee, at)?, memory::read_u64(tracee, at + 8)?);
        match kind {
            libc::AT_NULL => return Ok(()),
            // Without it the C library makes real calls for the time.
            libc::AT_SYSINFO_EHDR => memory::write(tracee, at, &libc::AT_IGNORE.to_le_bytes())?,
            libc::AT_RANDOM => memory::write(tracee, value, &FIXED)?,
            _ => {}
        }
        at += 16;
        if at == 0 {
            return Err(Errno::EFAULT.into());
        }
    }
}
