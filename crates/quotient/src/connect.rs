//! From the settings of a check to the engine, and back to a report.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use quotient_runtime::{Limits, Options, Settings as Explored, Statistics, check};

use crate::builder::Settings;
use crate::report::Report;

/// Checks a program, or estimates what that would take from so many random walks.
pub(crate) fn run(settings: Settings, walks: Option<u32>, program: impl Fn() + Send + Sync + 'static) -> Report {
    let options = Options {
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
        replay: settings.replay,
        walks,
        spurious_wakeups: settings.spurious_wakeups,
        progress: settings.log.then(|| Arc::new(say_progress) as Arc<_>),
        ..Options::default()
    };
    let start = Instant::now();
    let outcome = check(options, Arc::new(program));
    let report = Report { outcome, model: settings.model, test: test_name(), time: start.elapsed() };
    if let Some(file) = &settings.report {
        write_report(file, &report);
    }
    report
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
    let name = report.test.as_deref().unwrap_or("check");
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    directory.join(name).with_extension("json")
}
