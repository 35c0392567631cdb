//! Verdicts and the reasons a search stops. This is the one place that says what a verdict follows from: a search that was
//! cut short never says that an input holds, and neither does one that falls short of something else.

use serde::{Deserialize, Serialize};

/// What a check found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything was seen, and nothing is wrong.
    Holds,
    /// Something is wrong.
    Violated,
    /// Nothing wrong was seen, but not everything was seen, or not every property was checked.
    Inconclusive,
}

/// Why a search ended before everything was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopReason {
    /// The first violation was asked for, and found.
    FirstViolation,
    /// As many states as allowed were stored.
    MaxStates,
    /// Some runs were cut at the depth allowed.
    MaxDepth,
    /// It took as long as allowed.
    MaxTime,
    /// It took as much memory as allowed.
    MaxMemory,
    /// The user interrupted it.
    Interrupted,
    /// A state is larger than the visited set can keep.
    StateSize,
    /// The visited set has no numbers left for parts of states.
    StoreFull,
    /// As many executions as allowed were explored.
    MaxExecutions,
    /// One execution was to be run again, and no other.
    Replay,
    /// It cannot be decided whether a loop of the program ends.
    Loop,
    /// The program did nothing visible for longer than allowed.
    StallTimeout,
}

/// What an inconclusive answer falls short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shortfall {
    /// Not everything was seen: the search ended early.
    SearchCutShort,
    /// Not all properties that the input carries were checked.
    UncheckedProperties,
    /// An execution of the program goes beyond what can be checked: it is too long, or does something that is not known.
    Bound,
    /// The program does not do the same when it is run again.
    Nondeterminism,
    /// One execution per orbit may not be enough, because of how like threads write to the same memory.
    Symmetry,
    /// No execution ran to its end.
    NoExecution,
    /// Rounds of loops were cut off.
    LoopsCut,
    /// There is code whose accesses to memory are not seen.
    UnseenCode,
    /// The process that ran the program has not answered.
    NoAnswer,
    /// A temporal property could neither be proved nor refuted.
    UndecidedProperty,
    /// States were counted as another tool does, and errors can be lost in that.
    Counting,
}

impl Verdict {
    /// The verdict of a search. Any violation decides, whatever the search falls short of.
    pub fn of(violated: bool, shortfalls: &[Shortfall]) -> Verdict {
        match (violated, shortfalls) {
            (true, _) => Verdict::Violated,
            (false, []) => Verdict::Holds,
            (false, _) => Verdict::Inconclusive,
        }
    }

    /// The exit code of a command that ends with this verdict (2 is for usage and input errors).
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Holds => 0,
            Verdict::Violated => 1,
            Verdict::Inconclusive => 3,
        }
    }

    /// The verdict in a word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

impl Shortfall {
    /// What an execution that is told for this kind of violation falls short of. Such kinds do not say that the program is
    /// wrong; they say that it cannot be checked.
    pub fn of_execution(kind: &str) -> Option<Shortfall> {
        match kind {
            "bound" | "unsupported" => Some(Shortfall::Bound),
            "nondeterminism" => Some(Shortfall::Nondeterminism),
            _ => None,
        }
    }
}

impl StopReason {
    /// What to tell a person, as the end of the sentence "The search stopped …".
    pub fn message(self) -> &'static str {
        match self {
            StopReason::FirstViolation => "at the first violation (--all-errors goes on)",
            StopReason::MaxStates => "at the limit on states (--max-states)",
            StopReason::MaxDepth => "short of the end of some runs, at the limit on depth (--max-depth)",
            StopReason::MaxTime => "at the limit on time (--max-time)",
            StopReason::MaxMemory => "at the limit on memory (--max-memory)",
            StopReason::Interrupted => "because it was interrupted",
            StopReason::StateSize => "at a state that is larger than the visited set can keep",
            StopReason::StoreFull => {
                "because there were no numbers left for parts of states (--store exact needs none)"
            }
            StopReason::MaxExecutions => "at the limit on executions",
            StopReason::Replay => "after the one execution that was run again",
            StopReason::StallTimeout => "because the program did nothing visible for too long (--stall-timeout)",
            StopReason::Loop => "at a loop of which nobody knows whether it ends",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_cut_short_proves_nothing_but_a_violation_is_one() {
        assert_eq!(Verdict::of(false, &[]), Verdict::Holds);
        assert_eq!(Verdict::of(false, &[Shortfall::SearchCutShort]), Verdict::Inconclusive);
        assert_eq!(Verdict::of(true, &[Shortfall::SearchCutShort]), Verdict::Violated);
        assert_eq!(Verdict::of(true, &[]), Verdict::Violated);
    }

    #[test]
    fn what_was_not_checked_does_not_hold() {
        assert_eq!(Verdict::of(false, &[Shortfall::UncheckedProperties]), Verdict::Inconclusive);
        let both = [Shortfall::SearchCutShort, Shortfall::UncheckedProperties];
        assert_eq!(Verdict::of(false, &both), Verdict::Inconclusive);
        assert_eq!(Verdict::of(true, &[Shortfall::UncheckedProperties]), Verdict::Violated);
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        let names: Vec<String> = [StopReason::MaxStates, StopReason::FirstViolation, StopReason::StateSize]
            .iter()
            .map(|stop| serde_json::to_string(stop).expect("a string"))
            .collect();
        assert_eq!(names, [r#""max-states""#, r#""first-violation""#, r#""state-size""#]);
    }
}
