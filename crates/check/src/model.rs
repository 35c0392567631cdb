//! The check of a model: reads it, decides about symmetry, searches, repeats the runs of what was found, and puts the answer
//! together. It follows the steps in `ARCHITECTURE.md`, "How a check runs".

use std::io;
use std::time::{Duration, Instant};

use quotient_explain::Explained;
use quotient_explain::target;
use quotient_explain::trace_file::{SavedLasso, Shown, TraceFile, fingerprint};
use quotient_ir::{Proctype, ProctypeKind, Statement};
use quotient_report::Answer;
use quotient_report::answer::{ModelViolation, OtherError, Unreached, UnreachedStatement, Violation};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::property::PropertyAnswer;
use quotient_report::stats::{Explored, ModelStats, PartialOrder, Stats};
use quotient_report::summary;
use quotient_report::verdict::{Shortfall, Verdict};
use quotient_search::Error::{Deadlock, Fault};
use quotient_search::temporal::{Found, Unapplied};
use quotient_search::{Exploration, Keeper, Options, Order, Reduce, Session, Storage, explore_in};

use crate::Error;
use crate::checkpoint::{Checkpoint, Identity, Kind};
use crate::counting;
use crate::input::{Input, ModelSource};
use crate::keep::{self, Checkpoints, Paced};
use crate::observer::Beginning;
use crate::options::ModelOptions;
use crate::select::explain_some;
use crate::stages::Stages;
use crate::wanted::{self, Wanted};
use crate::words::{self, Algorithm, CountAs, Symmetry};
use crate::{dropped, heap, memory, symmetry, temporal};

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
    counting::refuse(options)?;
    let (mut input, wanted) = wanted::choose(&source.into(), options)?;
    if options.mention_leaks && !wanted.safety {
        return Err(Error::option("--leaks warn is for safety searches, and none is made"));
    }
    for path in options.trace.iter().chain(&common.checkpoint) {
        let files = input.sources.files().iter().map(|file| file.path.as_path());
        target::spare_inputs(path, "model", files.chain(options.symmetry_file.as_deref()))?;
    }
    let symmetry = symmetry::choose(options, &mut input)?;
    let engine = engine(options, &symmetry);
    let identity = identity(options, &input, &wanted, &engine);
    let resume = common.resume.as_deref().map(|path| Checkpoint::open(path, Kind::Model, &identity)).transpose()?;
    let mut saving = Saving {
        checkpoints: Checkpoints::new(common, Kind::Model, &identity),
        stages: Stages::new(resume, wanted.claims.len())?,
    };
    begins(options, &input, &wanted, &engine);
    let mut answer = match saving.stages.answered() {
        Some(answer) => answer,
        None if wanted.safety => safety(options, &input, &wanted, &symmetry, &engine, &mut saving)?,
        None => Answer::new(&input.path, false, None, &[], claims_only()),
    };
    claims(options, &input, &wanted, &symmetry, &engine, &mut answer, &mut saving)?;
    if options.store == words::Store::Tree && !wanted.claims.is_empty() {
        answer.notes.push("--store tree is for the safety search; the others kept their states whole".to_string());
    }
    if saving.stages.is_cut {
        answer.notes.extend(saving.checkpoints.and_then(|checkpoints| checkpoints.advice()));
    }
    Ok(answer)
}

/// The checkpoints of a check: where it goes on from, and where it is.
struct Saving {
    checkpoints: Option<Checkpoints>,
    stages: Stages,
}

/// Checks safety.
fn safety(
    options: &ModelOptions,
    input: &Input,
    wanted: &Wanted,
    symmetry: &symmetry::Choice,
    engine: &Options,
    saving: &mut Saving,
) -> Result<Answer, Error> {
    let started = Instant::now();
    let mut found = search(options, input, engine, saving)?;
    if !found.violations.is_empty() {
        options.common.observer.found();
    }
    let lost = counting::tell_as_written(input, engine.reduce.is_on(), &mut found);
    let explained = explain_some(input, options, engine.reduce.is_on(), &found, started.elapsed())?;
    if let (Some(path), Some(violation), Some(first)) = (&options.trace, found.violations.first(), explained.first()) {
        let promises = engine.reduce.is_on();
        let saved = trace_file(options, input, wanted, symmetry, promises, &first.violation);
        saved.write(path, &violation.path)?;
    }
    let mut answer = answer(options, input, wanted, symmetry, &found, explained);
    answer.notes.extend(counting::note(lost));
    answer.notes.extend(heap::note_leaks(options, input, engine, started.elapsed()));
    saving.stages.note(found.stop);
    Ok(answer)
}

