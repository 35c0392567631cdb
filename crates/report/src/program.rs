//! The answer about a program as text for people: the verdict, the execution that shows it, and what to know besides. It is
//! the same for programs in Rust, C and C++, but for how an execution is run again.

use crate::answer::Answer;
use crate::execution::text::{self, Again};
use crate::summary;
use crate::text::Palette;
use crate::verdict::StopReason;

/// The answer as text. Nothing in it controls a terminal.
pub fn render(answer: &Answer, again: Again) -> String {
    let replayed = answer.stop == Some(StopReason::Replay);
    let mut out = match answer.execution() {
        Some(execution) => text::render_with(execution, again),
        None => summary::verdict(answer, Palette::default()),
    };
    if !answer.output.is_empty() {
        out.push_str("\nprinted by the program in this execution:\n");
        for line in answer.output.lines() {
            out.push_str(&format!("  {line}\n"));
        }
    }
    if replayed && answer.execution().is_some() {
        out.push_str("this is the one execution that was run again; no other was run\n");
    } else if !replayed && (answer.execution().is_some() || answer.reason.is_some()) {
        out.push_str(&format!("explored so far: {}\n", summary::explored(&answer.stats.program())));
    }
    for warning in &answer.warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    for note in &answer.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    harmless(&out)
}

/// A text in which nothing controls a terminal: what a program prints, and names that it gives to things, are part of it.
pub(crate) fn harmless(text: &str) -> String {
    let is_plain = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    text.chars().map(|character| if is_plain(character) { character } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::ProgramStats;
    use crate::verdict::Shortfall;

    #[test]
    fn verdicts_read_as_those_of_models() {
        let stats = ProgramStats { executions: 1, blocked: 2, ..ProgramStats::default() };
        let mut answer = Answer::new("a.c", false, None, &[], stats.into());
        let text = |answer: &Answer| render(answer, Again::CommandLine);
        assert_eq!(text(&answer), "HOLDS: no error in any execution (1 execution, and 2 given up)\n");
        answer.falls_short(Shortfall::LoopsCut, "a loop was cut\u{1b}");
        answer.notes.push("--unroll".to_string());
        let expected =
            "INCONCLUSIVE: a loop was cut\u{fffd}\nexplored so far: 1 execution, and 2 given up\nnote: --unroll\n";
        assert_eq!(text(&answer), expected);
    }
}
