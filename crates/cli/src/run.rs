//! `quotient run`: starts a set of processes under the control of the checker and searches their interleavings, then tells what was
//! found.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quotient_check::{Answer, Observed, Observer, ProcessOptions, ProcessSet, Progress};
use quotient_report::answer::to_json;
use quotient_report::processes::render;
use quotient_report::summary;
use quotient_report::text::Palette;

use crate::args::{Format, Output, Run};
use crate::failure;
use crate::output::{self, Failure};
use crate::overdue::{Kind, Overdue};
use crate::progress::Meter;

/// Carries the command out; gives the exit code.
pub(crate) fn run(args: &Run) -> Result<u8, Failure> {
    let input = args.file.clone().unwrap_or_else(|| PathBuf::from(args.commands.join(" ")));
    let explain = |error| failure::of(&input, &error, args.output);
    let limit = args.options.max_time.map(Duration::from_secs);
    let subject = (input.display().to_string(), Kind::Processes);
    let overdue = Overdue::watch(subject, args.output, limit, false);
    let watcher = Arc::new(Watcher { overdue, meter: Mutex::new(Meter::new(!args.quiet)) });
    let given = ProcessOptions { observer: Observed(watcher.clone()), ..args.options.clone() };
    let (set, options) = match (&args.file, args.commands.is_empty()) {
        (Some(file), true) => ProcessSet::of_file(file, &given).map_err(explain)?,
        (None, false) => (ProcessSet::of_commands(&args.commands).map_err(explain)?, given),
        (Some(_), false) => {
            return Err(failure::because(
                &input,
                "either a .system file or commands after `--`, not both",
                args.output,
            ));
        }
        (None, true) => {
            return Err(failure::because(
                Path::new("run"),
                "there is nothing to run: give a .system file, or commands after `--`",
                args.output,
            ));
        }
    };
    let result = quotient_check::processes(&set, &options);
    watcher.overdue.is_answered();
    watcher.meter.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let answer = result.map_err(explain)?;
    tell(&answer, args.output, args.quiet);
    if let (Some(path), Format::Human) = (&options.trace, args.output.format) {
        let text = match answer.violations.is_empty() {
            true => "There is no run to save.\n".to_string(),
            false => format!("The run is saved; repeat it with: quotient replay {}\n", path.display()),
        };
        output::out(&text);
    }
    Ok(answer.verdict.exit_code())
}

/// Prints an answer about processes.
pub(crate) fn tell(answer: &Answer, output: Output, quiet: bool) {
    let palette = Palette { color: output::color(output.color, &std::io::stdout()) };
    output::out(&match output.format {
        Format::Json => to_json(answer),
        Format::Human if quiet => summary::verdict(answer, palette),
        Format::Human => render(answer, palette),
    });
}

/// Watches the search: progress on a terminal, and Ctrl-C.
struct Watcher {
    overdue: Arc<Overdue>,
    meter: Mutex<Meter>,
}

impl Observer for Watcher {
    fn is_interrupted(&self) -> bool {
        self.overdue.is_interrupted()
    }

    fn found(&self) {
        self.overdue.found();
    }

    fn progress(&self, progress: &Progress) {
        self.meter.lock().unwrap_or_else(PoisonError::into_inner).tell(progress);
    }
}
