//! From a violation that an engine found to one that a person can read: the run is repeated on the reference
//! interpreter, and if that does not show the same violation, nothing is told but that.

use quotient_ir::{Action, Expr, Model, Place, Scope};
use quotient_report::answer::ModelViolation;
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;
use quotient_report::trace::Step;
use quotient_step::reference::State;
use quotient_step::replay::{Error, Event};
use quotient_step::{Choice, Fault, FaultKind};

use crate::lasso::Refuted;
use crate::names;
use crate::narrate::Narrator;
use crate::replay::{Keep, Misfit, Replayed, Show, Subject, replay};
use crate::snapshot::snapshot_by;

/// The most places shown for one deadlock.
const MOST_PLACES: usize = 6;

/// A violation, and the same as a message with its place in the source.
#[derive(Clone, Debug)]
pub struct Explained {
    /// What to tell.
    pub violation: ModelViolation,
    /// What is wrong, to be shown in the source.
    pub diagnostic: Diagnostic,
    /// The last steps of the run that sent or received something.
    pub messages: Vec<Step>,
}

/// A run does not show the violation that it was said to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unconfirmed {
    /// An event cannot happen.
    #[error("event {event} of {length} cannot happen")]
    Misfit {
        /// The number of the event, from one.
        event: usize,
        /// How many events the run has.
        length: usize,
    },
    /// The run ends with something else.
    #[error("the run ends with {}", if .errors.is_empty() { "no violation".to_string() } else { .errors.join(", ") })]
    OtherEnd {
        /// The kinds of what it ends with.
        errors: Vec<&'static str>,
    },
    /// The run does not violate the claim that it is said to violate.
    #[error("{0}")]
    Claim(Refuted),
}

/// Repeats the run of a violation, and puts the violation into words.
///
/// # Errors
/// The run does not show the violation.
pub fn explain(
    subject: Subject<'_>,
    error: &Error,
    run: &[Event],
    keep: Keep,
    show: Option<Show<'_>>,
) -> Result<Explained, Unconfirmed> {
    let replayed = replay(subject, run, keep, show)
        .map_err(|Misfit { event }| Unconfirmed::Misfit { event, length: run.len() })?;
    if !replayed.errors.contains(error) {
        return Err(Unconfirmed::OtherEnd { errors: replayed.errors.iter().map(Error::kind).collect() });
    }
    Ok(violation(subject, error, replayed))
}

/// Puts a violation at the end of a run into words.
pub fn violation(subject: Subject<'_>, error: &Error, run: Replayed) -> Explained {
    let Subject { model, sources, .. } = subject;
    let Replayed { end, last, .. } = &run;
    let mut narrator = Narrator::new(model, sources);
    let message = message(model, end, error);
    let diagnostic = match error {
        Error::Fault(fault) => {
            let values = last.as_ref().filter(|_| fault.kind == FaultKind::Assertion);
            let label = values.map_or(String::new(), |(state, choice)| values_in(model, &mut narrator, state, *choice));
            let diagnostic = Diagnostic::error(fault.span, message.clone()).label(label);
            run.lives.tell(model, &mut narrator, fault.kind, last.as_ref(), end, diagnostic)
        }
        Error::Deadlock => {
            let stuck = stuck(model, end);
            let waits = |process: usize| format!("{} waits here", names::process(model, end, process));
            let mut stuck = stuck.into_iter();
            let mut diagnostic = match stuck.next() {
                Some((process, span)) => Diagnostic::error(span, message.clone()).label(waits(process)),
                None => Diagnostic::global(message.clone()),
            };
            // Others of the same type often wait at the same place.
            let mut seen: Vec<Span> = diagnostic.span.into_iter().collect();
            for (process, span) in stuck {
                if !seen.contains(&span) && seen.len() < MOST_PLACES {
                    seen.push(span);
                    diagnostic = diagnostic.related(span, waits(process));
                }
            }
            diagnostic
        }
    };
    let violation = ModelViolation {
        kind: error.kind().to_string(),
        message,
        location: diagnostic.span.map(|span| sources.location(span)),
        trace_length: run.length,
        steps_left_out: run.length - run.steps.len(),
        end_state: snapshot_by(model, &mut narrator, end, &run.executable, &run.lives),
        trace: run.steps,
        repeats: None,
    };
    Explained { violation, diagnostic, messages: run.messages }
}

