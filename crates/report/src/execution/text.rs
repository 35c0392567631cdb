//! An execution for people: what is wrong and where, the run as a table of source lines, the reason, the execution
//! graph, and how to have the same run again.

use super::names::{Files, files};
use super::{Execution, graph, kept, reason, table};
use crate::summary;
use crate::text::{count, cut, fill};
use crate::verdict::Shortfall;

/// So many of the last steps of a long run are always shown in the table, and in the graph.
const LAST_IN_TABLE: usize = 40;
const LAST_IN_GRAPH: usize = 12;
/// More threads than this are counted only.
const MOST_THREADS: usize = 8;
const LINE: usize = 110;
/// A longer text is not for people.
const LONGEST_REPLAY: usize = 4000;
/// A longer text is not for a command line.
const LONGEST_ARGUMENT: usize = 1000;

/// Whoever reads the text, and so how he has the same run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Again {
    /// By `cargo test`.
    CargoTest,
    /// By the command line.
    CommandLine,
}

/// The execution as text. Nothing is coloured: it ends up in the output of a test.
pub fn render(execution: &Execution) -> String {
    render_with(execution, Again::CargoTest)
}

/// As [`render`], for this reader.
pub fn render_with(execution: &Execution, how: Again) -> String {
    let files = files(execution);
    let kept = kept::kept(execution, LAST_IN_TABLE);
    let mut text = headline(execution, &files);
    if !execution.steps.is_empty() {
        text.push_str(&format!("\n{}:\n\n{}", what_it_is(execution), table::render(execution, &kept, &files)));
    }
    text.push_str(&format!("\nWhy:\n\n{}", reason::render(execution, &files)));
    // Of an execution that does not end, the table says enough.
    if execution.kind != "bound" && execution.steps.iter().any(|step| step.access().is_some()) {
        text.push_str(
            "\nThe execution graph (R read, W write, U both in one step, F fence; ←n reads from step n; co coherence order):\n\n",
        );
        text.push_str(&graph::render(execution, &kept::kept(execution, LAST_IN_GRAPH)));
    }
    text.push_str(&match how {
        Again::CargoTest => again_by_test(execution),
        Again::CommandLine => again_by_command(execution),
    });
    text
}

/// How long the execution is, and whether it takes a weak memory to explain it.
fn what_it_is(execution: &Execution) -> String {
    let steps = count(execution.steps.len() as u64, "step");
    match execution.weak {
        true => format!("The execution, {steps}; no interleaving explains it, but the memory model allows it"),
        false => format!("The execution, {steps}"),
    }
}

/// What is wrong, where, and what was checked.
fn headline(execution: &Execution, files: &Files<'_>) -> String {
    let verdict = match Shortfall::of_execution(&execution.kind) {
        Some(_) => "INCONCLUSIVE",
        None => "VIOLATED",
    };
    let message = cut(execution.message.lines().next().unwrap_or_default(), 400);
    let location = execution.location.as_ref().map(|site| &site.location);
    let mut text = summary::headline(verdict, &message, location, "");
    if let Some(location) = location {
        text.push_str(&format!("  --> {location}\n"));
    }
    let test = execution.test.as_ref().map_or(String::new(), |test| format!("test {test}, "));
    text.push_str(&format!("  kind {}, {test}memory model {}\n", execution.kind, execution.memory_model));
    text.push_str(&threads(execution, files));
    text
}

/// The threads, and where they were spawned.
fn threads(execution: &Execution, files: &Files<'_>) -> String {
    if execution.threads.len() < 2 {
        return String::new();
    }
    let mut names: Vec<String> = Vec::new();
    for thread in execution.threads.iter().take(MOST_THREADS) {
        let spawned = thread.spawned.as_ref().map_or(String::new(), |site| format!(" from {}", files.place(site)));
        names.push(format!("{}{spawned}", execution.who(thread.thread)));
    }
    if execution.threads.len() > MOST_THREADS {
        names.push(format!("{} more", execution.threads.len() - MOST_THREADS));
    }
    names[0] = format!("threads: {}", names[0]);
    let (last, others) = names.split_last().expect("at least two threads");
    let names: Vec<String> = others.iter().map(|name| format!("{name},")).chain([last.clone()]).collect();
    fill(&names, " ", "  ", LINE)
}

/// How the command line has the same run again.
fn again_by_command(execution: &Execution) -> String {
    match execution.replay.len() {
        0 => String::new(),
        1..LONGEST_ARGUMENT => format!("\nto run exactly this execution again, add: --replay '{}'\n", execution.replay),
        _ => "\nto run exactly this execution again, add --replay with the text `replay` of the JSON form\n".to_owned(),
    }
}

/// How a test has the same run again.
fn again_by_test(execution: &Execution) -> String {
    let Execution { replay, test, .. } = execution;
    let test = test.as_ref().map_or(String::new(), |test| format!(" {test}"));
    match replay.len() {
        0 => String::new(),
        1..=LONGEST_REPLAY => {
            format!("\nto run exactly this execution again: QUOTIENT_REPLAY='{replay}' cargo test{test}\n")
        }
        _ => format!(
            "\nto run exactly this execution again, take QUOTIENT_REPLAY from the JSON form of this report (\"replay\"):\n\
             with {} it is too long to be shown here\n",
            count(replay.len() as u64, "character")
        ),
    }
}
