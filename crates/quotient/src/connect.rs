//! From the settings of a check to the engine, and back to a report.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use quotient_runtime::{Limits, Options, Settings as Explored, Statistics, check};

use crate::builder::Settings;
use crate::report::Report;

/// Checks a program.
pub(crate) fn run(settings: Settings, program: impl Fn() + Send + Sync + 'static) -> Report {
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
        progress: settings.log.then(|| Arc::new(say_progress) as Arc<_>),
        ..Options::default()
    };
    let report = Report { outcome: check(options, Arc::new(program)) };
    if let Some(file) = &settings.report {
        write_report(file, &report);
    }
    report
}

fn say_progress(statistics: &Statistics) {
    // Nobody is harmed if standard error is closed.
    let _ = writeln!(std::io::stderr(), "quotient: {} executions so far", statistics.complete);
}

fn write_report(file: &Path, report: &Report) {
    if let Err(error) = std::fs::write(file, format!("{report}\n")) {
        panic!("the report could not be written to {}: {error}", file.display());
    }
}
