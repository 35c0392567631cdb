//! The visible operations of processes, as data: every call with its arguments decoded. Follows the table of calls in the
//! manual pages of Linux, as far as processes can notice each other through them.
//!
//! Descriptors are numbers. Whoever grows the trees chooses the numbers of new descriptors, because which numbers are free is a
//! matter of the process alone; the checker only knows which object stands behind a number. Paths are absolute and normalised as
//! text; symbolic links inside shared directories are resolved by the checker.

mod files;
mod ipc;
mod sockets;

pub use files::{FileOp, OpenHow, Target, Whence};
pub use ipc::{MemoryOp, MqOp, MsgOp, SemEntry, SemOp};
pub use sockets::{Address, EpollEntry, EpollOp, PollEntry, SocketKind, SocketOp};

/// A descriptor's number.
pub type Fd = i32;
/// A process id, as processes see it.
pub type Pid = i32;
/// The number that the checker gave to a semaphore set, a message queue or a shared segment.
pub type Id = i32;
/// A signal's number.
pub type Signal = i32;

/// What is done about a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// What is usual.
    Default,
    /// Nothing.
    Ignored,
    /// A handler runs.
    Handled(Handler),
}

/// A handler of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handler {
    /// What is blocked besides while it runs.
    pub mask: u64,
    /// It is forgotten when it runs (`SA_RESETHAND`).
    pub once: bool,
}

