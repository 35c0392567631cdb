//! How fast the enumerator is on random programs. Prints programs per second and the slowest program for each model.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use quotient_oracle::{Model, executions, random};

fn main() {
    let count = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(5_000);
    for model in Model::ALL {
        let start = Instant::now();
        let mut times: Vec<(Duration, u64)> = Vec::new();
        let (mut total, mut large) = (0, 0);
        for seed in 0..count {
            let begin = Instant::now();
            match executions(&random::program(seed, random::Shape::default()), model) {
                Ok(found) => total += found.len(),
                Err(_) => large += 1,
            }
            times.push((begin.elapsed(), seed));
        }
        times.sort_unstable();
        let rate = count as f64 / start.elapsed().as_secs_f64();
        let (median, slowest) = (times[times.len() / 2].0, times[times.len() - 1]);
        println!(
            "{model}: {rate:.0} programs/s, {total} executions, {large} too large, median {median:?}, slowest {slowest:?}"
        );
    }
}
