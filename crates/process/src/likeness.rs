//! Tells whether two stopped processes are the same: registers, memory, and what they have beside it. Follows section 7.5 of the
//! design of process checks. What is below the stack counts for nothing, since no program that is right reads it.

use crate::loaded;
use crate::memory;
use crate::run::Standing;
use crate::slot::SLOT_AT;
use crate::tracee::{Traced, Tracee};
use nix::errno::Errno;

/// Bytes below the stack pointer that a function may use.
const RED_ZONE: u64 = 128;

/// What two processes have in common only if they are the same.
pub(crate) type Likeness = [u8; 32];

/// One line of the list of mappings.
struct Region {
    from: u64,
    to: u64,
    writable: bool,
    private: bool,
}

impl Region {
    /// What of it is the program's. The loader and its slot are the checker's; what the program gets from `brk` comes after the loader.
    fn without_loader(mut self) -> Option<Self> {
        if self.from == SLOT_AT {
            return None;
        }
        if loaded::place().contains(&self.from) {
            self.from = loaded::place().end;
        }
        (self.from < self.to).then_some(self)
    }
}

/// The likeness of a process that stands before an operation, and the number of bytes that were looked at.
pub(crate) fn of(tracee: &Tracee, standing: &Standing) -> Traced<(Likeness, u64)> {
    let mut hasher = blake3::Hasher::new();
    let mut update = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    update(format!("{standing:?}").as_bytes());
    let registers = tracee.registers()?;
    update(format!("{registers:?}").as_bytes());
    update(&tracee.vectors()?);
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", tracee.pid())).map_err(|_| Errno::ESRCH)?;
    let mut looked = 0;
    for line in maps.lines() {
        let Some(region) = region(line) else { continue };
        let Some(region) = region.without_loader() else { continue };
        // The stack grows by itself; where it begins says nothing.
        let has_stack = (region.from..region.to).contains(&registers.rsp);
        if !has_stack {
            update(line.as_bytes());
        }
        if !region.writable || !region.private {
            continue;
        }
        let from = if has_stack { (registers.rsp - RED_ZONE).max(region.from) } else { region.from };
        let bytes = memory::read(tracee, from, (region.to - from) as usize)?;
        looked += bytes.len() as u64;
        update(&bytes);
    }
    Ok((*hasher.finalize().as_bytes(), looked))
}

/// Reads a line such as `7ffff7fc1000-7ffff7fc5000 r--p 00000000 00:00 0 [vvar]`.
fn region(line: &str) -> Option<Region> {
    let mut words = line.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let rights = words.next()?.as_bytes();
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(Region { from: number(from)?, to: number(to)?, writable: rights[1] == b'w', private: rights[3] == b'p' })
}
