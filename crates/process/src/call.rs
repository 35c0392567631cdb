//! What a process wants when it stops at a system call: an answer that follows from its own history, the call as it is, or an
//! operation that the checker decides. Follows the table of calls in section 5 of the design of process checks.

use crate::memory;
use crate::own::{Own, Shared};
use crate::tracee::{Lost, Tracee};
use crate::world::World;
use nix::errno::Errno;
use quotient_system::{Fd, Id, Op, Printed, Timeout, Trouble};

mod descriptors;
mod facts;
mod files;
mod ipc;
mod listing;
mod message;
mod own_files;
mod poll;
mod processes;
mod select;
mod shared_memory;
mod signals;
mod sockets;
mod time;

pub(crate) use listing::take;
pub(crate) use message::{Header, address_bytes, control};
pub(crate) use shared_memory::Request;
pub(crate) use signals::SET_AT;

/// The call of `VS_toss`.
pub const TOSS: i64 = 0x5653;
/// The call of `VS_assert`.
pub const ASSERT: i64 = 0x5654;

/// What is done about a call.
#[derive(Debug)]
pub(crate) enum Decision {
    /// It was answered or made; the process can run.
    Done,
    /// The checker decides, and this is done with its outcome.
    Visible(Op, Finish),
}

/// What is done with the outcome of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Its value is the value of the call.
    Value,
    /// The process becomes another program.
    Exec {
        /// Which one.
        program: Vec<u8>,
    },
    /// A copy of the process becomes its child.
    Fork(Fork),
    /// The system carries the call out.
    Make,
    /// What is done about a signal is noted, and the system carries the call out.
    Action {
        /// The signal.
        signal: i32,
        /// What the program has said.
        words: [u64; 4],
    },
    /// The descriptor is closed, and the call is looked at once more.
    CloseFirst(Fd),
    /// The descriptor is closed.
    Close(Fd),
    /// One descriptor becomes the same as another.
    Dup {
        /// The one that there is.
        from: Fd,
        /// The new one.
        to: Fd,
        /// The new one is closed by `exec`.
        close_on_exec: bool,
    },
    /// There are new descriptors, if the value is no error.
    New {
        /// What is behind their numbers.
        numbers: Vec<(Fd, Shared)>,
        /// They are closed by `exec`.
        close_on_exec: bool,
        /// Where their numbers are written; otherwise the value is the number.
        address: Option<u64>,
        /// Where the address of the other side is written, and its size.
        peer: Option<(u64, u64)>,
    },
    /// Bytes are written to these places, one after the other.
    Bytes(Vec<Buffer>),
    /// The value is the size of a set of semaphores; then the call is looked at once more.
    SetSize(Id),
    /// Numbers of two bytes are written here.
    Values(u64),
    /// A child's status is written here, unless the address is 0.
    Status {
        /// The address of the status.
        status: u64,
        /// The address of what the child has used.
        usage: u64,
    },
    /// What `waitid` tells is written here.
    Info {
        /// The address.
        address: u64,
        /// Where what the child has used goes.
        usage: u64,
    },
    /// What a file is is written here.
    Stat(u64),
    /// The same, in the newer form.
    Statx(u64),
    /// Entries of a directory are written here.
    Entries {
        /// The descriptor.
        fd: Fd,
        /// The address.
        address: u64,
        /// The room.
        room: usize,
    },
    /// The new working directory.
    Directory,
    /// A message of System V is written here: its type and its bytes.
    Message(u64),
    /// A message of POSIX: bytes here, the priority there.
    Priority {
        /// Where the bytes go.
        buffer: u64,
        /// Where the priority goes.
        priority: u64,
    },
    /// The attributes of a queue are written here.
    Queue(u64),
    /// What is ready is written into the entries of `poll`.
    Poll(u64),
    /// What is ready is written into the sets of `select`.
    Select(select::Sets),
    /// Events are written here.
    Events(u64),
    /// What was received is written as the header says.
    Received(Header),
    /// An address is written here, and its size.
    Address {
        /// Where it goes.
        address: u64,
        /// Where its size is.
        size: u64,
    },
    /// A number of four bytes is written here, and the call succeeds.
    Number(u64),
    /// Who is in the way of a lock is written here.
    Holder(u64),
    /// Bytes become private memory at an address of the process's or the system's choice.
    Map(shared_memory::Request),
    /// A segment becomes memory.
    Attach(shared_memory::Request),
    /// A segment is memory no longer.
    Detach(shared_memory::Request),
    /// Time has passed.
    Slept {
        /// Nanoseconds.
        time: u64,
    },
    /// A set of signals is written here.
    Set(u64),
    /// A signal was taken; what is known of it is written here.
    Taken(u64),
    /// An old timer is written here.
    Timer(u64),
}

/// A place in a process's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buffer {
    /// Where it is.
    pub(crate) address: u64,
    /// How much fits.
    pub(crate) length: usize,
}

/// How a child is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    /// The child's stack, 0 for a copy of the parent's.
    pub(crate) stack: u64,
    /// Where the child finds its own id.
    pub(crate) child_id: Option<u64>,
    /// Where the parent finds the child's id.
    pub(crate) parent_id: Option<u64>,
    /// The child's register for its thread's own memory.
    pub(crate) thread_memory: Option<u64>,
    /// The program believes that the child uses its memory.
    pub(crate) borrowed: bool,
}

