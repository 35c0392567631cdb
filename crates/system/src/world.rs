//! What is the same in all states of a search: the trees, the names, the programs; and how one state follows from another. Follows
//! the definition of a transition as one visible operation and everything up to the next.

use std::rc::Rc;

use crate::files::make_files;
use crate::found::Move;
use crate::grow::{Grow, Node, Printed, Stop, Trouble};
use crate::label::label;
use crate::names::{FIRST_PID, MOST_PROGRAMS, Names, ObjectId};
use crate::object::{Inode, Kind, NOW, Object};
use crate::op::{EpollOp, Op, Pid, Signal};
use crate::outcome::{Contents, Extra, Outcome};
use crate::perform::{Choice, may_time_out};
use crate::signal::{Fate, fate};
use crate::state::{Alarm, Process, State};
use crate::tree::{Edge, Tree};
use crate::work::{Done, Habits, Spot, Touch, Work, conflict};

/// What is searched.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The programs that are started, one process each.
    pub programs: Vec<Program>,
    /// The files of shared directories, directories before what is in them.
    pub files: Vec<StartFile>,
    /// The largest number of processes at a time.
    pub most_processes: Option<usize>,
    /// A process that wants to exit waits forever, as in the paper.
    pub exits_wait: bool,
}

/// A program that is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// What it is called in reports.
    pub name: String,
    /// It and its children may wait forever.
    pub service: bool,
}

/// A file that is there at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFile {
    /// Its path. Directories whose parents are not listed are the beginnings of shared trees.
    pub path: Vec<u8>,
    /// What it is.
    pub content: StartContent,
    /// Its permissions.
    pub mode: u32,
    /// When a file was written last, in nanoseconds; otherwise it counts as new.
    pub written: Option<i64>,
}

/// What a file is at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartContent {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A directory.
    Directory,
    /// A symbolic link with this text.
    Symlink(Vec<u8>),
    /// A named pipe.
    Fifo,
}

/// What is the same in all states of a search.
pub(crate) struct World<'a> {
    pub(crate) tree: Tree<'a>,
    pub(crate) names: Names,
    pub(crate) roots: Vec<(Vec<u8>, ObjectId)>,
    pub(crate) system: System,
    /// What was seen that a reduction may not rely on.
    pub(crate) habits: Habits,
    /// What processes printed and where they came to, in the order in which it happened, if somebody wants to know.
    pub(crate) log: Option<Vec<Logged>>,
    /// The edges that processes have crossed, if symmetry is to be checked.
    pub(crate) crossed: Option<Vec<Crossed>>,
}

/// An edge that a process has crossed.
#[derive(Clone, Debug)]
pub(crate) struct Crossed {
    /// Who was at the node: the process itself, or the parent of a new one.
    pub(crate) before: Pid,
    pub(crate) pid: Pid,
    pub(crate) node: Node,
    pub(crate) outcome: Outcome,
    pub(crate) to: Node,
}

/// Something that happened during a transition.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) pid: Pid,
    /// Where the process was, and what it was given.
    pub(crate) given: Option<(Node, Outcome)>,
    pub(crate) printed: Vec<Printed>,
}

/// One thing that a process can do next.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) pid: Pid,
    pub(crate) choice: Choice,
    pub(crate) touched: Vec<Touch>,
    /// The process dies of this signal before the operation returns.
    pub(crate) dies: Option<Signal>,
    state: State,
    done: Done,
    others: Vec<(Pid, Outcome)>,
    habits: Habits,
}

/// What a process can do next.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    pub(crate) list: Vec<Attempt>,
    /// What it looked at to find that out.
    pub(crate) touched: Vec<Touch>,
}

/// A process that did not come to its next operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Trap {
    pub(crate) pid: Pid,
    pub(crate) node: Option<Node>,
    pub(crate) trouble: Trouble,
}

/// Private operations that one transition may take.
const MOST_PRIVATE: usize = 100_000;
const MOST_PROCESSES: usize = 64;

impl<'a> World<'a> {
    pub(crate) fn new(system: System, grow: &'a mut dyn Grow, names: Names) -> Self {
        Self {
            tree: Tree::new(grow),
            names,
            roots: Vec::new(),
            system,
            habits: Habits::default(),
            log: None,
            crossed: None,
        }
    }

