//! Operations and outcomes in words, as a run shows them. Follows the notation of `strace`.

use std::fmt::{Display, Formatter, Result};

use crate::errno::error_name;
use crate::op::{
    Action, Address, EpollOp, FileOp, Lock, MemoryOp, MqOp, MsgOp, Op, OpenHow, SemOp, SocketKind, SocketOp, Target,
    Timeout, Who,
};
use crate::outcome::{Extra, Outcome};

/// Longer texts are cut.
const LONGEST: usize = 60;

/// Bytes as text between quotation marks.
fn text(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(LONGEST)];
    let dots = if bytes.len() > LONGEST { "..." } else { "" };
    format!("\"{}\"{dots}", shown.escape_ascii())
}

fn path(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Path(bytes) | Self::Link(bytes) => f.write_str(&path(bytes)),
            Self::Fd(fd) => write!(f, "{fd}"),
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Unnamed => f.write_str("unnamed"),
            Self::Path(bytes) => f.write_str(&path(bytes)),
            Self::Abstract(bytes) => write!(f, "@{}", path(bytes)),
            Self::Loopback(port) => write!(f, "127.0.0.1:{port}"),
            Self::Loopback6(port) => write!(f, "[::1]:{port}"),
        }
    }
}

fn how(how: &OpenHow) -> String {
    let mut words = vec![match (how.read, how.write) {
        (true, true) => "O_RDWR",
        (false, true) => "O_WRONLY",
        _ => "O_RDONLY",
    }];
    let flags = [
        (how.create, "O_CREAT"),
        (how.exclusive, "O_EXCL"),
        (how.truncate, "O_TRUNC"),
        (how.append, "O_APPEND"),
        (how.nonblocking, "O_NONBLOCK"),
        (how.directory, "O_DIRECTORY"),
    ];
    words.extend(flags.iter().filter(|flag| flag.0).map(|flag| flag.1));
    words.join("|")
}

fn lock(lock: Option<Lock>) -> &'static str {
    match lock {
        None => "unlock",
        Some(Lock::Shared) => "shared",
        Some(Lock::Exclusive) => "exclusive",
    }
}

fn kind(kind: SocketKind) -> &'static str {
    match kind {
        SocketKind::Stream => "stream",
        SocketKind::Datagram => "datagram",
        SocketKind::SeqPacket => "seqpacket",
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Fork { waits } => f.write_str(if *waits { "vfork()" } else { "fork()" }),
            Self::Exec { command, .. } => {
                let words: Vec<String> = command.iter().map(|word| path(word)).collect();
                write!(f, "exec({})", words.join(" "))
            }
            Self::Exit { status } => write!(f, "exit({status})"),
            Self::Crash { signal, .. } => write!(f, "dies of signal {signal}"),
            Self::Wait { who, no_hang, .. } => {
                let who = match who {
                    Who::Any | Who::Group(_) => "any child".to_owned(),
                    Who::Child(pid) => pid.to_string(),
                };
                write!(f, "wait({who}{})", if *no_hang { ", WNOHANG" } else { "" })
            }
            Self::Parent => f.write_str("getppid()"),
            Self::Read { fd, count, at: None } => write!(f, "read({fd}, {count})"),
            Self::Read { fd, count, at: Some(at) } => write!(f, "pread({fd}, {count}, {at})"),
            Self::Write { fd, bytes, at: None } => write!(f, "write({fd}, {})", text(bytes)),
            Self::Write { fd, bytes, at: Some(at) } => write!(f, "pwrite({fd}, {}, {at})", text(bytes)),
            Self::Close { fd } => write!(f, "close({fd})"),
            Self::Dup { from, to } => write!(f, "dup({from}, {to})"),
            Self::Flags { fd } => write!(f, "fcntl({fd}, F_GETFL)"),
            Self::SetFlags { fd, .. } => write!(f, "fcntl({fd}, F_SETFL)"),
            Self::Available { fd } => write!(f, "ioctl({fd}, FIONREAD)"),
            Self::Pipe { read, write, .. } => write!(f, "pipe([{read}, {write}])"),
            Self::EventFd { value, .. } => write!(f, "eventfd({value})"),
            Self::Sem(op) => op.fmt(f),
            Self::Msg(op) => op.fmt(f),
            Self::Mq(op) => op.fmt(f),
            Self::Flock { fd, lock: which, no_wait } => {
                write!(f, "flock({fd}, {}{})", lock(*which), if *no_wait { ", LOCK_NB" } else { "" })
            }
            Self::Lock { fd, lock: which, range, waits, .. } => {
                let call = if *waits { "F_SETLKW" } else { "F_SETLK" };
                write!(f, "fcntl({fd}, {call}, {} {}..", lock(*which), range.start)?;
                if range.end == i64::MAX { f.write_str(")") } else { write!(f, "{})", range.end) }
            }
            Self::GetLock { fd, lock: which, .. } => write!(f, "fcntl({fd}, F_GETLK, {})", lock(Some(*which))),
            Self::File(op) => op.fmt(f),
            Self::Socket(op) => op.fmt(f),
            Self::Poll { entries, timeout, .. } => {
                let fds: Vec<String> = entries.iter().map(|entry| entry.fd.to_string()).collect();
                write!(f, "poll([{}]{})", fds.join(", "), if *timeout == Timeout::Never { "" } else { ", timeout" })
            }
            Self::Epoll(op) => op.fmt(f),
            Self::Memory(op) => op.fmt(f),
            Self::FutexWait { segment, offset, value, .. } => write!(f, "futex_wait({segment}+{offset}, {value})"),
            Self::FutexWake { segment, offset, count } => write!(f, "futex_wake({segment}+{offset}, {count})"),
            Self::Kill { to, signal } => write!(f, "kill({to}, {signal})"),
            Self::SetMask { blocked } => write!(f, "sigprocmask({})", signals(*blocked)),
            Self::SetAction { signal, action: Action::Default } => write!(f, "sigaction({signal}, SIG_DFL)"),
            Self::SetAction { signal, action: Action::Ignored } => write!(f, "sigaction({signal}, SIG_IGN)"),
            Self::SetAction { signal, .. } => write!(f, "sigaction({signal}, handler)"),
            Self::Pause { .. } => f.write_str("pause()"),
            Self::SigWait { .. } => f.write_str("sigwait()"),
            Self::SigPending => f.write_str("sigpending()"),
            Self::Alarm { set, .. } => f.write_str(if *set { "alarm()" } else { "alarm(0)" }),
            Self::SignalFd { fd, .. } => write!(f, "signalfd({fd})"),
            Self::TimerFd { .. } => f.write_str("timerfd_create()"),
            Self::SetTimerFd { fd, .. } => write!(f, "timerfd_settime({fd})"),
            Self::Sleep => f.write_str("sleep()"),
            Self::Yield => f.write_str("sched_yield()"),
            Self::Toss { most } => write!(f, "VS_toss({most})"),
            Self::Assert { holds } => write!(f, "VS_assert({})", i32::from(*holds)),
        }
    }
}

