//! What is special about the check of a model with a heap: which strategies it has, and which options it does not know.

use std::time::Duration;

use quotient_canon::HeapStrategy;
use quotient_ir::At;
use quotient_report::stats;
use quotient_search::Error::Fault;
use quotient_search::{Exploration, Options, Violation, explore};
use quotient_step::FaultKind;

use crate::Error;
use crate::input::Input;
use crate::options::ModelOptions;
use crate::symmetry::Choice;
use crate::words::{CountAs, Symmetry};

/// Decides about symmetry, and refuses what such a model does not know.
pub(crate) fn choose(options: &ModelOptions, input: &mut Input) -> Result<Choice, Error> {
    let refuse = |what: &str| Err(Error::option(format!("{what} is not for models with a heap")));
    if options.count_as != CountAs::Quotient {
        return refuse("--count-as");
    }
    if options.symmetry_file.is_some() {
        return refuse("--symmetry-file");
    }
    if options.order_free_termination {
        return refuse("--order-free-termination");
    }
    let asked = options.common.symmetry;
    let Some(mut strategy) = asked.heap_strategy() else {
        let problem = "this strategy for --symmetry is not for models with a heap";
        let help = "they have none, heap, pc, kbots, kbots:K and canonical".to_string();
        return Err(Error::Option { message: problem.to_string(), help: vec![help] });
    };
    let mut reason = None;
    if strategy.orders_threads()
        && let Some(obstacle) = quotient_canon::heap::obstacle(&input.model)
    {
        let why = with_place(input, obstacle);
        if asked != Symmetry::Auto {
            let help = "`--symmetry heap` takes states for one that differ in the names of records".to_string();
            let message = format!("the threads of the model cannot change places: {why}");
            return Err(Error::Option { message, help: vec![help] });
        }
        (strategy, reason) = (HeapStrategy::Heap, Some(why));
    }
    // A statement may be executed in renamed runs only.
    if options.unreached && strategy.orders_threads() {
        let problem = "--unreached needs all runs, also those that differ by names only";
        if asked != Symmetry::Auto {
            return Err(Error::option(problem));
        }
        (strategy, reason) = (HeapStrategy::Heap, Some(problem.to_string()));
    }
    // Members of scalarsets are renamed by one strategy only, which does not need threads that change places.
    let renames = matches!(asked, Symmetry::Auto | Symmetry::Require | Symmetry::Canonical) && !options.unreached;
    let mut found = Vec::new();
    if renames && !input.model.declared.sets.is_empty() {
        let detected = crate::symmetry::detect(options, input)?;
        if quotient_canon::heap::renames_members(&input.model) {
            (strategy, found) = (HeapStrategy::Canonical, detected.found);
        } else {
            reason = reason.or(detected.reasons.into_iter().next());
        }
    }
    Ok(Choice { strategy: None, heap: Some(strategy), reason, kept: Vec::new(), found })
}

/// Why threads cannot change places, with the place where that is told.
fn with_place(input: &Input, obstacle: &str) -> String {
    let model = &input.model;
    let at = quotient_canon::heap::starts_with_id(model).filter(|_| obstacle == quotient_canon::heap::STARTS_WITH_ID);
    match at {
        Some(At::Statement(ty, statement)) => {
            let location = input.sources.location(model.proctypes[ty].statements[statement].span);
            format!("{}:{}: {obstacle}", location.file, location.line)
        }
        _ => obstacle.to_string(),
    }
}

/// What is told of records that were not deleted, if that was asked for: another search looks for one.
pub(crate) fn note_leaks(options: &ModelOptions, input: &Input, engine: &Options, spent: Duration) -> Option<String> {
    if !options.mention_leaks {
        return None;
    }
    let mut model = input.model.clone();
    let heap = model.heap.as_mut().filter(|heap| !heap.leaks)?;
    heap.leaks = true;
    let max_time = engine.max_time.map(|limit| limit.saturating_sub(spent));
    let engine = Options { all_errors: true, max_time, ..*engine };
    let observer = &options.common.observer;
    let found = explore(&model, &engine, &mut |_| !observer.is_interrupted());
    let is_leak = |violation: &&Violation| violation.error.kind() == FaultKind::Leak.name();
    match found.violations.iter().find(is_leak).map(|violation| &violation.error) {
        Some(Fault(fault)) => {
            let place = input.sources.location(fault.span);
            Some(format!(
                "a record can no longer be reached, and was not deleted ({}:{}); `--leaks error` shows the run",
                place.file, place.line
            ))
        }
        // Its run was too long to be kept.
        _ if found.kinds.contains(FaultKind::Leak.name()) => {
            Some("a record can no longer be reached, and was not deleted; `--leaks error` shows the run".to_string())
        }
        _ if found.stop.is_some() => Some("records that are lost were not looked for in all runs".to_string()),
        _ => None,
    }
}

/// What was made of the heap, for the answer.
pub(crate) fn statistics(choice: &Choice, found: &Exploration, applied: HeapStrategy, seconds: f64) -> stats::Symmetry {
    let counts = found.symmetry.as_ref().map(|reduced| &reduced.counts);
    let about = match applied {
        HeapStrategy::None => return stats::Symmetry { strategy: "none".to_string(), ..stats::Symmetry::default() },
        HeapStrategy::Heap => "names of records do not matter",
        HeapStrategy::Canonical if choice.reason.is_some() && !choice.found.is_empty() => {
            "names of records do not matter"
        }
        HeapStrategy::Pc | HeapStrategy::Bots(_) | HeapStrategy::Canonical => {
            "names of records and the order of threads do not matter"
        }
    };
    let time = counts.map_or(0.0, |counts| counts.time.as_secs_f64());
    stats::Symmetry {
        strategy: applied.to_string(),
        reason: choice.reason.clone(),
        active: Some(stats::ActiveSymmetry {
            canonical: applied.is_canonical() && counts.is_none_or(|counts| counts.normalised == 0),
            sets: Vec::new(),
            found: std::iter::once(about.to_string()).chain(choice.found.iter().cloned()).collect(),
            group_size: 0.0,
            orbits: found.states,
            represented_states: None,
            estimated_states: None,
            representatives: counts.map_or(0, |counts| counts.representatives),
            time_share: if seconds > 0.0 { (time / seconds).min(1.0) } else { 0.0 },
            checked_states: 0,
        }),
    }
}
