//! The visible operations of processes, as data: every call with its arguments decoded. Follows the table of calls in the
//! manual pages of Linux, as far as processes can notice each other through them.
//!
//! Descriptors are numbers. Whoever grows the trees chooses the numbers of new descriptors, because which numbers are free is a
//! matter of the process alone; the checker only knows which object stands behind a number. Paths are absolute and normalised as
//! text; symbolic links inside shared directories are resolved by the checker.

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

/// What is done with semaphores of System V.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SemOp {
    /// Finds or makes a set. Value: its id.
    Get {
        /// The key; `None` for a private set.
        key: Option<i32>,
        /// How many semaphores.
        count: usize,
        /// `IPC_CREAT`.
        create: bool,
        /// `IPC_EXCL`.
        exclusive: bool,
    },
    /// Changes several semaphores at once.
    Change {
        /// The set.
        id: Id,
        /// What is changed.
        entries: Vec<SemEntry>,
        /// How long it waits (`semtimedop`).
        timeout: Timeout,
    },
    /// Asks for a value. Value: it.
    Value {
        /// The set.
        id: Id,
        /// Which semaphore.
        index: usize,
    },
    /// Asks for all values. Extra: them.
    Values {
        /// The set.
        id: Id,
    },
    /// Sets a value.
    SetValue {
        /// The set.
        id: Id,
        /// Which semaphore.
        index: usize,
        /// The value.
        value: i32,
    },
    /// Sets all values.
    SetValues {
        /// The set.
        id: Id,
        /// The values.
        values: Vec<u16>,
    },
    /// Asks who changed a semaphore last (`GETPID`). Value: the process id.
    LastPid {
        /// The set.
        id: Id,
        /// Which semaphore.
        index: usize,
    },
    /// Asks how many wait for a semaphore to grow (`GETNCNT`) or to be zero (`GETZCNT`). Value: the number.
    Waiting {
        /// The set.
        id: Id,
        /// Which semaphore.
        index: usize,
        /// For it to be zero.
        for_zero: bool,
    },
    /// Asks how many semaphores there are (`IPC_STAT`). Value: the number.
    Size {
        /// The set.
        id: Id,
    },
    /// Removes the set.
    Remove {
        /// The set.
        id: Id,
    },
}

/// One change of a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SemEntry {
    /// Which semaphore.
    pub index: usize,
    /// By how much; 0 waits until it is zero.
    pub by: i32,
    /// `IPC_NOWAIT`.
    pub no_wait: bool,
    /// `SEM_UNDO`.
    pub undo: bool,
}

/// What is done with message queues of System V.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MsgOp {
    /// Finds or makes a queue. Value: its id.
    Get {
        /// The key; `None` for a private queue.
        key: Option<i32>,
        /// `IPC_CREAT`.
        create: bool,
        /// `IPC_EXCL`.
        exclusive: bool,
    },
    /// Sends.
    Send {
        /// The queue.
        id: Id,
        /// The type of the message.
        kind: i64,
        /// What it says.
        bytes: Vec<u8>,
        /// `IPC_NOWAIT`.
        no_wait: bool,
    },
    /// Receives. Value: number of bytes; extra: type and bytes.
    Receive {
        /// The queue.
        id: Id,
        /// Which types: 0 any, positive this one, negative the smallest up to the absolute value.
        kind: i64,
        /// The largest number of bytes.
        count: usize,
        /// `IPC_NOWAIT`.
        no_wait: bool,
        /// `MSG_NOERROR`.
        cut: bool,
        /// `MSG_EXCEPT`.
        except: bool,
    },
    /// Asks how many messages there are (`IPC_STAT`). Value: the number.
    Count {
        /// The queue.
        id: Id,
    },
    /// Removes the queue.
    Remove {
        /// The queue.
        id: Id,
    },
}