/// Checks all claims that are asked for, one after the other, and adds them to the answer.
fn claims(
    options: &ModelOptions,
    input: &Input,
    wanted: &Wanted,
    symmetry: &symmetry::Choice,
    engine: &Options,
    answer: &mut Answer,
    saving: &mut Saving,
) -> Result<(), Error> {
    if wanted.claims.is_empty() {
        return Ok(());
    }
    let first = saving.stages.claim();
    if wanted.safety && answer.properties.is_empty() {
        answer.properties.push(PropertyAnswer {
            name: "safety".to_string(),
            kind: "safety".to_string(),
            formula: None,
            verdict: answer.verdict,
            stop: answer.stop,
            reason: answer.reason.clone(),
            fairness: None,
            fair_to: Vec::new(),
            automaton: None,
            notes: Vec::new(),
            stats: None,
        });
    }
    let started = Instant::now();
    let before = if wanted.safety { answer.stats.seconds } else { 0.0 };
    for (number, claim) in wanted.claims.iter().enumerate().skip(first) {
        // The limit on time is for all properties together.
        let spent = started.elapsed() + Duration::from_secs_f64(before);
        let max_time = engine.max_time.map(|limit| limit.saturating_sub(spent));
        options.common.observer.searches(&claim.to_string());
        let Saving { checkpoints, stages } = saving;
        let head = stages.head(number, answer)?;
        // Where a search before was cut short, all goes on from there.
        let checkpoints = checkpoints.as_ref().filter(|_| !stages.is_cut);
        let mut paced = checkpoints.map(|checkpoints| Paced::new(checkpoints, &options.common).behind(head));
        let mut resume = stages.resume.take();
        let session = Session {
            resume: resume.as_mut().map(|checkpoint| checkpoint as &mut dyn io::Read),
            keeper: paced.as_mut().map(|paced| paced as &mut dyn Keeper),
        };
        let checked = temporal::check(options, input, &Options { max_time, ..*engine }, claim, session);
        let checked = finished(checked, resume)?;
        stages.note(checked.found.stop);
        if !wanted.safety {
            add_claim(&mut answer.stats, &checked.found);
        }
        answer.violations_left_out += checked.found.errors.saturating_sub(checked.shown.iter().len() as u64);
        if let Some(shown) = checked.shown {
            if let (Some(path), true) = (&options.trace, answer.violations.is_empty()) {
                let lasso = SavedLasso {
                    property: claim.name.clone(),
                    loop_start: shown.loop_start,
                    fairness: temporal::fairness(options),
                    fair_to: options.fair_to.clone(),
                    processes_accept: options.algorithm == Algorithm::Ndfs,
                };
                let saved = trace_file(options, input, wanted, symmetry, false, &shown.explained.violation);
                saved.about(lasso).write(path, &shown.run)?;
            }
            answer.violations.push(Violation::Model(Box::new(shown.explained.violation)));
        }
        answer.add_properties(vec![checked.answer]);
    }
    if !wanted.safety {
        answer.unchecked_properties = wanted.unchecked.clone();
        answer.warnings = input.warnings.iter().map(|warning| one_line(input, warning)).collect();
    }
    answer.stats.peak_memory_bytes = memory::peak();
    Ok(())
}

/// What a saved run says of itself.
fn trace_file(
    options: &ModelOptions,
    input: &Input,
    wanted: &Wanted,
    symmetry: &symmetry::Choice,
    promises: bool,
    violation: &ModelViolation,
) -> TraceFile {
    let ModelViolation { kind, message, location, .. } = violation.clone();
    let saved = TraceFile::new(&input.path, &input.sources, promises, Some(Shown { kind, message, location }));
    TraceFile {
        defines: options.common.defines.clone(),
        reading: options.reading.into(),
        kept: symmetry.kept.clone(),
        formulas: wanted.formulas.clone(),
        ..saved
    }
}

/// The size of a check without a safety search, before anything was searched.
fn claims_only() -> Stats {
    let explored = Explored::Model(Box::default());
    Stats { explored, seconds: 0.0, peak_memory_bytes: 0 }
}

/// Adds the size of the search for a claim.
fn add_claim(stats: &mut Stats, found: &Found) {
    stats.seconds += found.time.as_secs_f64();
    let Explored::Model(model) = &mut stats.explored else { return };
    model.states += found.states;
    model.matched += found.matched;
    model.transitions = model.states + model.matched;
    model.depth = model.depth.max(found.depth);
    model.errors += found.errors.max(found.lassos.len() as u64);
    model.bytes_per_state = model.bytes_per_state.max(bytes_each(found.store_bytes, found.states));
    let reason = |applied: &Option<Result<(), Unapplied>>| {
        applied.as_ref().and_then(|done| done.as_ref().err().map(ToString::to_string))
    };
    model.por = PartialOrder {
        requested: found.applied.order.is_some(),
        active: matches!(found.applied.order, Some(Ok(()))),
        reason: reason(&found.applied.order),
        ..PartialOrder::default()
    };
    model.store = "exact".to_string();
    model.payload_per_state = model.payload_per_state.max(bytes_each(found.payload_bytes, found.states));
    (model.symmetry.strategy, model.symmetry.reason) = match &found.heap {
        Some((strategy, why)) => (strategy.to_string(), why.as_ref().map(ToString::to_string)),
        None => {
            let strategy = if matches!(found.applied.symmetry, Some(Ok(()))) { "on" } else { "off" };
            (strategy.to_string(), reason(&found.applied.symmetry))
        }
    };
}

