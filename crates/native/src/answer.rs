//! What a check has found, for people and for programs; and how it is made of what the explorer says.

use crate::host::Native;
use crate::inline::Unseen;
use crate::likeness;
use crate::machine::machine;
use crate::options::Options;
use quotient_report::Execution;
use quotient_report::execution::{Action, text};
use quotient_report::verdict::Verdict;
use quotient_runtime::native::Host;
use quotient_runtime::{Failure, Outcome, Stop, ViolationKind, retell};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// What a check has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the check stopped early.
    pub stop: Option<String>,
    /// What is wrong.
    pub violation: Option<Execution>,
    /// What the violating execution has printed.
    pub output: String,
    /// What to know besides.
    pub warnings: Vec<String>,
    /// What else could be done.
    pub notes: Vec<String>,
    /// Why nothing can be said, if that is so.
    pub reason: Option<String>,
    /// Whether the program orders addresses in the memory of different threads.
    pub orders_addresses: bool,
    /// How big it was.
    pub stats: Stats,
}

/// The size of a check.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Executions that ran to their end.
    pub executions: u64,
    /// Executions that were given up because a thread could not go on.
    pub blocked: u64,
    /// Events of all executions.
    pub events: u64,
    /// Backward revisits.
    pub revisits: u64,
    /// The most events an execution has had.
    pub longest: u64,
    /// Whether threads that were started alike turned out to be told apart.
    pub told_apart: bool,
    /// How many times an execution was run again to see that threads are alike.
    pub retraced: u64,
    /// How long it took.
    pub seconds: f64,
}

impl Stats {
    /// Adds what another process has explored at the same time.
    pub(crate) fn add(&mut self, other: &Stats) {
        self.executions += other.executions;
        self.blocked += other.blocked;
        self.events += other.events;
        self.revisits += other.revisits;
        self.longest = self.longest.max(other.longest);
        self.told_apart |= other.told_apart;
        self.retraced += other.retraced;
        self.seconds = self.seconds.max(other.seconds);
    }
}

impl Answer {
    /// What was found, for people.
    pub fn text(&self) -> String {
        let Stats { executions, blocked, .. } = self.stats;
        let explored = format!("{executions} executions, and {blocked} given up");
        let mut out = match (&self.violation, &self.reason) {
            (Some(execution), _) => format!("{}{}", text::render(&without_replay(execution)), again(execution)),
            (None, Some(reason)) if self.verdict == Verdict::Violated => format!("VIOLATED: {reason}\n"),
            (None, Some(reason)) => format!("INCONCLUSIVE: {reason}\n"),
            (None, None) => format!("nothing is wrong: {explored}\n"),
        };
        if !self.output.is_empty() {
            out.push_str("\nprinted by the program in this execution:\n");
            for line in self.output.lines() {
                out.push_str(&format!("  {line}\n"));
            }
        }
        if self.stop.as_deref() == Some(name_of(Stop::Replay)) {
            if self.violation.is_some() {
                out.push_str("this is the one execution that was run again; no other was run\n");
            }
        } else if self.violation.is_some() || self.reason.is_some() {
            out.push_str(&format!("explored so far: {explored}\n"));
        }
        for warning in &self.warnings {
            out.push_str(&format!("warning: {warning}\n"));
        }
        for note in &self.notes {
            out.push_str(&format!("note: {note}\n"));
        }
        harmless(&out)
    }
}

/// A text in which nothing controls a terminal: what a program prints, and names that it gives to things, are part of it.
fn harmless(text: &str) -> String {
    let is_plain = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    text.chars().map(|character| if is_plain(character) { character } else { '\u{fffd}' }).collect()
}

/// How to have the same execution again is said in another way than for Rust programs.
fn without_replay(execution: &Execution) -> Execution {
    Execution { replay: String::new(), ..execution.clone() }
}

fn again(execution: &Execution) -> String {
    match execution.replay.len() {
        0 => String::new(),
        1..1000 => format!("\nto run exactly this execution again, add: --replay '{}'\n", execution.replay),
        _ => "\nto run exactly this execution again, add --replay with the text `replay` of the JSON form\n".to_owned(),
    }
}

/// What inline assembly does to memory is not seen: nothing can be said of a program that has some.
pub(crate) fn tell_of_assembly(answer: &mut Answer, unseen: &[Unseen]) {
    for Unseen { place, instruction, accesses } in unseen.iter().take(MOST_UNSEEN) {
        let what = if *accesses { "accesses memory" } else { "orders accesses" };
        answer.warnings.push(format!("inline assembly {what} and is not seen: `{instruction}` at {place}"));
    }
    if unseen.len() > MOST_UNSEEN {
        answer.warnings.push(format!("so do {} more pieces of inline assembly", unseen.len() - MOST_UNSEEN));
    }
    if answer.verdict == Verdict::Holds && unseen.iter().any(|one| one.accesses) {
        answer.verdict = Verdict::Inconclusive;
        answer.reason =
            Some("nothing wrong was found, but inline assembly accesses memory, which is not seen".to_owned());
    }
}

/// More inline assembly than this is only counted.
const MOST_UNSEEN: usize = 5;