/// What is done with message queues of POSIX. They are descriptors; names begin with `/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MqOp {
    /// Opens a queue. Value: its number.
    Open {
        /// Its number.
        fd: Fd,
        /// Its name.
        name: Vec<u8>,
        /// How it is opened.
        how: OpenHow,
        /// How many messages it holds, and how long they may be, if it is made.
        size: Option<(usize, usize)>,
    },
    /// Sends.
    Send {
        /// The queue.
        fd: Fd,
        /// What it says.
        bytes: Vec<u8>,
        /// The priority.
        priority: u32,
        /// How long it waits.
        timeout: Timeout,
    },
    /// Receives the oldest message of the highest priority. Value: number of bytes; extra: priority and bytes.
    Receive {
        /// The queue.
        fd: Fd,
        /// The largest number of bytes.
        count: usize,
        /// How long it waits.
        timeout: Timeout,
    },
    /// Removes a name.
    Unlink {
        /// The name.
        name: Vec<u8>,
    },
    /// Asks for the attributes. Extra: [`Extra::Queue`](crate::Extra::Queue).
    Attributes {
        /// The queue.
        fd: Fd,
    },
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpenHow {
    /// It may be read.
    pub read: bool,
    /// It may be written.
    pub write: bool,
    /// `O_CREAT`.
    pub create: bool,
    /// `O_EXCL`.
    pub exclusive: bool,
    /// `O_TRUNC`.
    pub truncate: bool,
    /// `O_APPEND`.
    pub append: bool,
    /// `O_NONBLOCK`.
    pub nonblocking: bool,
    /// `O_DIRECTORY`.
    pub directory: bool,
    /// `O_NOFOLLOW`.
    pub no_follow: bool,
    /// `O_PATH`.
    pub path_only: bool,
    /// The mode of a new file, already without what the umask takes away.
    pub mode: u32,
}

/// A file, by path or by descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// By its absolute path; a symbolic link at the end is followed.
    Path(Vec<u8>),
    /// By its absolute path; a symbolic link at the end is meant itself.
    Link(Vec<u8>),
    /// By descriptor.
    Fd(Fd),
}

/// What is done with files and directories that processes share. An outcome may be
/// [`Extra::Elsewhere`](crate::Extra::Elsewhere): then a symbolic link leads to a path outside, where the operation goes on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileOp {
    /// Opens a file or a directory. Value: its number.
    Open {
        /// Its number.
        fd: Fd,
        /// Its path.
        path: Vec<u8>,
        /// How.
        how: OpenHow,
    },
    /// Asks what a file is. Extra: [`Extra::Stat`](crate::Extra::Stat).
    Stat {
        /// Which one.
        target: Target,
    },
    /// Asks whether a file may be used. Bits: 4 read, 2 write, 1 execute.
    Access {
        /// Which one.
        target: Target,
        /// How.
        mode: u32,
    },
    /// Makes a directory.
    MakeDir {
        /// Its path.
        path: Vec<u8>,
        /// Its mode, without what the umask takes away.
        mode: u32,
    },
    /// Makes a named pipe.
    MakeFifo {
        /// Its path.
        path: Vec<u8>,
        /// Its mode, without what the umask takes away.
        mode: u32,
    },
    /// Removes a directory.
    RemoveDir {
        /// Its path.
        path: Vec<u8>,
    },
    /// Removes a name of a file.
    Unlink {
        /// Its path.
        path: Vec<u8>,
    },
    /// Gives a file another name.
    Rename {
        /// The old name.
        from: Vec<u8>,
        /// The new name.
        to: Vec<u8>,
        /// Fails if the new name is taken (`RENAME_NOREPLACE`).
        no_replace: bool,
        /// Both change places (`RENAME_EXCHANGE`).
        exchange: bool,
    },
    /// Gives a file a further name.
    Link {
        /// The old name, or a descriptor (`AT_EMPTY_PATH`).
        from: Target,
        /// The new name.
        to: Vec<u8>,
    },
    /// Makes a symbolic link.
    Symlink {
        /// Where it leads, as it is written.
        text: Vec<u8>,
        /// Its path.
        path: Vec<u8>,
    },
    /// Reads a symbolic link. Value: number of bytes; extra: the bytes.
    ReadLink {
        /// Its path.
        path: Vec<u8>,
        /// The largest number of bytes.
        count: usize,
    },
    /// Lists a directory from where its descriptor is. Extra: [`Extra::Entries`](crate::Extra::Entries), all that are left.
    /// The caller gives as many as there is room for and keeps the others.
    List {
        /// The descriptor.
        fd: Fd,
    },
    /// Moves the position of a descriptor. Value: the new position.
    Seek {
        /// The descriptor.
        fd: Fd,
        /// By how much.
        by: i64,
        /// From where.
        from: Whence,
    },
    /// Sets the size of a file.
    Truncate {
        /// Which one.
        target: Target,
        /// Its size.
        size: i64,
    },
    /// Makes room for a range (`fallocate` without flags, `posix_fallocate`).
    Allocate {
        /// The descriptor.
        fd: Fd,
        /// The size that the file has at least.
        size: i64,
    },
    /// Sets the mode of a file.
    SetMode {
        /// Which one.
        target: Target,
        /// The mode.
        mode: u32,
    },
    /// Sets times, in nanoseconds. Only those of files are kept.
    SetTimes {
        /// Which one.
        target: Target,
        /// When it was read last; `None` leaves it as it is.
        read: Option<i64>,
        /// When it was written last; `None` leaves it as it is.
        written: Option<i64>,
    },
    /// Sets the owner to whoever it is: only looks whether the file exists.
    Touch {
        /// Which one.
        target: Target,
    },
    /// Looks whether a path is a directory, for `chdir`. Extra: [`Extra::Path`](crate::Extra::Path) without symbolic links.
    ChangeDir {
        /// Which one.
        target: Target,
    },
    /// Has written everything to the disk (`fsync`).
    Sync {
        /// The descriptor.
        fd: Fd,
    },
}