/// Says that the search begins.
fn begins(options: &ModelOptions, input: &Input, wanted: &Wanted, engine: &Options) {
    let Input { warnings, sources, model, .. } = input;
    let heap = model.heap.as_ref().map(|_| engine.heap);
    // With other models the summary says so.
    let reduces = engine.reduce.is_on() && (heap.is_none() || quotient_por::obstacle(&model.seen_by(None)).is_none());
    let strategy = engine.symmetry;
    let (safety, properties) = (wanted.safety, wanted.claims.len());
    let nested = options.algorithm == Algorithm::Ndfs;
    let beginning = Beginning { strategy, heap, reduces, warnings, sources, model, safety, properties, nested };
    options.common.observer.begins(&beginning);
}

/// Searches, from the beginning or from a checkpoint.
fn search(
    options: &ModelOptions,
    input: &Input,
    engine: &Options,
    Saving { checkpoints, stages }: &mut Saving,
) -> Result<Exploration, Error> {
    let common = &options.common;
    let mut resume = stages.resume.take();
    let Input { model, counted, .. } = input;
    let head = stages.first_head();
    let mut paced = checkpoints.as_ref().map(|checkpoints| Paced::new(checkpoints, common).behind(head));
    let session = Session {
        resume: resume.as_mut().map(|checkpoint| checkpoint as &mut dyn io::Read),
        keeper: paced.as_mut().map(|paced| paced as &mut dyn Keeper),
    };
    let found = explore_in(counted.as_ref().unwrap_or(model), engine, session, &mut |progress| {
        common.observer.progress(&progress);
        !common.observer.is_interrupted()
    });
    finished(found.map_err(Error::from), resume)
}

/// What was found, if all of the checkpoint was read; otherwise what is wrong with it.
fn finished<T>(found: Result<T, Error>, resume: Option<Checkpoint>) -> Result<T, Error> {
    match (found, resume) {
        (found, None) => found,
        (Ok(found), Some(checkpoint)) => {
            checkpoint.finish()?;
            Ok(found)
        }
        (Err(Error::Io(error)), Some(checkpoint)) => Err(checkpoint.problem(error).into()),
        (Err(error), Some(_)) => Err(error),
    }
}

/// What must be the same for a search to go on. Limits that only end it may differ.
fn identity(options: &ModelOptions, input: &Input, wanted: &Wanted, engine: &Options) -> Identity {
    let strategy = match input.model.heap {
        Some(_) => engine.heap.to_string(),
        None => engine.symmetry.map_or("off", |strategy| strategy.name()).to_string(),
    };
    let first = vec![
        ("-D", keep::defines(&options.common.defines)),
        ("the text of the model", fingerprint(&input.sources)),
        ("the strategy for --symmetry", strategy),
    ];
    let mut identity = keep::identity(options, first);
    // All that the search sees: the symmetry too. It differs with another --symmetry-file, say.
    let searched = input.counted.as_ref().unwrap_or(&input.model);
    let seen = keep::hash(format_args!("{searched:?}"));
    identity.push(("what the search makes of the model".to_string(), seen));
    let safety = wanted.safety.then(|| "safety".to_string());
    let properties: Vec<String> = safety.into_iter().chain(wanted.claims.iter().map(ToString::to_string)).collect();
    identity.push(("what is checked".to_string(), properties.join(", ")));
    identity.push(("a property that is checked".to_string(), keep::hash(format_args!("{:?}", wanted.claims))));
    identity
}

fn engine(options: &ModelOptions, symmetry: &symmetry::Choice) -> Options {
    Options {
        order: match options.order {
            words::Order::Dfs => Order::DepthFirst,
            words::Order::Bfs => Order::BreadthFirst,
        },
        reduce: match (options.reduce, options.count_as) {
            (words::Reduce::Off, _) => Reduce::Off,
            (words::Reduce::Full, CountAs::Quotient) => Reduce::Full,
            (words::Reduce::Spin | words::Reduce::Full, _) => Reduce::Spin,
        },
        trust: options.count_as != CountAs::Quotient,
        symmetry: symmetry.strategy,
        heap: symmetry.heap.unwrap_or_default(),
        symmetric_independence: options.symmetric_independence == words::Switch::On,
        store: match options.store {
            words::Store::Auto => Storage::Auto,
            words::Store::Exact => Storage::Exact,
            words::Store::Tree => Storage::Tree,
        },
        selfcheck: options.selfcheck,
        all_errors: options.all_errors,
        max_states: options.max_states,
        max_depth: options.max_depth,
        max_time: options.common.max_time,
        max_memory: options.common.max_memory.map(memory::left_for_search).or_else(memory::limit),
        ..Options::default()
    }
}

