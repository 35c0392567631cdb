//! Calls that set times and owners of files. Follows `utimensat(2)` and `chown(2)`; owners are not kept, so nobody else can become one.

use super::{Looked, Moment};
use nix::errno::Errno;
use quotient_system::{FileOp, NOW, Target};

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

impl Moment<'_> {
    /// Looks at a call that sets times.
    pub(super) fn set_times(&mut self) -> Looked {
        let [first, second, third, ..] = self.arguments;
        let (read, written) = match self.number {
            libc::SYS_utime => self.times(second, 8, SECOND)?,
            libc::SYS_utimes => self.times(second, 16, 1_000)?,
            libc::SYS_futimesat => self.times(third, 16, 1_000)?,
            _ => self.times(third, 16, 1)?,
        };
        let op = |target| FileOp::SetTimes { target, read, written };
        match self.number {
            libc::SYS_utime | libc::SYS_utimes => self.change_path(libc::AT_FDCWD, first, true, op),
            libc::SYS_utimensat if second == 0 => self.change(self.int(0), op(Target::Fd(self.int(0)))),
            libc::SYS_futimesat => self.change_path(self.int(0), second, true, op),
            _ => self.change_path(self.int(0), second, self.int(3) & libc::AT_SYMLINK_NOFOLLOW == 0, op),
        }
    }

    /// The two times at an address, each of so many bytes, in this unit if it has a second part; an address of 0 is now.
    fn times(&self, address: u64, size: usize, unit: i64) -> Result<(Option<i64>, Option<i64>), Errno> {
        if address == 0 {
            return Ok((Some(NOW), Some(NOW)));
        }
        let bytes = self.read(address, 2 * size)?;
        let number = |at: usize| i64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let time = |at: usize| {
            let rest = if size > 8 { number(at + 8) } else { 0 };
            match (unit, rest) {
                (1, libc::UTIME_NOW) => Ok(Some(NOW)),
                (1, libc::UTIME_OMIT) => Ok(None),
                (_, rest) if rest < 0 || rest.saturating_mul(unit) >= SECOND => Err(Errno::EINVAL),
                (_, rest) => Ok(Some(number(at).saturating_mul(SECOND).saturating_add(rest * unit))),
            }
        };
        Ok((time(0)?, time(size)?))
    }

    /// Looks at a call that sets the owner.
    pub(super) fn set_owner(&mut self) -> Looked {
        let [first, second, ..] = self.arguments;
        let at = if self.number == libc::SYS_fchownat { 2 } else { 1 };
        let own = [nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw()];
        let stays = |index: usize| [own[index], u32::MAX].contains(&(self.arguments[at + index] as u32));
        if !stays(0) || !stays(1) {
            return Err(self.unsupported("another owner of a file"));
        }
        let op = |target| FileOp::Touch { target };
        match self.number {
            libc::SYS_fchown => self.change(self.int(0), op(Target::Fd(self.int(0)))),
            libc::SYS_chown => self.change_path(libc::AT_FDCWD, first, true, op),
            libc::SYS_lchown => self.change_path(libc::AT_FDCWD, first, false, op),
            _ => {
                if self.int(4) & libc::AT_EMPTY_PATH != 0 && self.string(second)?.is_empty() {
                    return self.change(self.int(0), op(Target::Fd(self.int(0))));
                }
                self.change_path(self.int(0), second, self.int(4) & libc::AT_SYMLINK_NOFOLLOW == 0, op)
            }
        }
    }
}
