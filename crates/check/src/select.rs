//! Which violations of a model are told, and how much of their runs: as many as are wanted, as far as that takes no longer
//! than the search took. What is left out is counted in the answer.

use std::time::{Duration, Instant};

use quotient_explain::{Explained, Keep, MOST_KEPT, Subject, explain};
use quotient_report::trace::Step;
use quotient_search::{Exploration, Violation};
use quotient_step::replay::steps;

use crate::Error;
use crate::input::Input;
use crate::options::{ModelOptions, Told};

/// How many violations are told with the longer part of their runs.
const LONG: usize = 3;
/// Repeating runs may take this long, however short the search was.
const LEAST_TIME: Duration = Duration::from_secs(5);

/// Repeats the runs of violations, the first of each kind at each place before the others. It returns them in the order
/// found. The first is always repeated; the others as far as that takes no longer than the search took.
pub(crate) fn explain_some(
    input: &Input,
    options: &ModelOptions,
    promises: bool,
    found: &Exploration,
    search: Duration,
) -> Result<Vec<Explained>, Error> {
    repeat(input, options, promises, found, search.max(LEAST_TIME))
}

/// As [`explain_some`], if repeating may take so long.
fn repeat(
    input: &Input,
    options: &ModelOptions,
    promises: bool,
    found: &Exploration,
    time: Duration,
) -> Result<Vec<Explained>, Error> {
    let observer = &options.common.observer;
    let Told { most, first, others } = options.told;
    let mut order: Vec<(usize, &Violation)> = found.violations.iter().enumerate().collect();
    order.sort_by_key(|(number, violation)| (*number != 0, !violation.first, *number));
    let started = Instant::now();
    let mut events = 0;
    let mut explained = Vec::new();
    for (number, violation) in order.into_iter().take(most) {
        // Whether there is time for this one is told from what the others took.
        let spent = started.elapsed().as_secs_f64();
        let expected = spent / f64::max(events as f64, 1.0) * violation.path.len() as f64;
        if !explained.is_empty() && spent + expected > time.as_secs_f64() {
            continue;
        }
        let keep = if explained.len() < LONG { first } else { others };
        let length = steps(&violation.path);
        let mut show = |step: &Step| observer.step(step);
        let is_shown = keep == Keep::ALL && length > MOST_KEPT && observer.takes_steps(length);
        let show = is_shown.then_some(&mut show as &mut dyn FnMut(&Step));
        let subject = Subject { model: &input.model, sources: &input.sources, promises };
        let told = explain(subject, &violation.error, &violation.path, keep, show)
            .map_err(|problem| Error::Unconfirmed { kind: violation.error.kind(), problem })?;
        observer.explained(&told, &input.sources);
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
            warnings: Vec::new(),
            counted: None,
        };
        let found = explore(&input.model, &Options { all_errors: true, ..Options::default() }, &mut |_| true);
        let options = ModelOptions { told: Told { most, ..Told::default() }, ..ModelOptions::default() };
        let told = repeat(&input, &options, false, &found, time).expect("every run can be repeated");
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
