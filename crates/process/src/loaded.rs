//! A process that a loader of the checker's has loaded and stops at system calls, without ptrace. Follows section 3 of the design of
//! process checks, its second way: syscall user dispatch. The loader does what the slot says; see `loader/stop.h`.

use crate::call::SET_AT;
use crate::memory::{LONGEST_ARGUMENT, PAGE, read_string_with};
use crate::slot::{DATA_AT, Head, ROOM, Slot, Slots};
use crate::tracee::{Lost, Registers, Stop, Traced};
use nix::errno::Errno;
use nix::unistd::Pid;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Events: why a process stands still.
const AT_CALL: u32 = 1;
const AT_EXEC: u32 = 2;
const AT_SIGNAL: u32 = 3;
const AT_FOREIGN: u32 = 4;
const DONE: u32 = 5;

/// Commands: what a process is to do.
const RESUME: u32 = 1;
const CALL: u32 = 2;
const READ: u32 = 3;
const WRITE: u32 = 4;
const COPY: u32 = 5;
const BECOME: u32 = 6;

/// The most bytes that are moved at once.
const PIECE: usize = ROOM - 4096;

/// The loader, as a program.
pub(crate) const LOADER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/loader"));

/// Where the loader is in every process that it has loaded, as the list of its parts says.
pub(crate) fn place() -> std::ops::Range<u64> {
    let number = |at: usize, size: usize| {
        LOADER[at..at + size].iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
    };
    let (table, size, count) = (number(32, 8) as usize, number(54, 2) as usize, number(56, 2) as usize);
    let (mut start, mut end) = (u64::MAX, 0);
    // A part that is loaded has the kind 1, its address at byte 16 and its size at byte 40.
    for part in (0..count).map(|index| table + index * size).filter(|&part| number(part, 4) == 1) {
        let (from, to) = (number(part + 16, 8), number(part + 16, 8) + number(part + 40, 8));
        (start, end) = (start.min(from), end.max(to.next_multiple_of(PAGE)));
    }
    start..end
}

/// What a process shares with the checker, and a signal that is on its way to it.
#[derive(Debug)]
pub(crate) struct Loaded {
    pid: Pid,
    slot: Slot,
    /// Signals that were sent.
    pending: RefCell<Vec<i32>>,
    /// Where the set of signals is with which the process waits for it, or 0.
    set_at: Cell<u64>,
}

impl Loaded {
    /// A process that begins with this slot.
    pub(crate) fn new(pid: Pid, slot: Slot) -> Self {
        Self { pid, slot, pending: RefCell::default(), set_at: Cell::new(0) }
    }

