//! Operations that are nobody else's business: they are done at once, and are no transitions. Follows the rule that such an operation
//! never waits, that nobody notices when it happens, and that nobody can change what it does.

use crate::grow::Stop;
use crate::names::Noticed;
use crate::object::{Object, OpenKind, Owner};
use crate::op::{EpollOp, Fd, FileOp, MemoryOp, MsgOp, Op, SemOp, SocketOp, Whence};
use crate::signal::{bit, heeded};
use crate::state::{Alarm, Process, Progress, State};

impl State {
    /// Whether the operation is nobody else's business: it never waits, and nobody notices when it happens.
    pub(crate) fn is_private(&self, me: &Process, stop: &Stop, noticed: Noticed) -> bool {
        if !me.pending.is_empty() || me.alarm != Alarm::Off || !me.mapped.is_empty() {
            return false;
        }
        let (op, signals) = (&stop.op, stop.signals);
        // Signals that may come, and of which something would come if they are not blocked.
        let heeded = noticed.sent & heeded(signals);
        match op {
            Op::SetMask { blocked } => (blocked ^ signals.blocked) & (heeded | noticed.sent & noticed.taken) == 0,
            Op::SetAction { signal, .. } => noticed.sent & bit(*signal) == 0,
            // It is something else whether a signal comes before or after.
            Op::Fork { .. } | Op::Exec { .. } if heeded & !signals.blocked != 0 => false,
            Op::Fork { .. } => !matches!(me.progress, Progress::Lent(_)),
            Op::Exec { close, .. } => {
                close.iter().all(|&fd| self.closes_quietly(me, fd))
                    && self.process(me.parent).is_none_or(|parent| parent.progress == Progress::None)
            }
            Op::Close { fd } => self.closes_quietly(me, *fd),
            Op::Dup { from, to } => from == to || self.closes_quietly(me, *to),
            Op::Flags { fd } | Op::SetFlags { fd, .. } | Op::SetTimerFd { fd, .. } => self.owns_alone(me, *fd),
            Op::Pipe { .. } | Op::EventFd { .. } | Op::SignalFd { .. } | Op::TimerFd { .. } => true,
            Op::Sem(SemOp::Get { key: None, .. }) => true,
            Op::Msg(MsgOp::Get { key: None, .. }) => true,
            Op::Memory(MemoryOp::Get { key: None, .. } | MemoryOp::Anonymous { .. }) => true,
            Op::Socket(SocketOp::Pair { .. } | SocketOp::New { .. } | SocketOp::Option { .. }) => true,
            Op::Epoll(EpollOp::New { .. }) => true,
            Op::File(FileOp::Seek { fd, from, .. }) => *from != Whence::End && self.owns_alone(me, *fd),
            Op::File(FileOp::Sync { .. }) => true,
            _ => false,
        }
    }

    /// Whether closing a descriptor is nobody else's business.
    fn closes_quietly(&self, me: &Process, fd: Fd) -> bool {
        let Some(file) = me.file(fd) else { return true };
        let Some(Object::Open(open)) = self.object(file) else { return true };
        match open.what {
            // Locks go with the last descriptor, and whoever else has one could still take one.
            OpenKind::File(inode) => match self.object(inode) {
                Some(Object::Inode(inode)) => {
                    let own = [Owner::Flock(file), Owner::Open(file), Owner::Process(me.pid)];
                    self.owns_alone(me, fd) && !inode.locks.iter().any(|held| own.contains(&held.owner))
                }
                _ => true,
            },
            OpenKind::Event(_) | OpenKind::Timer(_) | OpenKind::Epoll(_) | OpenKind::Signals(_) => true,
            _ => false,
        }
    }

    /// Whether nobody else has the open file behind a descriptor.
    fn owns_alone(&self, me: &Process, fd: Fd) -> bool {
        let Some(file) = me.file(fd) else { return true };
        match self.object(file) {
            Some(Object::Open(open)) => open.refs as usize == me.fds.iter().filter(|entry| entry.1 == file).count(),
            _ => true,
        }
    }
}
