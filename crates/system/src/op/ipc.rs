//! Operations on what processes share by key, by name or by mapping: semaphores, message queues, shared memory. System V has
//! the first three; message queues of POSIX are descriptors.

use super::{Fd, Id, OpenHow, Timeout};

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
