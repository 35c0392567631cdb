//! From a violation that an engine found to one that a person can read: the run is repeated on the reference
//! interpreter, and if that does not show the same violation, nothing is told but that.

use quotient_ir::Model;
use quotient_report::answer::Violation;
use quotient_report::source::{SourceMap, Span};
use quotient_search::path::{self, Replay};
use quotient_search::{Error, Event};
use quotient_step::reference::{Interpreter, Moves, Outcome, State};
use quotient_step::{Choice, Fault};

use crate::narrate::{Narrator, narrate};
use crate::snapshot::snapshot;

/// The kind of a violation that is no fault of a step.
pub const DEADLOCK: &str = "invalid-end-state";

/// A violation with its place in the source.
pub struct Explained {
    /// What to tell.
    pub violation: Violation,
    /// Where.
    pub span: Option<Span>,
}

/// Repeats the run of a violation; `Err` says what does not fit.
pub fn explain(
    model: &Model,
    sources: &SourceMap,
    promises: bool,
    error: &Error,
    run: &[Event],
) -> Result<Explained, String> {
    let interpreter = Interpreter { model, promises };
    let replay = path::replay(&interpreter, run)
        .map_err(|number| format!("event {} of {} cannot happen", number + 1, run.len()))?;
    let shown = shown(&interpreter, &replay);
    if !shown.contains(error) {
        return Err(format!("the run ends with {}", describe(&shown)));
    }
    let state = replay.end();
    let span = match error {
        Error::Fault(fault) => Some(fault.span),
        Error::Deadlock => stuck(model, state).map(|(_, span)| span),
    };
    let mut narrator = Narrator::new(model, sources);
    let end_state = snapshot(model, &mut narrator, state, &executable(&replay));
    let violation = Violation {
        kind: kind(error).to_string(),
        message: message(model, state, error),
        location: span.map(|span| sources.location(span)),
        trace: narrate(model, sources, &replay),
        end_state,
    };
    Ok(Explained { violation, span })
}

/// All that is wrong at the end of a run.
pub fn shown(interpreter: &Interpreter<'_>, replay: &Replay) -> Vec<Error> {
    let mut errors: Vec<Error> = match replay.outcomes.last().map(|last| &last.outcome) {
        None => interpreter.initial().1.into_iter().map(Error::Fault).collect(),
        Some(outcome) => outcome.iter().flat_map(|o| o.faults.iter().copied().map(Error::Fault)).collect(),
    };
    if matches!(replay.last, Some(Moves::Deadlock)) {
        errors.push(Error::Deadlock);
    }
    errors
}

/// The machine-readable name of an error.
pub fn kind(error: &Error) -> &'static str {
    match error {
        Error::Fault(Fault { kind, .. }) => kind.name(),
        Error::Deadlock => DEADLOCK,
    }
}

/// What to tell a person about an error at the end of a run.
pub fn message(model: &Model, state: &State, error: &Error) -> String {
    match error {
        Error::Fault(Fault { kind, .. }) => kind.message(),
        Error::Deadlock => {
            let waiting: Vec<String> = state
                .processes
                .iter()
                .enumerate()
                .filter(|(_, process)| !model.proctypes[process.proctype].states[process.control].end)
                .map(|(id, process)| format!("{}:{id}", model.proctypes[process.proctype].name))
                .collect();
            let who = match &waiting[..] {
                [one] => format!("{one} is"),
                [some @ .., last] if some.len() < 4 => format!("{} and {last} are", some.join(", ")),
                _ => format!("{} processes are", waiting.len()),
            };
            format!("invalid end state: nothing can happen any more, and {who} not at an end")
        }
    }
}

/// The first process that may not rest where it is, and the statement it waits at.
pub fn stuck(model: &Model, state: &State) -> Option<(usize, Span)> {
    state.processes.iter().enumerate().find_map(|(id, process)| {
        let proctype = &model.proctypes[process.proctype];
        let control = &proctype.states[process.control];
        let first = control.transitions.first().map(|t| proctype.statements[t.statement].span);
        (!control.end).then_some((id, first.unwrap_or(proctype.span)))
    })
}

/// The moves that can happen at the end of a run.
fn executable(replay: &Replay) -> Vec<Choice> {
    match &replay.last {
        Some(Moves::Some(outcomes)) => outcomes.iter().map(|Outcome { choice, .. }| *choice).collect(),
        _ => Vec::new(),
    }
}

fn describe(errors: &[Error]) -> String {
    match errors {
        [] => "no violation".to_string(),
        _ => errors.iter().map(kind).collect::<Vec<_>>().join(", "),
    }
}
