//! From the settings of a check to the engine, and back to a report.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quotient_report::verdict::Shortfall;
use quotient_runtime::{Limits, Options, Outcome, Settings as Explored, Statistics, check};

use crate::builder::{AddressOrder, Settings};
use crate::report::Report;

/// What the text of an execution begins with if later blocks of memory have lower addresses in it.
const DESCENDING: &str = "descending:";

type Program = Arc<dyn Fn() + Send + Sync>;

/// Checks a program, or estimates what that would take from so many random walks.
pub(crate) fn run(settings: Settings, walks: Option<u32>, program: impl Fn() + Send + Sync + 'static) -> Report {
    let program: Program = Arc::new(program);
    let options = options(&settings, walks);
    let start = Instant::now();
    let mut warnings = Vec::new();
    let outcome = check_orders(&settings, &options, &program, &mut warnings);
    if settings.spurious_wakeups == 0 && is_complete(&outcome) && walks.is_none() {
        warnings.extend(wake(&options, &outcome, start.elapsed(), &program));
    }
    let test = test_name();
    let report = Report::new(outcome, settings.model, test.as_deref(), start.elapsed(), warnings);
    if let Some(file) = &settings.report {
        write_report(file, &report);
    }
    report
}

fn options(settings: &Settings, walks: Option<u32>) -> Options {
    let replay = settings.replay.as_deref();
    let descending = replay.and_then(|text| text.strip_prefix(DESCENDING));
    Options {
        settings: Explored {
            model: settings.model,
            symmetry: settings.symmetry,
            spurious_failures: settings.spurious_failures,
            max_events: settings.max_events,
            ..Explored::default()
        },
        limits: Limits { executions: settings.max_executions, time: settings.max_time },
        jobs: settings.jobs,
        stack_size: settings.stack_size,
        replay: descending.or(replay).map(str::to_owned),
        descending: descending.is_some(),
        flips: settings.address_order != AddressOrder::Ascending,
        noise: std::env::var_os("QUOTIENT_NOISE").is_some(),
        walks,
        spurious_wakeups: settings.spurious_wakeups,
        unwinds: settings.unwind,
        progress: settings.log.then(|| Arc::new(say_progress) as Arc<_>),
        ..Options::default()
    }
}

/// Whether everything was explored, and nothing is wrong.
fn is_complete(outcome: &Outcome) -> bool {
    outcome.failure.is_none() && outcome.stop.is_none()
}

/// Checks a program with ascending addresses, and with descending ones if it depends on them or both are wanted.
fn check_orders(settings: &Settings, options: &Options, program: &Program, warnings: &mut Vec<String>) -> Outcome {
    let first = check(options.clone(), program.clone());
    if options.descending {
        return in_descending_order(first);
    }
    let depends = first.knowledge.orders_addresses.clone();
    let is_wanted = settings.address_order == AddressOrder::Both || depends.is_some();
    if let Some(place) = &depends {
        warnings.push(format!(
            "what the program does depends on the order of addresses: with another one it goes another way ({place})"
        ));
    }
    if !is_wanted || !is_complete(&first) || options.walks.is_some() || options.replay.is_some() {
        return first;
    }
    let executions = options.limits.executions.map(|most| most.saturating_sub(first.statistics.complete).max(1));
    let options = Options {
        descending: true,
        limits: Limits { executions, time: options.limits.time },
        knowledge: first.knowledge.clone(),
        ..options.clone()
    };
    let mut second = in_descending_order(check(options, program.clone()));
    second.statistics.add(&first.statistics);
    second.waits_at = second.waits_at.or(first.waits_at);
    let what = "memory was allocated at ascending and at descending addresses, and the executions of both are counted";
    warnings.extend(depends.map(|_| what.to_owned()));
    second
}

fn in_descending_order(mut outcome: Outcome) -> Outcome {
    if let Some(failure) = outcome.failure.as_mut().filter(|failure| !failure.script.is_empty()) {
        failure.script.insert_str(0, DESCENDING);
    }
    outcome
}

/// Whether something goes wrong if threads are woken without a reason, which std allows: a wait that is not in a loop. Not
/// everything is explored for that, only about as much as before.
fn wake(options: &Options, outcome: &Outcome, time: Duration, program: &Program) -> Option<String> {
    let waits_at = outcome.waits_at.filter(|_| options.replay.is_none())?;
    let executions = Some(outcome.statistics.complete.saturating_mul(2).saturating_add(100));
    let options = Options {
        limits: Limits { executions, time: Some(time.saturating_mul(2).max(Duration::from_secs(1))) },
        spurious_wakeups: 1,
        progress: None,
        knowledge: outcome.knowledge.clone(),
        ..options.clone()
    };
    let failure = check(options, program.clone()).failure?;
    if Shortfall::of_execution(failure.violation.kind.name()).is_some() {
        return None;
    }
    let at = failure.woken.first().copied().unwrap_or(waits_at);
    Some(format!(
        "the wait at {}:{} may end without a reason, as std says, and then something goes wrong: {}. Wait in a loop, or see \
         the execution with `spurious_wakeups(1)` (QUOTIENT_SPURIOUS_WAKEUPS=1)",
        at.file(),
        at.line(),
        failure.violation.message
    ))
}

/// The test that runs: the harness names its threads after them.
fn test_name() -> Option<String> {
    std::thread::current().name().filter(|&name| name != "main").map(str::to_owned)
}

fn say_progress(statistics: &Statistics) {
    // Nobody is harmed if standard error is closed.
    let _ = writeln!(std::io::stderr(), "quotient: {} executions so far", statistics.complete);
}

fn write_report(place: &Path, report: &Report) {
    let file = if place.is_dir() { file_in(place, report) } else { place.to_owned() };
    if let Err(error) = std::fs::write(&file, report.to_json()) {
        panic!("the report could not be written to {}: {error}", file.display());
    }
}

/// A file named after the test, with nothing in it that a file system might not like.
fn file_in(directory: &Path, report: &Report) -> PathBuf {
    let name = &report.answer().input;
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    directory.join(name).with_extension("json")
}
