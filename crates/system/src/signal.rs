//! Signals: who has which pending, and what becomes of them. Follows the rule that a signal is delivered at the receiver's next
//! visible operation, before it or while it waits, and that at most one more operation gets through before.

use crate::errno::{EAGAIN, EINVAL, ESRCH};
use crate::grow::Signals;
use crate::names::ObjectId;
use crate::object::{Object, OpenFile, OpenKind, TimerFd};
use crate::op::{Fd, Op, Pid, Signal};
use crate::outcome::{Extra, Outcome};
use crate::state::Alarm;
use crate::work::{Done, Spot, WHOLE, Work, error, value};

pub(crate) const SIGKILL: Signal = 9;
pub(crate) const SIGPIPE: Signal = 13;
pub(crate) const SIGALRM: Signal = 14;
pub(crate) const SIGCHLD: Signal = 17;
const SIGCONT: Signal = 18;
const SIGSTOP: Signal = 19;
const FIRST_QUEUED: Signal = 32;
const STOPPING: [Signal; 4] = [SIGSTOP, 20, 21, 22];
/// Signals that do nothing unless somebody asks for them.
const QUIET: [Signal; 4] = [SIGCHLD, SIGCONT, 23, 28];

/// What becomes of a signal that is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Handler,
    Death,
    Nothing,
}

/// A pending signal that can be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deliverable {
    pub(crate) signal: Signal,
    pub(crate) fate: Fate,
    /// Before the operation begins.
    pub(crate) before: bool,
    /// While the operation waits.
    pub(crate) during: bool,
}

pub(crate) fn bit(signal: Signal) -> u64 {
    1 << (signal - 1)
}

/// What becomes of a signal, as things are.
pub(crate) fn fate(signals: Signals, signal: Signal) -> Fate {
    if signal == SIGKILL {
        Fate::Death
    } else if signals.handled & bit(signal) != 0 {
        Fate::Handler
    } else if signals.ignored & bit(signal) != 0 || QUIET.contains(&signal) {
        Fate::Nothing
    } else {
        Fate::Death
    }
}

