//! A run, told: who called what with which result, and what was printed. Follows the rule that what a search claims is shown only if
//! it happens again.

use crate::found::{KILLED, Move, Violation, ViolationKind};
use crate::grow::{Grow, Printed, SourceLocation, Trouble};
use crate::names::Names;
use crate::op::{Op, Pid};
use crate::outcome::Outcome;
use crate::perform::Choice;
use crate::state::State;
use crate::world::{Logged, System, World};

/// A run that was repeated.
#[derive(Clone, Debug, Default)]
pub struct Narration {
    /// What happened, in order. What came before the first transition is not among the moves of the run.
    pub steps: Vec<NarratedStep>,
    /// Who has not ended, and what it wants to do.
    pub waiting: Vec<Waiting>,
    /// The violation came out again.
    pub shown: bool,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct NarratedStep {
    /// Who.
    pub pid: Pid,
    /// Which move of the run it belongs to; `None` before the first.
    pub index: Option<usize>,
    /// What it called; `None` when it was started.
    pub op: Option<Op>,
    /// Which of several things happened.
    pub choice: Choice,
    /// What came of it; `None` if it ended, or is not through.
    pub outcome: Option<Outcome>,
    /// Where the call is.
    pub place: Option<SourceLocation>,
    /// What it printed afterwards.
    pub printed: Vec<Printed>,
}

/// Somebody who has not ended.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Who.
    pub pid: Pid,
    /// What it wants to do.
    pub op: Op,
    /// Where that is.
    pub place: Option<SourceLocation>,
    /// It can do it.
    pub can: bool,
}

/// Repeats a run, with processes that have done nothing before, and tells it.
pub fn narrate(system: &System, grow: &mut dyn Grow, names: &Names, violation: &Violation) -> Narration {
    let mut world = World::new(system.clone(), grow, names.clone());
    let mut told = Narration::default();
    world.log = Some(Vec::new());
    let mut state = match world.start() {
        Ok(state) => state,
        Err(trap) => {
            told.shown = shows(&violation.kind, &trap.trouble);
            note(&mut world, &mut told, None, &Choice::Go);
            return told;
        }
    };
    note(&mut world, &mut told, None, &Choice::Go);
    let mut cycle = None;
    for (index, one) in violation.run.iter().enumerate() {
        if violation.kind == (ViolationKind::Livelock { from: index }) {
            cycle = Some(state.clone());
        }
        let last = index + 1 == violation.run.len();
        let Some(process) = state.process(one.pid).filter(|process| process.runs()) else { return told };
        let node = process.node;
        let op = world.tree.op(node).clone();
        let dies = world.death(&state, one);
        let Some(result) = world.step(&state, one.pid, &one.choice) else { return told };
        let before = told.steps.len();
        note(&mut world, &mut told, Some(index), &one.choice);
        let told_itself = told.steps[before..].iter().any(|step| step.pid == one.pid && step.op.as_ref() == Some(&op));
        if !told_itself {
            // It has ended, or it is not through.
            let place = world.tree.place(node);
            let step = NarratedStep {
                pid: one.pid,
                index: Some(index),
                op: Some(op.clone()),
                choice: one.choice.clone(),
                outcome: None,
                place,
                printed: Vec::new(),
            };
            told.steps.insert(before, step);
        }
        match result {
            Ok(next) => state = next,
            Err(trap) => {
                told.shown = last && shows(&violation.kind, &trap.trouble);
                return told;
            }
        }
        if last {
            told.shown = match (&violation.kind, &op) {
                (ViolationKind::Assertion, Op::Assert { holds: false }) => true,
                (ViolationKind::Crash { signal, .. }, Op::Crash { signal: now, .. }) => signal == now,
                (ViolationKind::ExitStatus(status), _) if dies.is_some_and(|signal| *status == KILLED + signal) => true,
                (ViolationKind::ExitStatus(status), Op::Exit { status: now }) => status == now,
                _ => false,
            };
        }
    }
    wait(&mut world, &state, &mut told);
    if violation.kind == ViolationKind::Deadlock {
        told.shown = told.waiting.iter().all(|waiting| !waiting.can) && !world.may_end(&state);
    }
    if let Some(begun) = cycle {
        let runs = |pid| state.process(pid).is_some_and(|process| process.runs() && !process.service);
        told.shown = begun == state && violation.pid.is_some_and(runs);
    }
    told
}

/// Whether a process that did not come to an operation is what was claimed.
fn shows(kind: &ViolationKind, trouble: &Trouble) -> bool {
    matches!(
        (kind, trouble),
        (ViolationKind::Divergence, Trouble::Divergence) | (ViolationKind::Nondeterminism { .. }, _)
    )
}

/// Puts what was logged into the run.
fn note(world: &mut World<'_>, told: &mut Narration, index: Option<usize>, choice: &Choice) {
    let logged = world.log.as_mut().map(std::mem::take).unwrap_or_default();
    for (at, Logged { pid, given, printed }) in logged.into_iter().enumerate() {
        let op = given.as_ref().map(|given| world.tree.op(given.0).clone());
        let place = given.as_ref().and_then(|given| world.tree.place(given.0));
        let choice = if at == 0 { choice.clone() } else { Choice::Go };
        let outcome = given.map(|given| given.1);
        told.steps.push(NarratedStep { pid, index, op, choice, outcome, place, printed });
    }
}

/// Notes who has not ended.
fn wait(world: &mut World<'_>, state: &State, told: &mut Narration) {
    for process in state.processes.iter().filter(|process| process.runs()) {
        let can = !world.attempts(state, process.pid).list.is_empty();
        let op = world.tree.op(process.node).clone();
        let place = world.tree.place(process.node);
        told.waiting.push(Waiting { pid: process.pid, op, place, can });
    }
}

/// Keeps a run as it is told to somebody who repeats it.
impl Move {
    /// A move that was kept as text: the process, and which of several things, as [`Move::text`] gives it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (pid, choice) = text.split_once(' ').unwrap_or((text, "go"));
        let pid = pid.parse().ok()?;
        let mut words = choice.split(' ');
        let word = words.next()?;
        let mut number = || words.next()?.parse::<i32>().ok();
        let choice = match word {
            "go" => Choice::Go,
            "toss" => Choice::Toss(u32::try_from(number()?).ok()?),
            "reap" => Choice::Reap(number()?),
            "wake" => Choice::Wake(number()?),
            "timeout" => Choice::Timeout,
            "signal" => Choice::Deliver { signal: number()?, interrupted: false },
            "interrupt" => Choice::Deliver { signal: number()?, interrupted: true },
            "die" => Choice::Die(number()?),
            "ring" => Choice::Ring,
            _ => return None,
        };
        Some(Self { pid, choice })
    }

    /// The move as text.
    #[must_use]
    pub fn text(&self) -> String {
        let choice = match &self.choice {
            Choice::Go => return self.pid.to_string(),
            Choice::Toss(number) => format!("toss {number}"),
            Choice::Reap(pid) => format!("reap {pid}"),
            Choice::Wake(pid) => format!("wake {pid}"),
            Choice::Timeout => "timeout".to_owned(),
            Choice::Deliver { signal, interrupted: false } => format!("signal {signal}"),
            Choice::Deliver { signal, interrupted: true } => format!("interrupt {signal}"),
            Choice::Die(signal) => format!("die {signal}"),
            Choice::Ring => "ring".to_owned(),
        };
        format!("{} {choice}", self.pid)
    }
}
