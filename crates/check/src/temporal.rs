//! The check of temporal properties, one after the other: each is searched for a run that violates it, the run is repeated, and the
//! answer is told. It follows `quotient_search::temporal`.

use std::collections::BTreeSet;
use std::io;

use quotient_explain::{Explained, Lasso, Subject, explain_lasso};
use quotient_ir::{Claim, ClaimKind, Expr, Proposition};
use quotient_ltl::stutter;
use quotient_report::diagnostic::Diagnostic;
use quotient_report::property::{AutomatonSize, Fairness, PropertyAnswer, PropertyStats};
use quotient_report::source::Span;
use quotient_report::text::count;
use quotient_report::verdict::{StopReason, Verdict};
use quotient_search::temporal::{self, Bits, Found, Refused, Unapplied};
use quotient_search::{Session, Stop};
use quotient_step::replay::Path;

use crate::Error;
use crate::input::Input;
use crate::options::ModelOptions;
use crate::words::{Algorithm, Fair};

/// The answer about a claim, with the run that violates it.
pub(crate) struct Checked {
    /// The answer.
    pub answer: PropertyAnswer,
    /// The violation and its run, if there is one.
    pub shown: Option<Shown>,
    /// What the search found.
    pub found: Found,
}

/// A run that violates a claim.
pub(crate) struct Shown {
    /// The violation in words.
    pub explained: Explained,
    /// The run.
    pub run: Path,
    /// Where its cycle begins.
    pub loop_start: Option<usize>,
}

/// The sense in which runs are to be fair.
pub(crate) fn fairness(options: &ModelOptions) -> Option<Fairness> {
    options.fair.map(|fair| match fair {
        Fair::Weak => Fairness::Weak,
        Fair::Strong => Fairness::Strong,
    })
}

/// Checks one claim.
pub(crate) fn check(
    options: &ModelOptions,
    input: &Input,
    engine: &quotient_search::Options,
    claim: &Claim,
    session: Session<'_>,
) -> Result<Checked, Error> {
    let nested = options.algorithm == Algorithm::Ndfs;
    let asked = temporal::Options {
        search: *engine,
        fairness: searched(options.fair),
        fair_to: fair_to(options, input)?,
        algorithm: if nested { temporal::Algorithm::Nested } else { temporal::Algorithm::Scc },
        ..temporal::Options::default()
    };
    let observer = &options.common.observer;
    let found = temporal::check_in(&input.model, claim, &asked, session, &mut |progress| {
        observer.progress(&progress);
        !observer.is_interrupted()
    });
    let found = found.map_err(|refused| refusal(input, claim, refused))?;
    let fairness = fairness(options);
    let mut shown = None;
    if let Some(lasso) = found.lassos.first() {
        observer.found();
        let subject = Subject { model: &input.model, sources: &input.sources, promises: false };
        let claimed = Lasso {
            claim,
            run: &lasso.path,
            loop_start: lasso.loop_start,
            fairness,
            fair_to: &options.fair_to,
            processes_accept: nested,
        };
        let explained = explain_lasso(subject, claimed, options.told.first, None)
            .map_err(|problem| Error::Unconfirmed { kind: kind(claim), problem })?;
        observer.explained(&explained, &input.sources);
        shown = Some(Shown { explained, run: lasso.path.clone(), loop_start: lasso.loop_start });
    }
    let mut answer = answer(options, input, claim, &found);
    if options.explain && options.fair != Some(Fair::Strong) && !nested && answer.verdict == Verdict::Violated {
        answer.notes.push(under_fairness(input, claim, &asked, options)?);
    }
    Ok(Checked { answer, shown, found })
}

fn searched(fair: Option<Fair>) -> temporal::Fairness {
    match fair {
        None => temporal::Fairness::None,
        Some(Fair::Weak) => temporal::Fairness::Weak,
        Some(Fair::Strong) => temporal::Fairness::Strong,
    }
}

/// The process types that runs are to be fair to, if not all.
fn fair_to(options: &ModelOptions, input: &Input) -> Result<Option<Bits>, Error> {
    if options.fair_to.is_empty() {
        return Ok(None);
    }
    let types = &input.model.proctypes;
    let mut chosen = Vec::new();
    for name in &options.fair_to {
        // A thread that a formula names has a type of its own, of the same name.
        let before = chosen.len();
        chosen.extend((0..types.len()).filter(|&number| &types[number].name == name));
        if chosen.len() == before {
            return Err(Error::option(format!("--fair-to {name}: the model has no process type of this name")));
        }
    }
    Ok(Some(chosen.into_iter().collect()))
}

