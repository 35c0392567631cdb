//! Files outside the shared directories: they are real, nobody writes them, and the position in them is kept here.
//! Follows section 5 of the design of process checks: a copy of a process shares its original's position in the system's eyes.

use super::{Buffer, Decision, Looked, Moment};
use crate::own::{FileKind, OpenFile};
use nix::errno::Errno;
use quotient_system::Fd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Files below `/proc` that say the same all the time, or follow from the process's own history: the system gives memory at the same
/// addresses each time. Others tell of the moment.
const CONSTANT: [&[u8]; 7] = [
    b"/proc/self/maps",
    b"/proc/filesystems",
    b"/proc/mounts",
    b"/proc/version",
    b"/proc/sys/kernel/osrelease",
    b"/proc/sys/kernel/ngroups_max",
    b"/proc/sys/vm/overcommit_memory",
];

impl Moment<'_> {
    /// Opens a file outside the shared directories.
    pub(super) fn open_outside(&mut self, path: Vec<u8>, flags: i32) -> Looked {
        let fd = self.own.free(1, 0)?[0];
        let Some(kind) = self.kind_of(&path, flags)? else {
            // It cannot be opened, and the system says why.
            return match self.make()? {
                value if value < 0 => Ok(Decision::Done),
                _ => Err(self.outside(&path)),
            };
        };
        let value = self.make()?;
        if value < 0 {
            return Ok(Decision::Done);
        }
        if value != i64::from(fd) {
            return Err(self.unsupported(format!("a descriptor has the number {value} instead of {fd}")));
        }
        let file = OpenFile { path, kind, offset: 0, inherited: false };
        self.own.open_private(fd, file, flags & libc::O_CLOEXEC != 0);
        Ok(Decision::Done)
    }

    /// What would be opened, or nothing if there is nothing to open.
    fn kind_of(&self, path: &[u8], flags: i32) -> Result<Option<FileKind>, super::Refusal> {
        let special = match path {
            b"/dev/null" => Some(FileKind::Null),
            b"/dev/zero" => Some(FileKind::Zero),
            b"/dev/random" | b"/dev/urandom" => Some(FileKind::Random),
            // Programs that look which descriptors they have do without it where it is not there.
            b"/proc/self/fd" => return Err(Errno::ENOENT.into()),
            // There is no terminal.
            b"/dev/tty" => return Err(Errno::ENXIO.into()),
            _ => None,
        };
        if special.is_some() {
            return Ok(special);
        }
        let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
        let Ok(facts) = Path::new(std::ffi::OsStr::from_bytes(path)).metadata() else {
            if flags & libc::O_CREAT != 0 {
                return Err(self.outside(path));
            }
            return Ok(None);
        };
        if flags & libc::O_CREAT != 0 && flags & libc::O_EXCL != 0 {
            return Ok(None);
        }
        if flags & libc::O_PATH != 0 {
            return Ok(Some(FileKind::PathOnly));
        }
        if writes && !facts.is_dir() {
            return Err(self.outside(path));
        }
        if path.starts_with(b"/proc/") && !CONSTANT.contains(&path) {
            return Err(
                self.unsupported(format!("{} changes from one moment to the next", String::from_utf8_lossy(path)))
            );
        }
        if facts.is_dir() {
            return Ok(Some(FileKind::Directory));
        }
        let kind = facts.file_type();
        if kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device() {
            return Err(self.outside(path));
        }
        Ok(Some(FileKind::Regular))
    }

    /// The position of a file, if nobody else can move it.
    fn position(&mut self, fd: Fd) -> Result<&mut OpenFile, super::Refusal> {
        let refusal = self.unsupported("a file that the process has from its parent: its position is shared");
        match self.own.private(fd) {
            Some(file) if file.inherited && matches!(file.kind, FileKind::Regular | FileKind::Directory) => {
                Err(refusal)
            }
            Some(file) => Ok(file),
            None => Err(Errno::EBADF.into()),
        }
    }

    /// Reads from such a file.
    pub(super) fn read_private(&mut self, fd: Fd, to: &[Buffer], at: Option<i64>) -> Looked {
        let Some(file) = self.own.private(fd) else { return Err(Errno::EBADF.into()) };
        match file.kind {
            FileKind::Null => self.answer(0),
            FileKind::PathOnly => Err(Errno::EBADF.into()),
            FileKind::Directory => Err(Errno::EISDIR.into()),
            FileKind::Zero | FileKind::Random => {
                let random = file.kind == FileKind::Random;
                let mut count = 0;
                for buffer in to {
                    let bytes = if random { self.own.random(buffer.length) } else { vec![0; buffer.length] };
                    self.write(buffer.address, &bytes)?;
                    count += buffer.length;
                }
                self.answer(count as i64)
            }
            FileKind::Regular => {
                let start = match at {
                    Some(at) => at,
                    None => self.position(fd)?.offset,
                };
                // The arguments of `preadv` and `pread` differ in nothing but the second and third.
                let several = matches!(self.number, libc::SYS_readv | libc::SYS_preadv);
                let call = if several { libc::SYS_preadv } else { libc::SYS_pread64 };
                let [first, second, third, ..] = self.arguments;
                let value = self.tracee.substitute(call, [first, second, third, start as u64, 0, 0])?;
                if value > 0 && at.is_none() {
                    self.position(fd)?.offset += value;
                }
                Ok(Decision::Done)
            }
        }
    }

    /// Writes to such a file: only what leads nowhere can be written.
    pub(super) fn write_private(&mut self, fd: Fd, count: usize) -> Looked {
        match self.own.private(fd).map(|file| file.kind) {
            Some(FileKind::Null | FileKind::Zero | FileKind::Random) => self.answer(count as i64),
            _ => Err(Errno::EBADF.into()),
        }
    }

    /// Moves the position.
    pub(super) fn seek_private(&mut self, fd: Fd, by: i64, from: i32) -> Looked {
        let file = self.position(fd)?;
        let start = match from {
            _ if matches!(file.kind, FileKind::Null | FileKind::Zero | FileKind::Random) => return self.answer(0),
            libc::SEEK_SET => 0,
            libc::SEEK_CUR => file.offset,
            // The system knows the size. The position that it keeps is never used.
            _ => {
                let value = self.make()?;
                if value >= 0 {
                    self.position(fd)?.offset = value;
                }
                return Ok(Decision::Done);
            }
        };
        let offset = start.checked_add(by).filter(|&offset| offset >= 0).ok_or(Errno::EINVAL)?;
        file.offset = offset;
        self.answer(offset)
    }

    /// Lists a directory outside the shared ones.
    pub(super) fn list_private(&mut self, fd: Fd) -> Looked {
        let offset = self.position(fd)?.offset;
        self.tracee.insert(libc::SYS_lseek, [fd as u64, offset as u64, libc::SEEK_SET as u64, 0, 0, 0])?;
        let value = self.tracee.insert(self.number, self.arguments)?;
        let offset = self.tracee.insert(libc::SYS_lseek, [fd as u64, 0, libc::SEEK_CUR as u64, 0, 0, 0])?;
        self.position(fd)?.offset = offset;
        self.answer(value)
    }
}
