//! The end of an answer: the verdict in a line, for every kind of input, and how big the search of a model was.

use crate::answer::{Answer, Unreached, Violation};
use crate::source::Location;
use crate::stats::{ActiveSymmetry, Dropped, Explored, ModelStats, ProgramStats, Scalarset, Symmetry};
use crate::text::{Palette, bytes, count, place, thousands};
use crate::verdict::{StopReason, Verdict};

/// The verdict in one line.
pub fn verdict(answer: &Answer, palette: Palette) -> String {
    match answer.verdict {
        Verdict::Holds => {
            let only_claims = answer.properties.first().is_some_and(|first| first.kind != "safety");
            let error = match answer.unchecked_properties.is_empty() {
                _ if only_claims => "violation",
                true => "error",
                false if answer.properties.is_empty() => "safety error",
                false => "error",
            };
            let everywhere = match &answer.stats.explored {
                Explored::Model(_) => "in any run".to_string(),
                Explored::Program(stats) => format!("in any execution ({})", explored(stats)),
                Explored::Processes(_) => "in any run".to_string(),
            };
            format!("{}: no {error} {everywhere}\n", palette.good("HOLDS"))
        }
        Verdict::Violated => {
            let first = answer.violations.first();
            let what = first.map_or("an error was found", Violation::message);
            let errors = match answer.stats.model().map_or(0, |stats| stats.errors) {
                0 | 1 => String::new(),
                errors => format!("; {} in all", count(errors, "error")),
            };
            headline(&palette.bad("VIOLATED"), what, first.and_then(Violation::location), &errors)
        }
        Verdict::Inconclusive => {
            let first = answer.violations.first().map(Violation::message);
            let what = answer.reason.as_deref().or(first).unwrap_or("not everything was seen");
            format!("{}: {what}\n", palette.note("INCONCLUSIVE"))
        }
    }
}

/// The line that says what is wrong and where, in the one form that all kinds of input have.
pub(crate) fn headline(verdict: &str, what: &str, location: Option<&Location>, more: &str) -> String {
    let location = location.map_or(String::new(), |location| format!(" ({})", place(location)));
    format!("{verdict}: {what}{location}{more}\n")
}

/// Why the answer about a model is inconclusive, in a sentence; `unchecked` is the number of properties that were not checked.
pub fn inconclusive(stop: Option<StopReason>, unchecked: u64) -> String {
    match stop.map(StopReason::message) {
        Some(why) => format!("no error in what was covered, but the search stopped {why}"),
        None => {
            let were = if unchecked == 1 { "was" } else { "were" };
            let properties = count(unchecked, "property");
            format!("no safety error in any run, but {properties} of the model {were} not checked")
        }
    }
}

/// How many executions were explored: `2 executions, and 1 given up`.
pub fn explored(stats: &ProgramStats) -> String {
    format!("{}, and {} given up", count(stats.executions, "execution"), thousands(stats.blocked))
}

/// How big the search of a model was, and what its reductions saved.
pub fn statistics(answer: &Answer) -> String {
    let Some(stats) = answer.stats.model() else { return String::new() };
    let (seconds, memory) = (answer.stats.seconds, answer.stats.peak_memory_bytes);
    let rate = if seconds > 0.0 { stats.states as f64 / seconds } else { 0.0 };
    // The sizes of searches for temporal properties stand with these.
    let beside = answer.properties.first().is_some_and(|first| first.kind == "safety") && answer.properties.len() > 1;
    let spent: f64 =
        answer.properties.iter().filter_map(|property| property.stats.as_ref()).map(|own| own.seconds).sum();
    let mut lines = vec![
        (
            "states",
            format!(
                "{} stored{}, {} met again: {}",
                thousands(stats.states),
                if beside { " for safety" } else { "" },
                thousands(stats.matched),
                count(stats.transitions, "transition")
            ),
        ),
        ("depth", count(stats.depth, "step")),
        ("memory", format!("{:.1} bytes per state{}, {} at most", stats.bytes_per_state, kept(stats), bytes(memory))),
        match beside {
            true => (
                "time",
                format!(
                    "{} for safety, {} states per second; {} for all properties",
                    time(seconds),
                    thousands(rate as u64),
                    time(seconds + spent)
                ),
            ),
            false => ("time", format!("{}, {} states per second", time(seconds), thousands(rate as u64))),
        },
        ("partial-order reduction", reduction(stats)),
        ("symmetry reduction", symmetry(stats)),
    ];
    if let Some(whose) = &stats.counted_as {
        lines.insert(1, ("counted as", whose.clone()));
    }
    if let Some(active) = &stats.symmetry.active {
        lines.extend(active.found.iter().map(|found| ("", found.clone())));
        if !active.sets.is_empty() {
            lines.push(("", renamed(active)));
        }
        lines.push(("", saved(active, stats.normalised_states.unwrap_or(0))));
    }
    if let (Some(stop), Verdict::Violated) = (answer.stop, answer.verdict) {
        lines.push(("stopped", stop.message().to_string()));
    }
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    lines.iter().map(|(name, text)| format!("  {name:width$}  {text}\n")).collect()
}

