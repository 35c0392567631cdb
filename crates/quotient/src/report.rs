//! What a check has found, for programs and for people.

use std::fmt;

use quotient_runtime::{Failure, Outcome, Stop, ViolationKind};

/// What a check has found.
#[derive(Debug)]
pub struct Report {
    pub(crate) outcome: Outcome,
}

impl Report {
    /// Whether every execution was explored and nothing is wrong.
    pub fn holds(&self) -> bool {
        self.outcome.failure.is_none() && matches!(self.outcome.stop, None | Some(Stop::Replay))
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
        self.outcome.failure.as_ref().map(|failure| failure.violation.kind)
    }

    /// The violation, with its execution.
    pub fn failure(&self) -> Option<&Failure> {
        self.outcome.failure.as_ref()
    }

    /// Why the check stopped before it had explored every execution, if it did.
    pub fn stop(&self) -> Option<Stop> {
        self.outcome.stop
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (executions, blocked) = (self.executions(), self.blocked());
        match (&self.outcome.failure, self.outcome.stop) {
            (Some(failure), _) => {
                writeln!(f, "{}: {}", failure.violation.kind.name(), failure.violation.message)?;
                if let Some((file, line, column)) = &failure.place {
                    writeln!(f, "  at {file}:{line}:{column}")?;
                } else if let Some(site) = failure.violation.site {
                    writeln!(f, "  at {site}")?;
                }
                writeln!(f, "after {executions} executions ({blocked} blocked)")?;
                write!(f, "to run this execution again: QUOTIENT_REPLAY='{}'", failure.script)
            }
            (None, Some(Stop::Executions)) => write!(f, "the limit on executions was reached: {executions}"),
            (None, Some(Stop::Time)) => write!(f, "the time was not enough; {executions} executions were explored"),
            (None, Some(Stop::Replay)) => write!(f, "the replayed execution has no violation"),
            (None, None) => write!(f, "{executions} executions, {blocked} blocked: nothing is wrong"),
        }
    }
}