/// Why a call is not carried out.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The process gets this error.
    Error(Errno),
    /// The check cannot go on here.
    Trouble(Trouble),
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Self {
        Self::Error(error)
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<Lost> for Refusal {
    fn from(lost: Lost) -> Self {
        Self::Trouble(lost.into())
    }
}

/// What comes of looking at a call.
pub(crate) type Looked = Result<Decision, Refusal>;

/// A process that is stopped at a call.
pub(crate) struct Moment<'a> {
    /// The process.
    pub(crate) tracee: &'a Tracee,
    /// What it has.
    pub(crate) own: &'a mut Own,
    /// What is the same for all processes.
    pub(crate) world: &'a World,
    /// What it has printed since its last operation.
    pub(crate) printed: &'a mut Vec<Printed>,
    /// The number of the call.
    pub(crate) number: i64,
    /// Its arguments.
    pub(crate) arguments: [u64; 6],
}

impl Moment<'_> {
    /// An argument that is an `int`.
    fn int(&self, index: usize) -> i32 {
        self.arguments[index] as i32
    }

    /// An argument that is a size.
    fn size(&self, index: usize) -> usize {
        self.arguments[index] as usize
    }

    /// Answers the call.
    fn answer(&self, value: i64) -> Looked {
        self.tracee.answer(value)?;
        Ok(Decision::Done)
    }

    /// Lets the system carry the call out as it is.
    fn pass(&self) -> Looked {
        Ok(Decision::Done)
    }

    /// Lets the system carry the call out, and waits for its value.
    fn make(&self) -> Result<i64, Refusal> {
        Ok(self.tracee.substitute(self.number, self.arguments)?)
    }

    /// Bytes of the process.
    fn read(&self, address: u64, length: usize) -> Result<Vec<u8>, Errno> {
        memory::read(self.tracee, address, length)
    }

    /// Writes bytes into the process.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        memory::write(self.tracee, address, bytes)
    }

    /// A string of the process.
    fn string(&self, address: u64) -> Result<Vec<u8>, Errno> {
        memory::read_string(self.tracee, address)
    }

    /// The pieces of an `iovec`.
    fn buffers(&self, address: u64, count: usize) -> Result<Vec<Buffer>, Errno> {
        /// The most pieces that the system takes.
        const MOST: usize = 1024;
        if count > MOST {
            return Err(Errno::EINVAL);
        }
        let bytes = self.read(address, count * 16)?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Ok((0..count).map(|i| Buffer { address: number(i * 16), length: number(i * 16 + 8) as usize }).collect())
    }

    /// The bytes of several pieces, one after the other.
    fn gather(&self, buffers: &[Buffer]) -> Result<Vec<u8>, Errno> {
        let mut bytes = Vec::new();
        for buffer in buffers {
            bytes.extend(self.read(buffer.address, buffer.length)?);
        }
        Ok(bytes)
    }

    /// A `timespec` as how long a process waits: an address of 0 is forever. Nanoseconds come with it.
    fn timeout(&self, address: u64) -> Result<(Timeout, u64), Errno> {
        if address == 0 {
            return Ok((Timeout::Never, 0));
        }
        let time = self.timespec(address)?;
        Ok((if time == 0 { Timeout::Zero } else { Timeout::Some }, time))
    }

    /// A `timespec` in nanoseconds.
    fn timespec(&self, address: u64) -> Result<u64, Errno> {
        let bytes = self.read(address, 16)?;
        let number = |at: usize| i64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let (seconds, rest) = (number(0), number(8));
        if seconds < 0 || !(0..1_000_000_000).contains(&rest) {
            return Err(Errno::EINVAL);
        }
        Ok((seconds as u64).saturating_mul(1_000_000_000).saturating_add(rest as u64))
    }

    /// That this call is not known.
    fn unsupported(&self, detail: impl Into<String>) -> Refusal {
        Refusal::Trouble(Trouble::Unsupported { call: name(self.number), detail: detail.into() })
    }

    /// Decides what is done about the call.
    pub(crate) fn look(&mut self) -> Looked {
        let found = None
            .or_else(|| self.process_call())
            .or_else(|| self.descriptor_call())
            .or_else(|| self.file_call())
            .or_else(|| self.ipc_call())
            .or_else(|| self.shared_memory_call())
            .or_else(|| self.socket_call())
            .or_else(|| self.poll_call())
            .or_else(|| self.signal_call())
            .or_else(|| self.time_call());
        match found.unwrap_or_else(|| Err(self.unsupported(""))) {
            Err(Refusal::Error(error)) => self.answer(-(error as i64)),
            other => other,
        }
    }
}

/// An operation whose value is the value of the call.
fn visible(op: Op) -> Looked {
    Ok(Decision::Visible(op, Finish::Value))
}

/// The name of a system call.
pub(crate) fn name(number: i64) -> String {
    syscalls::Sysno::new(number as usize).map_or_else(|| format!("number {number}"), |call| call.name().to_owned())
}
