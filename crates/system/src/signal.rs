//! Signals: who has which pending, and what becomes of them. Follows the rules of Linux: a signal is delivered before an operation
//! begins, while it waits, or before it returns, and then with all others that can be; nothing else happens before their handlers run.

use crate::errno::{EAGAIN, EINVAL, ESRCH};
use crate::grow::Signals;
use crate::names::ObjectId;
use crate::object::{Object, OpenFile, OpenKind, TimerFd};
use crate::op::{Action, EpollOp, Fd, Handler, Op, Pid, Signal};
use crate::outcome::{Extra, Outcome};
use crate::state::{Alarm, Progress};
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

/// What comes of all signals that can be delivered at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// Those whose handlers run, lowest first, with their senders. Each handler begins before the one before it has done anything.
    pub(crate) handled: Vec<(Signal, Pid)>,
    /// The process dies of this one instead.
    pub(crate) dies: Option<Signal>,
}

impl Delivery {
    pub(crate) fn is_empty(&self) -> bool {
        self.handled.is_empty() && self.dies.is_none()
    }

    /// What comes of signals that wait, lowest first.
    fn of(pending: &[(Signal, Pid)], mut signals: Signals, handlers: &[(Signal, Handler)]) -> Self {
        let deadly = |one: Signal, signals: Signals| {
            signals.blocked & bit(one) & !bit(SIGKILL) == 0 && fate(signals, one) == Fate::Death
        };
        let mut pending: Vec<(Signal, Pid)> = pending.to_vec();
        let kill = pending.iter().find(|one| one.0 == SIGKILL);
        let dies = kill.or_else(|| pending.iter().find(|one| deadly(one.0, signals))).map(|one| one.0);
        let mut handled = Vec::new();
        while dies.is_none() {
            let next = pending.iter().position(|one| signals.blocked & bit(one.0) == 0);
            let Some(next) = next.map(|index| pending.remove(index)) else { break };
            match fate(signals, next.0) {
                Fate::Nothing => {}
                Fate::Death => return Self { handled: Vec::new(), dies: Some(next.0) },
                Fate::Handler => {
                    let usual = Handler { mask: bit(next.0), once: false };
                    let handler = handlers.iter().find(|one| one.0 == next.0).map_or(usual, |one| one.1);
                    signals.blocked |= handler.mask;
                    if handler.once {
                        signals.handled &= !bit(next.0);
                    }
                    handled.push(next);
                }
            }
        }
        Self { handled, dies }
    }
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

/// The signals of which something comes, if they are not blocked.
pub(crate) fn heeded(signals: Signals) -> u64 {
    (1..=64).filter(|&signal| fate(signals, signal) != Fate::Nothing).fold(0, |set, signal| set | bit(signal))
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
        let own = to == self.pid;
        if !own {
            self.habits.noticed.sent |= bit(signal);
        }
        if !blocked && self.fate(to, signal) == Fate::Nothing {
            // It would be something else if the process had asked for it.
            self.touch(Spot::Signals(to), false);
            return;
        }
        self.habits.signals |= !own;
        self.touch(Spot::Signals(to), true);
        let process = self.process_mut(to).expect("it was there");
        // Several signals of a kind are one, but for the newer kinds.
        let there = process.pending.iter().any(|entry| entry.0 == signal);
        if !there || signal >= FIRST_QUEUED {
            let index = process.pending.partition_point(|entry| entry.0 <= signal);
            process.pending.insert(index, (signal, sender));
        }
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

    /// What can be delivered to the process while its operation waits, or before it begins.
    pub(crate) fn delivery(&self, waits: bool) -> Delivery {
        let me = self.me();
        if me.pending.is_empty() {
            return Delivery::default();
        }
        let mut signals = self.stop.signals;
        // Some operations block other signals while they wait.
        if let Op::Pause { mask } | Op::Poll { mask, .. } | Op::Epoll(EpollOp::Wait { mask, .. }) = self.stop.op
            && waits
            && let Some(mask) = mask
        {
            signals.blocked = mask;
        }
        match me.progress {
            // Whoever waits for a child to let it go can only be killed.
            Progress::Lent(_) => signals.blocked = u64::MAX,
            Progress::None => {}
            // It has begun.
            _ if !waits => return Delivery::default(),
            _ => {}
        }
        Delivery::of(&me.pending, signals, &self.stop.handlers)
    }

    /// Delivers with an outcome what is there before the call returns. The process may die of it.
    pub(crate) fn deliver_with(&mut self, outcome: Outcome) -> (Done, Option<Signal>) {
        let mut handlers = self.stop.handlers.clone();
        match self.stop.op {
            Op::Exec { .. } => handlers.clear(),
            Op::SetAction { signal, action } => {
                handlers.retain(|one| one.0 != signal);
                if let Action::Handled(handler) = action {
                    handlers.push((signal, handler));
                }
            }
            _ => {}
        }
        let Delivery { handled, dies } =
            Delivery::of(&self.me().pending, self.stop.signals.after(&self.stop.op), &handlers);
        if let Some(signal) = dies {
            return (self.die(signal), dies);
        }
        for &(signal, _) in &handled {
            self.take_pending(signal);
        }
        (Outcome { signals: handled, ..outcome }.into(), None)
    }

    /// Changes what becomes of signals. What is ignored from then on and waits is gone.
    pub(crate) fn set_signals(&mut self) -> Done {
        self.touch(Spot::Signals(self.pid), true);
        let after = self.stop.signals.after(&self.stop.op);
        if let Op::SetAction { signal, .. } = self.stop.op
            && fate(after, signal) == Fate::Nothing
        {
            self.me_mut().pending.retain(|one| one.0 != signal);
        }
        value(0)
    }

    fn take_pending(&mut self, signal: Signal) -> Option<Pid> {
        self.touch(Spot::Signals(self.pid), true);
        let pending = &mut self.me_mut().pending;
        let index = pending.iter().position(|entry| entry.0 == signal)?;
        Some(pending.remove(index).1)
    }

    /// Delivers what can be delivered, before the operation begins or while it waits.
    pub(crate) fn deliver(&mut self, interrupted: bool) -> Done {
        let Delivery { handled, .. } = self.delivery(interrupted);
        for &(signal, _) in &handled {
            self.take_pending(signal);
        }
        let progress = std::mem::replace(&mut self.me_mut().progress, Progress::None);
        let outcome = match progress {
            Progress::Written(count) if count > 0 => Outcome::value(count as i64),
            _ => Outcome::with(0, Extra::Delivered { interrupted }),
        };
        Outcome { signals: handled, ..outcome }.into()
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
        self.post(self.pid, SIGALRM, 0);
        self.habits.signals = true;
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