impl Display for SemOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Get { key: None, count, .. } => write!(f, "semget(IPC_PRIVATE, {count})"),
            Self::Get { key: Some(key), count, .. } => write!(f, "semget({key}, {count})"),
            Self::Change { id, entries, .. } => {
                let changes: Vec<String> =
                    entries.iter().map(|entry| format!("{}: {:+}", entry.index, entry.by)).collect();
                write!(f, "semop({id}, {})", changes.join(", "))
            }
            Self::Value { id, index } => write!(f, "semctl({id}, {index}, GETVAL)"),
            Self::Values { id } => write!(f, "semctl({id}, GETALL)"),
            Self::SetValue { id, index, value } => write!(f, "semctl({id}, {index}, SETVAL, {value})"),
            Self::SetValues { id, .. } => write!(f, "semctl({id}, SETALL)"),
            Self::LastPid { id, index } => write!(f, "semctl({id}, {index}, GETPID)"),
            Self::Waiting { id, index, .. } => write!(f, "semctl({id}, {index}, GETNCNT)"),
            Self::Size { id } => write!(f, "semctl({id}, IPC_STAT)"),
            Self::Remove { id } => write!(f, "semctl({id}, IPC_RMID)"),
        }
    }
}

impl Display for MsgOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Get { key: None, .. } => f.write_str("msgget(IPC_PRIVATE)"),
            Self::Get { key: Some(key), .. } => write!(f, "msgget({key})"),
            Self::Send { id, kind, bytes, .. } => write!(f, "msgsnd({id}, {kind}, {})", text(bytes)),
            Self::Receive { id, kind, .. } => write!(f, "msgrcv({id}, {kind})"),
            Self::Count { id } => write!(f, "msgctl({id}, IPC_STAT)"),
            Self::Remove { id } => write!(f, "msgctl({id}, IPC_RMID)"),
        }
    }
}

impl Display for MqOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Open { name, how: flags, .. } => write!(f, "mq_open({}, {})", path(name), how(flags)),
            Self::Send { fd, bytes, priority, .. } => write!(f, "mq_send({fd}, {}, {priority})", text(bytes)),
            Self::Receive { fd, .. } => write!(f, "mq_receive({fd})"),
            Self::Unlink { name } => write!(f, "mq_unlink({})", path(name)),
            Self::Attributes { fd } => write!(f, "mq_getattr({fd})"),
        }
    }
}