    /// The first state: all programs are at their first operation that is not private, and if there is only one, at its first that
    /// is a choice or waits, or has made a second process.
    pub(crate) fn start(&mut self) -> Result<State, Trap> {
        let mut state = State { processes: Vec::new(), objects: Vec::new() };
        self.roots = make_files(&self.system.files, &mut self.names, &mut state);
        assert!(self.system.programs.len() <= MOST_PROGRAMS, "whoever calls this counts the programs");
        for index in 0..self.system.programs.len() {
            let pid = FIRST_PID + index as Pid;
            let edge = self.tree.start(index, pid);
            let node = self.arrived(&edge, pid, None)?;
            state.add_process(Process::new(pid, 1, self.system.programs[index].service, node));
        }
        self.do_private(&mut state)?;
        state = label(&mut self.names, state);
        while let [only] = &state.processes[..] {
            if matches!(self.tree.op(only.node), Op::Exit { .. } | Op::Crash { .. } | Op::Assert { .. }) {
                break;
            }
            let mut attempts = self.attempts(&state, only.pid);
            if attempts.list.len() != 1
                || matches!(attempts.list[0].choice, Choice::Die(_))
                || attempts.list[0].dies.is_some()
            {
                break;
            }
            let before = state.clone();
            state = self.arrive(attempts.list.remove(0))?;
            if state == before {
                break;
            }
        }
        Ok(state)
    }

    fn arrived(&mut self, edge: &Rc<Edge>, pid: Pid, given: Option<(Node, Outcome)>) -> Result<Node, Trap> {
        let from = given.as_ref().map(|given| given.0);
        if let Some(log) = &mut self.log {
            log.push(Logged { pid, given, printed: edge.printed.clone() });
        }
        let node = edge.to.clone().map_err(|trouble| Trap { pid, node: from, trouble })?;
        self.habits.noticed.taken |= match self.tree.op(node) {
            Op::SigWait { set, .. } | Op::SignalFd { set, .. } => *set,
            Op::SigPending => u64::MAX,
            _ => 0,
        };
        Ok(node)
    }

