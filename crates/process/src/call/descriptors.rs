//! Calls on descriptors: read, write, close, dup, fcntl, ioctl, pipes and the like. Follows their manual pages; the numbers of
//! descriptors are those that the system itself would give.

use super::{Buffer, Decision, Finish, Looked, Moment, visible};
use crate::own::{Kind, Shared};
use nix::errno::Errno;
use quotient_system::{EpollOp, Fd, Lock, Op, Printed, Range};

/// The most bytes that one call moves.
const MOST: usize = 0x7fff_f000;

/// Requests of `ioctl` that the library has no names for.
const FICLONE: u64 = 0x4004_9409;
const FICLONERANGE: u64 = 0x4020_940d;

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn descriptor_call(&mut self) -> Option<Looked> {
        let [_, second, third, fourth, ..] = self.arguments;
        let fd = self.int(0);
        Some(match self.number {
            libc::SYS_read => self.read_call(fd, vec![self.buffer()], None),
            libc::SYS_pread64 => self.read_call(fd, vec![self.buffer()], Some(fourth as i64)),
            libc::SYS_readv => {
                self.buffers(second, self.size(2)).map_err(Into::into).and_then(|to| self.read_call(fd, to, None))
            }
            libc::SYS_preadv => {
                let to = self.buffers(second, self.size(2));
                to.map_err(Into::into).and_then(|to| self.read_call(fd, to, Some(fourth as i64)))
            }
            libc::SYS_write => self.write_call(fd, &[self.buffer()], None),
            libc::SYS_pwrite64 => self.write_call(fd, &[self.buffer()], Some(fourth as i64)),
            libc::SYS_writev => {
                self.buffers(second, self.size(2)).map_err(Into::into).and_then(|from| self.write_call(fd, &from, None))
            }
            libc::SYS_pwritev => {
                let from = self.buffers(second, self.size(2));
                from.map_err(Into::into).and_then(|from| self.write_call(fd, &from, Some(fourth as i64)))
            }
            libc::SYS_close => self.close_call(fd),
            libc::SYS_close_range => self.close_range(),
            libc::SYS_dup => self.dup(fd, 0, false),
            libc::SYS_dup2 => self.dup_to(fd, self.int(1), false),
            libc::SYS_dup3 if fd == self.int(1) => Err(Errno::EINVAL.into()),
            libc::SYS_dup3 => self.dup_to(fd, self.int(1), third as i32 & libc::O_CLOEXEC != 0),
            libc::SYS_fcntl => self.fcntl(fd),
            libc::SYS_ioctl => self.ioctl(fd),
            libc::SYS_flock => self.flock(fd),
            libc::SYS_pipe => self.pipe(0),
            libc::SYS_pipe2 => self.pipe(self.int(1)),
            libc::SYS_eventfd => self.eventfd(0),
            libc::SYS_eventfd2 => self.eventfd(self.int(1)),
            libc::SYS_epoll_create => self.new_epoll(0),
            libc::SYS_epoll_create1 => self.new_epoll(fd),
            _ => return None,
        })
    }

    /// The second and third argument: where and how much.
    fn buffer(&self) -> Buffer {
        Buffer { address: self.arguments[1], length: self.size(2).min(MOST) }
    }

    fn read_call(&mut self, fd: Fd, to: Vec<Buffer>, at: Option<i64>) -> Looked {
        match self.own.kind(fd)? {
            Kind::Output(_) => self.answer(0),
            Kind::Private(_) => self.read_private(fd, &to, at),
            Kind::Shared(_) => {
                let count = to.iter().map(|buffer| buffer.length).sum::<usize>().min(MOST);
                Ok(Decision::Visible(Op::Read { fd, count, at }, Finish::Bytes(to)))
            }
        }
    }

    fn write_call(&mut self, fd: Fd, from: &[Buffer], at: Option<i64>) -> Looked {
        let kind = self.own.kind(fd)?.clone();
        let bytes = self.gather(from)?;
        match kind {
            Kind::Output(to) => {
                let count = bytes.len();
                match self.printed.last_mut() {
                    Some(last) if last.to == to => last.bytes.extend(bytes),
                    _ => self.printed.push(Printed { to, bytes }),
                }
                self.answer(count as i64)
            }
            Kind::Private(_) => self.write_private(fd, bytes.len()),
            Kind::Shared(_) => visible(Op::Write { fd, bytes, at }),
        }
    }

    fn close_call(&mut self, fd: Fd) -> Looked {
        if self.own.shared(fd).is_some() {
            return Ok(Decision::Visible(Op::Close { fd }, Finish::Close(fd)));
        }
        self.own.kind(fd)?;
        self.own.close(fd);
        self.pass()
    }

    fn close_range(&mut self) -> Looked {
        let [first, last, flags, ..] = self.arguments;
        if first as u32 > last as u32 {
            return Err(Errno::EINVAL.into());
        }
        let most = crate::launch::DESCRIPTORS as u32 - 1;
        let (first, last) = (first as u32, (last as u32).min(most));
        if first > last {
            return self.answer(0);
        }
        let range: Vec<Fd> = self.own.descriptors.range(first as Fd..=last as Fd).map(|(&fd, _)| fd).collect();
        if flags as u32 & libc::CLOSE_RANGE_CLOEXEC != 0 {
            for fd in range {
                self.own.descriptors.entry(fd).and_modify(|descriptor| descriptor.close_on_exec = true);
            }
        } else {
            if let Some(&fd) = range.iter().find(|&&fd| self.own.shared(fd).is_some()) {
                return Ok(Decision::Visible(Op::Close { fd }, Finish::CloseFirst(fd)));
            }
            range.into_iter().for_each(|fd| self.own.close(fd));
        }
        self.tracee.substitute(self.number, [first.into(), last.into(), flags, 0, 0, 0])?;
        Ok(Decision::Done)
    }

    /// Makes a new descriptor with the lowest number from `least` on.
    fn dup(&mut self, from: Fd, least: Fd, close_on_exec: bool) -> Looked {
        self.own.kind(from)?;
        let to = self.own.free(1, least)?[0];
        self.dup_to(from, to, close_on_exec)
    }

    fn dup_to(&mut self, from: Fd, to: Fd, close_on_exec: bool) -> Looked {
        let kind = self.own.kind(from)?.clone();
        if !(0..crate::launch::DESCRIPTORS).contains(&to) {
            return Err(Errno::EBADF.into());
        }
        if from == to {
            return self.answer(to.into());
        }
        if matches!(kind, Kind::Shared(_)) {
            return Ok(Decision::Visible(Op::Dup { from, to }, Finish::Dup { from, to, close_on_exec }));
        }
        if self.own.shared(to).is_some() {
            return Ok(Decision::Visible(Op::Close { fd: to }, Finish::CloseFirst(to)));
        }
        self.own.put(to, kind, close_on_exec);
        self.expect(to)
    }

    /// Makes a call that must give this number.
    pub(super) fn expect(&self, number: Fd) -> Looked {
        match self.make()? {
            value if value == i64::from(number) => Ok(Decision::Done),
            value => Err(self.unsupported(format!("a descriptor has the number {value} instead of {number}"))),
        }
    }

    fn fcntl(&mut self, fd: Fd) -> Looked {
        let argument = self.arguments[2];
        let kind = self.own.kind(fd)?.clone();
        let played = matches!(kind, Kind::Shared(_));
        match self.int(1) {
            libc::F_DUPFD => self.dup(fd, argument as Fd, false),
            libc::F_DUPFD_CLOEXEC => self.dup(fd, argument as Fd, true),
            libc::F_GETFD => self.pass(),
            libc::F_SETFD => {
                let close_on_exec = argument as i32 & libc::FD_CLOEXEC != 0;
                self.own.put(fd, kind, close_on_exec);
                self.pass()
            }
            libc::F_GETFL if played => visible(Op::Flags { fd }),
            libc::F_GETFL => self.pass(),
            libc::F_SETFL if played => visible(Op::SetFlags {
                fd,
                nonblocking: argument as i32 & libc::O_NONBLOCK != 0,
                append: argument as i32 & libc::O_APPEND != 0,
            }),
            // Nothing waits there, and nothing is written.
            libc::F_SETFL => self.answer(0),
            libc::F_GETPIPE_SZ if matches!(kind, Kind::Shared(Shared::Pipe)) => self.answer(65536),
            command @ (libc::F_SETLK
            | libc::F_SETLKW
            | libc::F_GETLK
            | libc::F_OFD_SETLK
            | libc::F_OFD_SETLKW
            | libc::F_OFD_GETLK) => {
                if !played {
                    return Err(self.unsupported("a lock on a file outside the shared directories"));
                }
                self.range_lock(fd, command)
            }
            command => Err(self.unsupported(format!("command {command}"))),
        }
    }

    fn range_lock(&self, fd: Fd, command: i32) -> Looked {
        let address = self.arguments[2];
        let bytes = self.read(address, size_of::<libc::flock>())?;
        let short = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| i64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let lock = match i32::from(short(0)) {
            libc::F_RDLCK => Some(Lock::Shared),
            libc::F_WRLCK => Some(Lock::Exclusive),
            libc::F_UNLCK => None,
            _ => return Err(Errno::EINVAL.into()),
        };
        let whence = i32::from(short(2));
        let (start, length) = (long(8), long(16));
        // A negative length means the bytes before the start.
        let (start, end) = match length {
            0 => (start, i64::MAX),
            1.. => (start, start.checked_add(length).ok_or(Errno::EOVERFLOW)?),
            _ => (start.checked_add(length).ok_or(Errno::EINVAL)?, start),
        };
        if whence == libc::SEEK_SET && start < 0 || !(0..=2).contains(&whence) {
            return Err(Errno::EINVAL.into());
        }
        let range = Range { start, end, from_position: whence == libc::SEEK_CUR, from_end: whence == libc::SEEK_END };
        let of_file = matches!(command, libc::F_OFD_SETLK | libc::F_OFD_SETLKW | libc::F_OFD_GETLK);
        if matches!(command, libc::F_GETLK | libc::F_OFD_GETLK) {
            let lock = lock.ok_or(Errno::EINVAL)?;
            return Ok(Decision::Visible(Op::GetLock { fd, lock, range, of_file }, Finish::Holder(address)));
        }
        let waits = matches!(command, libc::F_SETLKW | libc::F_OFD_SETLKW);
        visible(Op::Lock { fd, lock, range, waits, of_file })
    }

    fn flock(&self, fd: Fd) -> Looked {
        let how = self.int(1);
        let lock = match how & !libc::LOCK_NB {
            libc::LOCK_SH => Some(Lock::Shared),
            libc::LOCK_EX => Some(Lock::Exclusive),
            libc::LOCK_UN => None,
            _ => return Err(Errno::EINVAL.into()),
        };
        match self.own.kind(fd)? {
            Kind::Shared(_) => visible(Op::Flock { fd, lock, no_wait: how & libc::LOCK_NB != 0 }),
            _ => Err(self.unsupported("a lock on a file outside the shared directories")),
        }
    }

    fn ioctl(&mut self, fd: Fd) -> Looked {
        let [_, request, argument, ..] = self.arguments;
        let kind = self.own.kind(fd)?.clone();
        let played = matches!(kind, Kind::Shared(_));
        match request {
            libc::FIOCLEX | libc::FIONCLEX => {
                self.own.put(fd, kind, request == libc::FIOCLEX);
                self.pass()
            }
            libc::FIONREAD if played => Ok(Decision::Visible(Op::Available { fd }, Finish::Number(argument))),
            libc::FIONBIO if played => {
                let on = self.read(argument, 4)? != [0; 4];
                visible(Op::SetFlags { fd, nonblocking: on, append: false })
            }
            // No file can share its blocks with another one.
            FICLONE | FICLONERANGE => Err(Errno::EOPNOTSUPP.into()),
            // Nothing here is a terminal.
            libc::TCGETS | libc::TIOCGWINSZ | libc::TIOCGPGRP | libc::TCSETS | libc::TCSETSW => {
                Err(Errno::ENOTTY.into())
            }
            request => Err(self.unsupported(format!("request {request:#x}"))),
        }
    }

    /// Makes one descriptor of the checker's.
    pub(super) fn new_one(&self, fd: Fd, op: Op, shared: Shared, close_on_exec: bool) -> Looked {
        let numbers = vec![(fd, shared)];
        Ok(Decision::Visible(op, Finish::New { numbers, close_on_exec, address: None, peer: None }))
    }

    fn pipe(&self, flags: i32) -> Looked {
        if flags & !(libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
            return Err(self.unsupported(format!("flags {flags:#x}")));
        }
        let numbers = self.own.free(2, 0)?;
        let op = Op::Pipe { read: numbers[0], write: numbers[1], nonblocking: flags & libc::O_NONBLOCK != 0 };
        let finish = Finish::New {
            numbers: numbers.into_iter().map(|fd| (fd, Shared::Pipe)).collect(),
            close_on_exec: flags & libc::O_CLOEXEC != 0,
            address: Some(self.arguments[0]),
            peer: None,
        };
        Ok(Decision::Visible(op, finish))
    }

    fn eventfd(&self, flags: i32) -> Looked {
        let fd = self.own.free(1, 0)?[0];
        let op = Op::EventFd {
            fd,
            value: u64::from(self.arguments[0] as u32),
            semaphore: flags & libc::EFD_SEMAPHORE != 0,
            nonblocking: flags & libc::EFD_NONBLOCK != 0,
        };
        self.new_one(fd, op, Shared::Other, flags & libc::EFD_CLOEXEC != 0)
    }

    fn new_epoll(&self, flags: i32) -> Looked {
        let fd = self.own.free(1, 0)?[0];
        self.new_one(fd, Op::Epoll(EpollOp::New { fd }), Shared::Other, flags & libc::EPOLL_CLOEXEC != 0)
    }
}
