//! What a check has found: for programs by methods, for people as text, for machines as JSON.

use std::fmt;
use std::time::Duration;

use quotient_report::Execution;
use quotient_report::answer::to_json;
use quotient_report::execution::text;
use quotient_report::verdict::Verdict;
use quotient_runtime::{Failure, Model, Outcome, Stop, ViolationKind, retell};
use serde::Serialize;

/// What a check has found.
#[derive(Debug)]
pub struct Report {
    pub(crate) outcome: Outcome,
    pub(crate) model: Model,
    pub(crate) test: Option<String>,
    pub(crate) time: Duration,
    pub(crate) warnings: Vec<String>,
}

impl Report {
    /// Whether every execution was explored, and nothing is wrong. One execution that was [run again](crate::Builder::replay)
    /// never says that.
    pub fn holds(&self) -> bool {
        self.verdict() == Verdict::Holds
    }

    /// Whether like threads write in ways for which exploring one execution per orbit is not known to be enough: program
    /// order, reads-from and coherence have a cycle. A check without symmetry decides then.
    pub fn is_outside_fragment(&self) -> bool {
        self.outcome.statistics.cyclic > 0
    }

    /// How many executions ran to their end.
    pub fn executions(&self) -> u64 {
        self.outcome.statistics.complete
    }

    /// How many executions were given up because a thread could not go on.
    pub fn blocked(&self) -> u64 {
        self.outcome.statistics.blocked
    }

    /// What kind of violation was found, if any.
    pub fn violation(&self) -> Option<ViolationKind> {
        self.failure().map(|failure| failure.violation.kind)
    }

    /// The violation in one sentence, if any was found.
    pub fn message(&self) -> Option<&str> {
        self.failure().map(|failure| failure.violation.message.as_str())
    }

    /// Why the text that was to be [run again](crate::Builder::replay) is not an execution of the program, if it is not: at
    /// which step, and what the program does there. Then nothing is known of the program.
    pub fn error(&self) -> Option<&str> {
        self.misfit().map(|failure| failure.violation.message.as_str())
    }

    /// The text by which the execution with the violation can be run again; see [`Builder::replay`](crate::Builder::replay).
    pub fn replay(&self) -> Option<&str> {
        self.failure().map(|failure| failure.script.as_str()).filter(|script| !script.is_empty())
    }

    /// Why the check stopped before it had explored every execution, if it did.
    pub fn stop(&self) -> Option<Stop> {
        self.outcome.stop
    }

    /// What to know besides: a wait that is not in a loop, a dependence on the order of addresses.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Everything as JSON: `{"schema": 1, "input": the test, "verdict": "holds" | "violated" | "inconclusive", "stop":
    /// null | "max-executions" | "max-time" | "replay", "violations": […], "warnings": […], "stats": {…}}`. A violation has the form that
    /// `quotient_report::execution::json` describes. With `"error": …` the text that was to be run again does not fit.
    pub fn to_json(&self) -> String {
        let statistics = &self.outcome.statistics;
        to_json(&Answer {
            schema: quotient_report::answer::SCHEMA,
            input: self.test.as_deref(),
            verdict: self.verdict(),
            stop: self.stop().map(name_of),
            violations: self.execution().into_iter().collect(),
            error: self.error(),
            warnings: &self.warnings,
            stats: Stats {
                executions: statistics.complete,
                blocked: statistics.blocked,
                events: statistics.events,
                revisits: statistics.revisits,
                longest: statistics.longest,
                told_apart: !self.outcome.knowledge.told_apart.is_empty(),
                seconds: self.time.as_secs_f64(),
            },
        })
    }

    fn failure(&self) -> Option<&Failure> {
        self.outcome.failure.as_ref().filter(|failure| failure.violation.kind != ViolationKind::Replay)
    }

    fn misfit(&self) -> Option<&Failure> {
        self.outcome.failure.as_ref().filter(|failure| failure.violation.kind == ViolationKind::Replay)
    }

    /// The execution with the violation.
    fn execution(&self) -> Option<Execution> {
        self.failure().map(|failure| retell(failure, self.model, self.test.as_deref()))
    }

    fn verdict(&self) -> Verdict {
        match (self.violation(), self.stop()) {
            // Neither says that the program is wrong; both say that it cannot be checked.
            (Some(ViolationKind::Bound | ViolationKind::Nondeterminism), _) => Verdict::Inconclusive,
            (Some(_), _) => Verdict::Violated,
            (None, Some(Stop::Executions | Stop::Time | Stop::Loop | Stop::Replay)) => Verdict::Inconclusive,
            (None, _) if self.is_outside_fragment() || self.executions() == 0 => Verdict::Inconclusive,
            (None, None) => Verdict::Holds,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.say(f)?;
        self.warnings.iter().try_for_each(|warning| write!(f, "\nwarning: {warning}"))
    }
}

impl Report {
    fn say(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explored = format!("{} executions, and {} given up", self.executions(), self.blocked());
        if let Some(error) = self.error() {
            return write!(f, "ERROR: the text to be replayed is not an execution of this program: {error}");
        }
        match (self.execution(), self.stop()) {
            (Some(execution), Some(Stop::Replay)) => {
                write!(
                    f,
                    "{}\nthis is the one execution that was run again; no other was run",
                    text::render(&execution)
                )
            }
            (Some(execution), _) => write!(f, "{}\nexplored so far: {explored}", text::render(&execution)),
            (None, Some(Stop::Executions)) => {
                write!(f, "INCONCLUSIVE: the limit on executions was reached; {explored}")
            }
            (None, Some(Stop::Time)) => write!(f, "INCONCLUSIVE: the time was not enough; {explored}"),
            (None, Some(Stop::Loop)) => {
                let why = self.outcome.undecided.as_deref().unwrap_or("a loop has no end");
                write!(f, "INCONCLUSIVE: {why}; {explored}")
            }
            (None, Some(Stop::Replay)) => {
                let end = match self.executions() {
                    0 => "does not run to its end, and shows nothing wrong",
                    _ => "shows nothing wrong",
                };
                write!(f, "INCONCLUSIVE: this execution {end}; it is the only one that was run")
            }
            (None, _) if self.is_outside_fragment() => write!(
                f,
                "INCONCLUSIVE: like threads write to the same memory in ways for which one execution per orbit may not \
                 be enough; {explored}. Check again without symmetry (`symmetry(false)`, or QUOTIENT_SYMMETRY=false)"
            ),
            (None, _) if self.executions() == 0 => {
                write!(f, "INCONCLUSIVE: no execution ran to its end, so nothing was checked; {explored}")
            }
            (None, None) => write!(f, "nothing is wrong: {explored}"),
        }
    }
}

fn name_of(stop: Stop) -> &'static str {
    match stop {
        Stop::Executions => "max-executions",
        Stop::Time => "max-time",
        Stop::Replay => "replay",
        Stop::Loop => "loop",
    }
}

/// The JSON form of a report.
#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    input: Option<&'a str>,
    verdict: Verdict,
    stop: Option<&'static str>,
    violations: Vec<Execution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    warnings: &'a [String],
    stats: Stats,
}

/// The size of a check over a program.
#[derive(Serialize)]
struct Stats {
    executions: u64,
    blocked: u64,
    events: u64,
    revisits: u64,
    longest: u64,
    told_apart: bool,
    seconds: f64,
}
