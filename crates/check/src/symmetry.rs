//! Symmetry in the check of a model: what was asked for, what the model allows, and what came of it. What may be renamed is
//! found by `quotient_symmetry`, and used by `quotient_canon`.

use std::path::Path;

use quotient_canon::{
    HeapStrategy, Obstacle, Strategy, ending_family, ends_are_unseen, group_size, keep_ended, obstacle,
};
use quotient_ir::{Expr, Model};
use quotient_promela::Options;
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::SourceMap;
use quotient_report::stats;
use quotient_search::{Dropped, Exploration};

use crate::Error;
use crate::heap;
use crate::input::Input;
use crate::options::ModelOptions;
use crate::words::{CountAs, Switch, Symmetry};

/// What is going to be done about symmetry.
pub(crate) struct Choice {
    /// The strategy that is used.
    pub strategy: Option<Strategy>,
    /// The strategy for the heap, if the model has one.
    pub heap: Option<HeapStrategy>,
    /// Why none is, although one was asked for.
    pub reason: Option<String>,
    /// Types of processes that stay when they end.
    pub kept: Vec<String>,
    /// What was found in the model, one line per scalarset.
    pub found: Vec<String>,
}

/// What there is in a model: one line per scalarset, and why there is no more.
#[derive(Default)]
pub(crate) struct Detected {
    pub(crate) found: Vec<String>,
    pub(crate) reasons: Vec<String>,
}

/// Decides what to do, and refuses what cannot be done. The model gets the symmetry that a description tells of.
pub(crate) fn choose(options: &ModelOptions, input: &mut Input) -> Result<Choice, Error> {
    let asked = options.common.symmetry;
    if input.model.heap.is_some() {
        return heap::choose(options, input);
    }
    if asked.needs_heap() {
        return Err(Error::option("this strategy for --symmetry is for models with a heap, and the model has none"));
    }
    if options.symmetric_independence == Switch::Off {
        return Err(Error::option("--symmetric-independence is for models with a heap, and the model has none"));
    }
    if options.count_as == CountAs::SpinDefault {
        return without(options, asked);
    }
    if let Some(path) = &options.symmetry_file {
        if asked == Symmetry::Off && !options.order_free_termination {
            return Err(Error::option("--symmetry-file says nothing with --symmetry off"));
        }
        describe(options, &mut input.model, path)?;
    }
    let mut detected = match &options.symmetry_file {
        None => detect(options, input)?,
        Some(_) => Detected { found: vec![described(&mut input.model)], reasons: Vec::new() },
    };
    let mut kept = Vec::new();
    let wanted = asked.strategy().is_some() && !options.order_free_termination;
    if wanted && ending_family(&input.model).is_some() && ends_are_unseen(&input.model) {
        kept = keep_ended(&mut input.model);
        detected.found.push(format!("where {} ends, it stays: nobody can tell", kept.join(" or ")));
    }
    if options.order_free_termination {
        if counts_processes(&input.model) {
            let problem = "--order-free-termination would change what `_nr_pr` says: processes that end still count";
            return Err(Error::option(problem));
        }
        kept = keep_ended(&mut input.model);
        if kept.is_empty() {
            let problem = "--order-free-termination says nothing: no processes change places in the model";
            return Err(Error::option(problem));
        }
    }
    let Detected { found, reasons } = detected;
    let mut choice = Choice { strategy: asked.strategy(), heap: None, reason: None, kept, found };
    // A statement may be executed in renamed runs only.
    let unreached = "--unreached needs all runs, also those that differ by names only";
    let found = choice.strategy.and_then(|strategy| obstacle(&input.model, strategy));
    let can_end = matches!(found, Some(Obstacle::CanEnd(_)));
    let reason = found.map(|found| found.to_string());
    if let Some(reason) =
        reason.or_else(|| (choice.strategy.is_some() && options.unreached).then(|| unreached.to_string()))
    {
        let reason = reasons.into_iter().next().filter(|_| input.model.symmetry.is_none()).unwrap_or(reason);
        if asked != Symmetry::Auto || options.symmetry_file.is_some() {
            let advice = "with --order-free-termination, processes that end stay where they are";
            return Err(Error::Option {
                message: format!("the model cannot be reduced by symmetry: {reason}"),
                help: can_end.then(|| advice.to_string()).into_iter().collect(),
            });
        }
        (choice.strategy, choice.reason) = (None, Some(reason));
    }
    Ok(choice)
}

/// What is done where states are counted as SPIN does: nothing.
fn without(options: &ModelOptions, asked: Symmetry) -> Result<Choice, Error> {
    let reason = "SPIN has no symmetry reduction (--count-as spin-default)";
    if !matches!(asked, Symmetry::Auto | Symmetry::Off) || options.symmetry_file.is_some() {
        return Err(Error::option(reason));
    }
    if options.order_free_termination {
        return Err(Error::option("SPIN removes processes that end (--count-as spin-default)"));
    }
    let reason = (asked == Symmetry::Auto).then(|| reason.to_string());
    Ok(Choice { strategy: None, heap: None, reason, kept: Vec::new(), found: Vec::new() })
}

