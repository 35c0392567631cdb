//! Calls about processes themselves: fork, exec, exit, wait, ids, and the two calls for assertions and choices.
//! Follows `clone(2)`, `execve(2)`, `wait4(2)` and section 12 of the design of process checks.

use super::{ASSERT, Decision, Finish, Fork, Looked, Moment, TOSS, visible};
use crate::memory;
use nix::errno::Errno;
use quotient_system::{Op, Who};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Flags of `clone` that mean nothing for a process of its own, or that are taken care of.
const KNOWN: u64 = (libc::CLONE_CHILD_SETTID
    | libc::CLONE_CHILD_CLEARTID
    | libc::CLONE_PARENT_SETTID
    | libc::CLONE_SETTLS
    | libc::CLONE_VM
    | libc::CLONE_VFORK) as u64;

/// The id of whoever has started the programs: nobody among the processes has it, and it is not that of `init`.
const OUTSIDE: i64 = 99;

/// The part of the flags that is the signal to the parent.
const SIGNAL: u64 = 0xff;

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn process_call(&mut self) -> Option<Looked> {
        let [first, second, third, fourth, fifth, _] = self.arguments;
        Some(match self.number {
            TOSS => visible(Op::Toss { most: first as u32 }),
            ASSERT => visible(Op::Assert { holds: first != 0 }),
            libc::SYS_exit | libc::SYS_exit_group => self.exit(),
            libc::SYS_fork => self.clone_call(libc::SIGCHLD as u64, [0; 4]),
            libc::SYS_vfork => self.clone_call((libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD) as u64, [0; 4]),
            libc::SYS_clone => self.clone_call(first, [second, third, fourth, fifth]),
            libc::SYS_execve => self.exec(),
            libc::SYS_wait4 => self.wait4(),
            libc::SYS_waitid => self.waitid(),
            libc::SYS_getpid | libc::SYS_gettid | libc::SYS_set_tid_address => self.answer(self.own.pid.into()),
            // Nobody among the processes is the parent of those that the checker has started.
            libc::SYS_getppid if self.own.first => self.answer(OUTSIDE),
            libc::SYS_getppid => visible(Op::Parent),
            // An older system, on which the C library makes older calls.
            libc::SYS_clone3
            | libc::SYS_rseq
            | libc::SYS_openat2
            | libc::SYS_io_uring_setup
            | libc::SYS_copy_file_range => Err(Errno::ENOSYS.into()),
            libc::SYS_sendfile | libc::SYS_splice | libc::SYS_tee | libc::SYS_vmsplice => Err(Errno::EINVAL.into()),
            libc::SYS_prctl => self.prctl(),
            libc::SYS_prlimit64 if second as u32 == libc::RLIMIT_NOFILE => self.descriptor_limit(fourth, third),
            libc::SYS_getrlimit if first as u32 == libc::RLIMIT_NOFILE => self.descriptor_limit(second, 0),
            // Limits of the process itself; what it asks for is kept by the system.
            libc::SYS_prlimit64 if (first == 0 || self.int(0) == self.own.pid) && third == 0 => self.pass_for_self(),
            libc::SYS_getrlimit => self.pass(),
            libc::SYS_sched_getaffinity => self.give(third, &1_u64.to_le_bytes(), 8),
            libc::SYS_getcpu => self.getcpu(),
            libc::SYS_sched_yield => visible(Op::Yield),
            libc::SYS_sysinfo => self.sysinfo(),
            libc::SYS_getrusage => self.give(second, &[0; size_of::<libc::rusage>()], 0),
            libc::SYS_getrandom => {
                let bytes = self.own.random(self.size(1).min(256));
                self.give(first, &bytes, bytes.len() as i64)
            }
            libc::SYS_umask => {
                let before = std::mem::replace(&mut self.own.umask, first as u32 & 0o777);
                self.answer(before.into())
            }
            libc::SYS_setuid | libc::SYS_setreuid | libc::SYS_setresuid => self.stay(nix::unistd::getuid().as_raw()),
            libc::SYS_setgid | libc::SYS_setregid | libc::SYS_setresgid => self.stay(nix::unistd::getgid().as_raw()),
            libc::SYS_personality if first as u32 == u32::MAX => self.pass(),
            libc::SYS_getpriority | libc::SYS_capget => self.pass(),
            _ => return None,
        })
    }

    /// Writes something for the process and answers.
    pub(super) fn give(&self, address: u64, bytes: &[u8], value: i64) -> Looked {
        if address != 0 {
            self.write(address, bytes)?;
        }
        self.answer(value)
    }

    fn exit(&self) -> Looked {
        if self.own.borrowed {
            return Err(self.unsupported("a program started by posix_spawn or the like could not be run"));
        }
        visible(Op::Exit { status: self.int(0) & 0xff })
    }

    /// Arguments beside the flags: stack, the parent's place for the id, the child's, and the memory of the thread.
    fn clone_call(&self, flags: u64, [stack, parent_id, child_id, thread_memory]: [u64; 4]) -> Looked {
        let has = |flag: i32| flags & flag as u64 != 0;
        if has(libc::CLONE_THREAD) {
            return Err(self.unsupported("threads: only processes with one thread can be checked"));
        }
        if has(libc::CLONE_VM) && !has(libc::CLONE_VFORK) {
            return Err(self.unsupported("processes that share their memory"));
        }
        if flags & !(KNOWN | SIGNAL) != 0 || flags & SIGNAL != libc::SIGCHLD as u64 {
            return Err(self.unsupported(format!("flags {flags:#x}")));
        }
        let fork = Fork {
            stack,
            child_id: has(libc::CLONE_CHILD_SETTID).then_some(child_id),
            parent_id: has(libc::CLONE_PARENT_SETTID).then_some(parent_id),
            thread_memory: has(libc::CLONE_SETTLS).then_some(thread_memory),
            borrowed: has(libc::CLONE_VM) && stack != 0,
        };
        Ok(Decision::Visible(Op::Fork { waits: has(libc::CLONE_VFORK) }, Finish::Fork(fork)))
    }

    fn exec(&self) -> Looked {
        let path = self.string(self.arguments[0])?;
        let program = self.absolute(libc::AT_FDCWD, &path)?;
        if self.world.is_shared(&program) || self.world.leads_in(&program, true).is_some() {
            return Err(self.unsupported("a program in a shared directory"));
        }
        if !path.starts_with(b"/") && self.world.is_shared(&self.own.directory) {
            return Err(self.unsupported("a program by a relative path from a shared directory"));
        }
        if program == b"/proc/self/exe" && self.tracee.loaded().is_some() {
            return Err(self.unsupported("a program by the name that it has in /proc"));
        }
        if !can_run(&program) {
            // The system says what is wrong with it.
            self.make()?;
            return Ok(Decision::Done);
        }
        let mut command = Vec::new();
        let mut at = self.arguments[1];
        while at != 0 && command.len() < 1000 {
            let address = u64::from_le_bytes(self.read(at, 8)?.try_into().unwrap_or_default());
            if address == 0 {
                break;
            }
            command.push(memory::read_argument(self.tracee, address).map_err(|error| match error {
                Errno::ENAMETOOLONG => Errno::E2BIG,
                other => other,
            })?);
            at += 8;
        }
        let op = Op::Exec { close: self.own.closed_by_exec(), command };
        Ok(Decision::Visible(op, Finish::Exec { program }))
    }

    fn wait4(&self) -> Looked {
        let [_, status, options, usage, ..] = self.arguments;
        let who = match self.int(0) {
            -1 => Who::Any,
            0 => return Err(self.unsupported("process groups")),
            pid if pid < 0 => return Err(self.unsupported("process groups")),
            pid => Who::Child(pid),
        };
        let op = Op::Wait { who, no_hang: options as i32 & libc::WNOHANG != 0, keep: false };
        Ok(Decision::Visible(op, Finish::Status { status, usage }))
    }

    fn waitid(&self) -> Looked {
        let [kind, id, address, _, usage, _] = self.arguments;
        let options = self.int(3);
        let who = match kind as libc::idtype_t {
            libc::P_ALL => Who::Any,
            libc::P_PID => Who::Child(id as i32),
            _ => return Err(self.unsupported("process groups and descriptors of processes")),
        };
        if options & libc::WEXITED == 0 {
            return Err(self.unsupported("waiting for something else than the end of a child"));
        }
        let op = Op::Wait { who, no_hang: options & libc::WNOHANG != 0, keep: options & libc::WNOWAIT != 0 };
        Ok(Decision::Visible(op, Finish::Info { address, usage }))
    }

    fn prctl(&mut self) -> Looked {
        match self.int(0) {
            libc::PR_SET_NAME => {
                self.own.name = self.string(self.arguments[1])?;
                self.own.name.truncate(15);
                self.pass()
            }
            libc::PR_GET_NAME
            | libc::PR_SET_NO_NEW_PRIVS
            | libc::PR_GET_DUMPABLE
            | libc::PR_CAPBSET_READ
            | libc::PR_SET_VMA => self.pass(),
            option => Err(self.unsupported(format!("option {option}"))),
        }
    }

    /// The id of the process means nothing to the system, but 0 does.
    fn pass_for_self(&self) -> Looked {
        let [_, second, third, fourth, ..] = self.arguments;
        self.tracee.substitute(self.number, [0, second, third, fourth, 0, 0])?;
        Ok(Decision::Done)
    }

    /// The limit on descriptors is the checker's; no process changes it.
    fn descriptor_limit(&self, old: u64, new: u64) -> Looked {
        if new != 0 {
            return Err(self.unsupported("another limit on descriptors"));
        }
        let limit = (crate::launch::DESCRIPTORS as u64).to_le_bytes();
        self.give(old, &[limit, limit].concat(), 0)
    }

    /// Becomes who the process is already; nobody here becomes anybody else.
    fn stay(&self, own: u32) -> Looked {
        let count = match self.number {
            libc::SYS_setuid | libc::SYS_setgid => 1,
            libc::SYS_setreuid | libc::SYS_setregid => 2,
            _ => 3,
        };
        if self.arguments[..count].iter().all(|&id| id as u32 == own || id as u32 == u32::MAX) {
            return self.answer(0);
        }
        Err(self.unsupported("another user or group"))
    }

    fn getcpu(&self) -> Looked {
        for address in &self.arguments[..2] {
            if *address != 0 {
                self.write(*address, &[0; 4])?;
            }
        }
        self.answer(0)
    }

    /// A machine with one gigabyte of memory.
    fn sysinfo(&self) -> Looked {
        let mut bytes = [0; 112];
        for at in [32, 40] {
            bytes[at..at + 8].copy_from_slice(&(1_u64 << 30).to_le_bytes());
        }
        bytes[104] = 1;
        self.give(self.arguments[0], &bytes, 0)
    }
}

/// Whether the system would run this file.
fn can_run(path: &[u8]) -> bool {
    let path = Path::new(std::ffi::OsStr::from_bytes(path));
    if !path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0) {
        return false;
    }
    let mut start = [0; 256];
    let Ok(count) = std::fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut start)) else {
        return false;
    };
    let start = &start[..count];
    let Some(line) = start.strip_prefix(b"#!") else { return start.starts_with(b"\x7fELF") };
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    words.next().is_some_and(|interpreter| Path::new(std::ffi::OsStr::from_bytes(interpreter)).exists())
}
