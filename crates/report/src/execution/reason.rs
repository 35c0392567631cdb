//! Why an execution is wrong, by the kind of the violation: the lines of the source that matter, who waits for whom,
//! what never ends.

use super::act::words;
use super::excerpt::excerpt;
use super::facts::{held, weak_link, weak_message};
use super::kept::repeated;
use super::names::Files;
use super::{Action, Execution, Site, Step, Waiting};
use crate::text::{count, cut, thousands};
use std::collections::HashMap;

/// More leaks, or lines that run often, than this are not shown.
const MOST: usize = 6;

/// The reason as text.
pub(super) fn render(execution: &Execution, files: &Files<'_>) -> String {
    match execution.kind.as_str() {
        "panic" => panic(execution),
        "race" => race(execution),
        "deadlock" | "livelock" => stuck(execution, files),
        "leak" => leak(execution),
        "nondeterminism" => nondeterminism(execution),
        "bound" => bound(execution, files),
        _ => mistake(execution),
    }
}

/// A heading, and below it a place in the source.
fn shown(heading: &str, site: Option<&Site>) -> String {
    let place = site.map_or(String::new(), |site| excerpt(site, "    "));
    format!("  {heading}{}\n{place}", if place.is_empty() { "" } else { ":" })
}

fn step_shown(execution: &Execution, step: &Step) -> String {
    let heading = format!("{}, step {}: {}", execution.who(step.thread), step.step, words(execution, step));
    shown(&heading, step.location.as_ref()).replacen(":\n", "\n", 1)
}

fn panic(execution: &Execution) -> String {
    let who = execution.thread.map_or("a thread".to_string(), |thread| execution.who(thread));
    let mut text = shown(&format!("{who} panicked"), execution.location.as_ref());
    // The first line of the message is the headline.
    for line in execution.message.lines().filter(|_| execution.message.contains('\n')) {
        text.push_str(&format!("    {}\n", cut(line, 200)));
    }
    text
}

fn race(execution: &Execution) -> String {
    let steps: Vec<&Step> = execution.concerns.iter().filter_map(|&number| execution.step(number)).collect();
    let mut text: String = steps.iter().map(|step| step_shown(execution, step)).collect();
    let (from, to, link) = match (&steps[..], &execution.related[..]) {
        ([early, late], _) => (early.thread, late.thread, weak_link(execution, early.step, late.step)),
        // The accesses are not steps of the execution.
        ([], [late, early]) => {
            for access in [early, late] {
                let heading = format!("{}: {}", execution.who(access.thread), access.what);
                text.push_str(&shown(&heading, access.location.as_ref()).replacen(":\n", "\n", 1));
            }
            let before = (early.thread, early.after.unwrap_or(0));
            let link = weak_message(execution, before, (late.thread, execution.steps.len() + 1));
            (early.thread, late.thread, link)
        }
        ([], _) => return mistake(execution),
        _ => return text,
    };
    let (first, second) = (execution.who(from), execution.who(to));
    match link {
        Some(weak) => text.push_str(&format!(
            "  {second} hears from {first} in between, when step {} reads what step {} wrote,\n  \
             but that does not order the two accesses: {}.\n",
            weak.read.step,
            weak.write.step,
            weak.why()
        )),
        None => text.push_str("  Nothing orders the two: no lock, no join, no value passed from Release to Acquire.\n"),
    }
    text
}

fn stuck(execution: &Execution, files: &Files<'_>) -> String {
    let spins: Vec<&Step> = execution.steps.iter().filter(|step| matches!(step.action, Action::Spin { .. })).collect();
    let mut text: String = spins.iter().map(|spin| loop_shown(execution, spin, files)).collect();
    if execution.kind == "livelock" && spins.is_empty() {
        text.push_str(&mistake(execution));
    }
    let waits = |waiting: &&Waiting| spins.iter().all(|spin| spin.thread != waiting.thread);
    for waiting in execution.waiting.iter().filter(waits) {
        let heading = format!("{} waits {}{}", execution.who(waiting.thread), waiting.why, on(execution, waiting));
        text.push_str(&shown(&heading, waiting.location.as_ref()));
    }
    for (place, step) in held(execution) {
        let at = step.location.as_ref().map_or(String::new(), |site| format!(" ({})", files.place(site)));
        let who = execution.who(step.thread);
        text.push_str(&format!("  {who} holds {} since step {}{at}\n", execution.label(place), step.step));
    }
    if text.is_empty() { mistake(execution) } else { text }
}

