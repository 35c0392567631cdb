//! The check of a model: reads it, decides about symmetry, searches, repeats the runs of what was found, and puts the answer
//! together. It follows the steps in `ARCHITECTURE.md`, "How a check runs".

use std::io;
use std::time::Instant;

use quotient_explain::Explained;
use quotient_explain::target;
use quotient_explain::trace_file::{Shown, TraceFile, fingerprint};
use quotient_ir::{Model, ProctypeKind};
use quotient_report::Answer;
use quotient_report::answer::{ModelViolation, OtherError, Unreached, UnreachedStatement, Violation};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::stats::{Explored, ModelStats, PartialOrder, Stats};
use quotient_report::summary;
use quotient_report::verdict::{Shortfall, StopReason, Verdict};
use quotient_search::Error::{Deadlock, Fault};
use quotient_search::{Exploration, Keeper, Options, Order, Session, Stop, explore_in};

use crate::Error;
use crate::checkpoint::{Checkpoint, Identity, Kind};
use crate::input::{Input, ModelSource, load};
use crate::keep::{self, Checkpoints, Paced};
use crate::observer::Beginning;
use crate::options::ModelOptions;
use crate::select::explain_some;
use crate::words::{self, Por, Property, Symmetry};
use crate::{dropped, memory, symmetry};

/// Checks a model.
///
/// ```
/// use quotient_check::{ModelOptions, ModelSource, Verdict};
///
/// let text = "byte x, done;
///     active [2] proctype Adder() { byte old; old = x; x = old + 1; done++ }
///     active proctype Looker() { done == 2; assert(x == 2) }";
/// let answer = quotient_check::model(ModelSource::text(text), &ModelOptions::default())?;
/// assert_eq!(answer.verdict, Verdict::Violated);
/// assert_eq!(answer.violations[0].message(), "assertion violated");
/// # Ok::<(), quotient_check::Error>(())
/// ```
///
/// # Errors
/// The model, an option or a file cannot be used.
pub fn model(source: impl Into<ModelSource>, options: &ModelOptions) -> Result<Answer, Error> {
    let common = &options.common;
    if common.symmetry == Symmetry::Ids {
        return Err(Error::option("--symmetry ids is for C and C++ programs, not for models"));
    }
    if let Some(path) = &options.trace {
        target::check_writable(path)?;
    }
    if let Some(path) = &common.checkpoint {
        target::check_replaceable(path)?;
    }
    let mut input = load(&source.into(), &common.defines)?;
    for path in options.trace.iter().chain(&common.checkpoint) {
        let files = input.sources.files().iter().map(|file| file.path.as_path());
        target::spare_inputs(path, "model", files.chain(options.symmetry_file.as_deref()))?;
    }
    let symmetry = symmetry::choose(options, &mut input)?;
    let engine = engine(options, &symmetry);
    let identity = identity(options, &input, &engine);
    let started = Instant::now();
    let checkpoints = Checkpoints::new(common, Kind::Model, &identity);
    let found = search(options, &input, &engine, &identity, checkpoints.as_ref())?;
    let explained = explain_some(&input, options, engine.por, &found, started.elapsed())?;
    if let (Some(path), Some(violation), Some(first)) = (&options.trace, found.violations.first(), explained.first()) {
        let ModelViolation { kind, message, location, .. } = first.violation.clone();
        let saved = TraceFile::new(&input.path, &input.sources, engine.por, Some(Shown { kind, message, location }));
        let saved = TraceFile { defines: common.defines.clone(), kept: symmetry.kept.clone(), ..saved };
        saved.write(path, &violation.path)?;
    }
    let mut answer = answer(options, &input, &symmetry, &found, explained);
    if matches!(found.stop, Some(Stop::States | Stop::Time | Stop::Memory | Stop::Interrupted)) {
        answer.notes.extend(checkpoints.and_then(|checkpoints| checkpoints.advice()));
    }
    Ok(answer)
}

