//! What a check has found: the answer of the explorer, with what only this crate knows of the program.

use crate::build::inline_asm::Unseen;
use crate::check::host::Native;
use crate::check::likeness;
use crate::options::Options;
use crate::machine::machine;
use quotient_report::Answer;
use quotient_report::Execution;
use quotient_report::execution::Action;
use quotient_report::stats::Explored;
use quotient_report::verdict::Shortfall;
use quotient_runtime::native::Names;
use quotient_runtime::{Failure, Outcome, ViolationKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// What was found with one layout of the program's memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The answer.
    pub answer: Answer,
    /// Whether the program orders addresses in the memory of different threads.
    pub orders_addresses: bool,
}

/// What inline assembly does to memory is not seen: nothing can be said of a program that has some.
pub(crate) fn tell_of_assembly(answer: &mut Answer, unseen: &[Unseen]) {
    for Unseen { place, instruction, accesses } in unseen.iter().take(MOST_UNSEEN) {
        let what = match (*accesses, instruction.starts_with('.')) {
            (true, true) => "code that no compiler has made is not seen",
            (true, false) => "inline assembly may access memory and is not seen",
            (false, _) => "inline assembly orders accesses and is not seen",
        };
        answer.warnings.push(format!("{what}: `{instruction}` at {place}"));
    }
    if unseen.len() > MOST_UNSEEN {
        answer.warnings.push(format!("so do {} more pieces of inline assembly", unseen.len() - MOST_UNSEEN));
    }
    if unseen.iter().any(|one| one.accesses) {
        let reason = "nothing wrong was found, but inline assembly may access memory, which is not seen";
        answer.falls_short(Shortfall::UnseenCode, reason);
    }
}

/// More inline assembly than this is only counted.
const MOST_UNSEEN: usize = 5;

/// The answer to an exploration that this process has done.
pub(crate) fn of(mut outcome: Outcome, options: &Options, time: Duration) -> Found {
    let machine = machine();
    if let Some(failure) = &mut outcome.failure {
        say_who_holds(failure);
    }
    let without_symmetry = "check again with --symmetry off";
    let mut answer = quotient_runtime::answer(&outcome, "", options.model, None, without_symmetry, time);
    let kind = outcome.failure.as_ref().map(|failure| failure.violation.kind);
    if let (Some(execution), Some(mistake)) = (answer.execution_mut(), machine.mistake.get())
        && kind != Some(ViolationKind::Nondeterminism)
    {
        execution.kind = mistake.name().to_owned();
    }
    if let Some(cut) = machine.say_cut() {
        answer.falls_short(Shortfall::LoopsCut, cut);
    }
    let warning = machine.leak_warning.borrow_mut().take().map(|(message, site)| {
        let place = site.and_then(|site| Native.place_of(site));
        place.map_or(message.clone(), |(file, line, _)| format!("{message} ({file}:{line})"))
    });
    let names = answer.execution().and_then(explain_names);
    answer.warnings.extend(warning);
    answer.warnings.extend(machine.order.borrow().warnings(machine));
    answer.warnings.extend(names);
    answer.notes = likeness::notes(!outcome.knowledge.distinguished.is_empty());
    answer.notes.extend(machine.order.borrow().notes(machine));
    answer.notes.extend(machine.stuck_note.borrow_mut().take());
    if answer.execution().is_some() {
        answer.output = String::from_utf8_lossy(&machine.output.borrow()).into_owned();
    }
    if let Explored::Program(stats) = &mut answer.stats.explored {
        stats.likeness_runs = machine.likeness.borrow().runs;
    }
    Found { answer, orders_addresses: !machine.order.borrow().compared.is_empty() }
}

/// What the names of values of 16 bytes stand for that a report has.
fn explain_names(execution: &Execution) -> Option<String> {
    let accesses = execution.steps.iter().filter_map(|step| match &step.action {
        Action::Access(access) => Some([access.expected, access.read, access.written]),
        _ => None,
    });
    let names: BTreeSet<u64> = accesses.flatten().flatten().collect();
    let explain = |name: u64| machine().wide.borrow().named(name).map(|value| format!("{name:#x} is {value:#x}"));
    let explained: Vec<String> = names.into_iter().filter_map(explain).collect();
    (!explained.is_empty()).then(|| format!("values of 16 bytes have names in this report: {}", explained.join(", ")))
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
            let address = machine.address_of(location);
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
