//! The answer of a check as data, and its JSON form: one object for every kind of input, versioned by `schema`. The book
//! documents each key (`docs/src/json.md`).
//!
//! ```text
//! { "schema": 2, "input": "m.pml" | "program.c" | the name of a test,
//!   "verdict": "holds" | "violated" | "inconclusive",
//!   "stop": null | "first-violation" | "max-states" | … ,
//!   "inconclusive_because"?: [ "search-cut-short", … ], "reason"?: "why, in a sentence",
//!   "violations": [ { "kind", "message", "location", and
//!                     of a model:   "trace_length", "steps_left_out"?, "trace", "end_state", and if it is about a claim
//!                                   "property", "loop_start", "stutter"?, "fairness"?, "facts"?
//!                     of a program: what [`Execution`] has
//!                     of processes: "calls", "waiting" } ],
//!   "violations_left_out": 0, "other_errors"?: [ {"message", "location", "times"} ],
//!   "properties"?: [ {"name", "kind", "formula"?, "verdict", "stop", "reason"?, "fairness", "automaton"?, "notes", "stats"?} ],
//!   "unchecked_properties": [ "…" ],
//!   "unreached"?: [ {"proctype", "statements": [{"location", "statement"}], "total"} ],
//!   "output"?: "what a program has printed",
//!   "warnings": [ "…" ], "notes": [ "…" ],
//!   "stats": { of a model:   "states", "matched", "transitions", "depth", "errors", "bytes_per_state",
//!                            "normalised_states"?, "symmetry": {…}, "por": {…}, "dropped"?: […]
//!              of a program: "executions", "blocked", "events", "revisits", "longest", "distinguished", "likeness_runs"
//!              of processes: "states", "transitions", "longest", "process_steps", "histories", "renamings", "dropped"?
//!              of all:       "seconds", "peak_memory_bytes" } }
//! ```
//!
//! Keys with `?` are left out when there is nothing to say. An input that cannot be checked gives a [`Rejection`] instead:
//! `{"schema": 2, "input": "m.pml", "error": {"diagnostics": [{"severity": "error" | "warning", "message": "…", "location":
//! {…} | null, "help": ["…"]}]}}`.

use serde::{Deserialize, Serialize};

use crate::Execution;
use crate::diagnostic::{Diagnostic, Severity};
use crate::processes::ProcessViolation;
use crate::property::{PropertyAnswer, Repeats};
use crate::source::{Location, SourceMap};
use crate::stats::Stats;
use crate::trace::{Snapshot, Step};
use crate::verdict::{Shortfall, StopReason, Verdict};

/// The version of the JSON form.
pub const SCHEMA: u32 = 2;

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
    /// What the search falls short of, if the verdict is `inconclusive`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive_because: Vec<Shortfall>,
    /// The same in a sentence, unless the violation says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is wrong, in the order found.
    pub violations: Vec<Violation>,
    /// How many more violations there were.
    #[serde(default)]
    pub violations_left_out: u64,
    /// Errors of a model beside the first one, equal ones together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_errors: Vec<OtherError>,
    /// The answer about each property of a model, if there are temporal ones among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyAnswer>,
    /// Properties that the input carries and that were not checked.
    pub unchecked_properties: Vec<String>,
    /// Statements that were never executed, by process type, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Vec<Unreached>>,
    /// What a program has printed in the execution that is told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What to know besides.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What else could be done.
    #[serde(default)]
    pub notes: Vec<String>,
    /// How big it was.
    pub stats: Stats,
}

impl Answer {
    /// The answer of a search that ended like this. Nothing else is said yet.
    pub fn new(input: &str, violated: bool, stop: Option<StopReason>, others: &[Shortfall], stats: Stats) -> Self {
        let mut shortfalls = Vec::from_iter(stop.map(|_| Shortfall::SearchCutShort));
        shortfalls.extend(others);
        let verdict = Verdict::of(violated, &shortfalls);
        Answer {
            schema: SCHEMA,
            input: input.to_string(),
            verdict,
            stop,
            inconclusive_because: if verdict == Verdict::Inconclusive { shortfalls } else { Vec::new() },
            reason: None,
            violations: Vec::new(),
            violations_left_out: 0,
            other_errors: Vec::new(),
            properties: Vec::new(),
            unchecked_properties: Vec::new(),
            unreached: None,
            output: String::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            stats,
        }
    }

    /// Takes back that the input holds, if that was said.
    pub fn falls_short(&mut self, shortfall: Shortfall, reason: impl Into<String>) {
        if self.verdict == Verdict::Holds {
            self.inconclusive_because.push(shortfall);
            self.verdict = Verdict::of(false, &self.inconclusive_because);
            self.reason = Some(reason.into());
        }
    }

