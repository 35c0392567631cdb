//! Who writes checkpoints, and what a search must have in common with the one that it goes on with. Models and programs
//! follow the same rules; `checkpoint` has the form of the files.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use quotient_explain::trace_file::Define;
use quotient_report::text::bytes;
use quotient_search::Keeper;
use serde::Serialize;
use serde_json::Value;

use crate::checkpoint::{self, EVERY, Hash, Identity, Kind, Pace};
use crate::observer::Observed;
use crate::options::Common;

/// What must be the same for a search to go on: first what is said here, then all options that are serialized.
pub(crate) fn identity(options: &impl Serialize, first: Vec<(&str, String)>) -> Identity {
    let mut all = vec![("the version of Quotient".to_string(), env!("CARGO_PKG_VERSION").to_string())];
    all.extend(first.into_iter().map(|(name, value)| (name.to_string(), value)));
    let said = |value: Value| match value {
        Value::Null | Value::Bool(false) => "not given".to_string(),
        Value::Bool(true) => "given".to_string(),
        Value::String(word) => word,
        other => other.to_string(),
    };
    if let Ok(Value::Object(options)) = serde_json::to_value(options) {
        all.extend(options.into_iter().map(|(name, value)| (format!("--{name}"), said(value))));
    }
    all
}

/// Macros, as an identity has them.
pub(crate) fn defines(defines: &[Define]) -> String {
    let text = |(name, value): &Define| value.as_ref().map_or(name.clone(), |value| format!("{name}={value}"));
    defines.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// The hash of a text.
pub(crate) fn hash(text: impl std::fmt::Display) -> String {
    let mut hash = Hash::default();
    write!(hash, "{text}").expect("a hash takes everything");
    hash.to_string()
}

/// Writes the checkpoints of a search to a file. What cannot be written is told once, until something can be again.
pub(crate) struct Checkpoints {
    path: PathBuf,
    kind: Kind,
    identity: Identity,
    observer: Observed,
    /// Whether the last one could be written; none was tried yet.
    written: Mutex<Option<bool>>,
}

impl Checkpoints {
    /// Checkpoints, if they are asked for.
    pub(crate) fn new(common: &Common, kind: Kind, identity: &Identity) -> Option<Self> {
        Some(Checkpoints {
            path: common.checkpoint.clone()?,
            kind,
            identity: identity.clone(),
            observer: common.observer.clone(),
            written: Mutex::new(None),
        })
    }

    /// Writes one.
    pub(crate) fn write(&self, body: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let result = checkpoint::write(&self.path, self.kind, &self.identity, body);
        let mut written = self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let (Err(error), true) = (&result, *written != Some(false)) {
            self.observer.warns(&format!("cannot write the checkpoint `{}`: {error}", self.path.display()));
        }
        *written = Some(result.is_ok());
    }

    /// Where a search that was cut short can go on, if the last checkpoint could be written.
    pub(crate) fn advice(&self) -> Option<String> {
        let written = *self.written.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        written.filter(|&written| written)?;
        let size = std::fs::metadata(&self.path).map_or(0, |file| file.len());
        Some(format!("the search is saved ({}); go on with: --resume {}", bytes(size), self.path.display()))
    }
}

/// Writes the checkpoints of the search of a model when they are due.
pub(crate) struct Paced<'a> {
    checkpoints: &'a Checkpoints,
    pace: Pace,
    /// What stands before what the search writes.
    head: Vec<u8>,
}

impl<'a> Paced<'a> {
    /// One checkpoint each so often.
    pub(crate) fn new(checkpoints: &'a Checkpoints, common: &Common) -> Self {
        Paced { checkpoints, pace: Pace::new(common.checkpoint_every.unwrap_or(EVERY)), head: Vec::new() }
    }

    /// Writes something before what the search writes.
    pub(crate) fn behind(self, head: Vec<u8>) -> Self {
        Paced { head, ..self }
    }
}

impl Keeper for Paced<'_> {
    fn is_due(&mut self) -> bool {
        self.pace.is_due()
    }

    fn keep(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let started = Instant::now();
        self.checkpoints.write(|file| {
            file.write_all(&self.head)?;
            write(file)
        });
        self.pace.written(started.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{ModelOptions, ProgramOptions};
    use crate::words::Order;

    fn value(options: &impl Serialize, name: &str) -> Option<String> {
        identity(options, Vec::new()).into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    #[test]
    fn what_a_search_depends_on_is_its_identity() {
        let options = ModelOptions { order: Order::Bfs, max_depth: Some(9), ..ModelOptions::default() };
        assert_eq!(value(&options, "--order").as_deref(), Some("bfs"));
        assert_eq!(value(&options, "--max-depth").as_deref(), Some("9"));
        assert_eq!(value(&options, "--all-errors").as_deref(), Some("not given"));
        assert_eq!(value(&ProgramOptions::default(), "--memory-model").as_deref(), Some("rc11"));
    }

    #[test]
    fn limits_may_be_others() {
        for name in ["--max-states", "--max-time", "--max-memory", "--checkpoint", "--trace"] {
            assert_eq!(value(&ModelOptions::default(), name), None);
        }
        for name in ["--max-executions", "--stall-timeout", "--replay", "--sandbox"] {
            assert_eq!(value(&ProgramOptions::default(), name), None);
        }
    }
}