/// Searches, from the beginning or from a checkpoint.
fn search(
    options: &ModelOptions,
    input: &Input,
    engine: &Options,
    identity: &Identity,
    checkpoints: Option<&Checkpoints>,
) -> Result<Exploration, Error> {
    let common = &options.common;
    let resume = common.resume.as_deref().map(|path| Checkpoint::open(path, Kind::Model, identity));
    let mut resume = resume.transpose()?;
    let Input { warnings, sources, model, .. } = input;
    common.observer.begins(&Beginning { strategy: engine.symmetry, warnings, sources, model });
    let mut paced = checkpoints.map(|checkpoints| Paced::new(checkpoints, common));
    let session = Session {
        resume: resume.as_mut().map(|checkpoint| checkpoint as &mut dyn io::Read),
        keeper: paced.as_mut().map(|paced| paced as &mut dyn Keeper),
    };
    let found = explore_in(model, engine, session, &mut |progress| {
        common.observer.progress(&progress);
        !common.observer.is_interrupted()
    });
    match (found, resume) {
        (Ok(found), None) => Ok(found),
        (Ok(found), Some(checkpoint)) => {
            checkpoint.finish()?;
            Ok(found)
        }
        (Err(error), Some(checkpoint)) => Err(checkpoint.problem(error).into()),
        (Err(error), None) => Err(error.into()),
    }
}

/// What must be the same for a search to go on. Limits that only end it may differ.
fn identity(options: &ModelOptions, input: &Input, engine: &Options) -> Identity {
    let strategy = engine.symmetry.map_or("off", |strategy| strategy.name());
    let first = vec![
        ("-D", keep::defines(&options.common.defines)),
        ("the text of the model", fingerprint(&input.sources)),
        ("the strategy for --symmetry", strategy.to_string()),
    ];
    let mut identity = keep::identity(options, first);
    // All that the search sees: the symmetry too. It differs with another --symmetry-file, say.
    let seen = keep::hash(format_args!("{:?}", input.model));
    identity.push(("what the search makes of the model".to_string(), seen));
    identity
}

fn engine(options: &ModelOptions, symmetry: &symmetry::Choice) -> Options {
    Options {
        order: match options.order {
            words::Order::Dfs => Order::DepthFirst,
            words::Order::Bfs => Order::BreadthFirst,
        },
        por: options.por != Por::Off,
        trust: options.por == Por::Spin,
        symmetry: symmetry.strategy,
        selfcheck: options.selfcheck,
        all_errors: options.all_errors,
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_time: options.common.max_time,
        // What was taken before the search counts too.
        max_memory: options.common.max_memory.map(|limit| limit.saturating_sub(memory::now())).or_else(memory::limit),
        ..Options::default()
    }
}

