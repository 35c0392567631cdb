//! From the outcome of an exploration to an answer: what was found, and what it falls short of. It follows
//! `quotient_report::verdict`, for programs of every language.

use std::time::Duration;

use quotient_report::Answer;
use quotient_report::answer::Violation;
use quotient_report::stats::{ProgramStats, Stats};
use quotient_report::verdict::{Shortfall, StopReason};

use crate::{MemoryModel, Outcome, Stop, ViolationKind, narrate};

/// The answer to an exploration of a program, or of a part of its executions. `without_symmetry` says how to check it
/// without symmetry.
pub fn answer(
    outcome: &Outcome,
    input: &str,
    model: MemoryModel,
    test: Option<&str>,
    without_symmetry: &str,
    time: Duration,
) -> Answer {
    let statistics = &outcome.statistics;
    // What was to be replayed and is no execution says nothing of the program.
    let failure = outcome.failure.as_ref().filter(|failure| failure.violation.kind != ViolationKind::Replay);
    let kind = failure.map(|failure| failure.violation.kind);
    let stop = outcome.stop.map(|stop| match stop {
        Stop::Executions => StopReason::MaxExecutions,
        Stop::Time => StopReason::MaxTime,
        Stop::Replay => StopReason::Replay,
        Stop::Loop => StopReason::Loop,
    });
    let unchecked = kind.and_then(|kind| Shortfall::of_execution(kind.name()));
    let explored = ProgramStats {
        executions: statistics.complete,
        blocked: statistics.blocked,
        events: statistics.events,
        revisits: statistics.revisits,
        longest: statistics.longest,
        distinguished: !outcome.knowledge.distinguished.is_empty(),
        likeness_runs: 0,
    };
    let stats = Stats { seconds: time.as_secs_f64(), ..explored.into() };
    let violated = kind.is_some() && unchecked.is_none();
    let mut answer = Answer::new(input, violated, stop, unchecked.as_slice(), stats);
    match failure {
        Some(failure) => answer.violations.push(Violation::Program(Box::new(narrate(failure, model, test)))),
        None => answer.reason = outcome.stop.map(|stop| why(stop, outcome)),
    }
    if statistics.cyclic > 0 {
        let reason = format!(
            "like threads write to the same memory in ways for which one execution per orbit may not be enough; \
             {without_symmetry}"
        );
        answer.falls_short(Shortfall::Symmetry, reason);
    }
    answer
}

/// Why nothing is known of the executions that were not explored.
fn why(stop: Stop, outcome: &Outcome) -> String {
    match stop {
        Stop::Executions => "the limit on executions was reached".to_owned(),
        Stop::Time => "the time was not enough".to_owned(),
        Stop::Loop => outcome.undecided.clone().unwrap_or_else(|| "a loop has no end".to_owned()),
        Stop::Replay if outcome.statistics.complete == 0 => {
            "this execution does not run to its end, and shows nothing wrong; it is the only one that was run"
                .to_owned()
        }
        Stop::Replay => "this execution shows nothing wrong; it is the only one that was run".to_owned(),
    }
}
