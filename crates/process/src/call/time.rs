//! Clocks, sleeping and timers. Follows section 6 of the design of process checks: the time is a function of a process's own
//! history, and a timer may expire whenever it is set.

use super::{Decision, Finish, Looked, Moment};
use crate::own::Shared;
use nix::errno::Errno;
use quotient_system::Op;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn time_call(&mut self) -> Option<Looked> {
        let [first, second, third, fourth, ..] = self.arguments;
        Some(match self.number {
            libc::SYS_clock_gettime => {
                let now = self.own.now();
                self.give(second, &pair(now / SECOND, now % SECOND), 0)
            }
            libc::SYS_clock_getres => self.give(second, &pair(0, 1), 0),
            libc::SYS_gettimeofday => {
                let now = self.own.now();
                self.give(first, &pair(now / SECOND, now % SECOND / 1000), 0)
            }
            libc::SYS_time => {
                let seconds = self.own.now() / SECOND;
                self.give(first, &seconds.to_le_bytes(), seconds as i64)
            }
            libc::SYS_times => {
                let ticks = self.own.now() / (SECOND / 100);
                self.give(first, &[0; 32], ticks as i64)
            }
            libc::SYS_nanosleep => self.sleep(first, false),
            libc::SYS_clock_nanosleep => self.sleep(third, second as i32 & libc::TIMER_ABSTIME != 0),
            libc::SYS_alarm => self.alarm(first as u32 != 0, false, 0),
            libc::SYS_setitimer if self.int(0) == libc::ITIMER_REAL => self.set_timer(second, third),
            libc::SYS_timerfd_create => self.timer_descriptor(),
            libc::SYS_timerfd_settime => self.set_timer_descriptor(third, fourth),
            _ => return None,
        })
    }

    fn sleep(&mut self, address: u64, until: bool) -> Looked {
        let mut time = self.timespec(address)?;
        if until {
            time = time.saturating_sub(self.own.now());
        }
        Ok(Decision::Visible(Op::Sleep, Finish::Slept { time }))
    }

    fn alarm(&self, set: bool, again: bool, old: u64) -> Looked {
        Ok(Decision::Visible(Op::Alarm { set, again }, Finish::Timer(old)))
    }

    fn set_timer(&self, new: u64, old: u64) -> Looked {
        let bytes = self.read(new, 32)?;
        self.alarm(bytes[16..] != [0; 16], bytes[..16] != [0; 16], old)
    }

    fn timer_descriptor(&self) -> Looked {
        let (fd, flags) = (self.own.free(1, 0)?[0], self.int(1));
        let op = Op::TimerFd { fd, nonblocking: flags & libc::TFD_NONBLOCK != 0 };
        self.new_one(fd, op, Shared::Other, flags & libc::TFD_CLOEXEC != 0)
    }

    fn set_timer_descriptor(&self, new: u64, old: u64) -> Looked {
        if old != 0 {
            return Err(self.unsupported("the old value of a timer"));
        }
        let fd = self.int(0);
        if self.own.shared(fd).is_none() {
            return Err(Errno::EINVAL.into());
        }
        let bytes = self.read(new, 32)?;
        let op = Op::SetTimerFd { fd, set: bytes[16..] != [0; 16], again: bytes[..16] != [0; 16] };
        super::visible(op)
    }
}

/// Two numbers of eight bytes.
fn pair(first: u64, second: u64) -> Vec<u8> {
    [first.to_le_bytes(), second.to_le_bytes()].concat()
}
