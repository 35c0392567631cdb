//! `quotient check`: searches, then tells what was found.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Instant;

use quotient_ir::{Model, ProctypeKind};
use quotient_report::answer::{Answer, SCHEMA, Shortfall, Unreached, UnreachedStatement, Violation, to_json};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::SourceMap;
use quotient_report::stats::{PartialOrder, Stats};
use quotient_report::summary;
use quotient_report::text::Palette;
use quotient_report::verdict::{StopReason, Verdict};
use quotient_search::{Exploration, Keeper, Options, Order, SELFCHECK, Session, Stop, explore_in};

use crate::args::{Check, Format, Por, Property, SearchOrder};
use crate::checkpoint::{self, Checkpoint, Kind};
use crate::input::{self, Input};
use crate::keep::{self, Checkpoints};
use crate::output::{self, Failure};
use crate::progress::Meter;
use crate::select::{Wanted, explain_some};
use crate::trace_file::{self, Shown, TraceFile};
use crate::violation::Explained;
use crate::{dropped, human, interrupt, memory, program, symmetry};

/// Carries the command out; gives the exit code.
pub fn run(args: &Check) -> Result<u8, Failure> {
    if quotient_native::is_native(&args.input.file) {
        return program::run(args);
    }
    program::reject_options(args)?;
    let refuse = |problem: String| {
        let name = args.input.file.display().to_string();
        input::reject(&name, &[Diagnostic::global(problem)], &SourceMap::default(), args.output)
    };
    if let Some(path) = &args.trace {
        trace_file::check_writable(path).map_err(refuse)?;
    }
    if let Some(path) = &args.checkpoint {
        checkpoint::check_writable(path).map_err(refuse)?;
    }
    // Before anything is said, so that whoever reads it can interrupt.
    let interrupted = interrupt::flag();
    let mut input = input::load(&args.input.file, &args.input.defines, args.output)?;
    if let Some(path) = &args.trace {
        trace_file::spare_inputs(path, &input.sources, args.symmetry_file.as_deref()).map_err(refuse)?;
    }
    if let Some(path) = &args.checkpoint {
        trace_file::spare_inputs(path, &input.sources, args.symmetry_file.as_deref()).map_err(refuse)?;
    }
    let symmetry = symmetry::choose(args, &mut input)?;
    let options = options(args, &symmetry);
    let identity = keep::identity(args, &input, &options);
    let mut resume = match &args.resume {
        Some(path) => Some(Checkpoint::open(path, Kind::Model, &identity).map_err(refuse)?),
        None => None,
    };
    let talks = args.output.format == Format::Human && !args.quiet;
    let palette = Palette { color: output::color(args.output.color, &std::io::stdout()) };
    if talks {
        output::err(&input.warnings);
        output::out(&format!("{}\n", human::heading(args, symmetry.strategy, palette)));
    }
    let mut meter = Meter::new(!args.quiet);
    let started = Instant::now();
    let mut checkpoints =
        args.checkpoint.as_deref().map(|path| Checkpoints::new(path, args.checkpoint_every, identity));
    let session = Session {
        resume: resume.as_mut().map(|checkpoint| checkpoint as &mut dyn io::Read),
        keeper: checkpoints.as_mut().map(|checkpoints| checkpoints as &mut dyn Keeper),
    };
    let found = explore_in(&input.model, &options, session, &mut |progress| {
        meter.tell(&progress);
        !interrupted.load(Ordering::Relaxed)
    });
    drop(meter);
    let found = match (found, resume) {
        (Ok(found), None) => found,
        (Ok(found), Some(checkpoint)) => {
            checkpoint.finish().map_err(refuse)?;
            found
        }
        (Err(error), Some(checkpoint)) => return Err(refuse(checkpoint.problem(&error))),
        (Err(error), None) => return Err(refuse(error.to_string())),
    };
    let seconds = found.time.as_secs_f64();
    let wanted = Wanted::new(args, started.elapsed(), palette);
    let explained = explain_some(&input, options.por, &found, &wanted).map_err(|problem| {
        let problem = Diagnostic::global(format!("internal error: {problem}"))
            .help("this is a bug in Quotient: a violation was found, but its run cannot be repeated");
        input::reject(&input.path, &[problem], &input.sources, args.output)
    })?;
    let answer = answer(args, &input, &symmetry, &found, &explained, seconds);
    if let (Some(path), Some(violation), Some(first)) = (&args.trace, found.violations.first(), explained.first()) {
        let Violation { kind, message, location, .. } = first.violation.clone();
        let shown = Some(Shown { kind, message, location });
        let saved = TraceFile::new(&input, &args.input.defines, options.por, shown);
        let saved = TraceFile { kept: symmetry.kept.clone(), ..saved };
        saved.write(path, &violation.path).map_err(refuse)?;
    }
    match args.output.format {
        Format::Json => output::out(&to_json(&answer)),
        Format::Human if args.quiet => {
            let unchecked = summary::unchecked(&answer, palette);
            let dropped = summary::dropped(&answer, palette);
            output::out(&format!("{}{dropped}{unchecked}", summary::verdict(&answer, palette)));
        }
        Format::Human => {
            let mut text = String::new();
            if let Some(first) = explained.first() {
                text.push_str(&human::story(first, &input.sources, palette));
                text.push_str(human::advice(args, &first.violation));
                text.push_str(&human::others(&found, &input.sources));
            }
            text.push_str(&human::summary(&answer, palette));
            text.push_str(&summary::dropped(&answer, palette));
            let cut = matches!(found.stop, Some(Stop::States | Stop::Time | Stop::Memory | Stop::Interrupted));
            if let Some(checkpoints) = checkpoints.as_ref().filter(|_| cut) {
                text.push_str(&keep::advice(checkpoints));
            }
            if let Some(path) = &args.trace {
                text.push_str(&match explained.is_empty() {
                    true => "There is no run to save.\n".to_string(),
                    false => format!("The run is saved; repeat it with: quotient replay {}\n", path.display()),
                });
            }
            output::out(&text);
        }
    }
    Ok(answer.verdict.exit_code())
}