impl Display for FileOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Open { path: name, how: flags, .. } => write!(f, "open({}, {})", path(name), how(flags)),
            Self::Stat { target } => write!(f, "stat({target})"),
            Self::Access { target, .. } => write!(f, "access({target})"),
            Self::MakeDir { path: name, .. } => write!(f, "mkdir({})", path(name)),
            Self::MakeFifo { path: name, .. } => write!(f, "mkfifo({})", path(name)),
            Self::RemoveDir { path: name } => write!(f, "rmdir({})", path(name)),
            Self::Unlink { path: name } => write!(f, "unlink({})", path(name)),
            Self::Rename { from, to, .. } => write!(f, "rename({}, {})", path(from), path(to)),
            Self::Link { from, to } => write!(f, "link({from}, {})", path(to)),
            Self::Symlink { text, path: name } => write!(f, "symlink({}, {})", path(text), path(name)),
            Self::ReadLink { path: name, .. } => write!(f, "readlink({})", path(name)),
            Self::List { fd } => write!(f, "getdents({fd})"),
            Self::Seek { fd, by, .. } => write!(f, "lseek({fd}, {by})"),
            Self::Truncate { target, size } => write!(f, "truncate({target}, {size})"),
            Self::Allocate { fd, size } => write!(f, "fallocate({fd}, {size})"),
            Self::SetMode { target, mode } => write!(f, "chmod({target}, {mode:o})"),
            Self::SetTimes { target, .. } => write!(f, "utimensat({target})"),
            Self::Touch { target } => write!(f, "chown({target})"),
            Self::ChangeDir { target } => write!(f, "chdir({target})"),
            Self::Sync { fd } => write!(f, "fsync({fd})"),
        }
    }
}

impl Display for SocketOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Pair { fds, kind: which, .. } => write!(f, "socketpair([{}, {}], {})", fds[0], fds[1], kind(*which)),
            Self::New { kind: which, .. } => write!(f, "socket({})", kind(*which)),
            Self::Bind { fd, address } => write!(f, "bind({fd}, {address})"),
            Self::Listen { fd, backlog } => write!(f, "listen({fd}, {backlog})"),
            Self::Connect { fd, address } => write!(f, "connect({fd}, {address})"),
            Self::Accept { fd, .. } => write!(f, "accept({fd})"),
            Self::Send { fd, bytes, .. } => write!(f, "send({fd}, {})", text(bytes)),
            Self::Receive { fd, count, .. } => write!(f, "recv({fd}, {count})"),
            Self::Shutdown { fd, .. } => write!(f, "shutdown({fd})"),
            Self::Name { fd } => write!(f, "getsockname({fd})"),
            Self::Peer { fd } => write!(f, "getpeername({fd})"),
            Self::Error { fd } => write!(f, "getsockopt({fd}, SO_ERROR)"),
            Self::Option { fd } => write!(f, "setsockopt({fd})"),
        }
    }
}

impl Display for EpollOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::New { .. } => f.write_str("epoll_create()"),
            Self::Control { epoll, fd, .. } => write!(f, "epoll_ctl({epoll}, {fd})"),
            Self::Wait { epoll, .. } => write!(f, "epoll_wait({epoll})"),
        }
    }
}

impl Display for MemoryOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Get { key: None, size, .. } => write!(f, "shmget(IPC_PRIVATE, {size})"),
            Self::Get { key: Some(key), size, .. } => write!(f, "shmget({key}, {size})"),
            Self::Attach { id } => write!(f, "shmat({id})"),
            Self::Anonymous { size } => write!(f, "mmap(MAP_SHARED, {size})"),
            Self::MapFile { fd } => write!(f, "mmap(MAP_SHARED, {fd})"),
            Self::Detach { id } => write!(f, "munmap({id})"),
            Self::Size { id } => write!(f, "shmctl({id}, IPC_STAT)"),
            Self::Remove { id } => write!(f, "shmctl({id}, IPC_RMID)"),
        }
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let numbers: Vec<String> = self.signals.iter().map(|one| one.0.to_string()).collect();
        if matches!(self.extra, Extra::Delivered { .. }) {
            return write!(f, "signal {}", numbers.join(", "));
        }
        self.value_and_more(f)?;
        if numbers.is_empty() { Ok(()) } else { write!(f, ", then signal {}", numbers.join(", ")) }
    }
}

impl Outcome {
    fn value_and_more(&self, f: &mut Formatter<'_>) -> Result {
        if self.value < 0 {
            let number = i32::try_from(-self.value).unwrap_or(0);
            return match error_name(number) {
                Some(name) => f.write_str(name),
                None => write!(f, "error {number}"),
            };
        }
        match &self.extra {
            Extra::Bytes(bytes) | Extra::Received { bytes, .. } => f.write_str(&text(bytes)),
            Extra::Message { kind, bytes } => write!(f, "{kind}, {}", text(bytes)),
            Extra::Status(status) if status & 0x7f == 0 => write!(f, "{}, exit status {}", self.value, status >> 8),
            Extra::Status(status) => write!(f, "{}, signal {}", self.value, status & 0x7f),
            Extra::Elsewhere(to) => write!(f, "leads to {}", path(to)),
            Extra::Stat(stat) => write!(f, "mode {:o}, {} bytes", stat.mode, stat.size),
            Extra::Entries(entries) => {
                let names: Vec<String> = entries.iter().map(|entry| path(&entry.name)).collect();
                write!(f, "[{}]", names.join(", "))
            }
            Extra::Child { pid, .. } => write!(f, "0 in process {pid}"),
            _ => write!(f, "{}", self.value),
        }
    }
}

/// A set of signals.
fn signals(set: u64) -> String {
    if set.count_ones() > 32 {
        return "most signals".to_owned();
    }
    let numbers: Vec<String> = (1..=64).filter(|number| set >> (number - 1) & 1 != 0).map(|n| n.to_string()).collect();
    format!("{{{}}}", numbers.join(", "))
}