/// What a violated claim is under fairness.
fn under_fairness(
    input: &Input,
    claim: &Claim,
    asked: &temporal::Options,
    options: &ModelOptions,
) -> Result<String, Error> {
    let observer = &options.common.observer;
    let to: String = options.fair_to.iter().map(|name| format!(" --fair-to {name}")).collect();
    let stronger = [(Fair::Weak, "--fair"), (Fair::Strong, "--fair=strong")];
    for (fairness, option) in stronger.into_iter().filter(|(fairness, _)| options.fair != Some(*fairness)) {
        let asked = temporal::Options { fairness: searched(Some(fairness)), ..*asked };
        let found = temporal::check(&input.model, claim, &asked, &mut |_| !observer.is_interrupted())
            .map_err(|refused| refusal(input, claim, refused))?;
        if !found.lassos.is_empty() {
            continue;
        }
        let stop = found.stop.map(stop_reason);
        return Ok(match doubt(input, &found, stop) {
            None => format!("it holds with {option}{to}"),
            Some(_) => format!("whether it holds with {option}{to} was not found out"),
        });
    }
    Ok(match options.fair {
        None => format!("it does not hold with --fair{to}, nor with --fair=strong{to}"),
        Some(_) => format!("nor does it hold with --fair=strong{to}"),
    })
}

/// Why a claim cannot be checked, with its place.
fn refusal(input: &Input, claim: &Claim, refused: Refused) -> Error {
    let message = refused.to_string();
    let span = match refused {
        Refused::Options(message) => return Error::option(message),
        Refused::Checkpoint(kind, message) => return io::Error::new(kind, message).into(),
        Refused::Unsupported { span, .. } => span,
        _ => claim.span,
    };
    let diagnostic = Diagnostic::error(span, message);
    Error::Rejected {
        input: input.path.clone(),
        diagnostics: vec![diagnostic],
        sources: Box::new(input.sources.clone()),
    }
}

/// The machine-readable kind of a claim.
fn kind(claim: &Claim) -> &'static str {
    match claim.kind {
        ClaimKind::Never(_) => "never",
        ClaimKind::Acceptance => "acceptance",
        ClaimKind::Progress => "progress",
        _ => "ltl",
    }
}

fn answer(options: &ModelOptions, input: &Input, claim: &Claim, found: &Found) -> PropertyAnswer {
    let stop = found.stop.filter(|_| found.unknown.is_none()).map(stop_reason);
    let reason = doubt(input, found, stop);
    let verdict = match (&reason, found.lassos.is_empty()) {
        (_, false) => Verdict::Violated,
        (Some(_), true) => Verdict::Inconclusive,
        (None, true) => Verdict::Holds,
    };
    let (formula, stutter_invariant) = match &claim.kind {
        ClaimKind::Ltl { formula, text } => (Some(text.clone()), Some(stutter::invariant(formula))),
        _ => (None, None),
    };
    let reduction = |applied: &Option<Result<(), Unapplied>>| match applied {
        None => "off".to_string(),
        Some(Ok(())) => "on".to_string(),
        Some(Err(why)) => format!("off: {why}"),
    };
    PropertyAnswer {
        name: claim.name.clone(),
        kind: kind(claim).to_string(),
        formula,
        verdict,
        stop,
        reason: reason.filter(|_| verdict == Verdict::Inconclusive),
        fairness: fairness(options),
        fair_to: options.fair_to.clone(),
        automaton: Some(AutomatonSize {
            states: found.automaton.states,
            sets: found.automaton.sets,
            stutter_invariant,
        }),
        notes: notes(input, claim, found, verdict),
        stats: Some(PropertyStats {
            states: found.states,
            visited: found.visited,
            matched: found.matched,
            depth: found.depth,
            seconds: found.time.as_secs_f64(),
            por: reduction(&found.applied.order),
            symmetry: match &found.heap {
                None => reduction(&found.applied.symmetry),
                Some((strategy, None)) => strategy.to_string(),
                Some((strategy, Some(why))) => format!("{strategy}: {why}"),
            },
        }),
    }
}

/// Why nothing follows from the fact that no violation was found, if so.
fn doubt(input: &Input, found: &Found, stop: Option<StopReason>) -> Option<String> {
    if let Some((fault, path)) = &found.unknown {
        let place = input.sources.location(fault.span);
        let steps = count(quotient_step::replay::steps(path) as u64, "step");
        return Some(format!(
            "a proposition ({place}) cannot be worked out in a state after {steps}: {}",
            fault.kind.message()
        ));
    }
    if let Some(stop) = stop {
        return Some(format!("no violation in what was covered, but the search stopped {}", stop.message()));
    }
    (found.faults > 0).then(|| {
        let faults = count(found.faults, "step");
        format!(
            "no violation was found, but some runs end in an error ({faults}), and what would come after them is not known: \
             see --property safety"
        )
    })
}

