//! The answer of a check as text for people: what was checked, the run to the error, how things stand, how big it was.

use quotient_canon::Strategy;
use quotient_explain::Explained;
use quotient_report::answer::{Answer, Violation};
use quotient_report::source::SourceMap;
use quotient_report::text::{Palette, count};
use quotient_report::{render, run, sequence, standing, summary};
use quotient_search::{Error, Exploration};
use quotient_step::replay::DEADLOCK;

use crate::args::{Check, Define, Por, SearchOrder};

/// The most other errors that are listed.
const MOST_OTHERS: usize = 10;

/// What is going to be checked, in a line.
pub fn heading(args: &Check, strategy: Option<Strategy>, palette: Palette) -> String {
    let order = match args.order {
        SearchOrder::Dfs => "depth-first",
        SearchOrder::Bfs => "breadth-first",
    };
    let reductions = match (args.por, strategy) {
        (Por::On | Por::Spin, None) => "with partial-order reduction",
        (Por::On | Por::Spin, Some(_)) => "with partial-order and symmetry reduction",
        (Por::Off, Some(_)) => "with symmetry reduction",
        (Por::Off, None) => "without reductions",
    };
    let file = palette.bold(&args.input.file.display().to_string());
    format!("Checking {file}{} for safety errors: {order}, {reductions}\n", defines(&args.input.defines))
}

/// The macros set from outside: ` (N=3, FAST)`.
pub fn defines(defines: &[Define]) -> String {
    if defines.is_empty() {
        return String::new();
    }
    let text = |(name, value): &Define| value.as_ref().map_or(name.clone(), |value| format!("{name}={value}"));
    format!(" ({})", defines.iter().map(text).collect::<Vec<_>>().join(", "))
}

/// The run to an error, the error in the source, the messages sent, and how things stand.
pub fn story(explained: &Explained, sources: &SourceMap, palette: Palette) -> String {
    let Violation { trace, trace_length, .. } = &explained.violation;
    let mut text = String::new();
    if *trace_length == 0 {
        text.push_str("The error is there from the start, before any step.\n");
    } else if !trace.is_empty() {
        text.push_str(&format!("{}{}", title(*trace_length, palette), run::render(trace, palette)));
    }
    text.push('\n');
    text.push_str(&end(explained, sources, palette));
    text
}

/// What stands above a run.
pub fn title(length: usize, palette: Palette) -> String {
    let title = format!("The run to the error, {}:", count(length as u64, "step"));
    format!("{}\n\n", palette.bold(&title))
}

/// As [`story`], without the run itself.
pub fn end(explained: &Explained, sources: &SourceMap, palette: Palette) -> String {
    let Explained { violation: Violation { kind, end_state, .. }, diagnostic, messages } = explained;
    let mut text = render::render(std::slice::from_ref(diagnostic), sources, palette.color);
    let chart = sequence::render(messages, palette);
    if !chart.is_empty() {
        text.push_str(&format!("{}\n\n{chart}\n", palette.bold("Messages:")));
    }
    let state = standing::render(end_state, kind == DEADLOCK, palette);
    text.push_str(&format!("{}\n\n{state}\n", palette.bold("At the end:")));
    text
}

/// How a shorter run could be found, if that is likely.
pub fn advice(args: &Check, violation: &Violation) -> &'static str {
    let is_long = violation.trace_length > violation.trace.len();
    if is_long && args.order == SearchOrder::Dfs { "A shortest run can be found with --order bfs.\n\n" } else { "" }
}

/// Errors beside the first, equal ones together.
pub fn others(found: &Exploration, sources: &SourceMap) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for violation in found.violations.iter().skip(1) {
        let text = match &violation.error {
            Error::Fault(fault) => format!("{} ({})", fault.kind.message(), sources.location(fault.span)),
            Error::Deadlock => "invalid end state".to_string(),
        };
        match kinds.iter_mut().find(|(other, _)| *other == text) {
            Some((_, times)) => *times += 1,
            None => kinds.push((text, 1)),
        }
    }
    if kinds.is_empty() {
        return String::new();
    }
    let mut text = "Other errors:\n\n".to_string();
    for (kind, times) in kinds.iter().take(MOST_OTHERS) {
        text.push_str(&format!("  {kind}{}\n", if *times > 1 { format!(", {times} times") } else { String::new() }));
    }
    if kinds.len() > MOST_OTHERS {
        text.push_str(&format!("  … and {} more\n", kinds.len() - MOST_OTHERS));
    }
    let left_out = found.errors - found.violations.len() as u64;
    if left_out > 0 {
        text.push_str(&format!("  … and {} whose runs were not kept\n", count(left_out, "error")));
    }
    text.push('\n');
    text
}

/// The verdict, notes and statistics.
pub fn summary(answer: &Answer, palette: Palette) -> String {
    let mut text = String::new();
    if let Some(unreached) = &answer.unreached {
        text.push_str(&format!("{}\n", summary::unreached(unreached)));
    }
    text.push_str(&summary::verdict(answer, palette));
    text.push_str(&summary::unchecked(answer, palette));
    text.push_str(&summary::statistics(answer));
    text
}
