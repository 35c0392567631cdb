//! The objects that processes share, each as a value. Follows the table of calls of the design; what the calls do with them is in a
//! file for each kind.

use crate::names::ObjectId;
use crate::op::{Address, EpollEntry, Fd, Lock, Pid, SocketKind};

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Object {
    Open(OpenFile),
    Sems(SemSet),
    Pipe(Pipe),
    Event(Event),
    Queue(Queue),
    Inode(Inode),
    Socket(Socket),
    Epoll(Vec<Watched>),
    Timer(TimerFd),
    Segment(Segment),
}

/// An open file: what a descriptor stands for. Descriptors that were copied, and those of children, stand for the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct OpenFile {
    pub(crate) what: OpenKind,
    /// How many descriptors stand for it, with those that are on their way in messages.
    pub(crate) refs: u32,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) nonblocking: bool,
    pub(crate) append: bool,
    pub(crate) position: i64,
}

/// What an open file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum OpenKind {
    PipeRead(ObjectId),
    PipeWrite(ObjectId),
    /// A named pipe that was opened for both.
    PipeBoth(ObjectId),
    Event(ObjectId),
    File(ObjectId),
    Queue(ObjectId),
    Socket(ObjectId),
    Epoll(ObjectId),
    Timer(ObjectId),
    Signals(u64),
}

impl OpenKind {
    /// The object behind it.
    pub(crate) fn object(self) -> Option<ObjectId> {
        match self {
            Self::PipeRead(id)
            | Self::PipeWrite(id)
            | Self::PipeBoth(id)
            | Self::Event(id)
            | Self::File(id)
            | Self::Queue(id)
            | Self::Socket(id)
            | Self::Epoll(id)
            | Self::Timer(id) => Some(id),
            Self::Signals(_) => None,
        }
    }

    /// The same of another object.
    pub(crate) fn of(self, id: ObjectId) -> Self {
        match self {
            Self::PipeRead(_) => Self::PipeRead(id),
            Self::PipeWrite(_) => Self::PipeWrite(id),
            Self::PipeBoth(_) => Self::PipeBoth(id),
            Self::Event(_) => Self::Event(id),
            Self::File(_) => Self::File(id),
            Self::Queue(_) => Self::Queue(id),
            Self::Socket(_) => Self::Socket(id),
            Self::Epoll(_) => Self::Epoll(id),
            Self::Timer(_) => Self::Timer(id),
            Self::Signals(set) => Self::Signals(set),
        }
    }
}

/// Semaphores of System V.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SemSet {
    pub(crate) key: Option<i32>,
    pub(crate) values: Vec<i32>,
}

/// A pipe: pages with bytes, as the kernel keeps them, because they decide what fits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pipe {
    pub(crate) pages: Vec<Page>,
    pub(crate) readers: u32,
    pub(crate) writers: u32,
    /// The file that is its name, if it has one.
    pub(crate) inode: Option<ObjectId>,
}

/// A page of a pipe.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Page {
    /// How many bytes were read from it; 0 unless it is the only one, because it does not matter otherwise.
    pub(crate) skipped: usize,
    pub(crate) bytes: Vec<u8>,
}

/// An eventfd.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Event {
    pub(crate) value: u64,
    pub(crate) semaphore: bool,
}

/// A message queue of System V or POSIX.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Queue {
    /// The key of a queue of System V.
    pub(crate) key: Option<i32>,
    /// The name of a queue of POSIX, while it has one.
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) posix: bool,
    /// Type or priority, and text, oldest first.
    pub(crate) messages: Vec<(i64, Vec<u8>)>,
    /// How many messages a queue of POSIX holds.
    pub(crate) most: usize,
    /// How long a message of POSIX may be; how many bytes a queue of System V holds.
    pub(crate) longest: usize,
    pub(crate) opens: u32,
}

/// The time of everything that processes do, in nanoseconds: the beginning of the year 2100, which is later than any real file.
pub const NOW: i64 = 4_102_444_800_000_000_000;

/// A file of a shared directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Inode {
    pub(crate) kind: Kind,
    /// Permissions only.
    pub(crate) mode: u32,
    pub(crate) links: u32,
    /// How many open files and mappings there are.
    pub(crate) opens: u32,
    /// When a file was read and written last, as far as somebody has said it; otherwise it is always [`NOW`].
    pub(crate) times: [i64; 2],
    /// In the order of owners.
    pub(crate) locks: Vec<Held>,
}

/// What kind of file it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    File(Vec<u8>),
    Directory {
        /// By name.
        entries: Vec<(Vec<u8>, ObjectId)>,
        /// `None` for the first one of a shared tree, and for one that was removed.
        parent: Option<ObjectId>,
    },
    Symlink(Vec<u8>),
    Fifo(ObjectId),
    Socket(ObjectId),
}

/// A lock on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Held {
    pub(crate) owner: Owner,
    pub(crate) lock: Lock,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

/// Whose a lock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// An open file's, by `flock`.
    Flock(ObjectId),
    /// An open file's, by `F_OFD_SETLK`.
    Open(ObjectId),
    /// A process's.
    Process(Pid),
}

/// A socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Socket {
    pub(crate) kind: SocketKind,
    pub(crate) family: Address,
    pub(crate) name: Option<Address>,
    pub(crate) phase: Phase,
    /// What it can receive.
    pub(crate) messages: Vec<Message>,
    /// It will not receive any more.
    pub(crate) read_shut: bool,
    /// It will not send any more.
    pub(crate) write_shut: bool,
    /// The other's address, if it had one when they were connected.
    pub(crate) peer_name: Address,
    /// Nobody has the other end any more, and it left something unread.
    pub(crate) reset: bool,
}

/// How far a socket has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Phase {
    New,
    Listening {
        backlog: usize,
        waiting: Vec<ObjectId>,
    },
    /// With the other end; `None` if that is closed.
    Connected(Option<ObjectId>),
}

/// Something on its way through a socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Message {
    pub(crate) bytes: Vec<u8>,
    pub(crate) from: Option<Address>,
    /// Open files that come with it.
    pub(crate) files: Vec<ObjectId>,
}

/// A descriptor that an epoll instance watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Watched {
    pub(crate) fd: Fd,
    pub(crate) file: ObjectId,
    pub(crate) wanted: EpollEntry,
    /// It was told and is to be told once only, or not until something changes.
    pub(crate) told: bool,
}

/// A timer with a descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TimerFd {
    pub(crate) set: bool,
    pub(crate) again: bool,
}

/// A shared segment that is no file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Segment {
    pub(crate) key: Option<i32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) maps: u32,
    /// It goes when nobody maps it.
    pub(crate) temporary: bool,
}
