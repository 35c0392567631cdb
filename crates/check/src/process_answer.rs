//! The answer about a set of processes: what a search of them has found, in words. It follows `quotient_system::Exploration`.

use quotient_report::answer::Answer;
use quotient_report::processes::{Call, ProcessStats, ProcessViolation, WaitingProcess};
use quotient_report::source::Location;
use quotient_report::stats::{Explored, Stats};
use quotient_report::verdict::{Shortfall, StopReason};
use quotient_system::{
    Dropped, Exploration, Leak, Names, NarratedStep, Narration, Op, SourceLocation, Stopped, Trouble, ViolationKind,
};

use crate::processes::ProcessSet;

/// A limit at which a search was stopped by whoever watched it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Time,
    Memory,
}

/// The answer without its violations.
pub(crate) fn answer(set: &ProcessSet, found: &Exploration, limit: Option<Limit>) -> Answer {
    let stats = ProcessStats {
        states: found.states,
        transitions: found.transitions,
        longest: found.longest as u64,
        process_steps: found.steps,
        histories: found.nodes as u64,
        renamings: found.renamings as u64,
        looked_at_for_livelocks: found.looked_at,
        dropped: found.dropped.iter().map(dropped).collect(),
    };
    let stats = Stats { explored: Explored::Processes(stats), seconds: 0.0, peak_memory_bytes: 0 };
    let stop = match found.stopped {
        Some(Stopped::Violation) => Some(StopReason::FirstViolation),
        Some(Stopped::States) => Some(StopReason::MaxStates),
        Some(Stopped::Interrupted) if limit == Some(Limit::Time) => Some(StopReason::MaxTime),
        Some(Stopped::Interrupted) if limit == Some(Limit::Memory) => Some(StopReason::MaxMemory),
        Some(Stopped::Interrupted | Stopped::Transitions | Stopped::Failed) => Some(StopReason::Interrupted),
        None if found.cut > 0 => Some(StopReason::MaxDepth),
        None => None,
    };
    let violated = !found.violations.is_empty();
    let mut answer = Answer::new(&set.name, violated, stop, &[], stats);
    if !violated && let Some(stop) = stop {
        answer.reason = Some(format!("no error in what was covered, but the search stopped {}", stop.message()));
    }
    for doubt in &found.doubts {
        let who = process_name(set, &found.names, doubt.pid);
        let reason = match &doubt.trouble {
            Trouble::Unsupported { call, detail } if detail.is_empty() => {
                format!("{who} calls {call}, which is not supported")
            }
            Trouble::Unsupported { call, detail } => format!("{who} calls {call}, which is not supported: {detail}"),
            Trouble::Missing { what } => format!("{who} does not find {what}"),
            Trouble::Limit { what } => format!("{who} goes beyond a limit: {what}"),
            other => format!("{who} cannot be followed: {other:?}"),
        };
        answer.falls_short(Shortfall::Bound, reason.clone());
        if answer.reason.as_ref() != Some(&reason) {
            answer.warnings.push(reason);
        }
    }
    let name = |pid: i32| process_name(set, &found.names, pid);
    for leak in &found.leaks {
        answer.warnings.push(match leak {
            Leak::Object { what, maker } => {
                let maker = maker.map_or(String::new(), |pid| format!(" of {}", name(pid)));
                format!("a {what}{maker} is still there when all have ended")
            }
            Leak::Lock { path, holder } => {
                let path = path.as_ref().map_or("a file without a name".into(), |path| String::from_utf8_lossy(path));
                format!("{} still has a lock on {path} when nothing happens any more", name(*holder))
            }
        });
    }
    for &(pid, status) in &found.statuses {
        let who = name(pid);
        answer
            .warnings
            .push(format!("{who} exits with status {status} in some run (--exit-status makes that a violation)"));
    }
    if found.handlers {
        answer.notes.push(
            "handlers of signals ran before, during and between calls, never in the middle of a computation"
                .to_string(),
        );
    }
    if found.shared_memory {
        answer
            .notes
            .push("what a process writes to shared memory was seen by others at its next call, not before".to_string());
    }
    answer
}

fn dropped(dropped: &Dropped) -> String {
    match dropped {
        Dropped::Signals => "that nobody sends signals".to_string(),
        Dropped::Semaphores => "that semaphores are only taken and given back".to_string(),
        Dropped::Symmetry(why) => format!("symmetry: {why}"),
    }
}

