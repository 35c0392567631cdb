//! What every operation does, as one table. Follows the table of calls of the design.

use crate::op::{EpollOp, MqOp, Op, Pid, SemOp, Signal, Timeout};
use crate::outcome::Outcome;
use crate::work::{Done, Work, value};

/// Which of several things that an operation can come to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// The only one.
    Go,
    /// This number is tossed.
    Toss(u32),
    /// This child is waited for.
    Reap(Pid),
    /// This process is woken.
    Wake(Pid),
    /// The time is over.
    Timeout,
    /// Handlers of signals run.
    Deliver {
        /// The lowest signal.
        signal: Signal,
        /// The operation had begun.
        interrupted: bool,
    },
    /// The process dies of a signal.
    Die(Signal),
    /// The alarm clock rings.
    Ring,
}

impl Work<'_> {
    /// What the operation may come to, as far as it is a choice.
    pub(crate) fn choices(&mut self, op: &Op) -> Vec<Choice> {
        match op {
            Op::Toss { most } => (0..=*most).map(Choice::Toss).collect(),
            Op::Wait { who, .. } => {
                let ended = self.ended_children(*who);
                if ended.is_empty() { vec![Choice::Go] } else { ended.into_iter().map(Choice::Reap).collect() }
            }
            Op::FutexWake { segment, offset, count: 1 } => {
                let parked = self.parked_at(*segment, *offset);
                if parked.is_empty() { vec![Choice::Go] } else { parked.into_iter().map(Choice::Wake).collect() }
            }
            _ => vec![Choice::Go],
        }
    }

    /// Does the operation.
    pub(crate) fn perform(&mut self, op: &Op, choice: &Choice) -> Done {
        match choice {
            Choice::Deliver { interrupted, .. } => return self.deliver(*interrupted),
            Choice::Die(signal) => return self.die(*signal),
            Choice::Ring => return self.ring(),
            Choice::Timeout => return self.time_out(op),
            Choice::Go | Choice::Toss(_) | Choice::Reap(_) | Choice::Wake(_) => {}
        }
        match op {
            Op::Fork { waits } => self.fork(*waits),
            Op::Exec { close, .. } => self.exec(close),
            Op::Exit { status } => self.end((status & 0xff) << 8),
            Op::Crash { signal, .. } => self.end(*signal),
            Op::Wait { who, no_hang, keep } => {
                let child = if let Choice::Reap(child) = choice { Some(*child) } else { None };
                self.wait(*who, *no_hang, *keep, child)
            }
            Op::Parent => self.parent(),
            Op::Read { fd, count, at } => self.read(*fd, *count, *at),
            Op::Write { fd, bytes, at } => self.write(*fd, bytes, *at),
            Op::Close { fd } => self.close(*fd),
            Op::Dup { from, to } => self.dup(*from, *to),
            Op::Flags { fd } => self.flags(*fd),
            Op::SetFlags { fd, nonblocking, append } => self.set_flags(*fd, *nonblocking, *append),
            Op::Available { fd } => self.available(*fd),
            Op::Pipe { read, write, nonblocking } => self.pipe(*read, *write, *nonblocking),
            Op::EventFd { fd, value, semaphore, nonblocking } => self.make_event(*fd, *value, *semaphore, *nonblocking),
            Op::Sem(op) => self.sem(op),
            Op::Msg(op) => self.msg(op),
            Op::Mq(op) => self.mq(op),
            Op::Flock { fd, lock, no_wait } => self.flock(*fd, *lock, *no_wait),
            Op::Lock { fd, lock, range, waits, of_file } => self.lock(*fd, *lock, *range, *waits, *of_file),
            Op::GetLock { fd, lock, range, of_file } => self.get_lock(*fd, *lock, *range, *of_file),
            Op::File(op) => self.file_op(op),
            Op::Socket(op) => self.socket(op),
            Op::Poll { entries, timeout, .. } => self.poll(entries, *timeout == Timeout::Zero),
            Op::Epoll(op) => self.epoll(op),
            Op::Memory(op) => self.memory(op),
            Op::FutexWait { segment, offset, value, .. } => self.futex_wait(*segment, *offset, *value),
            Op::FutexWake { segment, offset, count } => {
                let woken = if let Choice::Wake(pid) = choice { Some(*pid) } else { None };
                self.futex_wake(*segment, *offset, *count, woken)
            }
            Op::Kill { to, signal } => self.kill(*to, *signal),
            Op::SetMask { .. } | Op::SetAction { .. } => self.set_signals(),
            Op::Pause { .. } => Done::Blocked,
            Op::SigWait { set, .. } => self.sigwait(*set),
            Op::SigPending => self.sigpending(),
            Op::Alarm { set, again } => self.set_alarm(*set, *again),
            Op::SignalFd { fd, set, nonblocking } => self.signal_fd(*fd, *set, *nonblocking),
            Op::TimerFd { fd, nonblocking } => self.timer_fd(*fd, *nonblocking),
            Op::SetTimerFd { fd, set, again } => self.set_timer_fd(*fd, *set, *again),
            Op::Toss { .. } => match choice {
                Choice::Toss(number) => value(i64::from(*number)),
                _ => Done::Blocked,
            },
            Op::Sleep | Op::Yield | Op::Assert { .. } => value(0),
        }
    }

    /// Gives up waiting.
    fn time_out(&mut self, op: &Op) -> Done {
        use crate::errno::{EAGAIN, ETIMEDOUT};
        self.me_mut().progress = crate::state::Progress::None;
        let outcome = match op {
            Op::Sem(_) | Op::SigWait { .. } => Outcome::error(EAGAIN),
            Op::FutexWait { .. } | Op::Mq(_) => Outcome::error(ETIMEDOUT),
            Op::Poll { entries, .. } => Outcome::with(0, crate::outcome::Extra::Ready(vec![0; entries.len()])),
            Op::Epoll(_) => Outcome::with(0, crate::outcome::Extra::Events(Vec::new())),
            _ => return Done::Blocked,
        };
        outcome.into()
    }
}

/// Whether waiting for the operation may end because time is over.
pub(crate) fn may_time_out(op: &Op) -> bool {
    let timeout = match op {
        Op::Sem(SemOp::Change { timeout, .. })
        | Op::Mq(MqOp::Send { timeout, .. } | MqOp::Receive { timeout, .. })
        | Op::Poll { timeout, .. }
        | Op::Epoll(EpollOp::Wait { timeout, .. })
        | Op::FutexWait { timeout, .. }
        | Op::SigWait { timeout, .. } => *timeout,
        _ => Timeout::Never,
    };
    timeout != Timeout::Never
}
