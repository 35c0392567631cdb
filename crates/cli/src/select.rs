//! Which violations are told, and how much of their runs: all of them to programs, as far as that takes no longer than the
//! search took. What is left out is counted in the answer.

use std::time::{Duration, Instant};

use quotient_explain::{Explained, Keep, MOST_KEPT, Subject, explain};
use quotient_report::text::Palette;
use quotient_report::trace::Step;
use quotient_search::{Exploration, Violation};
use quotient_step::replay::steps;

use crate::args::{Check, Format};
use crate::human;
use crate::input::Input;
use crate::lines::Lines;

/// How many violations a program gets with long runs.
const LONG: usize = 3;
/// Repeating runs may take this long, however short the search was.
const LEAST_TIME: Duration = Duration::from_secs(5);

/// How much to tell.
pub struct Wanted {
    /// How many violations.
    most: usize,
    /// Of the runs of the first few.
    first: Keep,
    /// Of the runs of the others.
    others: Keep,
    /// How long repeating them may take; the first is always repeated.
    time: Duration,
    /// In which colours all steps of a run that is too long to be kept are shown; it is shown for people only.
    shown: Option<Palette>,
}

impl Wanted {
    /// What the options ask for, after a search that took so long.
    pub fn new(args: &Check, search: Duration, palette: Palette) -> Self {
        let time = search.max(LEAST_TIME);
        let shown = (args.output.format == Format::Human && args.full_trace && !args.quiet).then_some(palette);
        let wanted = |most, first, others| Wanted { most, first, others, time, shown };
        match args.output.format {
            // People are told the first run only; the others need not be repeated for them.
            Format::Human if args.full_trace && !args.quiet => wanted(1, Keep::ALL, Keep::ALL),
            Format::Human if args.trace.is_some() => wanted(1, Keep::MANY, Keep::MANY),
            Format::Human => wanted(1, Keep::READABLE, Keep::READABLE),
            Format::Json if args.full_trace => wanted(usize::MAX, Keep::ALL, Keep::ALL),
            Format::Json => wanted(usize::MAX, Keep::MANY, Keep::FEW),
        }
    }
}

/// Repeats the runs of violations, the first of each kind at each place before the others. Gives them in the order found.
pub fn explain_some(
    input: &Input,
    promises: bool,
    found: &Exploration,
    wanted: &Wanted,
) -> Result<Vec<Explained>, String> {
    let mut order: Vec<(usize, &Violation)> = found.violations.iter().enumerate().collect();
    order.sort_by_key(|(number, violation)| (*number != 0, !violation.first, *number));
    let started = Instant::now();
    let mut events = 0;
    let mut explained = Vec::new();
    for (number, violation) in order.into_iter().take(wanted.most) {
        // Whether there is time for this one is told from what the others took.
        let spent = started.elapsed().as_secs_f64();
        let expected = spent / f64::max(events as f64, 1.0) * violation.path.len() as f64;
        if !explained.is_empty() && spent + expected > wanted.time.as_secs_f64() {
            continue;
        }
        let keep = if explained.len() < LONG { wanted.first } else { wanted.others };
        let length = steps(&violation.path);
        let mut lines = wanted
            .shown
            .filter(|_| length > MOST_KEPT)
            .map(|palette| Lines::new(input, human::title(length, palette), palette));
        let mut show = lines.as_mut().map(|lines| |step: &Step| lines.step(step));
        let show = show.as_mut().map(|show| show as &mut dyn FnMut(&Step));
        let subject = Subject { model: &input.model, sources: &input.sources, promises };
        let told = explain(subject, &violation.error, &violation.path, keep, show)
            .map_err(|problem| format!("{} does not replay: {problem}", violation.error.kind()))?;
        explained.push((number, told));
        events += violation.path.len();
    }
    explained.sort_by_key(|(number, _)| *number);
    Ok(explained.into_iter().map(|(_, told)| told).collect())
}

#[cfg(test)]
mod tests {
    use quotient_search::{Options, explore};

    use super::*;

    /// Many errors of one kind, and then one of another.
    const MODEL: &str = "byte x; byte a[2];
        active proctype Q() { x == 50; a[x] = 1 }
        active proctype P() { do :: x < 250 -> x++ :: x > 0 -> assert(false) od }\n";

    fn told(time: Duration, most: usize) -> (usize, Vec<String>) {
        let loader = |_: &std::path::Path| Ok(MODEL.as_bytes().to_vec());
        let loaded = quotient_promela::load_with("m.pml".as_ref(), &quotient_promela::Options::default(), &loader);
        let input = Input {
            path: "m.pml".to_string(),
            model: loaded.model.expect("a model"),
            sources: loaded.sources,
            warnings: String::new(),
        };
        let found = explore(&input.model, &Options { all_errors: true, ..Options::default() }, &mut |_| true);
        let wanted = Wanted { most, first: Keep::MANY, others: Keep::FEW, time, shown: None };
        let told = explain_some(&input, false, &found, &wanted).expect("every run can be repeated");
        (found.violations.len(), told.into_iter().map(|told| told.violation.kind).collect())
    }

    #[test]
    fn the_first_is_told_however_little_time_there_is() {
        assert_eq!(told(Duration::ZERO, usize::MAX).1, ["assertion"]);
    }

    #[test]
    fn each_kind_is_told_before_repetitions() {
        assert_eq!(told(Duration::MAX, 2).1, ["assertion", "index-out-of-range"]);
    }

    #[test]
    fn all_are_told_if_there_is_time() {
        let (kept, told) = told(Duration::MAX, usize::MAX);
        assert_eq!(told.len(), kept);
    }
}