/// What exactly a thread waits for, if that is known.
fn on(execution: &Execution, waiting: &Waiting) -> String {
    match (waiting.place, waiting.child) {
        (Some(place), _) => match held(execution).iter().find(|(other, _)| *other == place) {
            Some((_, step)) => format!(" ({}, which {} holds)", execution.label(place), execution.who(step.thread)),
            None => format!(" ({})", execution.label(place)),
        },
        (_, Some(child)) => format!(" ({})", execution.who(child)),
        _ => String::new(),
    }
}

/// A loop that does not end.
fn loop_shown(execution: &Execution, spin: &Step, files: &Files<'_>) -> String {
    let mut steps: Vec<&Step> = repeated(execution, spin).collect();
    steps.reverse();
    let mut text = shown(&format!("{} waits in a loop", execution.who(spin.thread)), spin.location.as_ref());
    text.push_str("    and finds the same again and again:\n");
    for step in &steps {
        let at = step.location.as_ref().map_or(String::new(), |site| format!(", {}", files.place(site)));
        text.push_str(&format!("    step {}{at}: {}\n", step.step, words(execution, step)));
    }
    let mut places: Vec<usize> = steps.iter().filter_map(|step| Some(step.access()?.place)).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let label = execution.label(place);
        match execution.places[place].writes.last().and_then(|&write| execution.step(write)) {
            None => text.push_str(&format!("    Nobody ever writes {label}.\n")),
            Some(last) => {
                let (step, who) = (last.step, execution.who(last.thread));
                text.push_str(&format!(
                    "    The last write of {label} is step {step}, by {who}; no other will follow.\n"
                ));
            }
        }
    }
    text
}

fn leak(execution: &Execution) -> String {
    let shown_leaks = execution.leaks.iter().take(MOST);
    let mut text: String = shown_leaks
        .map(|leak| shown(&format!("{} was made here, and is never freed", leak.what), leak.location.as_ref()))
        .collect();
    if execution.leaks.len() > MOST {
        text.push_str(&format!("  … and {} more\n", execution.leaks.len() - MOST));
    }
    if text.is_empty() { mistake(execution) } else { text }
}

fn nondeterminism(execution: &Execution) -> String {
    let before = execution.concerns.last().and_then(|&number| execution.step(number));
    let mut text = String::new();
    if let Some(step) = before {
        let heading = format!("{} did this the time before: {}", execution.who(step.thread), words(execution, step));
        text.push_str(&shown(&heading, step.location.as_ref()).replacen(":\n", "\n", 1));
    }
    text.push_str(&shown("this time it came here", execution.location.as_ref()));
    text.push_str(
        "  A program is run many times, and must do the same whenever it is told the same. What often differs: time,\n  \
         random numbers, addresses, the order of a HashMap, statics that keep what an earlier run left in them.\n",
    );
    text
}

fn bound(execution: &Execution, files: &Files<'_>) -> String {
    let mut text = shown("the execution was ended here", execution.location.as_ref());
    let mut counts: HashMap<(usize, &Site), u64> = HashMap::new();
    for step in &execution.steps {
        if let Some(site) = &step.location {
            *counts.entry((step.thread, site)).or_default() += 1;
        }
    }
    let mut counts: Vec<((usize, &Site), u64)> = counts.into_iter().filter(|&(_, times)| times > 1).collect();
    counts.sort_by_key(|&((thread, site), times)| {
        (std::cmp::Reverse(times), thread, site.location.line, site.location.column)
    });
    if !counts.is_empty() {
        text.push_str(&format!(
            "  Of its {}, many are at the same places:\n",
            count(execution.steps.len() as u64, "step")
        ));
    }
    for ((thread, site), times) in counts.into_iter().take(MOST) {
        let source = site.source.as_deref().map_or(String::new(), |line| format!("  {}", cut(line.trim(), 60)));
        let times = thousands(times);
        text.push_str(&format!("    {times} × {}, {}{source}\n", execution.who(thread), files.place(site)));
    }
    text
}

/// What is said when there is nothing more to say than where it happened.
fn mistake(execution: &Execution) -> String {
    let concerned = execution.concerns.iter().filter_map(|&number| execution.step(number));
    let text: String = concerned.map(|step| step_shown(execution, step)).collect();
    if !text.is_empty() {
        return text;
    }
    let who = execution
        .thread
        .map_or("it happened here".to_string(), |thread| format!("{} does this", execution.who(thread)));
    shown(&who, execution.location.as_ref())
}