fn answer(
    options: &ModelOptions,
    input: &Input,
    symmetry: &symmetry::Choice,
    found: &Exploration,
    explained: Vec<Explained>,
) -> Answer {
    let stop = found.stop.map(|stop| match stop {
        Stop::Violation => StopReason::FirstViolation,
        Stop::States => StopReason::MaxStates,
        Stop::Depth => StopReason::MaxDepth,
        Stop::Time => StopReason::MaxTime,
        Stop::Memory => StopReason::MaxMemory,
        Stop::Interrupted => StopReason::Interrupted,
        Stop::StateSize => StopReason::StateSize,
    });
    let seconds = found.time.as_secs_f64();
    let requested = options.por != Por::Off;
    let obstacle = if requested { quotient_por::obstacle(&input.model).map(str::to_string) } else { None };
    let dropped = dropped::tell(options, input, found);
    let why_not =
        |reduction: &str| dropped.iter().find(|d| d.reduction == reduction).map(|_| dropped::REASON.to_string());
    let obstacle = obstacle.or_else(|| why_not(dropped::ORDER));
    let property = options.common.property;
    let unchecked = if property == Property::None { Vec::new() } else { unchecked(&input.model) };
    let is_complete = property != Property::All || unchecked.is_empty();
    let shortfalls: &[Shortfall] = if is_complete { &[] } else { &[Shortfall::UncheckedProperties] };
    let explored = ModelStats {
        states: found.states,
        matched: found.matched,
        transitions: found.states + found.matched,
        depth: found.depth,
        errors: found.errors,
        bytes_per_state: per_state(found),
        normalised_states: found.symmetry.as_ref().map(|reduced| reduced.counts.normalised),
        symmetry: symmetry::statistics(symmetry, input, found, seconds),
        por: PartialOrder {
            requested,
            active: requested && obstacle.is_none(),
            reason: obstacle,
            reduced_states: found.reduced,
        },
        dropped,
    };
    let explored = Explored::Model(Box::new(explored));
    let stats = Stats { explored, seconds, peak_memory_bytes: memory::peak() };
    let mut answer = Answer::new(&input.path, found.errors > 0, stop, shortfalls, stats);
    if answer.verdict == Verdict::Inconclusive {
        answer.reason = Some(summary::inconclusive(stop, unchecked.len() as u64));
    }
    answer.violations_left_out = found.errors - explained.len() as u64;
    answer.violations = explained.into_iter().map(|one| Violation::Model(Box::new(one.violation))).collect();
    answer.other_errors = others(input, found);
    answer.unchecked_properties = unchecked;
    answer.unreached = options.unreached.then(|| unreached(input, found));
    answer.warnings = input.warnings.iter().map(|warning| one_line(input, warning)).collect();
    answer
}

/// Errors beside the first, equal ones together.
fn others(input: &Input, found: &Exploration) -> Vec<OtherError> {
    let mut all: Vec<OtherError> = Vec::new();
    for violation in found.violations.iter().skip(1) {
        let (message, location) = match &violation.error {
            Fault(fault) => (fault.kind.message(), Some(input.sources.location(fault.span))),
            Deadlock => ("invalid end state".to_string(), None),
        };
        match all.iter_mut().find(|other| other.message == message && other.location == location) {
            Some(other) => other.times += 1,
            None => all.push(OtherError { message, location, times: 1 }),
        }
    }
    all
}

/// A warning in a line: `m.pml:3:7: …`.
fn one_line(input: &Input, warning: &Diagnostic) -> String {
    match warning.span {
        Some(span) => format!("{}: {}", input.sources.location(span), warning.message),
        None => warning.message.clone(),
    }
}

/// Statements that were never executed, by process type.
fn unreached(input: &Input, found: &Exploration) -> Vec<Unreached> {
    let mut all = Vec::new();
    for (proctype, reached) in input.model.proctypes.iter().zip(&found.reached) {
        if !matches!(proctype.kind, ProctypeKind::Process | ProctypeKind::Init) {
            continue;
        }
        let mut used = vec![false; proctype.statements.len()];
        for transition in proctype.states.iter().flat_map(|state| &state.transitions) {
            used[transition.statement] = true;
        }
        let numbers = (0..used.len()).filter(|&number| used[number] && !reached[number]);
        let mut statements: Vec<UnreachedStatement> = numbers
            .map(|number| UnreachedStatement {
                location: input.sources.location(proctype.statements[number].span),
                statement: proctype.statements[number].text.clone(),
            })
            .collect();
        statements.sort_by_key(|found| (found.location.file.clone(), found.location.line, found.location.column));
        let total = used.iter().filter(|used| **used).count();
        all.push(Unreached { proctype: proctype.name.clone(), statements, total });
    }
    all
}

/// Bytes of the visited set for each stored state, to one digit.
fn per_state(found: &Exploration) -> f64 {
    match found.states {
        0 => 0.0,
        states => (found.store_bytes as f64 / states as f64 * 10.0).round() / 10.0,
    }
}

/// What the model asks for and a search does not check, as reports call it.
fn unchecked(model: &Model) -> Vec<String> {
    let properties = model.properties().filter(|&property| !quotient_search::checks(property));
    properties.map(|property| model.property_name(property)).collect()
}
