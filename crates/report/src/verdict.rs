//! Verdicts and the reasons a search stops. A search that was cut short never says that a property holds, and neither does
//! one that did not look at all properties it was asked about.

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
}

impl Verdict {
    /// The verdict of a search: any violation decides, however the search ended. `complete` says whether all properties
    /// that were asked about were checked.
    pub fn of(errors: u64, stop: Option<StopReason>, complete: bool) -> Verdict {
        match (errors, stop) {
            (0, None) if complete => Verdict::Holds,
            (0, _) => Verdict::Inconclusive,
            _ => Verdict::Violated,
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_cut_short_proves_nothing_but_a_violation_is_one() {
        assert_eq!(Verdict::of(0, None, true), Verdict::Holds);
        assert_eq!(Verdict::of(0, Some(StopReason::MaxDepth), true), Verdict::Inconclusive);
        assert_eq!(Verdict::of(2, Some(StopReason::MaxDepth), true), Verdict::Violated);
        assert_eq!(Verdict::of(2, None, true), Verdict::Violated);
    }

    #[test]
    fn what_was_not_checked_does_not_hold() {
        assert_eq!(Verdict::of(0, None, false), Verdict::Inconclusive);
        assert_eq!(Verdict::of(0, Some(StopReason::MaxTime), false), Verdict::Inconclusive);
        assert_eq!(Verdict::of(1, None, false), Verdict::Violated);
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
