//! A run of a set of processes, and the answer about it as text for people: who called what with which result, and what was printed.
//! It follows the form of the answers about models and programs.

use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Violation};
use crate::source::Location;
use crate::summary;
use crate::text::{Palette, count, pad, place, thousands, width};

/// What is wrong with a set of processes, and the run that shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessViolation {
    /// The machine-readable kind.
    pub kind: String,
    /// What to tell a person.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// The step from which on the run can be repeated forever, if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    /// The calls, in their order.
    pub calls: Vec<Call>,
    /// The processes that have not ended, and what they want to do.
    pub waiting: Vec<WaitingProcess>,
}

/// A call of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Its number; calls that nobody else can notice belong to the call before them.
    pub step: usize,
    /// Who made it.
    pub process: String,
    /// The call with its arguments.
    pub call: String,
    /// What came of it; nothing if the process has ended, or waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// What the process printed afterwards.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub printed: String,
}

/// A process that has not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingProcess {
    /// Who.
    pub process: String,
    /// The call that it wants to make.
    pub call: String,
    /// Where that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// The size of the search of a set of processes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessStats {
    /// States that are remembered; without memory, states that were entered.
    pub states: u64,
    /// Transitions that were made.
    pub transitions: u64,
    /// The longest run.
    pub longest: u64,
    /// How often a process ran from one call to the next.
    pub process_steps: u64,
    /// How many histories of processes are known.
    pub histories: u64,
    /// How many renamings symmetry used, with the one that changes nothing.
    pub renamings: u64,
    /// How many states were looked at for livelocks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub looked_at_for_livelocks: u64,
    /// What was relied on at first and turned out not to be so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How big the search was, in one line.
pub fn explored(stats: &ProcessStats) -> String {
    format!(
        "{}, {}, {} of processes",
        count(stats.states, "state"),
        count(stats.transitions, "transition"),
        count(stats.process_steps, "step")
    )
}

/// The answer as text.
pub fn render(answer: &Answer, palette: Palette) -> String {
    let mut out = String::new();
    if let Some(Violation::Processes(violation)) = answer.violations.first() {
        out.push_str(&run(violation));
    }
    out.push_str(&summary::verdict(answer, palette));
    if let Some(stats) = answer.stats.processes() {
        out.push_str(&format!("  explored   {}, longest run {}\n", explored(stats), thousands(stats.longest)));
        if stats.looked_at_for_livelocks > 0 {
            let states = count(stats.looked_at_for_livelocks, "state");
            out.push_str(&format!("  livelocks  {states} looked at\n"));
        }
        if stats.renamings > 1 {
            out.push_str(&format!("  symmetry   {} renamings\n", thousands(stats.renamings)));
        }
        for dropped in &stats.dropped {
            out.push_str(&format!("  dropped    {dropped}\n"));
        }
    }
    for warning in &answer.warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    for note in &answer.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    crate::program::harmless(&out)
}

/// The run, a line for each call.
fn run(violation: &ProcessViolation) -> String {
    let mut out = String::new();
    let names =
        violation.calls.iter().map(|call| &call.process).chain(violation.waiting.iter().map(|one| &one.process));
    let widest = names.map(|name| width(name)).max().unwrap_or(0);
    let at = |location: &Option<Location>| {
        location.as_ref().map_or(String::new(), |location| format!("   {}", place(location)))
    };
    let mut step = None;
    for call in &violation.calls {
        if violation.repeats_from == Some(call.step) && step != Some(call.step) {
            out.push_str("      from here on, again and again:\n");
        }
        let number = if step == Some(call.step) { String::new() } else { call.step.to_string() };
        step = Some(call.step);
        let result = call.result.as_ref().map_or(String::new(), |result| format!(" = {result}"));
        out.push_str(&format!(
            "{number:>4}  {}  {}{result}{}\n",
            pad(&call.process, widest),
            call.call,
            at(&call.location)
        ));
        for line in call.printed.lines() {
            out.push_str(&format!("      {}  | {line}\n", pad("", widest)));
        }
    }
    if !violation.waiting.is_empty() {
        out.push_str("at the end:\n");
        for waiting in &violation.waiting {
            let (name, place) = (pad(&waiting.process, widest), at(&waiting.location));
            out.push_str(&format!("      {name}  waits in {}{place}\n", waiting.call));
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Explored, Stats};

    #[test]
    fn a_run_is_told_call_by_call() {
        let stats = ProcessStats { states: 2, transitions: 1, process_steps: 3, longest: 1, ..ProcessStats::default() };
        let stats = Stats { explored: Explored::Processes(stats), seconds: 0.0, peak_memory_bytes: 0 };
        let mut answer = Answer::new("a", true, None, &[], stats);
        let call = Call {
            step: 1,
            process: "a".to_string(),
            call: "mkdir(d)".to_string(),
            result: Some("0".to_string()),
            printed: "made\n".to_string(),
            ..Call::default()
        };
        let waiting = WaitingProcess { process: "bc".to_string(), call: "read(3, 1)".to_string(), location: None };
        let message = "a deadlock".to_string();
        let violation = ProcessViolation {
            kind: "deadlock".to_string(),
            message,
            calls: vec![call],
            waiting: vec![waiting],
            ..ProcessViolation::default()
        };
        answer.violations.push(Violation::Processes(Box::new(violation)));
        let expected = "   1  a   mkdir(d) = 0\n          | made\nat the end:\n      bc  waits in read(3, 1)\n\n\
                        VIOLATED: a deadlock\n  explored   2 states, 1 transition, 3 steps of processes, longest run 1\n";
        assert_eq!(render(&answer, Palette::default()), expected);
    }
}
