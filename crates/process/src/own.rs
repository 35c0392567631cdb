//! What belongs to one process and follows from its own history alone: numbers of descriptors, its directory, its clock.
//! Follows section 6 of the design of process checks; the checker never sees any of it.

use nix::errno::Errno;
use quotient_system::{Entry, Fd, Handler, Id, Pid, Signals};
use std::collections::BTreeMap;

use crate::launch::DESCRIPTORS;

/// Nanoseconds of the first moment, 2100-01-01: later than any real file was changed.
const BEGINNING: u64 = 4_102_444_800_000_000_000;

/// Nanoseconds that pass whenever a process looks at the clock.
const TICK: u64 = 1_000;

/// What a process has, beside its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Own {
    /// Its id, as it sees it.
    pub(crate) pid: Pid,
    /// It was started by the checker and has no parent among the processes.
    pub(crate) first: bool,
    /// Its descriptors.
    pub(crate) descriptors: BTreeMap<Fd, Descriptor>,
    /// The files outside the shared directories that it has open. Several descriptors may stand for one.
    pub(crate) files: BTreeMap<u32, OpenFile>,
    /// Its working directory.
    pub(crate) directory: Vec<u8>,
    /// The bits that new files do not get.
    pub(crate) umask: u32,
    /// What it wants to be done about signals.
    pub(crate) actions: BTreeMap<i32, Action>,
    /// The segments that it maps.
    pub(crate) segments: Vec<Mapping>,
    /// The sizes of the sets of semaphores of which it knows them.
    pub(crate) sets: BTreeMap<Id, usize>,
    /// The program that it runs.
    pub(crate) program: Vec<u8>,
    /// It was made by `posix_spawn` or the like, shares its parent's memory in the eyes of its program, and has not become
    /// another program yet.
    pub(crate) borrowed: bool,
    /// The other stack for handlers, as it was set.
    pub(crate) other_stack: Vec<u8>,
    /// The name that it has given itself.
    pub(crate) name: Vec<u8>,
    /// It has looked for the command for assertions, and not found it so far.
    pub(crate) misses_assertions: bool,
    clock: u64,
    /// How often it has read the processor's counter.
    counted: u64,
    random: u64,
}

/// A descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// What it stands for.
    pub(crate) kind: Kind,
    /// It is closed by `exec`.
    pub(crate) close_on_exec: bool,
}

/// What a descriptor stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The standard output (1) or the one for errors (2).
    Output(Fd),
    /// One of [`Own::files`].
    Private(u32),
    /// Something that the checker plays.
    Shared(Shared),
}

/// Something that the checker plays, as far as a process needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    /// An end of a pipe.
    Pipe,
    /// A socket.
    Socket {
        /// It is for single messages.
        datagram: bool,
    },
    /// A file or directory with this path.
    File {
        /// The path with which it was opened.
        path: Vec<u8>,
        /// What `getdents` has still to give.
        entries: Vec<Entry>,
    },
    /// Something that another process has passed on.
    Passed,
    /// An eventfd, an epoll instance, a queue, a timer, a descriptor for signals.
    Other,
}

/// An open file outside the shared directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenFile {
    /// Its path.
    pub(crate) path: Vec<u8>,
    /// What it is.
    pub(crate) kind: FileKind,
    /// The position.
    pub(crate) offset: i64,
    /// The process has it from its parent, which may use the position as well.
    pub(crate) inherited: bool,
}

/// The files outside the shared directories that a process may have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A file that nobody writes.
    Regular,
    /// A directory.
    Directory,
    /// `/dev/null`.
    Null,
    /// `/dev/zero`.
    Zero,
    /// `/dev/random` or `/dev/urandom`.
    Random,
    /// Opened with `O_PATH`.
    PathOnly,
}

/// What a process does about a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// It is ignored; otherwise it has a handler.
    pub(crate) ignored: bool,
    /// Calls are made again after the handler.
    pub(crate) restart: bool,
    /// The handler is forgotten when it runs.
    pub(crate) once: bool,
    /// All that the program has said: the handler, flags, how it returns, and what is blocked meanwhile.
    pub(crate) words: [u64; 4],
}