/// Why a violation is not told.
pub(crate) fn unrepeated(found: &Exploration) -> String {
    let told = found.violations.iter().find_map(|violation| match &violation.kind {
        ViolationKind::Nondeterminism { before, now } => {
            Some(format!("a process does not do the same each time: it did {before}, and then {now}"))
        }
        _ => None,
    });
    told.unwrap_or_else(|| "a run that went wrong did not go wrong when it was repeated".to_string())
}

/// What a process is called: its program, and which child of which it is.
fn process_name(set: &ProcessSet, names: &Names, pid: i32) -> String {
    let (program, way) = names.origin(pid);
    let name = set.names().get(program).cloned().unwrap_or_else(|| format!("process {pid}"));
    way.iter().fold(name, |name, nth| format!("{name}/{}", nth + 1))
}

fn location(place: &SourceLocation) -> Location {
    Location { file: place.file.clone(), line: place.line, column: 1 }
}

/// A run in words.
pub(crate) fn run(
    set: &ProcessSet,
    names: &Names,
    told: &Narration,
    kind: &ViolationKind,
    pid: Option<i32>,
) -> ProcessViolation {
    let name = |pid: i32| process_name(set, names, pid);
    let call = |step: &NarratedStep| Call {
        step: step.index.map_or(0, |index| index + 1),
        process: name(step.pid),
        call: match (&step.op, &step.choice) {
            (None, _) => "starts".to_string(),
            (Some(op), quotient_system::Choice::Die(signal)) => format!("dies of signal {signal} at {op}"),
            (Some(op), _) => op.to_string(),
        },
        result: step.outcome.as_ref().map(ToString::to_string),
        location: step.place.as_ref().map(location),
        printed: step.printed.iter().map(|printed| String::from_utf8_lossy(&printed.bytes).into_owned()).collect(),
    };
    let who = pid.map(name);
    let last = told.steps.iter().rev().find(|step| Some(step.pid) == pid);
    let waiting = told.waiting.iter().filter(|_| *kind == ViolationKind::Deadlock);
    ProcessViolation {
        kind: word(kind).to_string(),
        message: message(kind, who.as_deref()),
        location: last.and_then(|step| step.place.as_ref()).map(location),
        repeats_from: match kind {
            ViolationKind::Livelock { from } => Some(from + 1),
            _ => None,
        },
        calls: told.steps.iter().filter(|step| !is_dull(step)).map(call).collect(),
        waiting: waiting
            .map(|waiting| WaitingProcess {
                process: name(waiting.pid),
                call: waiting.op.to_string(),
                location: waiting.place.as_ref().map(location),
            })
            .collect(),
    }
}

/// Whether a step tells a reader nothing: a start without a word.
fn is_dull(step: &NarratedStep) -> bool {
    step.printed.is_empty() && (step.op.is_none() || matches!(step.op, Some(Op::Flags { .. } | Op::SetFlags { .. })))
}

/// The kind of a violation in one word.
pub(crate) fn word(kind: &ViolationKind) -> &'static str {
    match kind {
        ViolationKind::Deadlock => "deadlock",
        ViolationKind::Assertion => "assertion",
        ViolationKind::Crash { .. } => "crash",
        ViolationKind::ExitStatus(_) => "exit-status",
        ViolationKind::Divergence => "divergence",
        ViolationKind::Livelock { .. } => "livelock",
        ViolationKind::Nondeterminism { .. } => "nondeterminism",
    }
}

fn message(kind: &ViolationKind, who: Option<&str>) -> String {
    let who = who.unwrap_or("a process");
    match kind {
        ViolationKind::Deadlock => "deadlock: nobody can go on, and not all have ended".to_string(),
        ViolationKind::Assertion => format!("an assertion of {who} does not hold"),
        ViolationKind::Crash { signal, reason } if reason.is_empty() => format!("{who} dies of signal {signal}"),
        ViolationKind::Crash { signal, reason } => format!("{who} dies of signal {signal}: {reason}"),
        ViolationKind::ExitStatus(status) => format!("{who} exits with status {status}"),
        ViolationKind::Divergence => format!("{who} computes forever without a call"),
        ViolationKind::Livelock { from } => {
            format!("livelock: {who} never ends: the calls from {} on can be repeated forever", from + 1)
        }
        ViolationKind::Nondeterminism { .. } => format!("{who} does not do the same each time"),
    }
}