/// The answer to an exploration that this process has done.
pub(crate) fn of(mut outcome: Outcome, options: &Options, time: Duration) -> Answer {
    let machine = machine();
    if let Some(failure) = &mut outcome.failure {
        say_who_holds(failure);
    }
    let mut violation = outcome.failure.as_ref().map(|failure| retell(failure, options.model, None));
    let kind = outcome.failure.as_ref().map(|failure| failure.violation.kind);
    if let (Some(violation), Some(mistake)) = (&mut violation, machine.mistake)
        && kind != Some(ViolationKind::Nondeterminism)
    {
        violation.kind = mistake.name().to_owned();
    }
    let statistics = outcome.statistics;
    let cut = machine.say_cut();
    let (verdict, reason) = match (kind, outcome.stop) {
        (Some(ViolationKind::Bound | ViolationKind::Nondeterminism), _) => (Verdict::Inconclusive, None),
        (Some(_), _) => (Verdict::Violated, None),
        (None, Some(Stop::Replay)) if statistics.complete == 0 => (
            Verdict::Inconclusive,
            Some("this execution does not run to its end, and shows nothing wrong; it is the only one that was run"),
        ),
        (None, Some(Stop::Replay)) => {
            (Verdict::Inconclusive, Some("this execution shows nothing wrong; it is the only one that was run"))
        }
        (None, Some(Stop::Executions)) => (Verdict::Inconclusive, Some("the limit on executions was reached")),
        (None, Some(Stop::Time)) => (Verdict::Inconclusive, Some("the time was not enough")),
        (None, Some(Stop::Loop)) => (Verdict::Inconclusive, outcome.undecided.as_deref()),
        (None, _) if statistics.cyclic > 0 => (
            Verdict::Inconclusive,
            Some(
                "like threads write to the same memory in ways for which one execution per orbit may not be enough; \
                 check again with --symmetry off",
            ),
        ),
        (None, _) if cut.is_some() => (Verdict::Inconclusive, cut.as_deref()),
        (None, _) => (Verdict::Holds, None),
    };
    let warning = machine.leak_warning.take().map(|(message, site)| {
        let place = site.and_then(|site| Native.place_of(site));
        place.map_or(message.clone(), |(file, line, _)| format!("{message} ({file}:{line})"))
    });
    let mut warnings = Vec::from_iter(warning);
    warnings.extend(machine.order.warnings(machine));
    warnings.extend(violation.as_ref().and_then(explain_names));
    let mut notes = likeness::notes(!outcome.knowledge.told_apart.is_empty());
    notes.extend(machine.order.notes(machine));
    notes.extend(machine.stuck_note.take());
    let output =
        if violation.is_some() { String::from_utf8_lossy(&machine.output).into_owned() } else { String::new() };
    Answer {
        verdict,
        stop: outcome.stop.map(|stop| name_of(stop).to_owned()),
        violation,
        output,
        warnings,
        notes,
        reason: reason.map(str::to_owned),
        orders_addresses: !machine.order.compared.is_empty(),
        stats: Stats {
            executions: statistics.complete,
            blocked: statistics.blocked,
            events: statistics.events,
            revisits: statistics.revisits,
            longest: statistics.longest,
            told_apart: !outcome.knowledge.told_apart.is_empty(),
            retraced: machine.likeness.runs,
            seconds: time.as_secs_f64(),
        },
    }
}

/// What the names of values of 16 bytes stand for that a report has.
fn explain_names(execution: &Execution) -> Option<String> {
    let accesses = execution.steps.iter().filter_map(|step| match &step.action {
        Action::Access(access) => Some([access.expected, access.read, access.written]),
        _ => None,
    });
    let names: BTreeSet<u64> = accesses.flatten().flatten().collect();
    let explain = |name: u64| machine().wide.named(name).map(|value| format!("{name:#x} is {value:#x}"));
    let explained: Vec<String> = names.into_iter().filter_map(explain).collect();
    (!explained.is_empty()).then(|| format!("values of 16 bytes have names in this report: {}", explained.join(", ")))
}

fn name_of(stop: Stop) -> &'static str {
    match stop {
        Stop::Executions => "max-executions",
        Stop::Time => "max-time",
        Stop::Replay => "replay",
        Stop::Loop => "loop",
    }
}

/// Adds to the message of a deadlock who holds what the others wait for.
fn say_who_holds(failure: &mut Failure) {
    if failure.violation.kind != ViolationKind::Deadlock {
        return;
    }
    let machine = machine();
    let mut held = Vec::new();
    for waiting in &failure.waiting {
        let Some(location) = waiting.location else { continue };
        let last = failure.graph.location(location).last();
        if waiting.why == "for a mutex" && last.is_real() && failure.graph.event(last).value != 0 {
            let address = machine.names.get(location as usize).map_or(0, |name| name.0);
            let place = Native.place_of(failure.graph.event(last).site);
            let place = place.map_or(String::new(), |(file, line, _)| format!(" since {file}:{line}"));
            let one = format!("thread {} holds {}{place}", last.thread(), machine.describe_memory(address));
            if !held.contains(&one) {
                held.push(one);
            }
        }
    }
    if !held.is_empty() {
        failure.violation.message = format!("{}; {}", failure.violation.message, held.join(", "));
    }
}
