//! One process that the checker follows: stops, registers, calls put into it, and copies of it. Follows `ptrace(2)` and section 3 of the
//! design of process checks; where ptrace is forbidden, a loader does the same from within (`loaded.rs`).

use crate::loaded::Loaded;
use crate::memory;
use crate::slot::Slot;
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::unistd::Pid;
use quotient_system::Trouble;

/// The registers of a process.
pub(crate) type Registers = libc::user_regs_struct;

/// The number of bytes of the instruction that makes a system call.
const CALL_LENGTH: u64 = 2;

/// That a process is not where it should be, or is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost(pub(crate) Errno);

impl From<Errno> for Lost {
    fn from(error: Errno) -> Self {
        Self(error)
    }
}

impl From<Lost> for Trouble {
    fn from(lost: Lost) -> Self {
        match lost.0 {
            Errno::EAGAIN | Errno::ENOMEM => Self::Limit { what: "the system makes no more processes".to_owned() },
            Errno::ENOEXEC => {
                let detail = "a program that is not for this processor with 64 bits".to_owned();
                Self::Unsupported { call: "execve".to_owned(), detail }
            }
            error => Self::Failed { what: format!("a process cannot be traced any more: {error}") },
        }
    }
}

/// What comes of doing something with a process.
pub(crate) type Traced<T> = Result<T, Lost>;

/// Why a process stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It is about to make a system call that the filter does not let through.
    Call,
    /// A system call is over.
    Return,
    /// It has become another program and has run no instruction of it.
    Exec,
    /// It has made a copy of itself.
    Copied,
    /// It is about to get a signal.
    Signal(i32),
    /// It has ended with this status.
    Exited(i32),
    /// A signal has ended it.
    Killed(i32),
}

/// A process that this thread follows. It is killed and reaped when it is dropped.
#[derive(Debug)]
pub(crate) struct Tracee {
    pid: Pid,
    /// How it is followed without ptrace.
    loaded: Option<Loaded>,
}

impl Drop for Tracee {
    fn drop(&mut self) {
        let _ = nix::sys::signal::kill(self.pid, nix::sys::signal::Signal::SIGKILL);
        while !matches!(self.wait_traced(), Ok(Stop::Exited(_) | Stop::Killed(_)) | Err(_)) {}
    }
}

impl Tracee {
    /// Takes over a child of this process.
    pub(crate) fn adopt(pid: Pid) -> Self {
        Self { pid, loaded: None }
    }

    /// Takes over a child of this process that a loader has loaded.
    pub(crate) fn adopt_loaded(pid: Pid, slot: Slot) -> Self {
        Self { pid, loaded: Some(Loaded::new(pid, slot)) }
    }

    /// How it is followed, if that is without ptrace.
    pub(crate) fn loaded(&self) -> Option<&Loaded> {
        self.loaded.as_ref()
    }

    /// Its number for the system, which the process itself never sees.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Says what is to be a stop, and that the process dies with the tracer.
    pub(crate) fn set_options(&self) -> Traced<()> {
        let options = Options::PTRACE_O_TRACESECCOMP
            | Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_EXITKILL;
        Ok(ptrace::setoptions(self.pid, options)?)
    }

    /// Waits until the process stops.
    pub(crate) fn wait(&self) -> Traced<Stop> {
        self.loaded.as_ref().map_or_else(|| self.wait_traced(), Loaded::wait)
    }

