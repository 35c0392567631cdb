//! Examines the generator with SPIN alone: how many programs are accepted, how large they are, how many are wrong.
//! It is how the generator is tuned, and needs no Quotient; `--mode b` looks at pan with its reduction instead.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::compare::reference;
use crate::fuzz::{Modes, Options, each_program, feature_counts};
use crate::spin::Mode;

/// What was found so far.
#[derive(Default)]
struct Tally {
    states: Vec<u64>,
    violated: usize,
    refused: usize,
    reasons: BTreeMap<String, Vec<u64>>,
    features: Vec<quotient_generate::promela::Generated>,
}

/// Runs the self-test; whether the generator is good enough.
pub fn run(options: &Options) -> bool {
    let tally = Mutex::new(Tally::default());
    let mode = if options.mode == Modes::B { Mode::B } else { Mode::A };
    each_program(options, |seed, generated| {
        if mode == Mode::B && !generated.reducible {
            return true;
        }
        let result = reference(&generated.program.to_string(), mode);
        let mut tally = tally.lock().expect("no worker panics while it holds the tally");
        match result {
            Ok(result) => {
                tally.states.push(result.stored);
                tally.violated += usize::from(result.errors > 0);
            }
            Err(reason) => {
                tally.refused += usize::from(!reason.starts_with("pan gave up") && reason != "too many states");
                tally.reasons.entry(reason).or_default().push(seed);
            }
        }
        tally.features.push(generated);
        true
    });
    let mut tally = tally.into_inner().expect("no worker panics while it holds the tally");
    tally.states.sort_unstable();
    report(&tally)
}

fn report(tally: &Tally) -> bool {
    let total = tally.features.len();
    let percent = |count: usize| 100.0 * count as f64 / total.max(1) as f64;
    let accepted = percent(total - tally.refused);
    let quantile = |share: usize| tally.states.get(tally.states.len() * share / 100).copied().unwrap_or(0);
    println!("{}", feature_counts(tally.features.iter()));
    for (reason, seeds) in &tally.reasons {
        println!("{:4} × {reason} (seeds {:?})", seeds.len(), &seeds[..seeds.len().min(5)]);
    }
    println!(
        "self-test: {total} programs, {accepted:.1} % accepted by spin, {} searched, {} violated ({:.0} %)",
        tally.states.len(),
        tally.violated,
        percent(tally.violated)
    );
    let [p10, p25, median, p75, p90] = [10, 25, 50, 75, 90].map(quantile);
    let largest = tally.states.last().copied().unwrap_or(0);
    println!("states: 10 % {p10}, 25 % {p25}, median {median}, 75 % {p75}, 90 % {p90}, largest {largest}");
    accepted > 97.0 && median > 60
}