impl Work<'_> {
    fn fate(&self, pid: Pid, signal: Signal) -> Fate {
        let Some(process) = self.state.process(pid).filter(|process| process.runs()) else { return Fate::Nothing };
        fate(self.signals[process.node as usize], signal)
    }

    /// Whether a process has said that it wants to hear nothing of a signal.
    pub(crate) fn ignores(&self, pid: Pid, signal: Signal) -> bool {
        self.state.process(pid).is_some_and(|process| self.signals[process.node as usize].ignored & bit(signal) != 0)
    }

    /// Sends a signal to a process.
    pub(crate) fn post(&mut self, to: Pid, signal: Signal, sender: Pid) {
        let Some(process) = self.state.process(to).filter(|process| process.runs()) else { return };
        let blocked = self.signals[process.node as usize].blocked & bit(signal) != 0;
        if !blocked && self.fate(to, signal) == Fate::Nothing {
            return;
        }
        self.habits.signals = true;
        self.touch(Spot::Signals(to), true);
        let own = to == self.pid;
        let process = self.process_mut(to).expect("it was there");
        // Several signals of a kind are one, but for the newer kinds.
        let there = process.pending.iter().any(|entry| entry.0 == signal);
        if !there || signal >= FIRST_QUEUED {
            let index = process.pending.partition_point(|entry| entry.0 <= signal);
            process.pending.insert(index, (signal, sender));
        }
        process.overdue |= own && !blocked;
    }

    pub(crate) fn kill(&mut self, to: Pid, signal: Signal) -> Done {
        if !(0..=64).contains(&signal) {
            return error(EINVAL);
        }
        if STOPPING.contains(&signal) || signal == SIGCONT {
            return Done::Unsupported("kill with a signal that stops or continues");
        }
        let me = self.pid;
        let concerned = |pid: Pid| match to {
            1.. => pid == to,
            -1 => pid != me,
            _ => true,
        };
        let targets: Vec<(Pid, Pid)> = self
            .state
            .processes
            .iter()
            .filter(|process| concerned(process.pid))
            .map(|process| (process.pid, process.parent))
            .collect();
        for &(_, parent) in &targets {
            self.touch(Spot::Children(parent), false);
        }
        if targets.is_empty() {
            return error(ESRCH);
        }
        if signal != 0 {
            for (pid, _) in targets {
                self.post(pid, signal, me);
            }
        }
        value(0)
    }

    /// The pending signals that can be delivered to the process before its operation or during it, with what becomes of them.
    pub(crate) fn deliverable(&mut self, op: &Op) -> Vec<Deliverable> {
        if self.me().pending.is_empty() {
            return Vec::new();
        }
        self.touch(Spot::Signals(self.pid), false);
        let before = self.stop.signals.blocked & !bit(SIGKILL);
        // Some operations block other signals while they wait.
        let mask = match op {
            Op::Pause { mask } | Op::Poll { mask, .. } | Op::Epoll(crate::op::EpollOp::Wait { mask, .. }) => *mask,
            _ => None,
        };
        let during = mask.map_or(before, |mask| mask & !bit(SIGKILL));
        let mut pending: Vec<Signal> = self.me().pending.iter().map(|entry| entry.0).collect();
        pending.dedup();
        let deliverable = pending.into_iter().map(|signal| Deliverable {
            signal,
            fate: self.fate(self.pid, signal),
            before: before & bit(signal) == 0,
            during: during & bit(signal) == 0,
        });
        deliverable.filter(|one| one.fate != Fate::Nothing && (one.before || one.during)).collect()
    }

    fn take_pending(&mut self, signal: Signal) -> Option<Pid> {
        self.touch(Spot::Signals(self.pid), true);
        let pending = &mut self.me_mut().pending;
        let index = pending.iter().position(|entry| entry.0 == signal)?;
        Some(pending.remove(index).1)
    }

    /// Delivers a signal to the process, which has a handler for it.
    pub(crate) fn deliver(&mut self, signal: Signal, interrupted: bool) -> Done {
        let Some(sender) = self.take_pending(signal) else { return Done::Blocked };
        let me = self.me_mut();
        me.overdue = false;
        me.progress = crate::state::Progress::None;
        Outcome::with(0, Extra::Signal { signal, sender, interrupted }).into()
    }

    /// Lets the process die of a signal.
    pub(crate) fn die(&mut self, signal: Signal) -> Done {
        self.touch(Spot::Signals(self.pid), true);
        self.end(signal)
    }

    pub(crate) fn sigwait(&mut self, set: u64) -> Done {
        self.touch(Spot::Signals(self.pid), false);
        let found = self.me().pending.iter().map(|entry| entry.0).find(|&signal| set & bit(signal) != 0);
        match found {
            Some(signal) => {
                self.take_pending(signal);
                value(i64::from(signal))
            }
            None => Done::Blocked,
        }
    }

    pub(crate) fn sigpending(&mut self) -> Done {
        self.touch(Spot::Signals(self.pid), false);
        let set = self.me().pending.iter().fold(0, |set, entry| set | bit(entry.0));
        value((set & self.stop.signals.blocked) as i64)
    }

    pub(crate) fn set_alarm(&mut self, set: bool, again: bool) -> Done {
        self.touch(Spot::Signals(self.pid), true);
        let before = self.me().alarm != Alarm::Off;
        self.habits.signals |= set;
        self.me_mut().alarm = match (set, again) {
            (false, _) => Alarm::Off,
            (true, false) => Alarm::Once,
            (true, true) => Alarm::Again,
        };
        value(i64::from(before))
    }

    /// The alarm clock of the process rings.
    pub(crate) fn ring(&mut self) -> Done {
        if self.me().alarm == Alarm::Once {
            self.me_mut().alarm = Alarm::Off;
        }
        // It comes from outside: the operation may have begun to wait, and is interrupted.
        let overdue = self.me().overdue;
        self.post(self.pid, SIGALRM, 0);
        self.me_mut().overdue = overdue;
        Done::Partly
    }

    pub(crate) fn signal_fd(&mut self, fd: Fd, set: u64, nonblocking: bool) -> Done {
        if let Some(file) = self.me().file(fd) {
            self.open_mut(file).what = OpenKind::Signals(set);
        } else {
            self.open(fd, OpenFile { read: true, ..OpenFile::new(OpenKind::Signals(set), nonblocking) });
        }
        value(i64::from(fd))
    }

    pub(crate) fn read_signals(&mut self, set: u64, count: usize, nonblocking: bool) -> Done {
        if count < 128 {
            return error(EINVAL);
        }
        let sender =
            |work: &Self, signal| work.me().pending.iter().find(|entry| entry.0 == signal).map_or(0, |entry| entry.1);
        self.touch(Spot::Signals(self.pid), false);
        let found = self.me().pending.iter().map(|entry| entry.0).find(|&signal| set & bit(signal) != 0);
        let Some(signal) = found else { return if nonblocking { error(EAGAIN) } else { Done::Blocked } };
        let pid = sender(self, signal);
        self.take_pending(signal);
        let mut bytes = vec![0; 128];
        bytes[..4].copy_from_slice(&signal.to_le_bytes());
        bytes[12..16].copy_from_slice(&pid.to_le_bytes());
        Outcome::bytes(bytes).into()
    }

    pub(crate) fn timer_fd(&mut self, fd: Fd, nonblocking: bool) -> Done {
        let timer = self.make(Object::Timer(TimerFd { set: false, again: false }));
        self.open(fd, OpenFile { read: true, ..OpenFile::new(OpenKind::Timer(timer), nonblocking) });
        value(i64::from(fd))
    }

    fn timer(&mut self, id: ObjectId) -> &mut TimerFd {
        match self.change(id, WHOLE) {
            Some(Object::Timer(timer)) => timer,
            other => unreachable!("a timer leads to {other:?}"),
        }
    }

    pub(crate) fn set_timer_fd(&mut self, fd: Fd, set: bool, again: bool) -> Done {
        match self.file(fd) {
            Err(done) => done,
            Ok((_, OpenFile { what: OpenKind::Timer(id), .. })) => {
                *self.timer(id) = TimerFd { set, again };
                value(0)
            }
            Ok(_) => error(EINVAL),
        }
    }

    pub(crate) fn read_timer(&mut self, id: ObjectId, count: usize, nonblocking: bool) -> Done {
        if count < 8 {
            return error(EINVAL);
        }
        let timer = self.timer(id);
        if !timer.set {
            return if nonblocking { error(EAGAIN) } else { Done::Blocked };
        }
        timer.set = timer.again;
        Outcome::bytes(1u64.to_le_bytes().to_vec()).into()
    }
}