impl Action {
    /// What the program has said with `sigaction`; nothing if it wants what is usual.
    pub(crate) fn new(words: [u64; 4]) -> Option<Self> {
        let [handler, flags, ..] = words;
        let has = |flag: i32| flags & u64::from(flag as u32) != 0;
        let action = Self {
            ignored: handler == libc::SIG_IGN as u64,
            restart: has(libc::SA_RESTART),
            once: has(libc::SA_RESETHAND),
            words,
        };
        (handler != libc::SIG_DFL as u64).then_some(action)
    }

    /// How its handler runs.
    fn handler(&self, signal: i32) -> Handler {
        let [_, flags, _, mask] = self.words;
        let itself = if flags & libc::SA_NODEFER as u64 != 0 { 0 } else { 1 << (signal - 1) };
        Handler { mask: mask | itself, once: self.once }
    }

    /// The same for the checker.
    pub(crate) fn told(action: Option<Self>, signal: i32) -> quotient_system::Action {
        match action {
            None => quotient_system::Action::Default,
            Some(action) if action.ignored => quotient_system::Action::Ignored,
            Some(action) => quotient_system::Action::Handled(action.handler(signal)),
        }
    }
}

/// A segment in the memory of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// Which one.
    pub(crate) segment: Id,
    /// Where.
    pub(crate) address: u64,
    /// How many bytes of the segment there are.
    pub(crate) size: usize,
    /// The first byte of the segment that is mapped.
    pub(crate) offset: usize,
}

impl Own {
    /// What a program has that the checker has started.
    pub(crate) fn new(pid: Pid, directory: Vec<u8>, program: Vec<u8>) -> Self {
        let null = OpenFile { path: b"/dev/null".to_vec(), kind: FileKind::Null, offset: 0, inherited: false };
        let kept = |kind| Descriptor { kind, close_on_exec: false };
        Self {
            pid,
            first: true,
            descriptors: BTreeMap::from([
                (0, kept(Kind::Private(0))),
                (1, kept(Kind::Output(1))),
                (2, kept(Kind::Output(2))),
            ]),
            files: BTreeMap::from([(0, null)]),
            directory,
            umask: 0o022,
            actions: BTreeMap::new(),
            segments: Vec::new(),
            sets: BTreeMap::new(),
            program,
            borrowed: false,
            other_stack: Vec::new(),
            name: Vec::new(),
            misses_assertions: false,
            clock: BEGINNING,
            counted: 0,
            random: 0,
        }
    }

    /// The time, which is a little later than when it was asked for last.
    pub(crate) fn now(&mut self) -> u64 {
        self.clock += TICK;
        self.clock
    }

    /// The processor's counter. Programs read it when they are loaded, which is no look at the clock.
    pub(crate) fn counter(&mut self) -> u64 {
        self.counted += 1;
        self.clock + self.counted * TICK
    }

    /// Lets time pass. For whoever has never looked at the clock, it begins when that is done: so a process that sleeps again and again
    /// and never looks can come back to where it was.
    pub(crate) fn sleep(&mut self, nanoseconds: u64) {
        if self.clock != BEGINNING {
            self.clock = self.clock.saturating_add(nanoseconds);
        }
    }

