//! Symmetry for `quotient check`: what was asked for, what the model allows, and what came of it.

use std::path::Path;

use quotient_canon::{Strategy, group_size, keep_ended, obstacle};
use quotient_ir::{Expr, Model};
use quotient_promela::Options;
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::SourceMap;
use quotient_report::stats;
use quotient_search::{Asymmetry, Exploration};
use quotient_step::reference::State;

use crate::args::{Check, Symmetry};
use crate::input::{self, Input};
use crate::output::Failure;

/// States that are checked when nothing but a file vouches for a symmetry.
const DESCRIBED: usize = 100;

/// What is going to be done about symmetry.
pub struct Choice {
    /// The strategy that is used.
    pub strategy: Option<Strategy>,
    /// Why none is, although one was asked for.
    pub reason: Option<String>,
    /// On how many states to check that the symmetry is one.
    pub selfcheck: usize,
    /// Types of processes that stay when they end.
    pub kept: Vec<String>,
    /// What was found in the model, one line per scalarset.
    pub found: Vec<String>,
}

/// What there is in a model: one line per scalarset, and why there is no more.
#[derive(Default)]
struct Detected {
    found: Vec<String>,
    reasons: Vec<String>,
}

/// Decides what to do, and refuses what cannot be done. The model gets the symmetry that a description tells of.
pub fn choose(args: &Check, input: &mut Input) -> Result<Choice, Failure> {
    let name = input.path.clone();
    let refuse = |problem: Diagnostic| input::reject(&name, &[problem], &SourceMap::default(), args.output);
    if let Some(path) = &args.symmetry_file {
        if args.symmetry == Symmetry::Off && !args.order_free_termination {
            return Err(refuse(Diagnostic::global("--symmetry-file says nothing with --symmetry off")));
        }
        describe(args, &mut input.model, path)?;
    }
    let detected = if args.symmetry_file.is_none() { detect(args, input)? } else { Detected::default() };
    let mut kept = Vec::new();
    if args.order_free_termination {
        if counts_processes(&input.model) {
            let problem = "--order-free-termination would change what `_nr_pr` says: processes that end still count";
            return Err(refuse(Diagnostic::global(problem)));
        }
        kept = keep_ended(&mut input.model);
        if kept.is_empty() {
            let problem = "--order-free-termination says nothing: no processes change places in the model";
            return Err(refuse(Diagnostic::global(problem)));
        }
    }
    let Detected { found, reasons } = detected;
    let mut choice = Choice { strategy: args.symmetry.strategy(), reason: None, selfcheck: 0, kept, found };
    // A statement may be executed in renamed runs only.
    let unreached =
        args.unreached.then(|| "--unreached needs all runs, also those that differ by names only".to_string());
    if let Some(reason) = choice.strategy.and_then(|strategy| obstacle(&input.model, strategy).or(unreached)) {
        let reason = reasons.into_iter().next().filter(|_| input.model.symmetry.is_none()).unwrap_or(reason);
        if args.symmetry != Symmetry::Auto || args.symmetry_file.is_some() {
            let mut problem = Diagnostic::global(format!("the model cannot be reduced by symmetry: {reason}"));
            if reason.contains("can end") {
                problem = problem.help("with --order-free-termination, processes that end stay where they are");
            }
            return Err(refuse(problem));
        }
        (choice.strategy, choice.reason) = (None, Some(reason));
    }
    let described = if args.symmetry_file.is_some() { DESCRIBED } else { 0 };
    choice.selfcheck = args.symmetry_selfcheck.unwrap_or(described);
    if choice.strategy.is_none() && args.symmetry_selfcheck.is_some_and(|states| states > 0) {
        let reason = choice.reason.as_deref().unwrap_or("symmetry is off");
        return Err(refuse(Diagnostic::global(format!(
            "there is nothing for --symmetry-selfcheck to check: {reason}"
        ))));
    }
    Ok(choice)
}

/// Whether the model looks at the number of processes.
fn counts_processes(model: &Model) -> bool {
    let statements = model.proctypes.iter().flat_map(|proctype| &proctype.statements);
    let provided = model.proctypes.iter().filter_map(|proctype| proctype.provided.as_ref());
    let counts = |expr: &Expr| matches!(expr, Expr::ProcessCount);
    statements.into_iter().any(|statement| statement.action.any(&counts))
        || provided.into_iter().any(|e| e.any(&counts))
}

