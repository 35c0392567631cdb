//! Calls on files by path and on the descriptors of files. Follows their manual pages: what is below a shared directory is the
//! checker's, everything else is real and may only be read.

use super::{Decision, Finish, Looked, Moment, Refusal, visible};
use crate::own::{Kind, Shared};
use nix::errno::Errno;
use quotient_system::{Fd, FileOp, Op, OpenHow, Target, Whence};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Where a path leads.
pub(super) enum Where {
    /// To this path in a shared directory.
    Shared(Vec<u8>),
    /// To this path outside.
    Outside(Vec<u8>),
    /// To an open descriptor (`AT_EMPTY_PATH`).
    Descriptor(Fd),
}

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn file_call(&mut self) -> Option<Looked> {
        let [first, second, third, fourth, fifth, _] = self.arguments;
        let (fd, here) = (self.int(0), libc::AT_FDCWD);
        let not_followed = |flags: u64| flags as i32 & libc::AT_SYMLINK_NOFOLLOW == 0;
        Some(match self.number {
            libc::SYS_open => self.open(here, first, self.int(1), third),
            libc::SYS_openat => self.open(fd, second, self.int(2), fourth),
            libc::SYS_creat => self.open(here, first, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, second),
            libc::SYS_stat => self.stat(here, first, true, 0, Finish::Stat(second)),
            libc::SYS_lstat => self.stat(here, first, false, 0, Finish::Stat(second)),
            libc::SYS_fstat => self.stat_descriptor(fd, Finish::Stat(second)),
            libc::SYS_newfstatat => self.stat(fd, second, not_followed(fourth), self.int(3), Finish::Stat(third)),
            libc::SYS_statx => self.stat(fd, second, not_followed(third), self.int(2), Finish::Statx(fifth)),
            libc::SYS_access => self.access(here, first, second, 0),
            libc::SYS_faccessat => self.access(fd, second, third, 0),
            libc::SYS_faccessat2 => self.access(fd, second, third, self.int(3)),
            libc::SYS_readlink => self.read_link(here, first, second, self.size(2)),
            libc::SYS_readlinkat => self.read_link(fd, second, third, self.size(3)),
            libc::SYS_mkdir => self.make_dir(here, first, second),
            libc::SYS_mkdirat => self.make_dir(fd, second, third),
            libc::SYS_mknod => self.make_node(here, first, second),
            libc::SYS_mknodat => self.make_node(fd, second, third),
            libc::SYS_rmdir => self.remove(here, first, true),
            libc::SYS_unlink => self.remove(here, first, false),
            libc::SYS_unlinkat => self.remove(fd, second, third as i32 & libc::AT_REMOVEDIR != 0),
            libc::SYS_rename => self.rename((here, first), (here, second), 0),
            libc::SYS_renameat => self.rename((fd, second), (self.int(2), fourth), 0),
            libc::SYS_renameat2 => self.rename((fd, second), (self.int(2), fourth), fifth as u32),
            libc::SYS_link => self.link((here, first), (here, second), 0),
            libc::SYS_linkat => self.link((fd, second), (self.int(2), fourth), self.int(4)),
            libc::SYS_symlink => self.symlink(first, here, second),
            libc::SYS_symlinkat => self.symlink(first, self.int(1), third),
            libc::SYS_truncate => {
                self.change_path(here, first, true, |target| FileOp::Truncate { target, size: second as i64 })
            }
            libc::SYS_ftruncate => self.change(fd, FileOp::Truncate { target: Target::Fd(fd), size: second as i64 }),
            libc::SYS_fallocate if self.int(1) == 0 => {
                self.change(fd, FileOp::Allocate { fd, size: third.saturating_add(fourth) as i64 })
            }
            libc::SYS_chmod => {
                self.change_path(here, first, true, |target| FileOp::SetMode { target, mode: second as u32 & 0o7777 })
            }
            libc::SYS_fchmodat => {
                self.change_path(fd, second, true, |target| FileOp::SetMode { target, mode: third as u32 & 0o7777 })
            }
            libc::SYS_fchmod => {
                self.change(fd, FileOp::SetMode { target: Target::Fd(fd), mode: second as u32 & 0o7777 })
            }
            libc::SYS_chown | libc::SYS_lchown | libc::SYS_fchownat | libc::SYS_fchown => self.set_owner(),
            libc::SYS_utime | libc::SYS_utimes | libc::SYS_futimesat | libc::SYS_utimensat => self.set_times(),
            libc::SYS_fsync | libc::SYS_fdatasync => self.sync(fd),
            libc::SYS_sync => self.answer(0),
            libc::SYS_fadvise64 | libc::SYS_readahead => self.answer(0),
            libc::SYS_lseek => self.seek(fd),
            libc::SYS_getdents64 => self.list(fd),
            libc::SYS_chdir => self.change_directory(first),
            libc::SYS_fchdir => self.change_directory_to(fd),
            libc::SYS_getcwd => self.tell_directory(),
            libc::SYS_fstatfs => self.own.kind(fd).map_err(Into::into).and_then(|_| self.file_system(second)),
            libc::SYS_statfs => self.outside_only(first, "facts about a file system"),
            libc::SYS_getxattr | libc::SYS_lgetxattr | libc::SYS_fgetxattr => Err(Errno::EOPNOTSUPP.into()),
            libc::SYS_setxattr
            | libc::SYS_lsetxattr
            | libc::SYS_fsetxattr
            | libc::SYS_removexattr
            | libc::SYS_lremovexattr
            | libc::SYS_fremovexattr => Err(Errno::EOPNOTSUPP.into()),
            libc::SYS_listxattr | libc::SYS_llistxattr | libc::SYS_flistxattr => self.answer(0),
            _ => return None,
        })
    }

    /// A path as an absolute one.
    pub(super) fn absolute(&self, directory: Fd, path: &[u8]) -> Result<Vec<u8>, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        let base = match self.own.kind(directory) {
            _ if path.starts_with(b"/") || directory == libc::AT_FDCWD => &self.own.directory,
            Err(error) => return Err(error),
            Ok(Kind::Shared(Shared::File { path: base, .. })) => base,
            Ok(Kind::Private(file)) => &self.own.files[file].path,
            Ok(_) => return Err(Errno::ENOTDIR),
        };
        let mut whole = self.world.join(base, path);
        // What is before a slash must be a directory.
        let ends = |end: &[u8]| path.ends_with(end);
        if whole.len() > 1 && (ends(b"/") || ends(b"/.") || ends(b"/..")) {
            whole.push(b'/');
        }
        Ok(whole)
    }

    /// Where the path at an address leads.
    pub(super) fn locate(&self, directory: Fd, address: u64, follow: bool, flags: i32) -> Result<Where, Refusal> {
        let text = self.string(address)?;
        if text.is_empty() && flags & libc::AT_EMPTY_PATH != 0 {
            return Ok(Where::Descriptor(directory));
        }
        let path = self.absolute(directory, &text)?;
        if self.world.is_shared(&path) {
            return Ok(Where::Shared(path));
        }
        if let Some(inside) = self.world.leads_in(&path, follow) {
            return Ok(Where::Shared(inside));
        }
        // The system follows relative paths from a directory that it does not know.
        let from_shared = match directory {
            libc::AT_FDCWD => self.world.is_shared(&self.own.directory),
            fd => self.own.shared(fd).is_some(),
        };
        if from_shared && !text.starts_with(b"/") {
            return Err(self.unsupported("a relative path that leads out of a shared directory"));
        }
        Ok(Where::Outside(path))
    }

    /// That something would be changed which must stay as it is.
    pub(super) fn outside(&self, path: &[u8]) -> Refusal {
        self.unsupported(format!("{} is outside the shared directories", String::from_utf8_lossy(path)))
    }

    fn open(&mut self, directory: Fd, address: u64, flags: i32, mode: u64) -> Looked {
        let follow =
            flags & libc::O_NOFOLLOW == 0 && flags & (libc::O_CREAT | libc::O_EXCL) != libc::O_CREAT | libc::O_EXCL;
        let path = match self.locate(directory, address, follow, 0)? {
            Where::Outside(path) => return self.open_outside(path, flags),
            Where::Shared(path) => path,
            Where::Descriptor(_) => return Err(Errno::ENOENT.into()),
        };
        let has = |flag: i32| flags & flag == flag;
        if has(libc::O_TMPFILE) {
            return Err(Errno::EOPNOTSUPP.into());
        }
        let access = flags & libc::O_ACCMODE;
        let how = OpenHow {
            read: access != libc::O_WRONLY,
            write: access != libc::O_RDONLY,
            create: has(libc::O_CREAT),
            exclusive: has(libc::O_EXCL),
            truncate: has(libc::O_TRUNC),
            append: has(libc::O_APPEND),
            nonblocking: has(libc::O_NONBLOCK),
            directory: has(libc::O_DIRECTORY),
            no_follow: has(libc::O_NOFOLLOW),
            path_only: has(libc::O_PATH),
            mode: if has(libc::O_CREAT) { mode as u32 & 0o7777 & !self.own.umask } else { 0 },
        };
        let fd = self.own.free(1, 0)?[0];
        let op = Op::File(FileOp::Open { fd, path: path.clone(), how });
        self.new_one(fd, op, Shared::File { path, entries: Vec::new() }, has(libc::O_CLOEXEC))
    }

    fn stat(&self, directory: Fd, address: u64, follow: bool, flags: i32, finish: Finish) -> Looked {
        let path = match self.locate(directory, address, follow, flags)? {
            Where::Outside(_) => return self.pass(),
            Where::Descriptor(fd) => return self.stat_descriptor(fd, finish),
            Where::Shared(path) => path,
        };
        let target = if follow { Target::Path(path) } else { Target::Link(path) };
        Ok(Decision::Visible(Op::File(FileOp::Stat { target }), finish))
    }

    fn stat_descriptor(&self, fd: Fd, finish: Finish) -> Looked {
        if fd == libc::AT_FDCWD {
            if !self.world.is_shared(&self.own.directory) {
                return self.pass();
            }
            let target = Target::Path(self.own.directory.clone());
            return Ok(Decision::Visible(Op::File(FileOp::Stat { target }), finish));
        }
        let mode = match self.own.kind(fd)? {
            Kind::Output(_) | Kind::Private(_) => return self.pass(),
            Kind::Shared(Shared::File { .. }) => {
                return Ok(Decision::Visible(Op::File(FileOp::Stat { target: Target::Fd(fd) }), finish));
            }
            Kind::Shared(Shared::Pipe) => libc::S_IFIFO | 0o600,
            Kind::Shared(Shared::Socket { .. }) => libc::S_IFSOCK | 0o777,
            Kind::Shared(Shared::Other) => 0o600,
            Kind::Shared(Shared::Passed) => return Err(self.unsupported("a descriptor that was passed on")),
        };
        // Nothing about it ever changes.
        let facts = quotient_system::Stat {
            inode: 1_000_000 + fd as u64,
            mode,
            links: 1,
            size: 0,
            times: [quotient_system::NOW; 2],
        };
        let (address, bytes) = match finish {
            Finish::Statx(address) => (address, crate::layout::statx(facts)),
            Finish::Stat(address) => (address, crate::layout::stat(facts)),
            _ => return Err(Errno::EINVAL.into()),
        };
        self.give(address, &bytes, 0)
    }

    fn access(&self, directory: Fd, address: u64, mode: u64, flags: i32) -> Looked {
        let target = match self.locate(directory, address, flags & libc::AT_SYMLINK_NOFOLLOW == 0, flags)? {
            Where::Outside(_) => return self.pass(),
            Where::Descriptor(fd) if self.own.shared(fd).is_none() => return self.pass(),
            Where::Descriptor(fd) => Target::Fd(fd),
            Where::Shared(path) => Target::Path(path),
        };
        visible(Op::File(FileOp::Access { target, mode: mode as u32 & 7 }))
    }

    fn read_link(&self, directory: Fd, address: u64, to: u64, room: usize) -> Looked {
        match self.locate(directory, address, false, 0)? {
            Where::Shared(path) => {
                let finish = Finish::Bytes(vec![super::Buffer { address: to, length: room }]);
                Ok(Decision::Visible(Op::File(FileOp::ReadLink { path, count: room }), finish))
            }
            Where::Outside(path) if path == b"/proc/self/exe" => {
                let program = &self.own.program[..room.min(self.own.program.len())];
                self.give(to, program, program.len() as i64)
            }
            Where::Outside(path) if path.starts_with(b"/proc/") => Err(self.outside(&path)),
            Where::Outside(_) | Where::Descriptor(_) => self.pass(),
        }
    }

    fn make_dir(&self, directory: Fd, address: u64, mode: u64) -> Looked {
        match self.locate(directory, address, false, 0)? {
            Where::Shared(path) => {
                visible(Op::File(FileOp::MakeDir { path, mode: mode as u32 & 0o777 & !self.own.umask }))
            }
            Where::Outside(path) if exists(&path) => Err(Errno::EEXIST.into()),
            Where::Outside(path) => Err(self.outside(&path)),
            Where::Descriptor(_) => Err(Errno::ENOENT.into()),
        }
    }

    fn make_node(&self, directory: Fd, address: u64, mode: u64) -> Looked {
        let path = match self.locate(directory, address, false, 0)? {
            Where::Shared(path) => path,
            Where::Outside(path) => return Err(self.outside(&path)),
            Where::Descriptor(_) => return Err(Errno::ENOENT.into()),
        };
        if mode as u32 & libc::S_IFMT != libc::S_IFIFO {
            return Err(self.unsupported("something else than a named pipe"));
        }
        visible(Op::File(FileOp::MakeFifo { path, mode: mode as u32 & 0o777 & !self.own.umask }))
    }

    fn remove(&self, directory: Fd, address: u64, is_directory: bool) -> Looked {
        match self.locate(directory, address, false, 0)? {
            Where::Shared(path) if is_directory => visible(Op::File(FileOp::RemoveDir { path })),
            Where::Shared(path) => visible(Op::File(FileOp::Unlink { path })),
            Where::Outside(path) if !exists(&path) => Err(Errno::ENOENT.into()),
            Where::Outside(path) => Err(self.outside(&path)),
            Where::Descriptor(_) => Err(Errno::ENOENT.into()),
        }
    }

    fn rename(&self, from: (Fd, u64), to: (Fd, u64), flags: u32) -> Looked {
        if flags & !(libc::RENAME_NOREPLACE | libc::RENAME_EXCHANGE) != 0 {
            return Err(Errno::EINVAL.into());
        }
        match (self.locate(from.0, from.1, false, 0)?, self.locate(to.0, to.1, false, 0)?) {
            (Where::Shared(from), Where::Shared(to)) => visible(Op::File(FileOp::Rename {
                from,
                to,
                no_replace: flags & libc::RENAME_NOREPLACE != 0,
                exchange: flags & libc::RENAME_EXCHANGE != 0,
            })),
            (Where::Outside(from), _) if !exists(&from) => Err(Errno::ENOENT.into()),
            (Where::Outside(path), Where::Outside(_)) => Err(self.outside(&path)),
            // As between two disks.
            _ => Err(Errno::EXDEV.into()),
        }
    }

    fn link(&self, from: (Fd, u64), to: (Fd, u64), flags: i32) -> Looked {
        let follow = flags & libc::AT_SYMLINK_FOLLOW != 0;
        let from = match self.locate(from.0, from.1, follow, flags)? {
            Where::Shared(path) if follow => Target::Path(path),
            Where::Shared(path) => Target::Link(path),
            Where::Descriptor(fd) if self.own.shared(fd).is_some() => Target::Fd(fd),
            Where::Descriptor(_) => return Err(Errno::EXDEV.into()),
            Where::Outside(path) if !exists(&path) => return Err(Errno::ENOENT.into()),
            Where::Outside(_) => return Err(Errno::EXDEV.into()),
        };
        match self.locate(to.0, to.1, false, 0)? {
            Where::Shared(to) => visible(Op::File(FileOp::Link { from, to })),
            _ => Err(Errno::EXDEV.into()),
        }
    }

    fn symlink(&self, text: u64, directory: Fd, address: u64) -> Looked {
        match self.locate(directory, address, false, 0)? {
            Where::Shared(path) => visible(Op::File(FileOp::Symlink { text: self.string(text)?, path })),
            Where::Outside(path) if exists(&path) => Err(Errno::EEXIST.into()),
            Where::Outside(path) => Err(self.outside(&path)),
            Where::Descriptor(_) => Err(Errno::ENOENT.into()),
        }
    }

    /// Changes something about a file by its path.
    pub(super) fn change_path(
        &self,
        directory: Fd,
        address: u64,
        follow: bool,
        op: impl Fn(Target) -> FileOp,
    ) -> Looked {
        match self.locate(directory, address, follow, 0)? {
            Where::Shared(path) if follow => visible(Op::File(op(Target::Path(path)))),
            Where::Shared(path) => visible(Op::File(op(Target::Link(path)))),
            Where::Outside(path) if !exists(&path) => Err(Errno::ENOENT.into()),
            Where::Outside(path) => Err(self.outside(&path)),
            Where::Descriptor(_) => Err(Errno::ENOENT.into()),
        }
    }

    /// Changes something about a file by its descriptor.
    pub(super) fn change(&mut self, fd: Fd, op: FileOp) -> Looked {
        match self.own.kind(fd)? {
            Kind::Shared(Shared::File { .. }) => visible(Op::File(op)),
            Kind::Shared(_) if matches!(op, FileOp::Truncate { .. }) => Err(Errno::EINVAL.into()),
            Kind::Shared(_) => Err(self.unsupported("facts about something that is no file")),
            _ => Err(self.unsupported("a file outside the shared directories")),
        }
    }

    fn sync(&self, fd: Fd) -> Looked {
        match self.own.kind(fd)? {
            Kind::Shared(Shared::File { .. }) => visible(Op::File(FileOp::Sync { fd })),
            Kind::Private(_) => self.answer(0),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn seek(&mut self, fd: Fd) -> Looked {
        let by = self.arguments[1] as i64;
        match self.own.kind(fd)? {
            Kind::Output(_) => self.answer(0),
            Kind::Private(_) => self.seek_private(fd, by, self.int(2)),
            Kind::Shared(Shared::File { .. }) => {
                let from = match self.int(2) {
                    libc::SEEK_SET => Whence::Start,
                    libc::SEEK_CUR => Whence::Position,
                    libc::SEEK_END => Whence::End,
                    libc::SEEK_DATA | libc::SEEK_HOLE => return Err(self.unsupported("looking for holes")),
                    _ => return Err(Errno::EINVAL.into()),
                };
                // What was read of a directory is forgotten.
                if let Some(Kind::Shared(Shared::File { entries, .. })) =
                    self.own.descriptors.get_mut(&fd).map(|descriptor| &mut descriptor.kind)
                {
                    entries.clear();
                }
                visible(Op::File(FileOp::Seek { fd, by, from }))
            }
            Kind::Shared(Shared::Passed) => Err(self.unsupported("a descriptor that was passed on")),
            Kind::Shared(_) => Err(Errno::ESPIPE.into()),
        }
    }

    fn change_directory(&mut self, address: u64) -> Looked {
        match self.locate(libc::AT_FDCWD, address, true, 0)? {
            Where::Shared(path) => {
                Ok(Decision::Visible(Op::File(FileOp::ChangeDir { target: Target::Path(path) }), Finish::Directory))
            }
            Where::Outside(path) => {
                if self.make()? == 0 {
                    let path = Path::new(std::ffi::OsStr::from_bytes(&path));
                    self.own.directory = path.canonicalize().map_or_else(
                        |_| path.as_os_str().as_bytes().to_vec(),
                        |real| real.as_os_str().as_bytes().to_vec(),
                    );
                }
                Ok(Decision::Done)
            }
            Where::Descriptor(_) => Err(Errno::ENOENT.into()),
        }
    }

    fn change_directory_to(&mut self, fd: Fd) -> Looked {
        match self.own.kind(fd)? {
            Kind::Shared(_) => {
                Ok(Decision::Visible(Op::File(FileOp::ChangeDir { target: Target::Fd(fd) }), Finish::Directory))
            }
            Kind::Private(file) => {
                let path = self.own.files[file].path.clone();
                if self.make()? == 0 {
                    self.own.directory = path;
                }
                Ok(Decision::Done)
            }
            Kind::Output(_) => Err(Errno::ENOTDIR.into()),
        }
    }

    fn tell_directory(&self) -> Looked {
        let bytes = [self.own.directory.as_slice(), b"\0"].concat();
        if bytes.len() > self.size(1) {
            return Err(Errno::ERANGE.into());
        }
        self.give(self.arguments[0], &bytes, bytes.len() as i64)
    }

    /// A file system in memory with room enough.
    fn file_system(&self, address: u64) -> Looked {
        /// The kind: `TMPFS_MAGIC`.
        const IN_MEMORY: u64 = 0x0102_1994;
        let (block, blocks, names) = (4096, 1 << 18, 255);
        let numbers = [IN_MEMORY, block, blocks, blocks, blocks, blocks, blocks, 0, names, block, 0, 0, 0, 0, 0];
        let bytes: Vec<u8> = numbers.iter().flat_map(|number: &u64| number.to_le_bytes()).collect();
        self.write(address, &bytes)?;
        self.answer(0)
    }

    /// A call that is passed on for paths outside the shared directories.
    fn outside_only(&self, address: u64, what: &str) -> Looked {
        match self.locate(libc::AT_FDCWD, address, true, 0)? {
            Where::Outside(_) => self.pass(),
            _ => Err(self.unsupported(format!("{what} in a shared directory"))),
        }
    }
}

/// Whether there is a real file with this path.
pub(super) fn exists(path: &[u8]) -> bool {
    Path::new(std::ffi::OsStr::from_bytes(path)).symlink_metadata().is_ok()
}