    /// Its number for the system.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Waits until the process stands still or is gone.
    pub(crate) fn wait(&self) -> Traced<Stop> {
        while !self.slot.wait() {
            let mut status = 0;
            // SAFETY: `status` is a number that outlives the call.
            let answer = unsafe { libc::waitpid(self.pid.as_raw(), &raw mut status, libc::WNOHANG | libc::__WALL) };
            match Errno::result(answer) {
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) if libc::WIFSIGNALED(status) => return Ok(Stop::Killed(libc::WTERMSIG(status))),
                Ok(_) => return Ok(Stop::Exited(libc::WEXITSTATUS(status))),
                Err(error) => return Err(error.into()),
            }
        }
        let head = self.slot.head();
        Ok(match head.event {
            AT_CALL => Stop::Call,
            AT_EXEC => Stop::Exec,
            AT_SIGNAL => Stop::Signal(head.signal as i32),
            AT_FOREIGN => Stop::Killed(libc::SIGSYS),
            DONE => Stop::Return,
            _ => return Err(Lost(Errno::from_raw(-head.value as i32))),
        })
    }

    /// Has the process do something, and gives the value.
    fn command(&self, command: u32, arguments: [u64; 7]) -> Traced<i64> {
        self.slot.change(|head| (head.command, head.arguments) = (command, arguments));
        self.slot.let_go();
        match self.wait()? {
            Stop::Return => Ok(self.slot.head().value),
            _ => Err(Lost(Errno::ESRCH)),
        }
    }

    /// Lets the process run to its next stop, with a signal unless it is 0.
    pub(crate) fn run(&self, signal: i32) -> Traced<Stop> {
        let head = self.slot.head();
        let mut pending = self.pending.borrow_mut();
        if signal == 0 {
            pending.retain(|&other| !self.blocks(&head, other));
        }
        if !pending.is_empty() {
            if signal != 0 {
                // It waits with the others until the process goes on.
                self.slot.write(&head.info);
                let own = self.pid.as_raw() as u64;
                self.call(libc::SYS_rt_tgsigqueueinfo, [own, own, signal as u64, DATA_AT, 0, 0])?;
            }
            let next = pending.remove(0);
            self.slot.change(|head| {
                head.info = [0; 128];
                head.info[..4].copy_from_slice(&next.to_le_bytes());
            });
            return Ok(Stop::Signal(next));
        }
        drop(pending);
        let set_at = self.set_at.take();
        if signal == 0 && head.registers.orig_rax == libc::SYS_execve as u64 {
            return self.become_another(head.registers);
        }
        self.slot.change(|head| {
            (head.command, head.signal) = (RESUME, signal as u32);
            head.arguments[0] = if signal == 0 { 0 } else { set_at };
        });
        self.slot.let_go();
        self.wait()
    }

    /// Whether the process blocks a signal, with the set with which it waits for it.
    fn blocks(&self, head: &Head, signal: i32) -> bool {
        let set = |address: u64| {
            let mut bytes = [0; 8];
            self.read(address, &mut bytes).map_or(head.mask, |()| u64::from_le_bytes(bytes))
        };
        let registers = &head.registers;
        let mask = match registers.orig_rax as i64 {
            libc::SYS_rt_sigsuspend => {
                self.set_at.set(registers.rdi);
                set(registers.rdi)
            }
            libc::SYS_rt_sigprocmask => match registers.rdi as i32 {
                libc::SIG_UNBLOCK => head.mask & !set(registers.rsi),
                libc::SIG_SETMASK => set(registers.rsi),
                _ => head.mask,
            },
            libc::SYS_rt_sigreturn => set(registers.rsp + SET_AT),
            _ => head.mask,
        };
        mask >> (signal - 1) & 1 != 0
    }

    pub(crate) fn registers(&self) -> Registers {
        self.slot.head().registers
    }

    pub(crate) fn set_registers(&self, registers: Registers) {
        self.slot.change(|head| head.registers = registers);
    }

    /// Has the process make a call.
    pub(crate) fn call(&self, number: i64, arguments: [u64; 6]) -> Traced<i64> {
        let [a, b, c, d, e, f] = arguments;
        self.command(CALL, [number as u64, a, b, c, d, e, f])
    }

    /// Makes a copy of the process.
    pub(crate) fn copy(&self) -> Traced<Self> {
        let slot = Slots::take(self.slot.slots())?;
        slot.put(Head { index: slot.index(), turn: 0, event: DONE, ..self.slot.head() });
        let id = self.command(COPY, [slot.index().into(), 0, 0, 0, 0, 0, 0])?;
        if id < 0 {
            return Err(Lost(Errno::from_raw(-id as i32)));
        }
        let copy = Self::new(Pid::from_raw(id as i32), slot);
        match copy.wait()? {
            Stop::Return => Ok(copy),
            _ => Err(Lost(Errno::ESRCH)),
        }
    }

    /// The vector registers.
    pub(crate) fn vectors(&self) -> Traced<Vec<u8>> {
        let head = self.slot.head();
        let mut bytes = vec![0; (head.vectors_size as usize).min(PIECE)];
        self.read(head.vectors, &mut bytes)?;
        Ok(bytes)
    }

    /// The signals that are blocked.
    pub(crate) fn blocked(&self) -> u64 {
        self.slot.head().mask
    }

    /// Sends a signal, which arrives when the process runs.
    pub(crate) fn send(&self, signal: i32) {
        self.pending.borrow_mut().push(signal);
    }

    /// What is known of the signal at which the process is stopped.
    pub(crate) fn signal_facts(&self) -> libc::siginfo_t {
        // SAFETY: both have 128 bytes, and every value of them is one.
        unsafe { std::mem::transmute(self.slot.head().info) }
    }

    pub(crate) fn set_signal_facts(&self, facts: libc::siginfo_t) {
        // SAFETY: both have 128 bytes; the system fills in all of them.
        let info: [u8; 128] = unsafe { std::mem::transmute(facts) };
        self.slot.change(|head| head.info = info);
    }

    /// Reads memory of the process.
    pub(crate) fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        let mut at = address;
        for piece in into.chunks_mut(PIECE) {
            self.moved(READ, at, piece.len())?;
            self.slot.read(piece);
            at += piece.len() as u64;
        }
        Ok(())
    }

    /// Writes memory of the process.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        let mut at = address;
        for piece in bytes.chunks(PIECE) {
            self.slot.write(piece);
            self.moved(WRITE, at, piece.len())?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    fn moved(&self, command: u32, address: u64, length: usize) -> Result<(), Errno> {
        match self.command(command, [address, length as u64, 0, 0, 0, 0, 0]) {
            Ok(0) => Ok(()),
            Ok(error) => Err(Errno::from_raw(-error as i32)),
            Err(lost) => Err(lost.0),
        }
    }

    /// Writes to memory that the process may only be allowed to read.
    pub(crate) fn write_always(&self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        let made = |value: Traced<i64>| match value {
            Ok(value) if value >= 0 => Ok(value as u64),
            Ok(error) => Err(Errno::from_raw(-error as i32)),
            Err(lost) => Err(lost.0),
        };
        self.slot.write(b"/proc/self/mem\0");
        let file = made(self.call(libc::SYS_open, [DATA_AT, libc::O_WRONLY as u64, 0, 0, 0, 0]))?;
        let mut at = address;
        for piece in bytes.chunks(PIECE) {
            self.slot.write(piece);
            made(self.call(libc::SYS_pwrite64, [file, DATA_AT, piece.len() as u64, at, 0, 0]))?;
            at += piece.len() as u64;
        }
        made(self.call(libc::SYS_close, [file, 0, 0, 0, 0, 0])).map(drop)
    }

    /// The process becomes the program that its call says.
    fn become_another(&self, registers: Registers) -> Traced<Stop> {
        let (path, arguments, variables) =
            (self.string(registers.rdi)?, self.strings(registers.rsi)?, self.strings(registers.rdx)?);
        let directory = std::fs::read_link(format!("/proc/{}/cwd", self.pid)).map_err(|_| Errno::ENOENT)?;
        let image = Image::new(path, arguments, variables).without_interpreters(&directory)?;
        self.slot.write(&image.bytes()?);
        self.slot.change(|head| head.command = BECOME);
        self.slot.let_go();
        match self.wait()? {
            Stop::Return => Err(Lost(Errno::from_raw(-self.slot.head().value as i32))),
            stop => Ok(stop),
        }
    }

    fn string(&self, address: u64) -> Result<Vec<u8>, Errno> {
        read_string_with(address, LONGEST_ARGUMENT, |at, bytes| self.read(at, bytes))
    }

    fn strings(&self, list: u64) -> Result<Vec<Vec<u8>>, Errno> {
        let mut strings = Vec::new();
        for at in (list..).step_by(8).take_while(|_| list != 0) {
            let mut word = [0; 8];
            self.read(at, &mut word)?;
            match u64::from_le_bytes(word) {
                0 => break,
                address => strings.push(self.string(address)?),
            }
        }
        Ok(strings)
    }
}

