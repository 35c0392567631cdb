//! What a check has found: for programs by methods, for people as text, for machines as JSON. It is the answer that the
//! command line gives for models and for programs in C and C++.

use std::fmt;
use std::time::Duration;

use quotient_report::Answer;
use quotient_report::answer::{Rejection, to_json};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::execution::text::Again;
use quotient_report::program;
use quotient_report::source::SourceMap;
use quotient_report::verdict::Verdict;
use quotient_runtime::{Failure, MemoryModel, Outcome, Stop, ViolationKind};

/// What a check has found.
#[derive(Debug)]
pub struct Report {
    pub(crate) outcome: Outcome,
    answer: Answer,
}

impl Report {
    /// What an exploration has found.
    pub(crate) fn new(
        outcome: Outcome,
        model: MemoryModel,
        test: Option<&str>,
        time: Duration,
        warnings: Vec<String>,
    ) -> Self {
        let without_symmetry = "check again without symmetry (`symmetry(false)`, or QUOTIENT_SYMMETRY=false)";
        let input = test.unwrap_or("check");
        let mut answer = quotient_runtime::answer(&outcome, input, model, test, without_symmetry, time);
        answer.needs_an_execution();
        answer.warnings = warnings;
        Report { outcome, answer }
    }

    /// Everything as data: the same kind of answer as for models and for programs in other languages.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }
}

impl Report {
    /// Whether every execution was explored, and nothing is wrong. One execution that was [run again](crate::Builder::replay)
    /// never says that.
    pub fn holds(&self) -> bool {
        self.answer.verdict == Verdict::Holds
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
        &self.answer.warnings
    }

    /// Everything as JSON, in the form that the book's chapter on JSON describes; `input` is the name of the test. If the
    /// text that was to be run again does not fit, it has an `error` instead.
    pub fn to_json(&self) -> String {
        match self.error() {
            Some(error) => {
                let problem = Diagnostic::global(error.to_owned());
                to_json(&Rejection::new(&self.answer.input, &[problem], &SourceMap::default()))
            }
            None => to_json(&self.answer),
        }
    }

    fn failure(&self) -> Option<&Failure> {
        self.outcome.failure.as_ref().filter(|failure| failure.violation.kind != ViolationKind::Replay)
    }

    fn misfit(&self) -> Option<&Failure> {
        self.outcome.failure.as_ref().filter(|failure| failure.violation.kind == ViolationKind::Replay)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error() {
            Some(error) => {
                write!(f, "ERROR: the text to be replayed is not an execution of this program: {error}")?;
                self.warnings().iter().try_for_each(|warning| write!(f, "\nwarning: {warning}"))
            }
            None => f.write_str(program::render(&self.answer, Again::CargoTest).trim_end()),
        }
    }
}