/// A visible operation: what a process wants to do next.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Makes a child. The child gets [`Extra::Child`](crate::Extra::Child); the parent gets the child's id as value.
    Fork {
        /// The parent waits until the child has called `exec` or has ended, as after `vfork`.
        waits: bool,
    },
    /// Becomes another program. It is only asked for if it will work, and its outcome is always 0.
    Exec {
        /// The descriptors of the checker's objects that are closed.
        close: Vec<Fd>,
        /// What is told: the program and its arguments.
        command: Vec<Vec<u8>>,
    },
    /// Ends. There is no outcome.
    Exit {
        /// The status, 0 to 255.
        status: i32,
    },
    /// Dies of its own fault. There is no outcome.
    Crash {
        /// The signal that it died of.
        signal: Signal,
        /// What is known of the reason, such as the address or the sanitizer's first line.
        reason: String,
    },
    /// Waits for a child. Value: the child's id; extra: its status.
    Wait {
        /// Whom it waits for.
        who: Who,
        /// Returns at once if nobody has ended (`WNOHANG`).
        no_hang: bool,
        /// Leaves the child where it is (`WNOWAIT`).
        keep: bool,
    },
    /// Asks for the parent's id. Value: the id, 1 if the parent has ended.
    Parent,

    /// Reads. Value: number of bytes; extra: the bytes.
    Read {
        /// The descriptor.
        fd: Fd,
        /// The largest number of bytes.
        count: usize,
        /// Where, for `pread`.
        at: Option<i64>,
    },
    /// Writes. Value: number of bytes.
    Write {
        /// The descriptor.
        fd: Fd,
        /// What is written.
        bytes: Vec<u8>,
        /// Where, for `pwrite`.
        at: Option<i64>,
    },
    /// Closes one of the checker's descriptors.
    Close {
        /// The descriptor.
        fd: Fd,
    },
    /// Makes `to` the same as `from`; what `to` was before is closed. Value: `to`.
    Dup {
        /// The descriptor that there is.
        from: Fd,
        /// The new one.
        to: Fd,
    },
    /// Asks for the flags of the open file (`F_GETFL`). Value: the flags.
    Flags {
        /// The descriptor.
        fd: Fd,
    },
    /// Sets the flags of the open file (`F_SETFL`, `FIONBIO`).
    SetFlags {
        /// The descriptor.
        fd: Fd,
        /// `O_NONBLOCK`.
        nonblocking: bool,
        /// `O_APPEND`.
        append: bool,
    },
    /// Asks how many bytes can be read (`FIONREAD`). Value: the number.
    Available {
        /// The descriptor.
        fd: Fd,
    },
    /// Makes a pipe.
    Pipe {
        /// The number of the end that is read.
        read: Fd,
        /// The number of the end that is written.
        write: Fd,
        /// `O_NONBLOCK`.
        nonblocking: bool,
    },
    /// Makes an eventfd. Value: its number.
    EventFd {
        /// Its number.
        fd: Fd,
        /// Its first value.
        value: u64,
        /// `EFD_SEMAPHORE`.
        semaphore: bool,
        /// `EFD_NONBLOCK`.
        nonblocking: bool,
    },

    /// Operations on semaphores of System V.
    Sem(SemOp),
    /// Operations on message queues of System V.
    Msg(MsgOp),
    /// Operations on named semaphores and message queues of POSIX.
    Mq(MqOp),
    /// Takes, gives back or changes a lock on an open file (`flock`).
    Flock {
        /// The descriptor.
        fd: Fd,
        /// Which lock; `None` gives it back.
        lock: Option<Lock>,
        /// Fails instead of waiting.
        no_wait: bool,
    },
    /// Takes, gives back or changes a lock of the process on a range of a file (`F_SETLK`, `F_SETLKW`).
    Lock {
        /// The descriptor.
        fd: Fd,
        /// Which lock; `None` gives it back.
        lock: Option<Lock>,
        /// The range.
        range: Range,
        /// Waits (`F_SETLKW`).
        waits: bool,
        /// The lock belongs to the open file (`F_OFD_SETLK`).
        of_file: bool,
    },
    /// Asks who is in the way of a lock (`F_GETLK`). Extra: [`Extra::Holder`](crate::Extra::Holder) or nothing.
    GetLock {
        /// The descriptor.
        fd: Fd,
        /// Which lock is meant.
        lock: Lock,
        /// The range.
        range: Range,
        /// The lock would belong to the open file (`F_OFD_GETLK`).
        of_file: bool,
    },

    /// Operations on the files of shared directories.
    File(FileOp),
    /// Operations on sockets.
    Socket(SocketOp),
    /// Waits until something can be read or written (`poll`, `select`). Value: how many; extra: what, by position.
    Poll {
        /// What is waited for.
        entries: Vec<PollEntry>,
        /// How long.
        timeout: Timeout,
        /// The signals that are blocked meanwhile (`ppoll`, `pselect`).
        mask: Option<u64>,
    },
    /// Operations on epoll instances.
    Epoll(EpollOp),

    /// Shared memory: makes, finds, maps and unmaps segments.
    Memory(MemoryOp),
    /// Waits while a word of shared memory has a value (`FUTEX_WAIT`).
    FutexWait {
        /// The segment.
        segment: Id,
        /// Where the word is.
        offset: usize,
        /// The value.
        value: u32,
        /// How long.
        timeout: Timeout,
    },
    /// Wakes processes that wait at a word of shared memory (`FUTEX_WAKE`). Value: how many.
    FutexWake {
        /// The segment.
        segment: Id,
        /// Where the word is.
        offset: usize,
        /// How many at most.
        count: u32,
    },

    /// Sends a signal.
    Kill {
        /// To whom: a process, or `-1` for all, or the negative of a group's id.
        to: Pid,
        /// Which one; 0 only asks whether there is somebody.
        signal: Signal,
    },
    /// Changes which signals are blocked (`sigprocmask`, the end of a handler). What waits and is blocked no longer is delivered
    /// before the call returns.
    SetMask {
        /// The signals that are blocked from then on.
        blocked: u64,
    },
    /// Changes what is done about a signal (`sigaction`).
    SetAction {
        /// The signal.
        signal: Signal,
        /// What is done from then on.
        action: Action,
    },
    /// Waits for a signal (`pause`, `sigsuspend`).
    Pause {
        /// The signals that are blocked meanwhile, for `sigsuspend`.
        mask: Option<u64>,
    },
    /// Takes a pending signal (`sigtimedwait`). Value: its number.
    SigWait {
        /// Which ones.
        set: u64,
        /// How long.
        timeout: Timeout,
    },
    /// Asks for the pending signals. Value: the set.
    SigPending,
    /// Sets the alarm clock (`alarm`, `setitimer`). Value: 1 if one was set before.
    Alarm {
        /// It will ring; otherwise it is turned off.
        set: bool,
        /// It rings again and again.
        again: bool,
    },
    /// Makes a descriptor for signals (`signalfd`). Value: its number.
    SignalFd {
        /// Its number.
        fd: Fd,
        /// Which signals.
        set: u64,
        /// `SFD_NONBLOCK`.
        nonblocking: bool,
    },
    /// Makes a descriptor for a timer (`timerfd_create`). Value: its number.
    TimerFd {
        /// Its number.
        fd: Fd,
        /// `TFD_NONBLOCK`.
        nonblocking: bool,
    },
    /// Sets such a timer.
    SetTimerFd {
        /// Its number.
        fd: Fd,
        /// It will expire; otherwise it is turned off.
        set: bool,
        /// It expires again and again.
        again: bool,
    },
    /// Sleeps. It may wake up whenever it is its turn.
    Sleep,
    /// Lets others go first (`sched_yield`).
    Yield,

    /// Chooses a number from 0 to `most` (`VS_toss`). Value: the number.
    Toss {
        /// The largest number.
        most: u32,
    },
    /// Says that something must be true (`VS_assert`).
    Assert {
        /// Whether it is.
        holds: bool,
    },
}

/// Whom a process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Who {
    /// Any child.
    Any,
    /// One child.
    Child(Pid),
    /// Any child of a group.
    Group(Pid),
}

/// How long a process is ready to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Timeout {
    /// Not at all.
    Zero,
    /// For some time: it may be over at any moment.
    Some,
    /// Forever.
    Never,
}

/// The kind of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lock {
    /// Several may have it.
    Shared,
    /// One may have it.
    Exclusive,
}

/// A range of a file; `end` is the first byte behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    /// The first byte.
    pub start: i64,
    /// The first byte behind it, `i64::MAX` for the end of the file wherever it is.
    pub end: i64,
    /// `start` and `end` count from the position of the descriptor (`SEEK_CUR`).
    pub from_position: bool,
    /// `start` and `end` count from the end of the file (`SEEK_END`).
    pub from_end: bool,
}