/// From where a position counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Whence {
    /// The beginning.
    Start,
    /// The position.
    Position,
    /// The end.
    End,
}

/// The family and kind of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SocketKind {
    /// A stream of bytes.
    Stream,
    /// Single messages.
    Datagram,
    /// Messages over a connection.
    SeqPacket,
}

/// The address of a socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// A Unix socket without a name.
    Unnamed,
    /// A Unix socket with a path in a shared directory.
    Path(Vec<u8>),
    /// A Unix socket with an abstract name.
    Abstract(Vec<u8>),
    /// A port of the machine itself, IPv4. Port 0 in `bind` asks for a free one.
    Loopback(u16),
    /// A port of the machine itself, IPv6.
    Loopback6(u16),
}

/// What is done with sockets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SocketOp {
    /// Makes a pair. Extra: nothing.
    Pair {
        /// Their numbers.
        fds: [Fd; 2],
        /// Their kind.
        kind: SocketKind,
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// Makes a socket. Value: its number.
    New {
        /// Its number.
        fd: Fd,
        /// `Unnamed` for a Unix socket, a port 0 for the others.
        family: Address,
        /// Its kind.
        kind: SocketKind,
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// Gives it an address.
    Bind {
        /// The socket.
        fd: Fd,
        /// The address.
        address: Address,
    },
    /// Waits for connections.
    Listen {
        /// The socket.
        fd: Fd,
        /// How many may wait.
        backlog: usize,
    },
    /// Connects.
    Connect {
        /// The socket.
        fd: Fd,
        /// To whom.
        address: Address,
    },
    /// Takes a connection. Value: the new number; extra: the other's address.
    Accept {
        /// The socket.
        fd: Fd,
        /// The number of the connection.
        new: Fd,
        /// `SOCK_NONBLOCK` for the connection.
        nonblocking: bool,
    },
    /// Sends. Value: number of bytes.
    Send {
        /// The socket.
        fd: Fd,
        /// What.
        bytes: Vec<u8>,
        /// To whom, if it is said.
        to: Option<Address>,
        /// Descriptors that are passed on (`SCM_RIGHTS`): only the checker's.
        fds: Vec<Fd>,
        /// `MSG_DONTWAIT`.
        no_wait: bool,
        /// `MSG_NOSIGNAL`.
        no_signal: bool,
    },
    /// Receives. Value: number of bytes; extra: [`Extra::Received`](crate::Extra::Received).
    Receive {
        /// The socket.
        fd: Fd,
        /// The largest number of bytes.
        count: usize,
        /// Free numbers for descriptors that are passed on, as many as there is room for.
        free: Vec<Fd>,
        /// `MSG_DONTWAIT`.
        no_wait: bool,
        /// `MSG_PEEK`.
        peek: bool,
        /// `MSG_WAITALL`.
        all: bool,
    },
    /// Ends one direction or both.
    Shutdown {
        /// The socket.
        fd: Fd,
        /// Nothing will be received.
        read: bool,
        /// Nothing will be sent.
        write: bool,
    },
    /// Asks for its own address. Extra: it.
    Name {
        /// The socket.
        fd: Fd,
    },
    /// Asks for the other's address. Extra: it.
    Peer {
        /// The socket.
        fd: Fd,
    },
    /// Asks for the error of a connection (`SO_ERROR`). Value: the error's number, or 0.
    Error {
        /// The socket.
        fd: Fd,
    },
    /// Sets an option that changes nothing here, such as `SO_REUSEADDR` or `TCP_NODELAY`.
    Option {
        /// The socket.
        fd: Fd,
    },
}

/// One descriptor of `poll`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PollEntry {
    /// The descriptor.
    pub fd: Fd,
    /// What is waited for, in the bits of `poll`.
    pub events: i16,
    /// What is known already, for descriptors that are not the checker's.
    pub ready: Option<i16>,
}

