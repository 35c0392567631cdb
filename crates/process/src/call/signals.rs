//! Signals: what a process does about them, waits for and sends. Follows `rt_sigaction(2)`, `sigsuspend(2)` and `kill(2)`;
//! handlers and masks are the system's own, delivery is the checker's decision.

use super::{Decision, Finish, Looked, Moment, visible};
use crate::own::{Action, Shared};
use nix::errno::Errno;
use quotient_system::Op;

/// The size of a set of signals.
const SET: u64 = 8;
/// Signals that do nothing unless somebody asks for them.
const QUIET: [i32; 4] = [libc::SIGCHLD, libc::SIGCONT, libc::SIGURG, libc::SIGWINCH];
/// Where the end of a handler finds the set of signals that are to be blocked again, from the stack pointer on.
pub(crate) const SET_AT: u64 = 296;
/// Signals that cannot be blocked or handled.
const UNMOVED: u64 = 1 << (libc::SIGKILL - 1) | 1 << (libc::SIGSTOP - 1);

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn signal_call(&mut self) -> Option<Looked> {
        let [first, second, third, fourth, ..] = self.arguments;
        Some(match self.number {
            libc::SYS_rt_sigaction => self.sigaction(),
            libc::SYS_rt_sigprocmask => self.set_mask(),
            libc::SYS_rt_sigreturn => self.end_of_handler(),
            libc::SYS_sigaltstack => self.other_stack(first),
            libc::SYS_rt_sigpending => Ok(Decision::Visible(Op::SigPending, Finish::Set(first))),
            libc::SYS_pause => visible(Op::Pause { mask: None }),
            libc::SYS_rt_sigsuspend if second == SET => self.set(first).and_then(|mask| visible(Op::Pause { mask })),
            libc::SYS_rt_sigtimedwait if fourth == SET => self.sigwait(first, second, third),
            libc::SYS_kill => self.kill(self.int(0), self.int(1)),
            libc::SYS_tkill => self.kill(self.int(0), self.int(1)),
            libc::SYS_tgkill if self.int(0) == self.int(1) => self.kill(self.int(0), self.int(2)),
            libc::SYS_signalfd4 if third == SET => self.signal_descriptor(second, self.int(3)),
            libc::SYS_getpgrp => self.answer(self.own.group().into()),
            libc::SYS_getpgid if matches!(self.int(0), 0) || self.int(0) == self.own.pid => {
                self.answer(self.own.group().into())
            }
            libc::SYS_getsid if matches!(self.int(0), 0) || self.int(0) == self.own.pid => {
                self.answer(self.own.group().into())
            }
            _ => return None,
        })
    }

    /// The set of signals at an address, unless that is 0.
    pub(super) fn set(&self, address: u64) -> Result<Option<u64>, super::Refusal> {
        if address == 0 {
            return Ok(None);
        }
        let bytes = self.read(address, SET as usize)?;
        Ok(Some(u64::from_le_bytes(bytes.try_into().unwrap_or_default())))
    }

    fn sigaction(&self) -> Looked {
        let (signal, new) = (self.int(0), self.arguments[1]);
        let can = (1..=64).contains(&signal) && UNMOVED & 1 << (signal - 1) == 0;
        if new == 0 || !can || self.arguments[3] != SET {
            return self.pass();
        }
        let bytes = self.read(new, 32)?;
        let words = std::array::from_fn(|index| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * index + i])));
        let action = Action::new(words);
        // To ignore a signal once more drops it if it waits.
        let drops = action.as_ref().map_or(QUIET.contains(&signal), |action| action.ignored);
        if action.as_ref() == self.own.actions.get(&signal) && !drops {
            return self.pass();
        }
        let op = Op::SetAction { signal, action: Action::told(action, signal) };
        Ok(Decision::Visible(op, Finish::Action { signal, words }))
    }

    /// A call that changes which signals are blocked.
    fn set_mask(&self) -> Looked {
        let [_, new, _, size, ..] = self.arguments;
        if new == 0 || size != SET {
            return self.pass();
        }
        let (set, before) = (self.set(new)?.unwrap_or(0), self.tracee.blocked()?);
        match self.int(0) {
            libc::SIG_BLOCK => self.block(before | set),
            libc::SIG_UNBLOCK => self.block(before & !set),
            libc::SIG_SETMASK => self.block(set),
            _ => self.pass(),
        }
    }

    /// The end of a handler puts the set in force that was kept with the registers.
    fn end_of_handler(&self) -> Looked {
        let set = self.set(self.tracee.registers()?.rsp + SET_AT)?.unwrap_or(0);
        self.block(set)
    }

    /// The system makes the call, after which these signals are blocked.
    fn block(&self, set: u64) -> Looked {
        let blocked = set & !UNMOVED;
        if blocked == self.tracee.blocked()? {
            return self.pass();
        }
        Ok(Decision::Visible(Op::SetMask { blocked }, Finish::Make))
    }

    /// The stack for handlers is the system's matter; that it is another one tells processes apart.
    fn other_stack(&mut self, new: u64) -> Looked {
        let stack = if new == 0 { None } else { Some(self.read(new, size_of::<libc::stack_t>())?) };
        if self.make()? == 0
            && let Some(stack) = stack
        {
            self.own.other_stack = stack;
        }
        Ok(Decision::Done)
    }

    fn sigwait(&self, set: u64, info: u64, timeout: u64) -> Looked {
        let set = self.set(set)?.ok_or(Errno::EFAULT)?;
        let (timeout, _) = self.timeout(timeout)?;
        Ok(Decision::Visible(Op::SigWait { set, timeout }, Finish::Taken(info)))
    }

    fn kill(&self, to: i32, signal: i32) -> Looked {
        if !(0..=64).contains(&signal) {
            return Err(Errno::EINVAL.into());
        }
        let to = match to {
            0 => return Err(self.unsupported("process groups")),
            to if to < -1 => return Err(self.unsupported("process groups")),
            to => to,
        };
        visible(Op::Kill { to, signal })
    }

    fn signal_descriptor(&self, set: u64, flags: i32) -> Looked {
        if self.int(0) != -1 {
            return Err(self.unsupported("another set for a descriptor that there is"));
        }
        let set = self.set(set)?.ok_or(Errno::EFAULT)?;
        let fd = self.own.free(1, 0)?[0];
        let op = Op::SignalFd { fd, set, nonblocking: flags & libc::SFD_NONBLOCK != 0 };
        self.new_one(fd, op, Shared::Other, flags & libc::SFD_CLOEXEC != 0)
    }
}