    fn wait_traced(&self) -> Traced<Stop> {
        let mut status = 0;
        loop {
            // SAFETY: `status` is a number that outlives the call.
            let answer = unsafe { libc::waitpid(self.pid.as_raw(), &raw mut status, libc::__WALL) };
            match Errno::result(answer) {
                Ok(_) => break,
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(read_status(status))
    }

    /// Lets the process run to its next stop, with a signal unless it is 0.
    pub(crate) fn run(&self, signal: i32) -> Traced<Stop> {
        if let Some(loaded) = &self.loaded {
            return loaded.run(signal);
        }
        self.resume(libc::PTRACE_CONT, signal)?;
        self.wait()
    }

    /// Lets the process run to the end of the call that it is at.
    fn run_call(&self) -> Traced<Stop> {
        self.resume(libc::PTRACE_SYSCALL, 0)?;
        self.wait()
    }

    /// Sets a stopped process going. The library's own function knows no real-time signals.
    fn resume(&self, how: libc::c_uint, signal: i32) -> Traced<()> {
        // SAFETY: the request takes no pointers; the process is a traced child of this thread.
        let answer = unsafe { libc::ptrace(how, self.pid.as_raw(), 0, i64::from(signal)) };
        Ok(Errno::result(answer).map(drop)?)
    }

    /// The registers.
    pub(crate) fn registers(&self) -> Traced<Registers> {
        if let Some(loaded) = &self.loaded {
            return Ok(loaded.registers());
        }
        Ok(ptrace::getregs(self.pid)?)
    }

    /// Sets the registers.
    pub(crate) fn set_registers(&self, registers: Registers) -> Traced<()> {
        if let Some(loaded) = &self.loaded {
            loaded.set_registers(registers);
            return Ok(());
        }
        Ok(ptrace::setregs(self.pid, registers)?)
    }

    /// Gives the call that the process is at a result; the call itself is not made.
    pub(crate) fn answer(&self, value: i64) -> Traced<()> {
        let mut registers = self.registers()?;
        registers.orig_rax = u64::MAX;
        registers.rax = value as u64;
        self.set_registers(registers)
    }

    /// Makes another call in place of the one that the process is at. The result is that of the other call, and no register
    /// but the one for the result is changed. The process stands behind the call then.
    pub(crate) fn substitute(&self, number: i64, arguments: [u64; 6]) -> Traced<i64> {
        let before = self.registers()?;
        let value = self.make(before, number, arguments)?;
        let mut after = before;
        after.orig_rax = u64::MAX;
        after.rax = value as u64;
        self.set_registers(after)?;
        Ok(value)
    }

    /// Makes another call before the one that the process is at. It stands before its own call again then.
    pub(crate) fn insert(&self, number: i64, arguments: [u64; 6]) -> Traced<i64> {
        let before = self.registers()?;
        if let Some(loaded) = &self.loaded {
            return loaded.call(number, arguments);
        }
        let value = self.make(before, number, arguments)?;
        self.step_back(before)?;
        Ok(value)
    }

    /// Makes a call and stops behind it.
    fn make(&self, before: Registers, number: i64, arguments: [u64; 6]) -> Traced<i64> {
        if let Some(loaded) = &self.loaded {
            return loaded.call(number, arguments);
        }
        self.set_registers(with_call(before, number, arguments))?;
        match self.run_call()? {
            Stop::Return => Ok(self.registers()?.rax as i64),
            _ => Err(Lost(Errno::ESRCH)),
        }
    }

    /// Brings the process, stopped behind some call, before the call of `before` again.
    fn step_back(&self, before: Registers) -> Traced<()> {
        self.set_registers(at_instruction(before))?;
        match self.run(0)? {
            Stop::Call => Ok(()),
            _ => Err(Lost(Errno::ESRCH)),
        }
    }

    /// Makes a copy of the process, which stands before a call. Original and copy stand before that call afterwards.
    pub(crate) fn copy(&self) -> Traced<Self> {
        if let Some(loaded) = &self.loaded {
            let copy = loaded.copy()?;
            return Ok(Self { pid: copy.pid(), loaded: Some(copy) });
        }
        let before = self.registers()?;
        let flags = (libc::CLONE_PARENT | libc::SIGCHLD) as u64;
        self.set_registers(with_call(before, libc::SYS_clone, [flags, 0, 0, 0, 0, 0]))?;
        let copy = match self.run_call()? {
            Stop::Copied => Self::adopt(Pid::from_raw(ptrace::getevent(self.pid)? as libc::pid_t)),
            // The system makes no more processes.
            Stop::Return => {
                let error = Errno::from_raw(-(self.registers()?.rax as i64) as i32);
                self.step_back(before)?;
                return Err(Lost(error));
            }
            _ => return Err(Lost(Errno::ESRCH)),
        };
        if self.run_call()? != Stop::Return || copy.wait()? != Stop::Signal(libc::SIGSTOP) {
            return Err(Lost(Errno::ESRCH));
        }
        self.step_back(before)?;
        copy.step_back(before)?;
        Ok(copy)
    }

    /// The vector registers and what belongs to them, as the system saves them.
    pub(crate) fn vectors(&self) -> Traced<Vec<u8>> {
        if let Some(loaded) = &self.loaded {
            return loaded.vectors();
        }
        let mut bytes = vec![0_u8; 16 * 1024];
        let mut place = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        /// The kind of registers: `NT_X86_XSTATE`.
        const EXTENDED: libc::c_int = 0x202;
        // SAFETY: `place` describes `bytes`, which outlive the call.
        let answer = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, self.pid.as_raw(), EXTENDED, &raw mut place) };
        Errno::result(answer)?;
        bytes.truncate(place.iov_len);
        Ok(bytes)
    }