/// Looks for symmetry in the model. A declared scalarset that is not symmetric is an error of the model.
fn detect(args: &Check, input: &mut Input) -> Result<Detected, Failure> {
    if args.symmetry == Symmetry::Off && !args.order_free_termination {
        return Ok(Detected::default());
    }
    let detection = quotient_symmetry::detect(&mut input.model);
    if detection.failed() {
        return Err(input::reject(&input.path, &detection.reasons, &input.sources, args.output));
    }
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

fn describe(args: &Check, model: &mut Model, path: &Path) -> Result<(), Failure> {
    let mut sources = SourceMap::default();
    let options = Options { defines: args.input.defines.clone() };
    let loader = |path: &Path| std::fs::read(path);
    let problems = quotient_promela::describe(model, path, &options, &mut sources, &loader);
    match problems.is_empty() {
        true => Ok(()),
        false => Err(input::reject(&path.display().to_string(), &problems, &sources, args.output)),
    }
}

/// Refuses to answer when the model turned out not to be symmetric.
pub fn check(args: &Check, input: &Input, found: &Exploration) -> Result<(), Failure> {
    let Some(asymmetry) = found.symmetry.as_ref().and_then(|reduced| reduced.asymmetry.as_ref()) else {
        return Ok(());
    };
    Err(input::reject(&input.path, &[tell(&input.model, asymmetry)], &input.sources, args.output))
}

fn tell(model: &Model, asymmetry: &Asymmetry) -> Diagnostic {
    let Asymmetry { state, renamed, choice, of_renamed } = asymmetry;
    let (can, cannot) = if *of_renamed { (renamed, state) } else { (state, renamed) };
    let message = "the model is not symmetric: two states that differ by names only behave differently";
    let mut problem = Diagnostic::global(message);
    if let Some(choice) = choice {
        let process = &can.processes[choice.process];
        let proctype = &model.proctypes[process.proctype];
        let transition = &proctype.states[process.control].transitions[choice.transition];
        let statement = &proctype.statements[transition.statement];
        problem = Diagnostic::error(statement.span, message);
        problem.label = "what this leads to in one of them has no counterpart in the other".to_string();
        problem = problem.help(format!(
            "process {} ({}) executes `{}` in the state {}",
            choice.process,
            proctype.name,
            statement.text,
            show(model, can)
        ));
    } else {
        problem = problem.help(format!("nothing can happen in the state {}", show(model, can)));
    }
    problem.help(format!("the other state is {}", show(model, cannot)))
}

/// A state in a line: variables that are not zero.
fn show(model: &Model, state: &State) -> String {
    let mut parts = Vec::new();
    for (slot, value) in model.globals.iter().zip(&state.globals).filter(|(_, value)| **value != 0) {
        parts.push(format!("{} = {}", slot.name, model.show(slot.mtype, *value)));
    }
    for (id, process) in state.processes.iter().enumerate() {
        let proctype = &model.proctypes[process.proctype];
        let locals = proctype.slots.iter().zip(&process.locals).filter(|(_, value)| **value != 0);
        let locals: Vec<String> =
            locals.map(|(slot, value)| format!("{} = {}", slot.name, model.show(slot.mtype, *value))).collect();
        parts.push(format!(
            "{}({id}) at {} [{}]",
            proctype.name,
            proctype.states[process.control].number,
            locals.join(", ")
        ));
    }
    for (id, channel) in state.channels.iter().enumerate().filter(|(_, channel)| !channel.messages.is_empty()) {
        parts.push(format!("channel {} holds {:?}", id + 1, channel.messages));
    }
    parts.join("; ")
}

/// What symmetry reduction did, for the answer.
pub fn statistics(choice: &Choice, input: &Input, found: &Exploration, seconds: f64) -> stats::Symmetry {
    let (Some(strategy), Some(symmetry), Some(reduced)) = (choice.strategy, &input.model.symmetry, &found.symmetry)
    else {
        return stats::Symmetry {
            strategy: "off".to_string(),
            reason: choice.reason.clone(),
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