/// A program with its arguments and variables, as the loader wants them.
pub(crate) struct Image {
    path: Vec<u8>,
    arguments: Vec<Vec<u8>>,
    variables: Vec<Vec<u8>>,
}

/// How often a script may be the interpreter of a script.
const SCRIPTS: usize = 5;

impl Image {
    pub(crate) fn new(path: Vec<u8>, arguments: Vec<Vec<u8>>, variables: Vec<Vec<u8>>) -> Self {
        Self { path, arguments, variables }
    }

    /// The program that reads it, if it is a script.
    ///
    /// # Errors
    /// It is no program for this system.
    pub(crate) fn without_interpreters(mut self, directory: &std::path::Path) -> Result<Self, Errno> {
        use std::os::unix::ffi::OsStrExt;
        for _ in 0..SCRIPTS {
            let mut start = [0; 256];
            let file = directory.join(std::ffi::OsStr::from_bytes(&self.path));
            let mut file = std::fs::File::open(file).map_err(|_| Errno::ENOENT)?;
            let count = std::io::Read::read(&mut file, &mut start).map_err(|_| Errno::EIO)?;
            /// The beginning of a program with 64 bits.
            const PROGRAM: &[u8] = b"\x7fELF\x02\x01";
            if start.starts_with(PROGRAM) {
                return Ok(self);
            }
            let line = start[..count].strip_prefix(b"#!").ok_or(Errno::ENOEXEC)?;
            let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
            let end = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
            let (interpreter, argument) = (line[..end].to_vec(), line[end..].trim_ascii().to_vec());
            let mut arguments = vec![interpreter.clone()];
            arguments.extend((!argument.is_empty()).then_some(argument));
            arguments.push(std::mem::replace(&mut self.path, interpreter));
            arguments.extend(self.arguments.into_iter().skip(1));
            self.arguments = arguments;
        }
        Err(Errno::ELOOP)
    }

    /// As it is put into a slot.
    ///
    /// # Errors
    /// There is no room for so much.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Errno> {
        let mut bytes = Vec::new();
        for count in [self.arguments.len(), self.variables.len()] {
            bytes.extend((count as u32).to_le_bytes());
        }
        for text in std::iter::once(&self.path).chain(&self.arguments).chain(&self.variables) {
            bytes.extend(text);
            bytes.push(0);
        }
        if bytes.len() < PIECE { Ok(bytes) } else { Err(Errno::E2BIG) }
    }

    /// Starts with a slot.
    pub(crate) fn slot(&self, slots: &Rc<Slots>) -> Result<Slot, Errno> {
        let slot = Slots::take(slots)?;
        slot.write(&self.bytes()?);
        Ok(slot)
    }
}