    /// The signals that are blocked.
    pub(crate) fn blocked(&self) -> Traced<u64> {
        if let Some(loaded) = &self.loaded {
            return Ok(loaded.blocked());
        }
        /// The request: `PTRACE_GETSIGMASK`.
        const GET_MASK: libc::c_uint = 0x420a;
        let mut mask = 0_u64;
        // SAFETY: the system writes eight bytes to `mask`, which outlives the call.
        let answer = unsafe { libc::ptrace(GET_MASK, self.pid.as_raw(), size_of::<u64>(), &raw mut mask) };
        Errno::result(answer)?;
        Ok(mask)
    }

    /// Sends the process a signal. It gets it when it runs, and stops first.
    pub(crate) fn send(&self, signal: i32) -> Traced<()> {
        if let Some(loaded) = &self.loaded {
            loaded.send(signal);
            return Ok(());
        }
        let pid = self.pid.as_raw();
        // SAFETY: the call has no pointers; the process is a child of this one and has not been reaped.
        let answer = unsafe { libc::syscall(libc::SYS_tgkill, pid, pid, signal) };
        Ok(Errno::result(answer).map(drop)?)
    }

    /// What is known of the signal at which the process is stopped.
    pub(crate) fn signal_facts(&self) -> Traced<libc::siginfo_t> {
        if let Some(loaded) = &self.loaded {
            return Ok(loaded.signal_facts());
        }
        Ok(ptrace::getsiginfo(self.pid)?)
    }

    /// Says of the signal at which the process is stopped that another process has sent it.
    pub(crate) fn set_sender(&self, sender: i32) -> Traced<()> {
        let mut facts = self.signal_facts()?;
        facts.si_code = if sender == 0 { libc::SI_KERNEL } else { libc::SI_USER };
        let base = (&raw mut facts).cast::<i32>();
        // SAFETY: the structure has 128 bytes; on x86-64 the sender's id is at byte 16 and its user at byte 20.
        unsafe {
            base.add(4).write(sender);
            base.add(5).write(nix::unistd::getuid().as_raw() as i32);
        }
        match &self.loaded {
            Some(loaded) => loaded.set_signal_facts(facts),
            None => ptrace::setsiginfo(self.pid, &facts)?,
        }
        Ok(())
    }

    /// The instruction at which the process is.
    pub(crate) fn instruction(&self, at: u64) -> [u8; 3] {
        let mut bytes = [0; 3];
        if memory::read_into(self, at, &mut bytes).is_err() {
            let _ = memory::read_into(self, at, &mut bytes[..2]);
        }
        bytes
    }
}

/// What a status of `waitpid` means.
fn read_status(status: i32) -> Stop {
    if libc::WIFEXITED(status) {
        return Stop::Exited(libc::WEXITSTATUS(status));
    }
    if libc::WIFSIGNALED(status) {
        return Stop::Killed(libc::WTERMSIG(status));
    }
    match status >> 16 {
        libc::PTRACE_EVENT_SECCOMP => Stop::Call,
        libc::PTRACE_EVENT_EXEC => Stop::Exec,
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => Stop::Copied,
        _ => match libc::WSTOPSIG(status) {
            signal if signal == libc::SIGTRAP | 0x80 => Stop::Return,
            signal => Stop::Signal(signal),
        },
    }
}

/// These registers, with another call.
fn with_call(mut registers: Registers, number: i64, arguments: [u64; 6]) -> Registers {
    registers.orig_rax = number as u64;
    registers.rax = number as u64;
    [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9] = arguments;
    registers
}

/// These registers, at the instruction that makes the call.
fn at_instruction(mut registers: Registers) -> Registers {
    registers.rip -= CALL_LENGTH;
    registers.rax = registers.orig_rax;
    registers.orig_rax = u64::MAX;
    registers
}
