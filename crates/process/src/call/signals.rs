//! Signals: what a process does about them, waits for and sends. Follows `rt_sigaction(2)`, `sigsuspend(2)` and `kill(2)`;
//! handlers and masks are the system's own, delivery is the checker's decision.

use super::{Decision, Finish, Looked, Moment, visible};
use crate::own::{Action, Shared};
use nix::errno::Errno;
use quotient_system::Op;

/// The size of a set of signals.
const SET: u64 = 8;

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn signal_call(&mut self) -> Option<Looked> {
        let [first, second, third, fourth, ..] = self.arguments;
        Some(match self.number {
            libc::SYS_rt_sigaction => self.sigaction(),
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

    fn sigaction(&mut self) -> Looked {
        let (signal, new) = (self.int(0), self.arguments[1]);
        let words = if new == 0 { None } else { Some(self.read(new, 32)?) };
        // The checker is told that the signal is ignored before it is not ignored any more, and the other way round.
        if words.is_some() && (1..=64).contains(&signal) {
            let ignored = self.own.actions.get(&signal).is_some_and(|action| action.ignored);
            let told = if ignored { self.own.newly_ignored } else { self.own.told_ignored };
            if told >> (signal - 1) & 1 != 0 {
                return Ok(Decision::Visible(Op::SigPending, Finish::Again));
            }
        }
        if self.make()? == 0
            && let Some(words) = words
        {
            let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| words[at + i]));
            let (handler, flags) = (word(0), word(8));
            let has = |flag: i32| flags & flag as u64 != 0;
            let action = Action {
                ignored: handler == libc::SIG_IGN as u64,
                restart: has(libc::SA_RESTART),
                once: flags & libc::SA_RESETHAND as u64 & 0xffff_ffff != 0,
                words: std::array::from_fn(|index| word(8 * index)),
            };
            if handler == libc::SIG_DFL as u64 {
                self.own.actions.remove(&signal);
            } else {
                self.own.newly_ignored |= u64::from(action.ignored) << (signal - 1);
                self.own.actions.insert(signal, action);
            }
        }
        Ok(Decision::Done)
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
        // What a process does to itself, it notices before the call returns.
        if to == self.own.pid
            && let Some(action) = self.own.actions.get(&signal)
            && self.tracee.blocked()? >> (signal - 1) & 1 == 0
        {
            return if action.ignored { self.answer(0) } else { Ok(Decision::Raise(signal)) };
        }
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
