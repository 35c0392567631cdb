//! Semaphores and message queues. Follows `semop(2)`, `semctl(2)`, `msgop(2)` and `mq_overview(7)`.

use super::{Decision, Finish, Looked, Moment, visible};
use crate::own::Shared;
use nix::errno::Errno;
use quotient_system::{Fd, MqOp, MsgOp, Op, OpenHow, SemEntry, SemOp, Timeout};

/// Whether a flag is set.
fn has(flags: i32, flag: i32) -> bool {
    flags & flag != 0
}

/// The key of an object, unless it is private.
pub(super) fn key(key: i32) -> Option<i32> {
    (key != libc::IPC_PRIVATE).then_some(key)
}

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn ipc_call(&mut self) -> Option<Looked> {
        let [_, second, third, fourth, fifth, _] = self.arguments;
        Some(match self.number {
            libc::SYS_semget => visible(Op::Sem(SemOp::Get {
                key: key(self.int(0)),
                count: self.int(1).max(0) as usize,
                create: has(self.int(2), libc::IPC_CREAT),
                exclusive: has(self.int(2), libc::IPC_EXCL),
            })),
            libc::SYS_semop => self.semop(0),
            libc::SYS_semtimedop => self.semop(fourth),
            libc::SYS_semctl => self.semctl(fourth),
            libc::SYS_msgget => visible(Op::Msg(MsgOp::Get {
                key: key(self.int(0)),
                create: has(self.int(1), libc::IPC_CREAT),
                exclusive: has(self.int(1), libc::IPC_EXCL),
            })),
            libc::SYS_msgsnd => self.msgsnd(second, self.int(3)),
            libc::SYS_msgrcv => self.msgrcv(second, fourth as i64, self.int(4)),
            libc::SYS_msgctl => self.msgctl(),
            libc::SYS_mq_open => self.mq_open(fourth),
            libc::SYS_mq_unlink => {
                self.queue_name(self.arguments[0]).and_then(|name| visible(Op::Mq(MqOp::Unlink { name })))
            }
            libc::SYS_mq_timedsend => self.mq_send(fourth as u32, fifth),
            libc::SYS_mq_timedreceive => self.mq_receive(fourth, fifth),
            libc::SYS_mq_getsetattr if second == 0 => {
                let ask = |fd| Decision::Visible(Op::Mq(MqOp::Attributes { fd }), Finish::Queue(third));
                self.queue().map(ask).map_err(Into::into)
            }
            _ => return None,
        })
    }

    fn semop(&self, timeout: u64) -> Looked {
        /// The most entries that the system takes.
        const MOST: usize = 500;
        let count = self.size(2);
        if count == 0 {
            return Err(Errno::EINVAL.into());
        }
        if count > MOST {
            return Err(Errno::E2BIG.into());
        }
        let bytes = self.read(self.arguments[1], count * 6)?;
        let entry = |piece: &[u8]| {
            let flags = i32::from(i16::from_le_bytes([piece[4], piece[5]]));
            SemEntry {
                index: usize::from(u16::from_le_bytes([piece[0], piece[1]])),
                by: i32::from(i16::from_le_bytes([piece[2], piece[3]])),
                no_wait: has(flags, libc::IPC_NOWAIT),
                undo: has(flags, libc::SEM_UNDO),
            }
        };
        let entries = bytes.chunks_exact(6).map(entry).collect();
        let (timeout, _) = self.timeout(timeout)?;
        visible(Op::Sem(SemOp::Change { id: self.int(0), entries, timeout }))
    }

    fn semctl(&self, argument: u64) -> Looked {
        /// Commands of `semctl` that the library has no names for.
        const GETPID: i32 = 11;
        const GETVAL: i32 = 12;
        const GETALL: i32 = 13;
        const GETNCNT: i32 = 14;
        const GETZCNT: i32 = 15;
        const SETVAL: i32 = 16;
        const SETALL: i32 = 17;
        let (id, index) = (self.int(0), self.int(1) as u32 as usize);
        visible(Op::Sem(match self.int(2) {
            GETPID => SemOp::LastPid { id, index },
            GETVAL => SemOp::Value { id, index },
            GETALL => return Ok(Decision::Visible(Op::Sem(SemOp::Values { id }), Finish::Values(argument))),
            GETNCNT => SemOp::Waiting { id, index, for_zero: false },
            GETZCNT => SemOp::Waiting { id, index, for_zero: true },
            SETVAL => SemOp::SetValue { id, index, value: argument as i32 },
            SETALL => {
                let Some(&count) = self.own.sets.get(&id) else {
                    // The process has the set from somewhere else; its size is asked for first.
                    return Ok(Decision::Visible(Op::Sem(SemOp::Size { id }), Finish::SetSize(id)));
                };
                let values = self.read(argument, count * 2)?;
                let values = values.chunks_exact(2).map(|piece| u16::from_le_bytes([piece[0], piece[1]])).collect();
                SemOp::SetValues { id, values }
            }
            libc::IPC_RMID => SemOp::Remove { id },
            command => return Err(self.unsupported(format!("command {command}"))),
        }))
    }

    fn msgsnd(&self, address: u64, flags: i32) -> Looked {
        let (id, count) = (self.int(0), self.size(2));
        if count > 65536 {
            return Err(Errno::EINVAL.into());
        }
        let kind = i64::from_le_bytes(self.read(address, 8)?.try_into().unwrap_or_default());
        let bytes = self.read(address + 8, count)?;
        visible(Op::Msg(MsgOp::Send { id, kind, bytes, no_wait: has(flags, libc::IPC_NOWAIT) }))
    }

    fn msgrcv(&self, address: u64, kind: i64, flags: i32) -> Looked {
        let op = MsgOp::Receive {
            id: self.int(0),
            kind,
            count: self.size(2),
            no_wait: has(flags, libc::IPC_NOWAIT),
            cut: has(flags, libc::MSG_NOERROR),
            except: has(flags, libc::MSG_EXCEPT),
        };
        Ok(Decision::Visible(Op::Msg(op), Finish::Message(address)))
    }

    fn msgctl(&self) -> Looked {
        match self.int(1) {
            libc::IPC_RMID => visible(Op::Msg(MsgOp::Remove { id: self.int(0) })),
            command => Err(self.unsupported(format!("command {command}"))),
        }
    }

    /// The C library leaves the slash at the beginning of a name away.
    fn queue_name(&self, address: u64) -> Result<Vec<u8>, super::Refusal> {
        Ok([b"/".as_slice(), &self.string(address)?].concat())
    }

    fn mq_open(&self, attributes: u64) -> Looked {
        let flags = self.int(1);
        let access = flags & libc::O_ACCMODE;
        let how = OpenHow {
            read: access != libc::O_WRONLY,
            write: access != libc::O_RDONLY,
            create: has(flags, libc::O_CREAT),
            exclusive: has(flags, libc::O_EXCL),
            nonblocking: has(flags, libc::O_NONBLOCK),
            mode: self.arguments[2] as u32 & 0o777 & !self.own.umask,
            ..OpenHow::default()
        };
        let size = if attributes != 0 && how.create {
            let bytes = self.read(attributes, 24)?;
            let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i])) as usize;
            Some((number(8), number(16)))
        } else {
            None
        };
        let fd = self.own.free(1, 0)?[0];
        let name = self.queue_name(self.arguments[0])?;
        // Descriptors of queues are always closed by `exec`.
        self.new_one(fd, Op::Mq(MqOp::Open { fd, name, how, size }), Shared::Other, true)
    }

    fn queue(&self) -> Result<Fd, Errno> {
        let fd = self.int(0);
        self.own.shared(fd).map(|_| fd).ok_or(Errno::EBADF)
    }

    fn queue_timeout(&self, address: u64) -> Result<Timeout, Errno> {
        // A moment, not a length: it may be over or not.
        if address == 0 {
            return Ok(Timeout::Never);
        }
        self.timespec(address).map(|_| Timeout::Some)
    }

    fn mq_send(&self, priority: u32, timeout: u64) -> Looked {
        let bytes = self.read(self.arguments[1], self.size(2).min(1 << 24))?;
        let timeout = self.queue_timeout(timeout)?;
        visible(Op::Mq(MqOp::Send { fd: self.queue()?, bytes, priority, timeout }))
    }

    fn mq_receive(&self, priority: u64, timeout: u64) -> Looked {
        let timeout = self.queue_timeout(timeout)?;
        let op = MqOp::Receive { fd: self.queue()?, count: self.size(2), timeout };
        Ok(Decision::Visible(Op::Mq(op), Finish::Priority { buffer: self.arguments[1], priority }))
    }
}
