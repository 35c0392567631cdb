//! From a run that violates a claim forever to one that a person can read. The run is repeated on the reference interpreter: its
//! cycle must close, the claim must be false on it, and it must be fair; otherwise nothing is told but that.

use quotient_ir::{Claim, ClaimKind};
use quotient_report::answer::ModelViolation;
use quotient_report::diagnostic::Diagnostic;
use quotient_report::property::{Fairness, Repeats};
use quotient_report::source::Span;
use quotient_report::trace::Becomes;
use quotient_step::Fault;
use quotient_step::reference::Interpreter;
use quotient_step::replay::{Event, steps};

use crate::narrate::Narrator;
use crate::replay::{Keep, Misfit, Replay, Show, Subject};
use crate::snapshot::snapshot_by;
use crate::violation::{Explained, Unconfirmed};
use crate::watch::{Ending, InCycle, Watch};

/// A run that is said to violate a claim.
#[derive(Clone, Copy, Debug)]
pub struct Lasso<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// The beginning, and then one round of the cycle.
    pub run: &'a [Event],
    /// Where the cycle begins in the run; its end if the last state repeats forever. None if the run violates the claim however it
    /// goes on.
    pub loop_start: Option<usize>,
    /// In which sense the run is fair.
    pub fairness: Option<Fairness>,
    /// The process types that it is fair to; all if there is none.
    pub fair_to: &'a [String],
    /// Acceptance labels of processes count for a never claim, as in SPIN.
    pub processes_accept: bool,
}

/// Why a run does not violate a claim as it was said to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refuted {
    /// The run does not come back to where the cycle begins.
    #[error("the cycle does not close")]
    Open,
    /// The run is said to end, and something can still happen.
    #[error("something can happen at the end of the run")]
    GoesOn,
    /// The cycle begins or ends inside an atomic sequence, or is not in the run.
    #[error("the cycle does not begin where everyone may move")]
    Misplaced,
    /// The claim is true on the run.
    #[error("the run does not violate the property")]
    NoViolation,
    /// It cannot be told.
    #[error("it cannot be told whether the run violates the property: {0}")]
    Unclear(String),
    /// A process can move and never does.
    #[error("the run is not fair to {0}")]
    Unfair(String),
}

/// Repeats a run that violates a claim, and puts the violation into words.
///
/// # Errors
/// The run does not show the violation.
pub fn explain_lasso(
    subject: Subject<'_>,
    lasso: Lasso<'_>,
    keep: Keep,
    show: Option<Show<'_>>,
) -> Result<Explained, Unconfirmed> {
    let named = subject.model.naming(lasso.claim);
    let model = named.seen_by(Some(lasso.claim));
    let subject = Subject { model: &model, ..subject };
    let Subject { model, sources, promises } = subject;
    let Lasso { claim, run, loop_start, fairness, fair_to, processes_accept } = lasso;
    let interpreter = Interpreter { model, promises };
    let fault = |fault: Fault| Unconfirmed::Claim(Refuted::Unclear(fault.kind.message()));
    let mut watch = Watch::new(interpreter, claim, processes_accept, fair_to);
    let mut replay = Replay::new(subject, steps(run), keep);
    if let Some(show) = show {
        replay = replay.showing(show);
    }
    let mut first_of_cycle = None;
    let mut before: Option<u64> = None;
    for number in 0..=run.len() {
        let position = replay.position();
        let free = position.is_free() && !position.is_over();
        if loop_start == Some(number) {
            if !free {
                return Err(Refuted::Misplaced.into());
            }
            watch.begin_cycle();
            first_of_cycle = Some((replay.steps() + 1, interpreter.repeatable(position.state())));
        }
        // The last state of a cycle is its first one, and was seen.
        let closes = number == run.len() && loop_start.is_some_and(|start| start < run.len());
        if free && !closes {
            let letter = watch.state(position.state(), replay.steps() + 1).map_err(fault)?;
            let changed = before.map_or(0, |before| before ^ letter);
            before = Some(letter);
            replay.note(becomes(claim, changed, letter));
        }
        let Some(&event) = run.get(number) else { break };
        if let (Event::Move(choice), Some(_)) = (event, &first_of_cycle) {
            watch.step(replay.position().state(), choice);
        }
        replay.event(event).map_err(|Misfit { event }| Unconfirmed::Misfit { event, length: run.len() })?;
    }
    let mut ending = match loop_start {
        None => Ending::Open,
        Some(start) if start == run.len() => Ending::Stutters,
        Some(_) => Ending::Cycle,
    };
    let position = replay.position();
    match (ending, &first_of_cycle) {
        (Ending::Open, _) => {}
        (_, None) => return Err(Refuted::Misplaced.into()),
        (_, Some(_)) if !position.is_free() || position.is_over() => return Err(Refuted::Open.into()),
        (Ending::Stutters, Some(_)) if !position.end().1.is_empty() => return Err(Refuted::GoesOn.into()),
        (Ending::Cycle, Some((_, first))) if interpreter.repeatable(position.state()) != *first => {
            return Err(Refuted::Open.into());
        }
        _ => {}
    }
    if ending == Ending::Stutters && watch.asks_progress() {
        // It is not the state as it was read first that repeats.
        watch.rest(position.state()).map_err(fault)?;
    }
    if ending == Ending::Open && watch.violates(ending).is_err() && position.end().1.is_empty() {
        // Nothing can happen, and what is wrong shows only while the last state repeats.
        watch.rest(position.state()).map_err(fault)?;
        first_of_cycle = Some((replay.steps() + 1, interpreter.visible(position.state())));
        ending = Ending::Stutters;
    }
    watch.violates(ending)?;
    if let (Some(fairness), true) = (fairness, ending != Ending::Open) {
        // Who lives forever keeps its place, and nobody before it ends in the cycle.
        let stay = watch.leaves.unwrap_or(watch.processes.len());
        let unfair = watch.processes.iter().take(stay).find(|process| !is_fair(process, fairness));
        if let Some(process) = unfair {
            return Err(Refuted::Unfair(process.name.clone()).into());
        }
    }
    let replayed = replay.finish();
    let mut narrator = Narrator::new(model, sources);
    let first = first_of_cycle.map(|(step, _)| step);
    let mut facts = vec![going_on(&watch, ending, first, replayed.length)];
    if let (Some(fairness), Ending::Cycle) = (fairness, ending) {
        facts.push(why_fair(&watch, fairness, &narrator));
    }
    let kind = watch.kind(ending);
    let message = message(claim, kind);
    let diagnostic = match claim.span == Span::default() {
        true => Diagnostic::global(message.clone()),
        false => Diagnostic::error(claim.span, message.clone()),
    };
    let violation = ModelViolation {
        kind: kind.to_string(),
        message,
        location: diagnostic.span.map(|span| sources.location(span)),
        trace_length: replayed.length,
        steps_left_out: replayed.length - replayed.steps.len(),
        end_state: snapshot_by(model, &mut narrator, &replayed.end, &replayed.executable, &replayed.lives),
        trace: replayed.steps,
        repeats: Some(Repeats {
            property: claim.name.clone(),
            loop_start: first,
            stutter: ending == Ending::Stutters,
            fairness: fairness.filter(|_| ending != Ending::Open),
            facts,
        }),
    };
    Ok(Explained { violation, diagnostic, messages: replayed.messages })
}

