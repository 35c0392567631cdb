//! Runs SPIN and Quotient on one program and says whether and how they differ.
//! Programs on which SPIN itself gives up, by a limit or a fatal error, say nothing and are skipped.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::process::Scratch;
use crate::quotient::{self, QuotientFailure, QuotientResult};
use crate::spin::{self, Mode, SpinFailure, SpinResult};

/// State spaces larger than this are skipped.
pub const MOST_STATES: u64 = 300_000;

/// What comparing one program gave.
pub enum Comparison {
    /// Both sides agree on everything.
    Same,
    /// SPIN has no answer, for this reason.
    Skipped(String),
    /// They differ.
    Differs(Box<Difference>),
}

/// A difference between SPIN and Quotient.
pub struct Difference {
    /// What differs: a word, or a rejection with its message. Shrinking keeps it.
    pub class: String,
    /// The mode in which they differ.
    pub mode: Mode,
    /// Both results, for people.
    pub report: String,
}

/// Runs SPIN alone; a result that says nothing becomes the reason why.
pub fn reference(text: &str, mode: Mode) -> Result<SpinResult, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let model = scratch.path().join("program.pml");
    fs::write(&model, text).map_err(|error| error.to_string())?;
    match spin::measure(&model, mode, &[]) {
        Err(SpinFailure::Rejected(message)) => Err(format!("rejected by spin: {}", first_line(&message))),
        Err(SpinFailure::Broken(message)) => Err(format!("pan not built: {}", first_line(&message))),
        Ok(result) if result.aborted => {
            let limits = ["killed after the time limit", "MEMLIM", "max search depth too small"];
            let limit = limits.into_iter().find(|limit| result.output.contains(limit)).map(str::to_string);
            let reason = limit.or_else(|| result.error_kinds.last().cloned());
            Err(format!("pan gave up: {}", reason.unwrap_or_else(|| last_line(&result.output))))
        }
        Ok(result) if result.stored > MOST_STATES => Err("too many states".to_string()),
        Ok(result) => Ok(result),
    }
}

/// Compares the two on the program `text` in `mode`.
pub fn compare(binary: &Path, text: &str, mode: Mode) -> Comparison {
    let spin = match reference(text, mode) {
        Ok(result) => result,
        Err(reason) => return Comparison::Skipped(reason),
    };
    let answer = Scratch::new().and_then(|scratch| {
        let model = scratch.path().join("program.pml");
        fs::write(&model, text)?;
        Ok(quotient::check(binary, &model, mode))
    });
    let answer = answer.unwrap_or_else(|error| Err(QuotientFailure::Crashed(error.to_string())));
    match class(mode, &spin, &answer) {
        None => Comparison::Same,
        Some(class) => {
            let report = report(&class, mode, &spin, &answer);
            Comparison::Differs(Box::new(Difference { class, mode, report }))
        }
    }
}

/// What differs first, if anything does.
fn class(mode: Mode, spin: &SpinResult, answer: &Result<QuotientResult, QuotientFailure>) -> Option<String> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(QuotientFailure::Rejected(message)) => return Some(format!("rejected: {}", skeleton(message))),
        Err(QuotientFailure::Crashed(message)) => return Some(format!("crashed: {}", skeleton(message))),
        Err(QuotientFailure::TimedOut) => return Some("timed out".to_string()),
    };
    // With SPIN's optimisations nothing is known to hold, and an error need not be one of the model as it is written.
    let verdicts: &[&str] = match (mode.optimises(), spin.errors > 0) {
        (false, true) => &["violated"],
        (false, false) => &["holds"],
        (true, true) => &["violated", "inconclusive"],
        (true, false) => &["inconclusive"],
    };
    let counts = [spin.stored, spin.matched, spin.transitions];
    if counts != [answer.states, answer.matched, answer.transitions] {
        Some("counts".to_string())
    } else if spin.errors != answer.errors {
        Some("errors".to_string())
    } else if !verdicts.contains(&answer.verdict.as_str()) {
        Some("verdict".to_string())
    } else {
        None
    }
}