/// What is done with epoll instances.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EpollOp {
    /// Makes one. Value: its number.
    New {
        /// Its number.
        fd: Fd,
    },
    /// Adds, changes or removes a descriptor.
    Control {
        /// The instance.
        epoll: Fd,
        /// The descriptor.
        fd: Fd,
        /// What is wanted of it; `None` removes it.
        wanted: Option<EpollEntry>,
        /// It must be there already (`EPOLL_CTL_MOD`); otherwise it must not (`EPOLL_CTL_ADD`).
        change: bool,
    },
    /// Waits. Value: how many; extra: [`Extra::Events`](crate::Extra::Events).
    Wait {
        /// The instance.
        epoll: Fd,
        /// The largest number of events.
        count: usize,
        /// How long.
        timeout: Timeout,
        /// The signals that are blocked meanwhile (`epoll_pwait`).
        mask: Option<u64>,
    },
}

/// What an epoll instance is to tell of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EpollEntry {
    /// The events, in the bits of `epoll`, with `EPOLLET` and `EPOLLONESHOT`.
    pub events: u32,
    /// What the process wants to be told with them.
    pub data: u64,
}

/// What is done with shared memory. A mapped segment is private memory of the process between two operations: its contents
/// come with every outcome, and what the process has written comes with every step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryOp {
    /// Finds or makes a segment of System V. Value: its id.
    Get {
        /// The key; `None` for a private segment.
        key: Option<i32>,
        /// Its size.
        size: usize,
        /// `IPC_CREAT`.
        create: bool,
        /// `IPC_EXCL`.
        exclusive: bool,
    },
    /// Maps a segment of System V. Extra: [`Extra::Segment`](crate::Extra::Segment).
    Attach {
        /// The segment.
        id: Id,
    },
    /// Makes and maps a segment without a name (`mmap` with `MAP_SHARED | MAP_ANONYMOUS`). Extra:
    /// [`Extra::Segment`](crate::Extra::Segment).
    Anonymous {
        /// Its size.
        size: usize,
    },
    /// Maps a file of a shared directory (`mmap` with `MAP_SHARED`). Extra: [`Extra::Segment`](crate::Extra::Segment).
    MapFile {
        /// The descriptor.
        fd: Fd,
    },
    /// Unmaps a segment.
    Detach {
        /// The segment.
        id: Id,
    },
    /// Asks for the size of a segment (`IPC_STAT`). Value: it.
    Size {
        /// The segment.
        id: Id,
    },
    /// Removes a segment of System V, when nobody maps it any more.
    Remove {
        /// The segment.
        id: Id,
    },
}
