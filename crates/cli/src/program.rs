//! `quotient check` of a C or C++ program.

use quotient_native::{
    AddressOrder, Answer, Leaks, Options, Problem, Stats, Stuck, check, compile, is_native, stopped,
};
use quotient_report::Execution;
use quotient_report::answer::{SCHEMA, to_json};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::SourceMap;
use quotient_report::verdict::Verdict;
use quotient_runtime::Model;
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::args::{self, Check, Format, MemoryModel, Por, Property, SearchOrder, Symmetry};
use crate::output::{self, Failure};
use crate::{input, interrupt, memory, program_checkpoint};

/// The JSON form of an answer about a program.
#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    input: String,
    verdict: Verdict,
    stop: Option<&'a str>,
    violations: Vec<&'a Execution>,
    #[serde(skip_serializing_if = "str::is_empty")]
    output: &'a str,
    warnings: &'a [String],
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    stats: &'a Stats,
}

/// Carries the command out; gives the exit code.
pub fn run(args: &Check) -> Result<u8, Failure> {
    for (given, option) in for_models(args) {
        if given {
            return Err(refuse(args, &format!("{option} is for models, not for C and C++ programs")));
        }
    }
    let files: Vec<_> = std::iter::once(&args.input.file).chain(&args.more_files).cloned().collect();
    if let Some(other) = files.iter().find(|file| !is_native(file)) {
        return Err(refuse(args, &format!("{} is not a C or C++ file", other.display())));
    }
    let define = |(name, value): &args::Define| match value {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    };
    let defines: Vec<String> = args.input.defines.iter().map(define).collect();
    let explain = |problem: Problem| {
        let mut diagnostic = Diagnostic::global(problem.message);
        diagnostic.help = problem.help;
        input::reject(&args.input.file.display().to_string(), &[diagnostic], &SourceMap::default(), args.output)
    };
    program_checkpoint::refuse(args, &files).map_err(|problem| refuse(args, &problem))?;
    let mut options = options(args);
    let answer = match compile(&files, &defines, &args.compiler_flags, &options) {
        Ok(program) => {
            let plan = program_checkpoint::plan(args, &files, &program).map_err(|problem| refuse(args, &problem))?;
            (options.checkpoints, options.resume) = (plan.write, plan.resume);
            let mut answer = check(&program, &options).map_err(explain)?;
            if let Some(path) = args
                .checkpoint
                .as_ref()
                .filter(|_| answer.verdict == Verdict::Inconclusive && plan.written.load(Ordering::Relaxed))
            {
                answer.notes.push(format!("--resume {} goes on from where this check has stopped", path.display()));
            }
            answer
        }
        Err(problem) => stopped(&options).ok_or_else(|| explain(problem))?,
    };
    match args.output.format {
        Format::Json => output::out(&json(args, &answer)),
        Format::Human if args.quiet => output::out(&format!("{}\n", answer.verdict.name())),
        Format::Human => output::out(&answer.text()),
    }
    Ok(answer.verdict.exit_code())
}

fn json(args: &Check, answer: &Answer) -> String {
    to_json(&Json {
        schema: SCHEMA,
        input: args.input.file.display().to_string(),
        verdict: answer.verdict,
        stop: answer.stop.as_deref(),
        violations: answer.violation.iter().collect(),
        output: &answer.output,
        warnings: &answer.warnings,
        notes: &answer.notes,
        reason: answer.reason.as_deref(),
        stats: &answer.stats,
    })
}