/// Both results side by side.
fn report(class: &str, mode: Mode, spin: &SpinResult, answer: &Result<QuotientResult, QuotientFailure>) -> String {
    let mut text = format!("difference: {class} (mode {mode:?})\n");
    let row = |who: &str, counts: [u64; 4], kinds: &[String]| {
        let [stored, matched, transitions, errors] = counts;
        let kinds = kinds.join("; ");
        format!("{who:9} stored {stored}, matched {matched}, transitions {transitions}, errors {errors} [{kinds}]\n")
    };
    text += &row("spin:", [spin.stored, spin.matched, spin.transitions, spin.errors], &spin.error_kinds);
    match answer {
        Ok(answer) => {
            let counts = [answer.states, answer.matched, answer.transitions, answer.errors];
            text += &row("quotient:", counts, &answer.kinds);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "quotient's verdict: {}\n\n--- quotient\n{}", answer.verdict, answer.output);
        }
        Err(QuotientFailure::TimedOut) => text += "quotient: timed out\n",
        Err(QuotientFailure::Rejected(message)) => text += &format!("quotient rejects it:\n{message}\n"),
        Err(QuotientFailure::Crashed(message)) => text += &format!("quotient crashed:\n{message}\n"),
    }
    text + "\n--- spin\n" + &spin.output
}

/// The first line of a message without numbers, quoted names and paths, so that shrinking can compare messages.
fn skeleton(message: &str) -> String {
    let mut quoted = false;
    let mut skeleton = String::new();
    for character in first_line(message).chars() {
        if matches!(character, '`' | '\'' | '"') {
            quoted = !quoted;
        } else if !quoted && !character.is_ascii_digit() {
            skeleton.push(character);
        }
    }
    skeleton
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_string()
}

fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreeing() -> (SpinResult, QuotientResult) {
        let spin = SpinResult { stored: 5, matched: 1, transitions: 6, errors: 1, ..SpinResult::default() };
        let answer = QuotientResult {
            verdict: "violated".to_string(),
            states: 5,
            matched: 1,
            transitions: 6,
            errors: 1,
            ..QuotientResult::default()
        };
        (spin, answer)
    }

    #[test]
    fn equal_results_are_no_difference_and_each_count_matters() {
        let (spin, answer) = agreeing();
        assert_eq!(class(Mode::A, &spin, &Ok(answer.clone())), None);
        let more_states = QuotientResult { states: 6, ..answer.clone() };
        assert_eq!(class(Mode::A, &spin, &Ok(more_states)).as_deref(), Some("counts"));
        let more_errors = QuotientResult { errors: 2, ..answer.clone() };
        assert_eq!(class(Mode::A, &spin, &Ok(more_errors)).as_deref(), Some("errors"));
        let undecided = QuotientResult { verdict: "inconclusive".to_string(), ..answer };
        assert_eq!(class(Mode::A, &spin, &Ok(undecided.clone())).as_deref(), Some("verdict"));
        assert_eq!(class(Mode::C, &spin, &Ok(undecided)), None);
    }

    #[test]
    fn with_spins_optimisations_nothing_is_known_to_hold() {
        let spin = SpinResult { stored: 5, matched: 1, transitions: 6, ..SpinResult::default() };
        let (_, answer) = agreeing();
        let holds = QuotientResult { verdict: "holds".to_string(), errors: 0, ..answer };
        assert_eq!(class(Mode::B, &spin, &Ok(holds.clone())), None);
        assert_eq!(class(Mode::D, &spin, &Ok(holds)).as_deref(), Some("verdict"));
    }

    #[test]
    fn messages_are_compared_without_names_and_numbers() {
        assert_eq!(skeleton("\nerror: no label `L3` at 14:2\n"), "error: no label  at :");
    }
}
