//! The answer of a check as text for people: what was checked, the run to the error, how things stand, how big it was.

use quotient_canon::HeapStrategy;
use quotient_check::{Beginning, Define, Order};
use quotient_explain::Explained;
use quotient_report::answer::{Answer, ModelViolation, OtherError};
use quotient_report::source::SourceMap;
use quotient_report::text::{Palette, count};
use quotient_report::{property, render, run, sequence, standing, summary};
use quotient_step::replay::DEADLOCK;

use crate::args::Check;

/// The most other errors that are listed.
const MOST_OTHERS: usize = 10;

/// What is going to be checked, in a line, once the strategy for symmetry is known.
pub(crate) fn heading(args: &Check, palette: Palette) -> impl Fn(&Beginning<'_>) -> String + use<> {
    let order = args.model.order.name();
    let file = palette.bold(&args.input.file.display().to_string());
    let start = format!("Checking {file}{} for ", defines(&args.input.defines));
    move |beginning| {
        let what = match (beginning.safety, beginning.properties) {
            (true, 0) => "safety errors".to_string(),
            (true, 1) => "safety errors and runs that violate a property".to_string(),
            (true, some) => format!("safety errors and runs that violate {some} properties"),
            (false, 0 | 1) => "runs that violate a property".to_string(),
            (false, some) => format!("runs that violate {some} properties"),
        };
        let symmetry = beginning.strategy.is_some() || beginning.heap.is_some_and(|heap| heap != HeapStrategy::None);
        let reductions = match (beginning.reduces, symmetry) {
            (true, false) => "with partial-order reduction",
            (true, true) => "with partial-order and symmetry reduction",
            (false, true) => "with symmetry reduction",
            (false, false) => "without reductions",
        };
        let reductions = match (beginning.nested && beginning.properties > 0, beginning.safety) {
            (true, true) if reductions != "without reductions" => format!("{reductions}, properties without"),
            (true, _) => "without reductions".to_string(),
            (false, _) => reductions.to_string(),
        };
        format!("{start}{what}: {order}, {reductions}\n")
    }
}

/// The macros set from outside: ` (N=3, FAST)`.
pub(crate) fn defines(defines: &[Define]) -> String {
    if defines.is_empty() {
        return String::new();
    }
    let text = |(name, value): &Define| value.as_ref().map_or(name.clone(), |value| format!("{name}={value}"));
    format!(" ({})", defines.iter().map(text).collect::<Vec<_>>().join(", "))
}

/// The run to an error, the error in the source, the messages sent, and how things stand.
pub(crate) fn story(explained: &Explained, sources: &SourceMap, palette: Palette) -> String {
    let ModelViolation { trace, trace_length, repeats, .. } = &explained.violation;
    let cycle = repeats.as_ref().and_then(|repeats| repeats.loop_start);
    let mut text = String::new();
    if *trace_length == 0 && repeats.is_none() {
        text.push_str("The error is there from the start, before any step.\n");
    } else if !trace.is_empty() {
        text.push_str(&format!("{}{}", title(*trace_length, palette), run::render_cycle(trace, cycle, palette)));
    }
    text.push('\n');
    text.push_str(&end(explained, sources, palette));
    text
}

/// What stands above a run.
pub(crate) fn title(length: usize, palette: Palette) -> String {
    let title = format!("The run to the error, {}:", count(length as u64, "step"));
    format!("{}\n\n", palette.bold(&title))
}

/// As [`story`], without the run itself.
pub(crate) fn end(explained: &Explained, sources: &SourceMap, palette: Palette) -> String {
    let Explained { violation: ModelViolation { kind, end_state, repeats, .. }, diagnostic, messages } = explained;
    let mut text = render::render(std::slice::from_ref(diagnostic), sources, palette.color);
    if let Some(repeats) = repeats {
        let lines: String = repeats.facts.iter().map(|fact| format!("  {fact}\n")).collect();
        text.push_str(&format!("{lines}\n"));
    }
    let chart = sequence::render(messages, palette);
    if !chart.is_empty() {
        text.push_str(&format!("{}\n\n{chart}\n", palette.bold("Messages:")));
    }
    let state = standing::render(end_state, kind == DEADLOCK, palette);
    text.push_str(&format!("{}\n\n{state}\n", palette.bold("At the end:")));
    text
}

/// How a shorter run could be found, if that is likely.
pub(crate) fn advice(args: &Check, violation: &ModelViolation) -> &'static str {
    let is_long = violation.trace_length > violation.trace.len();
    if is_long && args.model.order == Order::Dfs { "A shortest run can be found with --order bfs.\n\n" } else { "" }
}

/// Errors beside the first, equal ones together.
pub(crate) fn others(answer: &Answer) -> String {
    let others = &answer.other_errors;
    if others.is_empty() {
        return String::new();
    }
    let mut text = "Other errors:\n\n".to_string();
    for OtherError { message, location, times } in others.iter().take(MOST_OTHERS) {
        let place = location.as_ref().map_or(String::new(), |location| format!(" ({location})"));
        let times = if *times > 1 { format!(", {times} times") } else { String::new() };
        text.push_str(&format!("  {message}{place}{times}\n"));
    }
    if others.len() > MOST_OTHERS {
        text.push_str(&format!("  … and {} more\n", others.len() - MOST_OTHERS));
    }
    let told: u64 = others.iter().map(|other| other.times).sum();
    let left_out = answer.stats.model().map_or(0, |stats| stats.errors).saturating_sub(told + 1);
    if left_out > 0 {
        text.push_str(&format!("  … and {} whose runs were not kept\n", count(left_out, "error")));
    }
    text.push('\n');
    text
}

/// The verdict, notes and statistics.
pub(crate) fn summary(answer: &Answer, palette: Palette) -> String {
    let mut text = String::new();
    if let Some(unreached) = &answer.unreached {
        text.push_str(&format!("{}\n", summary::unreached(unreached)));
    }
    text.push_str(&summary::verdict(answer, palette));
    text.push_str(&property::list(&answer.properties, true, palette));
    text.push_str(&summary::unchecked(answer, palette));
    text.push_str(&summary::statistics(answer));
    text.push_str(&summary::dropped(answer, palette));
    for note in &answer.notes {
        text.push_str(&format!("{}: {note}\n", palette.note("note")));
    }
    text
}