/// What else is to be said of a property.
fn notes(input: &Input, claim: &Claim, found: &Found, verdict: Verdict) -> Vec<String> {
    let mut notes = absences(input, claim);
    notes.extend(counted_steps(input, claim, found));
    if found.may_be_shorter {
        notes.push("there may be a shorter run: a limit was reached before all were compared".to_string());
    }
    if verdict != Verdict::Holds {
        return notes;
    }
    notes.extend(vacuity(claim, found));
    if found.by_symmetry > 0 {
        let follow = if found.by_symmetry == 1 { "follows" } else { "follow" };
        let conjuncts = count(found.by_symmetry, "conjunct");
        notes.push(format!("{conjuncts} of the formula {follow} from others by symmetry"));
    }
    notes
}

/// Propositions about a process that may not be there, with their places.
fn absences(input: &Input, claim: &Claim) -> Vec<String> {
    let model = &input.model;
    let may_be_absent = |e: &Expr| match e {
        Expr::RemoteRead { proctype, .. } | Expr::RemoteAt { proctype, .. } => {
            let plain = model.plain_type(*proctype);
            let starts = model.initial.iter().any(|instance| instance.proctype == plain);
            !starts || model.may_end(plain)
        }
        _ => false,
    };
    let about = claim.propositions.iter().filter(|proposition| proposition.expr.any(&may_be_absent));
    let note = |proposition: &Proposition| {
        let place = input.sources.location(proposition.span);
        let text = &proposition.text;
        format!(
            "`{text}` ({place}) is about a process that need not be there; then its variables are 0, and it is at no label"
        )
    };
    about.map(note).collect()
}

/// Where a formula counts steps, if that is why there is no partial-order reduction.
fn counted_steps(input: &Input, claim: &Claim, found: &Found) -> Option<String> {
    let ClaimKind::Ltl { formula, .. } = &claim.kind else { return None };
    if !matches!(found.applied.order, Some(Err(_))) || stutter::invariant(formula) {
        return None;
    }
    // In a formula these words are always the operator.
    let rest = input.sources.file(claim.span.file).text.get(claim.span.end as usize..)?;
    let rest = &rest[..rest.find('}').unwrap_or(rest.len())];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest.split(|c| !is_part(c)).find(|word| *word == "X" || *word == "next")?;
    let start = claim.span.end + (word.as_ptr() as usize - rest.as_ptr() as usize) as u32;
    let place = input.sources.location(Span { start, end: start + word.len() as u32, ..claim.span });
    Some(format!("`{word}` ({place}) counts steps, so that partial-order reduction is off"))
}

/// Propositions that were never true, so that the property may say nothing. In what is always true nobody asks for them.
fn vacuity(claim: &Claim, found: &Found) -> Vec<String> {
    let ClaimKind::Ltl { formula, .. } = &claim.kind else { return Vec::new() };
    if formula.is_always_true() {
        return vec!["the formula is always true, whatever the model does".to_string()];
    }
    let mut asked = BTreeSet::new();
    let parts = formula.conjuncts();
    let idle = parts.iter().filter(|part| part.is_always_true()).count();
    for part in parts.iter().filter(|part| !part.is_always_true()) {
        asked.extend(part.propositions());
    }
    let numbered = claim.propositions.iter().zip(&found.ever).enumerate();
    let never = numbered.filter(|(number, (_, ever))| asked.contains(number) && !ever.0).map(|(_, both)| both);
    let note =
        |text: &str| format!("`{text}` was never true where it was asked; the property may hold for that reason alone");
    let always = (idle > 0).then(|| {
        let (parts, are) = (count(idle as u64, "conjunct"), if idle == 1 { "is" } else { "are" });
        format!("{parts} of the formula {are} always true, whatever the model does")
    });
    always.into_iter().chain(never.map(|(proposition, _)| note(&proposition.text))).collect()
}

/// Why a search ended early.
pub(crate) fn stop_reason(stop: Stop) -> StopReason {
    match stop {
        Stop::Violation => StopReason::FirstViolation,
        Stop::States => StopReason::MaxStates,
        Stop::Depth => StopReason::MaxDepth,
        Stop::Time => StopReason::MaxTime,
        Stop::Memory => StopReason::MaxMemory,
        Stop::Interrupted => StopReason::Interrupted,
        Stop::StateSize => StopReason::StateSize,
        Stop::StoreFull => StopReason::StoreFull,
    }
}