    /// Adds answers about temporal properties. The verdict is about all of them together.
    pub fn add_properties(&mut self, properties: Vec<PropertyAnswer>) {
        let undecided = properties.iter().filter(|one| one.verdict == Verdict::Inconclusive);
        let reasons: Vec<(Shortfall, String)> = undecided
            .map(|one| {
                let shortfall =
                    if one.stop.is_some() { Shortfall::SearchCutShort } else { Shortfall::UndecidedProperty };
                let reason = one.reason.as_deref().unwrap_or("not everything was seen");
                (shortfall, format!("{}: {reason}", one.name))
            })
            .collect();
        for (shortfall, reason) in reasons {
            self.falls_short(shortfall, reason);
        }
        if properties.iter().any(|one| one.verdict == Verdict::Violated) {
            self.verdict = Verdict::Violated;
            self.inconclusive_because.clear();
            self.reason = None;
        }
        self.properties.extend(properties);
    }

    /// Takes back that a program holds, if no execution of it ran to its end.
    pub fn needs_an_execution(&mut self) {
        if self.stats.program().executions == 0 {
            self.falls_short(Shortfall::NoExecution, "no execution ran to its end, so nothing was checked");
        }
    }

    /// The execution of a program that is told first.
    pub fn execution(&self) -> Option<&Execution> {
        match self.violations.first()? {
            Violation::Program(execution) => Some(execution),
            Violation::Model(_) | Violation::Processes(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn execution_mut(&mut self) -> Option<&mut Execution> {
        match self.violations.first_mut()? {
            Violation::Program(execution) => Some(execution),
            Violation::Model(_) | Violation::Processes(_) => None,
        }
    }
}

/// Something that is wrong, and the run that shows it. Kind, message and place are the same for all inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Violation {
    /// A run of a model.
    Model(Box<ModelViolation>),
    /// An execution of a program.
    Program(Box<Execution>),
    /// A run of a set of processes.
    Processes(Box<ProcessViolation>),
}

impl Violation {
    /// The machine-readable kind.
    pub fn kind(&self) -> &str {
        match self {
            Violation::Model(violation) => &violation.kind,
            Violation::Program(execution) => &execution.kind,
            Violation::Processes(violation) => &violation.kind,
        }
    }

    /// What to tell a person.
    pub fn message(&self) -> &str {
        match self {
            Violation::Model(violation) => &violation.message,
            Violation::Program(execution) => &execution.message,
            Violation::Processes(violation) => &violation.message,
        }
    }

    /// Where.
    pub fn location(&self) -> Option<&Location> {
        match self {
            Violation::Model(violation) => violation.location.as_ref(),
            Violation::Program(execution) => execution.location.as_ref().map(|site| &site.location),
            Violation::Processes(violation) => violation.location.as_ref(),
        }
    }
}

/// Something that is wrong with a model, and the run that shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelViolation {
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
    /// What the run shows of a temporal property.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Errors that are not told with their runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherError {
    /// What to tell a person.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// How many there are.
    pub times: u64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::Fairness;
    use crate::stats::ProgramStats;

    fn answer(violated: bool, stop: Option<StopReason>) -> Answer {
        Answer::new("m", violated, stop, &[], ProgramStats::default().into())
    }

    #[test]
    fn only_an_answer_that_holds_can_fall_short() {
        let mut holds = answer(false, None);
        holds.falls_short(Shortfall::NoExecution, "nothing ran");
        assert_eq!((holds.verdict, holds.reason.as_deref()), (Verdict::Inconclusive, Some("nothing ran")));
        let mut violated = answer(true, Some(StopReason::FirstViolation));
        violated.falls_short(Shortfall::NoExecution, "nothing ran");
        assert_eq!((violated.verdict, violated.reason), (Verdict::Violated, None));
        let mut cut = answer(false, Some(StopReason::MaxTime));
        cut.falls_short(Shortfall::NoExecution, "nothing ran");
        assert_eq!(cut.inconclusive_because, [Shortfall::SearchCutShort]);
    }

    #[test]
    fn all_kinds_of_violations_are_read_back() {
        let execution = Execution { kind: "race".to_string(), ..Execution::default() };
        let run = ModelViolation {
            kind: "assertion".to_string(),
            message: String::new(),
            location: None,
            trace_length: 0,
            steps_left_out: 0,
            trace: Vec::new(),
            end_state: Snapshot::default(),
            repeats: None,
        };
        let repeats = Repeats {
            property: "ltl p".to_string(),
            loop_start: Some(3),
            stutter: false,
            fairness: Some(Fairness::Weak),
            facts: vec!["`x` stays false".to_string()],
        };
        let cycle = ModelViolation { kind: "ltl-violated".to_string(), repeats: Some(repeats), ..run.clone() };
        let processes = ProcessViolation { kind: "deadlock".to_string(), ..ProcessViolation::default() };
        let all = [
            Violation::Program(Box::new(execution)),
            Violation::Model(Box::new(run)),
            Violation::Model(Box::new(cycle)),
            Violation::Processes(Box::new(processes)),
        ];
        for violation in all {
            let text = to_json(&violation);
            assert_eq!(serde_json::from_str::<Violation>(&text).expect("a violation"), violation);
        }
    }
}
