//! What comes of a visible operation, as data: a value or an error, and what is given back with it. Follows the manual pages of
//! Linux.

use crate::op::{Address, Fd, Id, Lock, Pid, Signal};

/// What comes of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Outcome {
    /// The value of the call, or the negative number of its error.
    pub value: i64,
    /// What is given back besides.
    pub extra: Extra,
    /// The signals that are delivered before the call returns, with who sent them (0 for the system), lowest first. Their handlers
    /// run before anything else does, the last one first.
    pub signals: Vec<(Signal, Pid)>,
    /// The contents of the shared segments that the process maps.
    pub memory: Vec<Contents>,
}

/// The contents of a shared segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Contents {
    /// The segment.
    pub segment: Id,
    /// All of its bytes.
    pub bytes: Vec<u8>,
}

/// What an operation gives back besides its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extra {
    /// Nothing.
    Nothing,
    /// The child's side of a fork: the process is new and has this id. The value is 0.
    Child {
        /// Its own id.
        pid: Pid,
        /// The parent's id.
        parent: Pid,
    },
    /// The call is not made, because [`Outcome::signals`] are delivered. If it was interrupted, it then returns `EINTR`, or is made
    /// again if the handler was set so (`SA_RESTART`); otherwise it is made again in any case. The value is 0.
    Delivered {
        /// The call had begun.
        interrupted: bool,
    },
    /// A symbolic link leads to this path outside the shared directories. Nothing was done.
    Elsewhere(Vec<u8>),
    /// What was read.
    Bytes(Vec<u8>),
    /// How a child has ended, in the form of `wait`.
    Status(i32),
    /// A message with its type or priority.
    Message {
        /// The type or priority.
        kind: i64,
        /// What it says.
        bytes: Vec<u8>,
    },
    /// What was received.
    Received {
        /// The bytes.
        bytes: Vec<u8>,
        /// Who sent them, if that is told.
        from: Option<Address>,
        /// The numbers of the descriptors that came with them.
        fds: Vec<Fd>,
        /// Some of the message did not fit (`MSG_TRUNC`).
        cut: bool,
    },
    /// An address.
    Address(Address),
    /// The values of semaphores.
    Values(Vec<u16>),
    /// Who is in the way of a lock.
    Holder {
        /// Which lock there is.
        lock: Lock,
        /// Its first byte.
        start: i64,
        /// The first byte behind it, `i64::MAX` for the end of the file wherever it is.
        end: i64,
        /// Whose it is, -1 for an open file's.
        pid: Pid,
    },
    /// What a file is.
    Stat(Stat),
    /// The entries of a directory.
    Entries(Vec<Entry>),
    /// A path.
    Path(Vec<u8>),
    /// What is ready, in the bits of `poll`: one for each entry that was asked for.
    Ready(Vec<i16>),
    /// What an epoll instance tells.
    Events(Vec<(u32, u64)>),
    /// A segment is mapped. Its contents are in [`Outcome::memory`].
    Segment {
        /// Which one.
        segment: Id,
        /// Its size.
        size: usize,
    },
    /// The attributes of a message queue of POSIX.
    Queue {
        /// How many messages it holds at most.
        most: usize,
        /// How long they may be.
        longest: usize,
        /// How many there are.
        count: usize,
        /// It does not wait.
        nonblocking: bool,
    },
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stat {
    /// Its number.
    pub inode: u64,
    /// What kind it is, and its mode, as in `st_mode`.
    pub mode: u32,
    /// How many names it has.
    pub links: u32,
    /// Its size.
    pub size: i64,
    /// When it was read and written last, in nanoseconds.
    pub times: [i64; 2],
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    /// Its name.
    pub name: Vec<u8>,
    /// The number of the file.
    pub inode: u64,
    /// The kind of the file, as in `st_mode`.
    pub mode: u32,
}

impl Outcome {
    /// A value and nothing else.
    #[must_use]
    pub fn value(value: i64) -> Self {
        Self { value, extra: Extra::Nothing, signals: Vec::new(), memory: Vec::new() }
    }

    /// An error.
    #[must_use]
    pub fn error(number: i32) -> Self {
        Self::value(-i64::from(number))
    }

    /// A value and something besides.
    #[must_use]
    pub fn with(value: i64, extra: Extra) -> Self {
        Self { value, extra, signals: Vec::new(), memory: Vec::new() }
    }

    /// Bytes, with their number as value.
    #[must_use]
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self::with(bytes.len() as i64, Extra::Bytes(bytes))
    }
}