fn options(args: &Check, symmetry: &symmetry::Choice) -> Options {
    Options {
        order: match args.order {
            SearchOrder::Dfs => Order::DepthFirst,
            SearchOrder::Bfs => Order::BreadthFirst,
        },
        por: args.por != Por::Off,
        trust: args.por == Por::Spin,
        symmetry: symmetry.strategy,
        selfcheck: args.selfcheck.unwrap_or(SELFCHECK),
        all_errors: args.all_errors,
        max_states: args.max_states,
        max_depth: args.max_depth,
        max_time: args.max_time,
        // What was taken before the search counts too.
        max_memory: args.max_memory.map(|limit| limit.saturating_sub(memory::now())).or_else(memory::limit),
        ..Options::default()
    }
}

fn answer(
    args: &Check,
    input: &Input,
    symmetry: &symmetry::Choice,
    found: &Exploration,
    explained: &[Explained],
    seconds: f64,
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
    let requested = args.por != Por::Off;
    let obstacle = if requested { quotient_por::obstacle(&input.model).map(str::to_string) } else { None };
    let dropped = dropped::tell(args, input, found);
    let why_not =
        |reduction: &str| dropped.iter().find(|d| d.reduction == reduction).map(|_| dropped::REASON.to_string());
    let obstacle = obstacle.or_else(|| why_not(dropped::ORDER));
    let unchecked = if args.property == Property::None { Vec::new() } else { unchecked(&input.model) };
    let complete = args.property != Property::All || unchecked.is_empty();
    let verdict = Verdict::of(found.errors, stop, complete);
    let shortfalls =
        [(stop.is_some(), Shortfall::SearchCutShort), (!complete, Shortfall::UncheckedProperties)].into_iter();
    let inconclusive = |&(applies, _): &(bool, Shortfall)| applies && verdict == Verdict::Inconclusive;
    Answer {
        schema: SCHEMA,
        input: input.path.clone(),
        verdict,
        stop,
        inconclusive_because: shortfalls.filter(inconclusive).map(|(_, shortfall)| shortfall).collect(),
        violations_left_out: found.errors - explained.len() as u64,
        violations: explained.iter().map(|explained| explained.violation.clone()).collect(),
        unchecked_properties: unchecked,
        unreached: args.unreached.then(|| unreached(input, found)),
        stats: Stats {
            states: found.states,
            matched: found.matched,
            transitions: found.states + found.matched,
            depth: found.depth,
            errors: found.errors,
            bytes_per_state: per_state(found),
            normalised_states: found.symmetry.as_ref().map(|reduced| reduced.counts.normalised),
            seconds,
            peak_memory_bytes: memory::peak(),
            symmetry: symmetry::statistics(symmetry, input, found, seconds),
            por: PartialOrder {
                requested,
                active: requested && obstacle.is_none(),
                reason: obstacle,
                reduced_states: found.reduced,
            },
            dropped,
        },
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
