//! The answer of a check as data, and its JSON form: one object, versioned by `schema`.
//!
//! ```text
//! { "schema": 1, "input": "m.pml",
//!   "verdict": "holds" | "violated" | "inconclusive",
//!   "stop": null | "first-violation" | "max-states" | "max-depth" | "max-time" | "max-memory" | "interrupted" | "state-size",
//!   "inconclusive_because"?: [ "search-cut-short", "unchecked-properties" ],
//!   "violations": [ { "kind": "assertion" | "invalid-end-state" | …, "message": "…",
//!                     "location": {"file": "m.pml", "line": 1, "column": 1} | null,
//!                     "trace_length": 1, "steps_left_out"?: 1,
//!                     "trace": [ { "step": 1, "process": 0, "proctype": "P", "location": {…}, "statement": "x = 1",
//!                                  "changes": [{"variable": "x", "process"?: 0, "from": 0, "to": 1}],
//!                                  "event": null | {"kind": "send" | "receive", "channel": "q", "message": ["req", 1],
//!                                                   "sent"?: {"step": 1, "process": 1, "proctype": "Q"}, "copied"?: true},
//!                                  "output"?: "text printed",
//!                                  "partner": null | {"process": 1, "proctype": "Q", "location": {…}, "statement": "…"},
//!                                  "started"?: [{"process": 2, "proctype": "R"}], "ended"?: true, "lost_control"?: true,
//!                                  "inner"?: [ the statements inside a d_step: location, statement, changes, event ] } ],
//!                     "end_state": { "globals": [{"variable", "value"}], "channels": [{"channel", "capacity", "messages"}],
//!                                    "processes": [{"process", "proctype", "locals", "may_rest",
//!                                                   "next": [{"location", "statement", "waits"}]}] } } ],
//!   "violations_left_out": 0,
//!   "unchecked_properties": [ "…" ],
//!   "unreached"?: [ {"proctype": "P", "statements": [{"location": {…}, "statement": "…"}], "total": 7} ],
//!   "stats": { "states", "matched", "transitions", "depth", "errors", "bytes_per_state", "normalised_states"?,
//!              "seconds", "peak_memory_bytes", "symmetry": {"strategy": "off" | "canonical" | …, "reason"?: "…",
//!                  "canonical"?, "sets"?: [{"name", "size", "group": "symmetric" | "cyclic" | "dihedral"}], "found"?: ["…"], "group_size"?,
//!                  "orbits"?, "represented_states"?, "estimated_states"?, "representatives"?, "time_share"?, "checked_states"?},
//!              "por": {"requested": true, "active": true, "reason": null | "…", "reduced_states": 0} } }
//! ```
//!
//! `inconclusive_because` is there if the verdict is `inconclusive`, and has one of its two strings or both: `stop` tells
//! what cut the search short, `unchecked_properties` what was not checked. With the verdict `holds`, properties can be
//! named there only if nothing but safety was asked about.
//!
//! `violations` has the first 100 and the first of each kind at each place, unless that would be too much;
//! `violations_left_out` counts the others, so that with it the length of the list is `stats.errors`. Of a run with more
//! than 2,000 steps, `trace` has the first and the last thousand; of all but three runs with more than 50 steps only
//! the first ten and the last forty (all with `--full-trace`). `steps_left_out` counts what is missing.
//!
//! `represented_states` is how many states there are without symmetry reduction, and `estimated_states` about how many;
//! where neither can be told, neither is there.
//! A value is a number, or a string where it has a symbolic name. Keys with `?` are left out when there is nothing to
//! say. An input that cannot be checked gives `{"schema": 1, "input": "m.pml", "error": {"diagnostics": [{"severity":
//! "error" | "warning", "message": "…", "location": {…} | null, "help": ["…"]}]}}`.

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Location, SourceMap};
use crate::stats::Stats;
use crate::trace::{Snapshot, Step};
use crate::verdict::{StopReason, Verdict};

/// The version of the JSON form.
pub const SCHEMA: u32 = 1;

/// The answer of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The version of this form; see [`SCHEMA`].
    pub schema: u32,
    /// What was checked.
    pub input: String,
    /// What was found out.
    pub verdict: Verdict,
    /// Why the search ended early.
    pub stop: Option<StopReason>,
    /// Why the verdict is `inconclusive`, if it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive_because: Vec<Shortfall>,
    /// What is wrong, in the order found.
    pub violations: Vec<Violation>,
    /// How many more violations there were.
    #[serde(default)]
    pub violations_left_out: u64,
    /// Properties that the input carries and that were not checked.
    pub unchecked_properties: Vec<String>,
    /// Statements that were never executed, by process type, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Vec<Unreached>>,
    /// How big it was.
    pub stats: Stats,
}

/// What an inconclusive answer falls short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shortfall {
    /// Not all runs were seen.
    SearchCutShort,
    /// Not all properties that the input carries were checked.
    UncheckedProperties,
}

/// Something that is wrong, and the run that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// The machine-readable kind.
    pub kind: String,
    /// What to tell a person.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// How many steps the run has.
    pub trace_length: usize,
    /// How many of them are not in `trace`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steps_left_out: usize,
    /// The run from the initial state; the middle of a very long one may be left out, as the numbers of its steps tell.
    pub trace: Vec<Step>,
    /// How things stand at its end.
    pub end_state: Snapshot,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The statements of a process type that were never executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unreached {
    /// The process type.
    pub proctype: String,
    /// The statements.
    pub statements: Vec<UnreachedStatement>,
    /// How many statements it has.
    pub total: usize,
}

/// A statement that was never executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnreachedStatement {
    /// Where it is.
    pub location: Location,
    /// The statement on one line.
    pub statement: String,
}

/// The answer when the input cannot be checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rejection {
    /// The version of this form; see [`SCHEMA`].
    pub schema: u32,
    /// What was to be checked.
    pub input: String,
    /// Why it cannot be.
    pub error: Problems,
}

/// What is wrong with an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problems {
    /// All that was found.
    pub diagnostics: Vec<Problem>,
}

/// One message about the input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// `error` or `warning`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// What to do about it.
    pub help: Vec<String>,
}

impl Rejection {
    /// The rejection of an input for what a front end said about it.
    pub fn new(input: &str, diagnostics: &[Diagnostic], sources: &SourceMap) -> Self {
        let has_file = |file: crate::source::FileId| (file.0 as usize) < sources.files().len();
        let diagnostics = diagnostics
            .iter()
            .map(|d| Problem {
                severity: match d.severity {
                    Severity::Error => "error".to_string(),
                    Severity::Warning => "warning".to_string(),
                },
                message: d.message.clone(),
                location: d.span.filter(|span| has_file(span.file)).map(|span| sources.location(span)),
                help: d.help.clone(),
            })
            .collect();
        Rejection { schema: SCHEMA, input: input.to_string(), error: Problems { diagnostics } }
    }
}

/// Anything here as JSON, indented, with a newline at the end.
pub fn to_json(value: &impl Serialize) -> String {
    // Nothing here has keys that are not strings, so this cannot fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
