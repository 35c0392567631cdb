//! Watches a check for a person: what is said before the search, progress, and the steps of a run that is too long to be
//! kept. It follows `quotient_check::Observer`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quotient_check::{Beginning, Observer, Progress};
use quotient_explain::Explained;
use quotient_report::run::Table;
use quotient_report::source::SourceMap;
use quotient_report::text::Palette;
use quotient_report::trace::Step;

use crate::args::{Check, Format, Output};
use crate::lines::{Lines, table};
use crate::overdue::{Kind, Overdue};
use crate::progress::Meter;
use crate::{failure, human, output};

type Heading = Box<dyn Fn(&Beginning<'_>) -> String + Send + Sync>;

/// Watches a check.
pub(crate) struct Watcher {
    overdue: Arc<Overdue>,
    /// Whether everything is said that there is to say.
    talks: bool,
    full_trace: bool,
    output: Output,
    /// What is said before the search, once the strategy for symmetry is known.
    heading: Heading,
    palette: Palette,
    seen: Mutex<Seen>,
}

/// What was seen so far.
struct Seen {
    meter: Meter,
    /// A table that is wide enough for any step of the model.
    table: Option<Table>,
    lines: Option<Lines>,
    /// The violations that were told.
    told: Vec<(Explained, SourceMap)>,
}

impl Watcher {
    /// For a check with these options. From now on, signals are noted.
    pub(crate) fn new(args: &Check, kind: Kind) -> Self {
        let subject = (args.input.file.display().to_string(), kind);
        let overdue = Overdue::watch(subject, args.output, args.common.max_time, args.common.checkpoint.is_some());
        if matches!(kind, Kind::Model) {
            overdue.answers_without_addresses();
        }
        let palette = Palette { color: output::color(args.output.color, &std::io::stdout()) };
        Watcher {
            overdue,
            talks: args.output.format == Format::Human && !args.quiet,
            full_trace: args.full_trace,
            heading: Box::new(human::heading(args, palette)),
            output: args.output,
            palette,
            seen: Mutex::new(Seen { meter: Meter::new(!args.quiet), table: None, lines: None, told: Vec::new() }),
        }
    }

    /// The violations of a model that were told, with their sources. Nothing is shown of the progress any more.
    pub(crate) fn finish(&self) -> Vec<(Explained, SourceMap)> {
        let mut seen = self.seen();
        seen.meter.clear();
        std::mem::take(&mut seen.told)
    }

    /// From now on the answer is given, however long that takes.
    pub(crate) fn is_answered(&self) {
        self.overdue.is_answered();
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watcher {
    fn is_interrupted(&self) -> bool {
        self.overdue.is_interrupted()
    }

    fn found(&self) {
        self.overdue.found();
    }

    fn begins(&self, beginning: &Beginning<'_>) {
        if self.talks {
            output::err(&failure::warnings(beginning.warnings, beginning.sources, self.output));
            output::out(&format!("{}\n", (self.heading)(beginning)));
            self.seen().table = Some(table(beginning.model, beginning.sources));
        }
    }

    fn progress(&self, progress: &Progress) {
        self.seen().meter.tell(progress);
    }

    fn searches(&self, property: &str) {
        self.seen().meter.begins(property);
    }

    fn warns(&self, warning: &str) {
        output::err(&format!("warning: {warning}\n"));
    }

    fn takes_steps(&self, length: usize) -> bool {
        let mut seen = self.seen();
        let Some(table) = seen.table.take().filter(|_| self.full_trace) else { return false };
        seen.meter.clear();
        seen.lines = Some(Lines::new(table, human::title(length, self.palette), self.palette));
        true
    }

    fn step(&self, step: &Step) {
        if let Some(lines) = &mut self.seen().lines {
            lines.step(step);
        }
    }

    fn explained(&self, explained: &Explained, sources: &SourceMap) {
        let mut seen = self.seen();
        seen.lines = None;
        if self.talks {
            seen.told.push((explained.clone(), sources.clone()));
        }
    }
}