/// What to tell a person about an error at the end of a run.
pub fn message(model: &Model, state: &State, error: &Error) -> String {
    match error {
        Error::Fault(Fault { kind, .. }) => kind.message(),
        Error::Deadlock => {
            let waiting: Vec<String> =
                stuck(model, state).iter().map(|&(id, _)| names::process(model, state, id).to_string()).collect();
            let who = match &waiting[..] {
                [] => "the trace is".to_string(),
                [one] => format!("{one} is"),
                [some @ .., last] if some.len() < 4 => format!("{} and {last} are", some.join(", ")),
                _ => format!("{} processes are", waiting.len()),
            };
            format!("invalid end state: nothing can happen any more, and {who} not at an end")
        }
    }
}

/// The processes that may not rest where they are, and the statements they wait at.
fn stuck(model: &Model, state: &State) -> Vec<(usize, Span)> {
    let place = |(id, process): (usize, &quotient_step::reference::Process)| {
        let proctype = &model.proctypes[process.proctype];
        let control = &proctype.states[process.control];
        let first = control.transitions.first().map(|t| proctype.statements[t.statement].span);
        (!control.end).then_some((id, first.unwrap_or(proctype.span)))
    };
    state.processes.iter().enumerate().filter_map(place).collect()
}

/// The values of the variables in an assertion: `x is 3, y is 4`.
fn values_in(model: &Model, narrator: &mut Narrator<'_>, state: &State, choice: Choice) -> String {
    let Action::Assert(condition) = &narrator.statement(state, choice.process, choice.transition).action else {
        return String::new();
    };
    let mut places: Vec<&Place> = Vec::new();
    condition.walk(&mut |expr| {
        if let Expr::Read(place) = expr {
            places.push(place);
        }
    });
    let proctype = &model.proctypes[state.processes[choice.process].proctype];
    let mut texts: Vec<String> = Vec::new();
    for place in places {
        let mut slot = place.slot;
        for index in &place.indices {
            match narrator.probe.value(state, choice.process, &index.value) {
                Some(value) if (0..index.length as i32).contains(&value) => slot += value as usize * index.stride,
                _ => return String::new(),
            }
        }
        let (slot, value) = match place.scope {
            Scope::Global => (&model.globals[slot], state.globals[slot]),
            Scope::Local => (&proctype.slots[slot], state.processes[choice.process].locals[slot]),
        };
        if names::is_temporary(slot) {
            continue;
        }
        let text = format!("{} is {}", slot.name, names::value(model, state, slot, value));
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use quotient_search::{Options, explore};

    use super::*;

    /// What an engine claims is believed only if the reference interpreter shows the same.
    #[test]
    fn a_run_that_does_not_show_the_violation_is_refused() {
        let text = "byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 3) }\n";
        let options = quotient_promela::Options::default();
        let loaded = quotient_promela::load_with(Path::new("m.pml"), &options, &|_| Ok(text.into()));
        let model = loaded.model.expect("a model");
        let found = explore(&model, &Options::default(), &mut |_| true);
        let violation = &found.violations[0];
        let subject = Subject { model: &model, sources: &loaded.sources, promises: true };
        let explain = |error: &Error, run: &[Event]| {
            let explained = explain(subject, error, run, Keep::ALL, None);
            explained.map(|explained| explained.violation.kind).map_err(|problem| problem.to_string())
        };
        let run = &violation.path;
        assert_eq!(explain(&violation.error, run), Ok("assertion".to_string()));
        assert_eq!(explain(&violation.error, &run[..2]), Err("the run ends with no violation".to_string()));
        assert_eq!(explain(&Error::Deadlock, run), Err("the run ends with assertion".to_string()));
        let wrong = [&run[..1], &[Event::Release], &run[1..]].concat();
        assert_eq!(explain(&violation.error, &wrong), Err("event 2 of 4 cannot happen".to_string()));
    }
}