impl From<Refuted> for Unconfirmed {
    fn from(refuted: Refuted) -> Self {
        Unconfirmed::Claim(refuted)
    }
}

fn becomes(claim: &Claim, changed: u64, letter: u64) -> Vec<Becomes> {
    let numbered = claim.propositions.iter().enumerate().filter(|(number, _)| changed >> number & 1 == 1);
    numbered.map(|(number, p)| Becomes { proposition: p.text.clone(), holds: letter >> number & 1 == 1 }).collect()
}

fn is_fair(process: &InCycle, fairness: Fairness) -> bool {
    match fairness {
        Fairness::Weak => process.moves || process.idle.is_some(),
        Fairness::Strong => process.moves || !process.able,
    }
}

/// What to tell a person about the violation.
fn message(claim: &Claim, kind: &str) -> String {
    let name = &claim.name;
    match (&claim.kind, kind) {
        (ClaimKind::Ltl { text, .. }, _) => format!("ltl {name} does not hold: {text}"),
        (_, "claim-completed") => format!("never claim {name} can come to its end"),
        (_, "claim-assertion") => format!("an assertion of never claim {name} can fail"),
        (ClaimKind::Never(_), _) => format!("never claim {name} accepts a run"),
        (_, "non-progress-cycle") => "there is a cycle without progress".to_string(),
        _ => "there is a cycle with an acceptance label".to_string(),
    }
}

/// How the run goes on, and which propositions never change then.
fn going_on(watch: &Watch<'_>, ending: Ending, first: Option<usize>, length: usize) -> String {
    let (always, never) = watch.constant();
    let quoted = |texts: Vec<&str>| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
    let mut text = match (ending, first) {
        (Ending::Cycle, Some(first)) if first == length => format!("step {first} repeats forever"),
        (Ending::Cycle, Some(first)) => format!("steps {first} to {length} repeat forever"),
        (Ending::Stutters, _) => "nothing can happen any more, and the last state repeats forever".to_string(),
        _ => return "however the run goes on, the property is violated".to_string(),
    };
    for (texts, word) in [(always, "always"), (never, "never")] {
        if !texts.is_empty() {
            let verb = if texts.len() == 1 { "holds" } else { "hold" };
            text.push_str(&format!("; {} {word} {verb}", quoted(texts)));
        }
    }
    text
}

/// Why a cycle is fair.
fn why_fair(watch: &Watch<'_>, fairness: Fairness, narrator: &Narrator<'_>) -> String {
    let processes = &watch.processes[..watch.leaves.unwrap_or(watch.processes.len()).min(watch.processes.len())];
    let names =
        |chosen: Vec<&InCycle>| chosen.iter().map(|process| process.name.clone()).collect::<Vec<_>>().join(", ");
    let seen = processes.iter().filter(|process| !process.name.is_empty() && !process.passed_over);
    let (moving, still): (Vec<&InCycle>, Vec<&InCycle>) = seen.partition(|process| process.moves);
    let mut parts = Vec::new();
    if !moving.is_empty() {
        let verb = if moving.len() == 1 { "moves" } else { "move" };
        parts.push(format!("{} {verb} in the cycle", names(moving)));
    }
    for process in still {
        let place = |span: Span| {
            let location = narrator.location(span);
            format!(" ({}:{})", location.file, location.line)
        };
        let (name, span) = (&process.name, process.idle.and_then(|(_, span)| span));
        let place = span.map_or(String::new(), place);
        parts.push(match process.idle {
            Some((step, _)) if process.able => format!("{name} is blocked at step {step}{place}"),
            _ => format!("{name} can never move there{place}"),
        });
    }
    if watch.leaves.is_some() {
        parts.push("other threads end, and new ones take their places".to_string());
    }
    format!("{} fair: {}", fairness.adverb(), parts.join("; "))
}