    fn work(&mut self, state: &State, pid: Pid, stop: &Rc<Stop>) -> Work<'_> {
        Work {
            names: &mut self.names,
            roots: &self.roots,
            signals: self.tree.signals(),
            state: state.clone(),
            pid,
            stop: Rc::clone(stop),
            touched: Vec::new(),
            habits: Habits::default(),
            others: Vec::new(),
        }
    }

    /// Everything that a process can do next.
    pub(crate) fn attempts(&mut self, state: &State, pid: Pid) -> Attempts {
        let mut all = Attempts::default();
        let process = state.process(pid).expect("it is there");
        let stop = Rc::clone(self.tree.stop(process.node));
        let waits = self.system.exits_wait && matches!(stop.op, Op::Exit { .. });
        if !process.runs() || waits {
            return all;
        }
        let alarm = process.alarm != Alarm::Off;
        let mut work = self.work(state, pid, &stop);
        let (before, during) = (work.delivery(false), work.delivery(true));
        let choices = work.choices(&stop.op);
        all.touched = work.touched;
        for choice in choices {
            self.attempt(state, pid, &stop, choice, &[], &mut all);
        }
        // Whoever waits with a signal to be delivered is interrupted before its time is over.
        if all.list.is_empty() && may_time_out(&stop.op) && during.is_empty() {
            let waits = all.touched.clone();
            self.attempt(state, pid, &stop, Choice::Timeout, &waits, &mut all);
        }
        let stuck = all.list.is_empty();
        // What happens only because the operation waits depends on all that makes it wait.
        let waits = all.touched.clone();
        let interrupts = stuck && !during.is_empty();
        if let Some(signal) = before.dies {
            self.attempt(state, pid, &stop, Choice::Die(signal), &[], &mut all);
        } else if let Some(&(signal, _)) = before.handled.first() {
            self.attempt(state, pid, &stop, Choice::Deliver { signal, interrupted: false }, &[], &mut all);
        }
        if interrupts && let Some(signal) = during.dies.filter(|_| during.dies != before.dies) {
            self.attempt(state, pid, &stop, Choice::Die(signal), &waits, &mut all);
        } else if interrupts && let Some(&(signal, _)) = during.handled.first() {
            self.attempt(state, pid, &stop, Choice::Deliver { signal, interrupted: true }, &waits, &mut all);
        }
        if alarm {
            self.attempt(state, pid, &stop, Choice::Ring, &[], &mut all);
        }
        all
    }

    /// Tries one thing. `because` is what it depends on besides.
    fn attempt(
        &mut self,
        state: &State,
        pid: Pid,
        stop: &Rc<Stop>,
        choice: Choice,
        because: &[Touch],
        all: &mut Attempts,
    ) {
        let mut work = self.work(state, pid, stop);
        work.touched.extend_from_slice(because);
        work.touch_mapped();
        // Whether a signal is pending decides what the operation comes to.
        work.touch(Spot::Signals(pid), false);
        let interrupts =
            matches!(stop.op, Op::Poll { mask: Some(_), .. } | Op::Epoll(EpollOp::Wait { mask: Some(_), .. }))
                && !work.delivery(true).is_empty();
        let mut done = work.perform(&stop.op, &choice);
        let mut dies = None;
        if let Done::Returns(outcome) = &done
            && matches!(choice, Choice::Go | Choice::Toss(_) | Choice::Reap(_) | Choice::Wake(_) | Choice::Timeout)
        {
            // Whoever only has a look is told of a signal as well, if it has let it in for that.
            if interrupts && outcome.value == 0 {
                done = Done::Blocked;
            } else if !work.me().pending.is_empty() {
                (done, dies) = work.deliver_with(Outcome::clone(outcome));
            }
        }
        let Work { state, touched, habits, others, .. } = work;
        for &touch in &touched {
            if !all.touched.contains(&touch) {
                all.touched.push(touch);
            }
        }
        if done != Done::Blocked {
            all.list.push(Attempt { pid, choice, touched, dies, state, done, others, habits });
        }
    }

    /// Carries an attempt out: the processes run to their next operations that are not private.
    pub(crate) fn arrive(&mut self, attempt: Attempt) -> Result<State, Trap> {
        let mut state = self.finish(attempt)?;
        self.do_private(&mut state)?;
        Ok(label(&mut self.names, state))
    }

    fn finish(&mut self, attempt: Attempt) -> Result<State, Trap> {
        let Attempt { pid, mut state, done, others, habits, .. } = attempt;
        self.habits.add(habits);
        if state.processes.len() > self.system.most_processes.unwrap_or(MOST_PROCESSES) {
            let trouble = Trouble::Limit { what: format!("more than {} processes", state.processes.len() - 1) };
            return Err(Trap { pid, node: state.process(pid).map(|process| process.node), trouble });
        }
        match done {
            Done::Returns(outcome) => {
                for (pid, outcome) in others {
                    self.give(&mut state, pid, outcome)?;
                }
                self.give(&mut state, pid, *outcome)?;
            }
            Done::Unsupported(call) => {
                let node = state.process(pid).map(|process| process.node);
                let trouble = Trouble::Unsupported { call: call.to_owned(), detail: String::new() };
                return Err(Trap { pid, node, trouble });
            }
            Done::Partly | Done::Ended => {
                for (pid, outcome) in others {
                    self.give(&mut state, pid, outcome)?;
                }
            }
            Done::Blocked => unreachable!("it was not blocked"),
        }
        Ok(state)
    }

    /// Gives a process its outcome and lets it run to its next operation.
    fn give(&mut self, state: &mut State, pid: Pid, mut outcome: Outcome) -> Result<(), Trap> {
        let index = state.index_of(pid).expect("it is there");
        for &(segment, _) in &state.processes[index].mapped {
            let bytes = match state.object(segment) {
                Some(Object::Segment(segment)) => segment.bytes.clone(),
                Some(Object::Inode(Inode { kind: Kind::File(bytes), .. })) => bytes.clone(),
                other => unreachable!("a segment is {other:?}"),
            };
            outcome.memory.push(Contents { segment: segment as i32, bytes });
        }
        let node = state.processes[index].node;
        let given = self.log.is_some().then(|| (node, outcome.clone()));
        let kept = self.crossed.is_some().then(|| outcome.clone());
        let edge = self.tree.advance(node, outcome);
        if let (Some(crossed), Some(outcome), Ok(to)) = (&mut self.crossed, kept, &edge.to) {
            let before = match outcome.extra {
                Extra::Child { parent, .. } => parent,
                _ => pid,
            };
            crossed.push(Crossed { before, pid, node, outcome, to: *to });
        }
        for wrote in &edge.wrote {
            let bytes = match state.object_mut(wrote.segment as ObjectId) {
                Some(Object::Segment(segment)) => &mut segment.bytes,
                Some(Object::Inode(Inode { kind: Kind::File(bytes), times, .. })) => {
                    times[1] = NOW;
                    bytes
                }
                _ => continue,
            };
            if let Some(there) = bytes.get_mut(wrote.offset..wrote.offset + wrote.bytes.len()) {
                there.copy_from_slice(&wrote.bytes);
            }
        }
        let before = self.tree.signals()[node as usize].ignored;
        let node = self.arrived(&edge, pid, given)?;
        let process = Rc::make_mut(&mut state.processes[index]);
        process.node = node;
        // Whoever begins to ignore a signal loses the one that is pending, and what does nothing is not kept either.
        let signals = self.tree.signals()[node as usize];
        let goes = |signal| {
            let bit = crate::signal::bit(signal);
            signals.ignored & !before & bit != 0
                || (signals.blocked & bit == 0 && fate(signals, signal) == Fate::Nothing)
        };
        process.pending.retain(|entry| !goes(entry.0));
        Ok(())
    }

    /// Does all operations that are nobody else's business.
    fn do_private(&mut self, state: &mut State) -> Result<(), Trap> {
        let mut count = 0;
        let mut again = true;
        while again {
            again = false;
            let mut index = 0;
            while index < state.processes.len() {
                let process = &state.processes[index];
                if !process.runs() {
                    index += 1;
                    continue;
                }
                let (pid, node) = (process.pid, process.node);
                let stop = Rc::clone(self.tree.stop(node));
                if !state.is_private(process, &stop, self.names.noticed) {
                    index += 1;
                    continue;
                }
                let mut work = self.work(state, pid, &stop);
                count += 1;
                if count > MOST_PRIVATE {
                    return Err(Trap { pid, node: Some(node), trouble: Trouble::Divergence });
                }
                let done = work.perform(&stop.op, &Choice::Go);
                let Work { state: after, others, habits, .. } = work;
                let (choice, touched) = (Choice::Go, Vec::new());
                let attempt = Attempt { pid, choice, touched, dies: None, state: after, done, others, habits };
                *state = self.finish(attempt)?;
                again = true;
                // Processes may have come before this one.
                index = 0;
            }
        }
        Ok(())
    }

    /// Everything that can happen next, with what each process looked at.
    pub(crate) fn moves(&mut self, state: &State) -> Vec<(Pid, Attempts)> {
        let pids: Vec<Pid> =
            state.processes.iter().filter(|process| process.runs()).map(|process| process.pid).collect();
        pids.into_iter().map(|pid| (pid, self.attempts(state, pid))).collect()
    }

    /// What comes of one transition, if it is possible.
    pub(crate) fn step(&mut self, state: &State, pid: Pid, choice: &Choice) -> Option<Result<State, Trap>> {
        state.process(pid).filter(|process| process.runs())?;
        let attempt = self.attempts(state, pid).list.into_iter().find(|attempt| attempt.choice == *choice)?;
        Some(self.arrive(attempt))
    }

    /// The signal of which a process dies in a transition.
    pub(crate) fn death(&mut self, state: &State, one: &Move) -> Option<Signal> {
        if let Choice::Die(signal) = one.choice {
            return Some(signal);
        }
        state.process(one.pid).filter(|process| process.runs())?;
        let attempts = self.attempts(state, one.pid).list;
        attempts.into_iter().find(|attempt| attempt.choice == one.choice)?.dies
    }

    /// A process that waits for a child to end, if processes do not end.
    pub(crate) fn waits_for_an_exit(&self, state: &State) -> Option<Pid> {
        let waits = |process: &&Rc<Process>| process.runs() && matches!(self.tree.op(process.node), Op::Wait { .. });
        let found = state.processes.iter().find(waits).map(|process| process.pid);
        found.filter(|_| self.system.exits_wait)
    }

    /// Whether nobody waits who should not, in a state in which nothing can happen.
    pub(crate) fn may_end(&self, state: &State) -> bool {
        state.processes.iter().all(|process| {
            !process.runs()
                || process.service
                || (self.system.exits_wait && matches!(self.tree.op(process.node), Op::Exit { .. }))
        })
    }
}

impl Attempt {
    /// Whether handlers run.
    pub(crate) fn delivers(&self) -> bool {
        matches!(&self.done, Done::Returns(outcome) if !outcome.signals.is_empty())
    }
}

/// Whether two transitions of different processes could notice each other.
///
/// What a process does by itself after its operation may depend on whom it shares open files with.
pub(crate) fn meet(state: &State, one: &Attempt, other: &Attempt) -> bool {
    let files = |pid: Pid| state.process(pid).map_or(&[][..], |process| &process.fds[..]);
    let shares = || files(one.pid).iter().any(|file| files(other.pid).iter().any(|theirs| theirs.1 == file.1));
    conflict(&one.touched, &other.touched) || shares()
}