fn answer(
    options: &ModelOptions,
    input: &Input,
    wanted: &Wanted,
    symmetry: &symmetry::Choice,
    found: &Exploration,
    explained: Vec<Explained>,
) -> Answer {
    let stop = found.stop.map(temporal::stop_reason);
    let seconds = found.time.as_secs_f64();
    let requested = options.reduce != words::Reduce::Off;
    let obstacle =
        if requested { quotient_por::obstacle(&input.model.seen_by(None)).map(str::to_string) } else { None };
    let dropped = dropped::tell(options, input, found);
    let why_not =
        |reduction: &str| dropped.iter().find(|d| d.reduction == reduction).map(|_| dropped::REASON.to_string());
    let obstacle = obstacle.or_else(|| why_not(dropped::ORDER));
    let unchecked = wanted.unchecked.clone();
    let mut shortfalls = if wanted.is_complete { Vec::new() } else { vec![Shortfall::UncheckedProperties] };
    shortfalls.extend(counting::shortfall(options));
    let explored = ModelStats {
        states: found.states,
        matched: found.matched,
        transitions: found.states + found.matched,
        depth: found.depth,
        errors: found.errors,
        counted_as: counting::whose(options),
        store: found.store.to_string(),
        bytes_per_state: bytes_each(found.store_bytes, found.states),
        payload_per_state: bytes_each(found.payload_bytes, found.states),
        normalised_states: found.symmetry.as_ref().map(|reduced| reduced.counts.normalised),
        symmetry: symmetry::statistics(symmetry, input, found, seconds),
        por: PartialOrder {
            requested,
            active: requested && obstacle.is_none(),
            reason: obstacle,
            reduced_states: found.reduced,
            skipped_steps: found.skipped,
        },
        dropped,
    };
    let explored = Explored::Model(Box::new(explored));
    let stats = Stats { explored, seconds, peak_memory_bytes: memory::peak() };
    let violated = if input.counted.is_some() { !explained.is_empty() } else { found.errors > 0 };
    let mut answer = Answer::new(&input.path, violated, stop, &shortfalls, stats);
    if answer.verdict == Verdict::Inconclusive {
        let reason = || summary::inconclusive(stop, unchecked.len() as u64);
        answer.reason = Some(counting::reason(options, stop).unwrap_or_else(reason));
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
        let written = as_written(proctype);
        let mut executed = vec![None; proctype.statements.len()];
        for (statement, reached) in written.iter().zip(reached) {
            if let Some(statement) = *statement {
                *executed[statement].get_or_insert(false) |= reached;
            }
        }
        let numbers = (0..executed.len()).filter(|&number| executed[number] == Some(false));
        let mut statements: Vec<UnreachedStatement> = numbers
            .map(|number| UnreachedStatement {
                location: input.sources.location(proctype.statements[number].span),
                statement: proctype.statements[number].text.clone(),
            })
            .collect();
        statements.sort_by_key(|found| (found.location.file.clone(), found.location.line, found.location.column));
        let total = executed.iter().flatten().count();
        all.push(Unreached { proctype: proctype.name.clone(), statements, total });
    }
    all
}

/// For each statement that is used, the first one that stands for the same piece of text at the same point: a front end makes
/// several of one that has a choice.
fn as_written(proctype: &Proctype) -> Vec<Option<usize>> {
    let mut written = vec![None; proctype.statements.len()];
    for state in &proctype.states {
        for (number, transition) in state.transitions.iter().enumerate() {
            let here = &proctype.statements[transition.statement];
            let mut before = state.transitions[..number].iter().map(|transition| transition.statement);
            let first = before.find(|&statement| is_same_text(&proctype.statements[statement], here));
            let first = first.and_then(|statement| written[statement]);
            written[transition.statement].get_or_insert(first.unwrap_or(transition.statement));
        }
    }
    written
}

/// Whether two statements stand for the same text. In the second one it may be followed by a case of it.
fn is_same_text(one: &Statement, other: &Statement) -> bool {
    let rest = other.text.strip_prefix(&one.text);
    one.span == other.span && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
}

/// Bytes of the visited set for each stored state, to one digit.
fn bytes_each(bytes: u64, states: u64) -> f64 {
    if states == 0 { 0.0 } else { (bytes as f64 / states as f64 * 10.0).round() / 10.0 }
}
