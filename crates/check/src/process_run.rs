//! A saved run of a set of processes: everything that is needed to repeat it. It follows the saved runs of models.

use std::io::Read;
use std::path::Path;

use quotient_explain::target;
use quotient_system::{Made, Move, Names, Noticed, Violation, ViolationKind};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::process_answer::word;
use crate::processes::{ProcessOptions, ProcessSet};

/// The version of the form.
const VERSION: u32 = 2;

/// The mark of such a file is within so many bytes of its start.
const LONGEST_START: u64 = 256;

/// A run that was saved.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedRun {
    /// The version of the form; it also tells such a file from others.
    quotient_processes: u32,
    set: ProcessSet,
    options: ProcessOptions,
    /// Who made which process, and who made which object, in the order of their names.
    names: (Vec<Made>, Vec<Made>),
    /// The signals that were sent, and those that were taken without a handler, as sets.
    signals: (u64, u64),
    kind: String,
    /// The signal or the exit status that the violation is about, or the move at which a livelock begins.
    number: i32,
    pid: Option<i32>,
    moves: Vec<String>,
}

impl SavedRun {
    pub(crate) fn new(set: &ProcessSet, options: &ProcessOptions, names: &Names, violation: &Violation) -> Self {
        let (processes, objects) = names.given();
        Self {
            quotient_processes: VERSION,
            set: set.clone(),
            options: options.clone(),
            names: (processes.to_vec(), objects.to_vec()),
            signals: (names.noticed().sent, names.noticed().taken),
            kind: word(&violation.kind).to_string(),
            number: match violation.kind {
                ViolationKind::Crash { signal, .. } => signal,
                ViolationKind::ExitStatus(status) => status,
                ViolationKind::Livelock { from } => i32::try_from(from).unwrap_or(0),
                _ => 0,
            },
            pid: violation.pid,
            moves: violation.run.iter().map(Move::text).collect(),
        }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        target::check_replaceable(path)?;
        Ok(std::fs::write(path, quotient_report::answer::to_json(self))?)
    }

    /// Reads a saved run; nothing if the file is something else.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Error> {
        // Saved runs of models can be very long, and are not read here.
        let mut start = Vec::new();
        let begun = std::fs::File::open(path).and_then(|file| file.take(LONGEST_START).read_to_end(&mut start));
        let mark = b"quotient_processes";
        if begun.is_err() || !start.windows(mark.len()).any(|bytes| bytes == mark) {
            return Ok(None);
        }
        let Ok(bytes) = std::fs::read(path) else { return Ok(None) };
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(None) };
        if value.get("quotient_processes").is_none() {
            return Ok(None);
        }
        let wrong = |why: String| Error::option(format!("{} is not a run that can be repeated: {why}", path.display()));
        let saved: Self = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        if saved.quotient_processes != VERSION {
            return Err(wrong(format!("it has version {}", saved.quotient_processes)));
        }
        Ok(Some(saved))
    }

    /// What is needed to repeat it.
    pub(crate) fn parts(self) -> Result<(ProcessSet, ProcessOptions, Names, Violation), Error> {
        let kind = match &*self.kind {
            "deadlock" => ViolationKind::Deadlock,
            "assertion" => ViolationKind::Assertion,
            "crash" => ViolationKind::Crash { signal: self.number, reason: String::new() },
            "exit-status" => ViolationKind::ExitStatus(self.number),
            "divergence" => ViolationKind::Divergence,
            "livelock" => ViolationKind::Livelock { from: usize::try_from(self.number).unwrap_or(0) },
            other => return Err(Error::option(format!("a saved run of the kind `{other}` cannot be repeated"))),
        };
        let run: Option<Vec<Move>> = self.moves.iter().map(|text| Move::parse(text)).collect();
        let run = run.ok_or_else(|| Error::option("the saved run has a move that is none"))?;
        let names = Names::again(&self.names.0, &self.names.1, Noticed { sent: self.signals.0, taken: self.signals.1 });
        Ok((self.set, self.options, names, Violation { kind, pid: self.pid, run }))
    }
}