/// Refuses what is only for programs, for a model.
pub fn reject_options(args: &Check) -> Result<(), Failure> {
    let program = &args.program;
    let given = [
        (!args.more_files.is_empty(), "more than one file"),
        (!args.compiler_flags.is_empty(), "what follows `--`"),
        (program.memory_model.is_some(), "--memory-model"),
        (program.max_executions.is_some(), "--max-executions"),
        (program.max_events.is_some(), "--max-events"),
        (program.unroll.is_some(), "--unroll"),
        (program.jobs.is_some(), "--jobs"),
        (program.leaks.is_some(), "--leaks"),
        (program.stuck_threads.is_some(), "--stuck-threads"),
        (program.patience.is_some(), "--patience"),
        (program.spurious_failures, "--spurious-failures"),
        (program.spurious_wakeups.is_some(), "--spurious-wakeups"),
        (program.clock.is_some(), "--clock"),
        (program.volatile.is_some(), "--volatile"),
        (program.address_order.is_some(), "--address-order"),
        (program.replay.is_some(), "--replay"),
        (program.sandbox.is_some(), "--sandbox"),
        (args.symmetry == Symmetry::Ids, "--symmetry ids"),
    ];
    if let Some((_, option)) = given.iter().find(|(given, _)| *given) {
        return Err(refuse(args, &format!("{option} is for C and C++ programs, not for models")));
    }
    Ok(())
}

/// What is only for models, and whether it was given.
fn for_models(args: &Check) -> [(bool, &'static str); 13] {
    [
        (args.por != Por::On, "--por"),
        (args.order != SearchOrder::Dfs, "--order"),
        (args.all_errors, "--all-errors"),
        (args.max_states.is_some(), "--max-states"),
        (args.max_depth.is_some(), "--max-depth"),
        (args.property == Property::None, "--property none"),
        (args.unreached, "--unreached"),
        (args.trace.is_some(), "--trace"),
        (args.full_trace, "--full-trace"),
        (!matches!(args.symmetry, Symmetry::Auto | Symmetry::Off | Symmetry::Ids), "a strategy for --symmetry"),
        (args.symmetry_file.is_some(), "--symmetry-file"),
        (args.selfcheck.is_some(), "--selfcheck"),
        (args.order_free_termination, "--order-free-termination"),
    ]
}

fn refuse(args: &Check, problem: &str) -> Failure {
    let name = args.input.file.display().to_string();
    input::reject(&name, &[Diagnostic::global(problem)], &SourceMap::default(), args.output)
}

fn options(args: &Check) -> Options {
    let program = &args.program;
    let defaults = Options::default();
    Options {
        model: match program.memory_model {
            Some(MemoryModel::Sc) => Model::Sc,
            Some(MemoryModel::Tso) => Model::Tso,
            Some(MemoryModel::Ra) => Model::Ra,
            Some(MemoryModel::Rc11) | None => Model::Rc11,
        },
        symmetry: args.symmetry != Symmetry::Off,
        ids: args.symmetry == Symmetry::Ids,
        spurious_failures: program.spurious_failures,
        spurious_wakeups: program.spurious_wakeups.unwrap_or(defaults.spurious_wakeups),
        still_clock: program.clock == Some(args::Clock::Still),
        max_events: program.max_events.unwrap_or(defaults.max_events),
        max_executions: program.max_executions,
        max_time: args.max_time,
        started: Instant::now(),
        max_memory: args.max_memory.or_else(memory::limit),
        interrupted: Some(interrupt::flag()),
        sandbox: program.sandbox != Some(args::Sandbox::Off) && defaults.sandbox,
        leaks: match program.leaks {
            Some(args::Leaks::Off) => Leaks::Ignore,
            Some(args::Leaks::Warn) | None => Leaks::Warn,
            Some(args::Leaks::Error) => Leaks::Error,
        },
        stuck: match program.stuck_threads {
            Some(args::Stuck::Off) => Stuck::Ignore,
            Some(args::Stuck::Note) | None => Stuck::Note,
            Some(args::Stuck::Error) => Stuck::Error,
        },
        unroll: program.unroll,
        jobs: program.jobs.unwrap_or(defaults.jobs),
        address_order: match program.address_order {
            Some(args::AddressOrder::Auto) | None => AddressOrder::Auto,
            Some(args::AddressOrder::Ascending) => AddressOrder::Ascending,
            Some(args::AddressOrder::Both) => AddressOrder::Both,
        },
        relaxed_volatile: program.volatile == Some(args::Volatile::Relaxed),
        patience: program.patience.unwrap_or(defaults.patience),
        replay: program.replay.clone(),
        checkpoints: None,
        resume: None,
        noise: std::env::var_os("QUOTIENT_NOISE").is_some(),
    }
}