/// How visited states were kept, if not whole.
fn kept(stats: &ModelStats) -> &'static str {
    if stats.store == "tree" { " in trees" } else { "" }
}

/// Reductions that were dropped, a line each.
pub fn dropped(answer: &Answer, palette: Palette) -> String {
    let line = |dropped: &Dropped| {
        format!("{}: {} reduction was dropped: {}\n", palette.note("note"), dropped.reduction, dropped.message)
    };
    answer.stats.model().map_or(&[][..], |stats| &stats.dropped).iter().map(line).collect()
}

fn reduction(stats: &ModelStats) -> String {
    let por = &stats.por;
    match (por.requested, por.active) {
        (_, true) => {
            let verb = if por.reduced_states == 1 { "state needed" } else { "states needed" };
            let alone = format!("{} {verb} only one process", thousands(por.reduced_states));
            match por.skipped_steps {
                0 => format!("on, {alone}"),
                1 => format!("on, 1 local step taken at once, {alone}"),
                steps => format!("on, {} local steps taken at once, {alone}", thousands(steps)),
            }
        }
        (true, false) => format!("off: {}", por.reason.as_deref().unwrap_or("not possible")),
        (false, false) => "off".to_string(),
    }
}

fn symmetry(stats: &ModelStats) -> String {
    let Symmetry { strategy, reason, active } = &stats.symmetry;
    match (active, reason) {
        (Some(active), _) => {
            let exact = match active.canonical {
                true => "canonical: one state stored per orbit",
                false => "not canonical: orbits can be stored more than once",
            };
            if exact.starts_with(strategy) { exact.to_string() } else { format!("{strategy}, {exact}") }
        }
        (None, Some(reason)) => format!("{strategy}: {reason}"),
        (None, None) => strategy.clone(),
    }
}

/// What may change its name, and in how many ways.
fn renamed(active: &ActiveSymmetry) -> String {
    let set = |set: &Scalarset| match &*set.group {
        "symmetric" => format!("{} members of {}", set.size, set.name),
        _ => format!("a ring of {} {}", set.size, set.name),
    };
    let sets: Vec<String> = active.sets.iter().map(set).collect();
    let ways = match active.group_size {
        size if size < 1e15 => thousands(size as u64),
        size => format!("{size:.1e}"),
    };
    format!("{}: {ways} renamings", sets.join(", "))
}

/// What that saved, and what it took.
fn saved(active: &ActiveSymmetry, normalised: u64) -> String {
    let orbits = match active.canonical {
        true => count(active.orbits, "orbit"),
        false => format!("{} stored", count(active.orbits, "state")),
    };
    let states = match (active.represented_states, active.estimated_states) {
        (Some(states), _) => format!(" for {}", count(states, "state")),
        (None, Some(states)) => format!(" for about {}", count(states, "state")),
        (None, None) => String::new(),
    };
    let mut text = format!("{orbits}{states}; {:.0} % of the time", active.time_share * 100.0);
    if normalised > 0 {
        text.push_str(&format!("; {} not canonical", thousands(normalised)));
    }
    if active.checked_states > 0 {
        text.push_str(&format!("; self-check passed on {}", count(active.checked_states, "state")));
    }
    text
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{} min {:02} s", (s / 60.0) as u64, s as u64 % 60),
    }
}

/// Which properties were not checked, if any.
pub fn unchecked(answer: &Answer, palette: Palette) -> String {
    if answer.unchecked_properties.is_empty() {
        return String::new();
    }
    format!(
        "{}: not checked: {}\n      (--property checks one by name; --property none leaves this note out)\n",
        palette.note("note"),
        answer.unchecked_properties.join(", ")
    )
}

/// Statements that were never executed.
pub fn unreached(all: &[Unreached]) -> String {
    let mut text = String::new();
    for Unreached { proctype, statements, total } in all {
        let proctype = if proctype == "init" { "init".to_string() } else { format!("proctype {proctype}") };
        for statement in statements {
            let at = place(&statement.location);
            text.push_str(&format!("unreached in {proctype}: {at}: {}\n", statement.statement));
        }
        text.push_str(&format!("unreached in {proctype}: {} of {total} statements\n", statements.len()));
    }
    text
}