    /// Bytes that look random. Other processes get others.
    pub(crate) fn random(&mut self, count: usize) -> Vec<u8> {
        self.random += 1;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.pid.to_le_bytes()).update(&self.random.to_le_bytes());
        let mut bytes = vec![0; count];
        hasher.finalize_xof().fill(&mut bytes);
        bytes
    }

    /// The `count` lowest free numbers that are at least `least`.
    pub(crate) fn free(&self, count: usize, least: Fd) -> Result<Vec<Fd>, Errno> {
        let numbers: Vec<Fd> =
            (least..DESCRIPTORS).filter(|fd| !self.descriptors.contains_key(fd)).take(count).collect();
        if numbers.len() == count { Ok(numbers) } else { Err(Errno::EMFILE) }
    }

    /// What a descriptor stands for.
    pub(crate) fn kind(&self, fd: Fd) -> Result<&Kind, Errno> {
        self.descriptors.get(&fd).map(|descriptor| &descriptor.kind).ok_or(Errno::EBADF)
    }

    /// What the checker plays behind a descriptor, if anything.
    pub(crate) fn shared(&self, fd: Fd) -> Option<&Shared> {
        match self.kind(fd) {
            Ok(Kind::Shared(shared)) => Some(shared),
            _ => None,
        }
    }

    /// The file outside the shared directories behind a descriptor, if there is one.
    pub(crate) fn private(&mut self, fd: Fd) -> Option<&mut OpenFile> {
        match self.kind(fd) {
            Ok(Kind::Private(file)) => {
                let file = *file;
                self.files.get_mut(&file)
            }
            _ => None,
        }
    }

    /// Opens a file outside the shared directories under a number.
    pub(crate) fn open_private(&mut self, fd: Fd, file: OpenFile, close_on_exec: bool) {
        let id = (0..).find(|id| !self.files.contains_key(id)).unwrap_or(u32::MAX);
        self.files.insert(id, file);
        self.put(fd, Kind::Private(id), close_on_exec);
    }

    /// Sets a descriptor. What was there before is closed.
    pub(crate) fn put(&mut self, fd: Fd, kind: Kind, close_on_exec: bool) {
        self.descriptors.insert(fd, Descriptor { kind, close_on_exec });
        self.forget_files();
    }

    /// Closes a descriptor.
    pub(crate) fn close(&mut self, fd: Fd) {
        self.descriptors.remove(&fd);
        self.forget_files();
    }

    /// Drops files that have no descriptor any more.
    fn forget_files(&mut self) {
        let descriptors = &self.descriptors;
        self.files.retain(|id, _| descriptors.values().any(|descriptor| descriptor.kind == Kind::Private(*id)));
    }

    /// The descriptors of the checker's objects that `exec` closes.
    pub(crate) fn closed_by_exec(&self) -> Vec<Fd> {
        let mut closed = Vec::new();
        for (&fd, descriptor) in &self.descriptors {
            if descriptor.close_on_exec && matches!(descriptor.kind, Kind::Shared(_)) {
                closed.push(fd);
            }
        }
        closed
    }

    /// What is left when the process becomes another program.
    pub(crate) fn exec(&mut self, program: Vec<u8>) {
        self.descriptors.retain(|_, descriptor| !descriptor.close_on_exec);
        self.forget_files();
        self.actions.retain(|_, action| action.ignored);
        self.segments.clear();
        self.other_stack.clear();
        self.name.clear();
        self.program = program;
        self.borrowed = false;
    }

    /// What a child has.
    pub(crate) fn child(&mut self, pid: Pid) {
        self.pid = pid;
        self.first = false;
        self.random = 0;
        for file in self.files.values_mut() {
            file.inherited = true;
        }
    }

    /// The id of its group and session. All processes are in one, which nobody of them leads.
    pub(crate) fn group(&self) -> Pid {
        1
    }

    /// What becomes of signals, with these blocked.
    pub(crate) fn signals(&self, blocked: u64) -> Signals {
        let mut signals = Signals { blocked, ignored: 0, handled: 0 };
        for (signal, action) in &self.actions {
            let bit = 1 << (signal - 1);
            if action.ignored {
                signals.ignored |= bit;
            } else {
                signals.handled |= bit;
            }
        }
        signals
    }

    /// The handlers that block more than their own signal, or less, or run once.
    pub(crate) fn handlers(&self) -> Vec<(i32, Handler)> {
        let handled = self.actions.iter().filter(|(_, action)| !action.ignored);
        let told = handled.map(|(&signal, action)| (signal, action.handler(signal)));
        told.filter(|(signal, handler)| *handler != Handler { mask: 1 << (signal - 1), once: false }).collect()
    }
}
