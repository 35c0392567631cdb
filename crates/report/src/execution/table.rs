//! An execution as a table: step, thread, place, the source line, and what happened there. Threads are told apart by
//! how far their names are indented, and below a read stands what is remarkable about its value.

use super::act::words;
use super::excerpt::surroundings;
use super::facts::{newer, weak_link};
use super::names::{Files, value};
use super::{Access, Execution, Operation, Source, Step};
use crate::text::{count, cut, pad, thousands, width};

const WIDEST_SOURCE: usize = 48;
/// Threads beyond this one are not indented further.
const MOST_INDENTED: usize = 6;

/// The steps that are `kept`, as a table.
pub(super) fn render(execution: &Execution, kept: &[bool], files: &Files<'_>) -> String {
    let newer = newer(execution);
    let shown: Vec<&Step> = execution.steps.iter().filter(|step| kept[step.step - 1]).collect();
    let rows: Vec<[String; 4]> = shown.iter().map(|step| row(execution, step, files)).collect();
    let widths: [usize; 4] =
        std::array::from_fn(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0));
    let indent = 2 + widths[..3].iter().map(|width| width + 2).sum::<usize>();
    let mut text = String::new();
    let mut expected = 1;
    for (step, row) in shown.iter().zip(&rows) {
        text.push_str(&gap(step.step - expected, widths[0]));
        expected = step.step + 1;
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| pad(cell, width)).collect();
        // Numbers stand at the right of their column.
        let number = format!("{:>1$}", row[0], widths[0]);
        let line = format!("  {number}  {}  {}", cells[1..].join("  "), words(execution, step));
        text.push_str(&format!("{}\n", line.trim_end()));
        for note in notes(execution, step, newer[step.step - 1], files) {
            text.push_str(&format!("{}└ {note}\n", " ".repeat(indent)));
        }
    }
    text.push_str(&gap(execution.steps.len() + 1 - expected, widths[0]));
    text
}

fn gap(left_out: usize, number: usize) -> String {
    match left_out {
        0 => String::new(),
        _ => format!("  {}  … {} …\n", " ".repeat(number), count(left_out as u64, "step")),
    }
}

fn row(execution: &Execution, step: &Step, files: &Files<'_>) -> [String; 4] {
    let depth = execution.threads.iter().position(|thread| thread.thread == step.thread).unwrap_or(0);
    let who = format!("{}{}", "  ".repeat(depth.min(MOST_INDENTED)), execution.who(step.thread));
    let place = step.location.as_ref().map_or(String::new(), |site| files.place(site));
    let source = step.location.as_ref().map_or(String::new(), |site| surroundings(site, WIDEST_SOURCE));
    [thousands(step.step as u64), cut(&who, 40), place, source]
}

/// What is remarkable about a step.
fn notes(execution: &Execution, step: &Step, newer: Option<usize>, files: &Files<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(access) = step.access() {
        match newer {
            Some(newer) if access.reads() => notes.extend(stale(execution, step, access, newer, files)),
            Some(newer) => {
                notes.push(format!("an older value from the start: in coherence order it comes before step {newer}"))
            }
            None => notes.extend(foreign(execution, step, access, files)),
        }
    }
    if execution.kind == "nondeterminism" && execution.concerns.contains(&step.step) {
        notes.push("this is what the program did the time before; this time it did something else".to_string());
    }
    notes
}

/// What to say about a read of a value that is out of date.
fn stale(execution: &Execution, step: &Step, access: &Access, newer: usize, files: &Files<'_>) -> Vec<String> {
    let from = match access.reads_from {
        Some(Source::Step(write)) => origin(execution, write, files),
        _ => "the initial one".to_string(),
    };
    let had = match written(execution, newer) {
        Some(value) => format!("written {value}"),
        None => "happened".to_string(),
    };
    let mut notes = vec![format!("an older value, {from}: step {newer} had already {had}")];
    if let Some(weak) = weak_link(execution, newer, step.step) {
        let (read, write, why) = (weak.read.step, weak.write.step, weak.why());
        notes.push(format!("step {read} reads from step {write}, but that does not order them: {why}"));
    }
    notes
}

/// Where the value of a read comes from, if another thread wrote it.
fn foreign(execution: &Execution, step: &Step, access: &Access, files: &Files<'_>) -> Option<String> {
    let Some(Source::Step(write)) = access.reads_from else { return None };
    // That a lock was free because somebody unlocked it goes without saying.
    let is_lock = matches!(access.operation, Operation::Lock | Operation::Unlock | Operation::DropGuard);
    let foreign = !is_lock && execution.step(write).is_some_and(|write| write.thread != step.thread);
    foreign.then(|| format!("reads {}", origin(execution, write, files)))
}

/// A write as the origin of a value: `from step 7 (thread 2, x.rs:10)`.
fn origin(execution: &Execution, write: usize, files: &Files<'_>) -> String {
    let Some(step) = execution.step(write) else { return format!("from step {write}") };
    let place = step.location.as_ref().map_or(String::new(), |site| format!(", {}", files.place(site)));
    format!("from step {write} ({}{place})", execution.who(step.thread))
}

/// The value that a step wrote, if it is known.
fn written(execution: &Execution, write: usize) -> Option<String> {
    execution.step(write)?.access()?.written.map(value)
}