/// Whether the model looks at the number of processes.
fn counts_processes(model: &Model) -> bool {
    let statements = model.proctypes.iter().flat_map(|proctype| &proctype.statements);
    let provided = model.proctypes.iter().filter_map(|proctype| proctype.provided.as_ref());
    let counts = |expr: &Expr| matches!(expr, Expr::ProcessCount);
    statements.into_iter().any(|statement| statement.action.any(&counts))
        || provided.into_iter().any(|e| e.any(&counts))
}

/// Looks for symmetry in the model. Where symmetry was asked for, a declared scalarset that is not symmetric is an error of
/// the model; by default the model is checked without, and its author is told.
pub(crate) fn detect(options: &ModelOptions, input: &mut Input) -> Result<Detected, Error> {
    let asked = options.common.symmetry;
    if asked == Symmetry::Off && !options.order_free_termination {
        return Ok(Detected::default());
    }
    let detection = quotient_symmetry::detect(&mut input.model);
    if detection.failed() && asked != Symmetry::Auto {
        let sources = Box::new(input.sources.clone());
        return Err(Error::Rejected { input: input.path.clone(), diagnostics: detection.reasons, sources });
    }
    let errors = detection.reasons.iter().filter(|reason| reason.severity == Severity::Error);
    input.warnings.extend(errors.map(|reason| Diagnostic { severity: Severity::Warning, ..reason.clone() }));
    let reasons = detection.reasons.iter().map(|reason| match reason.span {
        Some(span) => {
            let location = input.sources.location(span);
            format!("{}:{}: {}", location.file, location.line, reason.message)
        }
        None => reason.message.clone(),
    });
    let reasons = reasons.collect();
    let found = detection.found.into_iter().map(|finding| match finding.notes.is_empty() {
        true => finding.text,
        false => format!("{} ({})", finding.text, finding.notes.join("; ")),
    });
    Ok(Detected { found: found.collect(), reasons })
}

/// What a description is worth: it is proved where it can be. Where it cannot, the user's word stands for it, and samples
/// of the search are checked.
fn described(model: &mut Model) -> String {
    match quotient_symmetry::prove_described(model) {
        Ok(()) => "as described, and proved".to_string(),
        Err(reason) => format!("as described; this is not proved, only tried out on a sample: {}", reason.message),
    }
}

fn describe(options: &ModelOptions, model: &mut Model, path: &Path) -> Result<(), Error> {
    let mut sources = SourceMap::default();
    let options = Options { defines: options.common.defines.clone(), ..Options::default() };
    let problems = quotient_promela::describe(model, path, &options, &mut sources, &quotient_promela::read_file);
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Error::Rejected {
            input: path.display().to_string(),
            diagnostics: problems,
            sources: Box::new(sources),
        }),
    }
}

/// What symmetry reduction did, for the answer.
pub(crate) fn statistics(choice: &Choice, input: &Input, found: &Exploration, seconds: f64) -> stats::Symmetry {
    if let Some(applied) = found.heap {
        return heap::statistics(choice, found, applied, seconds);
    }
    let (Some(strategy), Some(symmetry), Some(reduced)) = (choice.strategy, &input.model.symmetry, &found.symmetry)
    else {
        return stats::Symmetry {
            strategy: "off".to_string(),
            reason: choice.reason.clone().or_else(|| {
                let dropped = found.dropped.iter().any(|dropped| matches!(dropped, Dropped::Symmetry { .. }));
                dropped.then(|| crate::dropped::REASON.to_string())
            }),
            ..stats::Symmetry::default()
        };
    };
    let sets = symmetry.sets.iter().map(|set| stats::Scalarset {
        name: set.name.clone(),
        size: set.size,
        group: match set.group {
            quotient_ir::Group::Symmetric => "symmetric".to_string(),
            quotient_ir::Group::Cyclic => "cyclic".to_string(),
            quotient_ir::Group::Dihedral => "dihedral".to_string(),
        },
    });
    let represented = |exact: bool| reduced.represented.filter(|some| some.exact == exact).map(|some| some.states);
    stats::Symmetry {
        strategy: strategy.name().to_string(),
        reason: None,
        active: Some(stats::ActiveSymmetry {
            canonical: strategy.is_canonical() && reduced.counts.normalised == 0,
            sets: sets.collect(),
            found: choice.found.clone(),
            group_size: group_size(symmetry),
            orbits: found.states,
            represented_states: represented(true),
            estimated_states: represented(false),
            representatives: reduced.counts.representatives,
            time_share: if seconds > 0.0 { (reduced.counts.time.as_secs_f64() / seconds).min(1.0) } else { 0.0 },
            checked_states: reduced.checked as u64,
        }),
    }
}
