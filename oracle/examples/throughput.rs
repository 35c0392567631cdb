//! How fast the enumerator is on random programs, and how often the models differ on them. Prints programs per second
//! and the slowest program for each model.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use quotient_oracle::{MemoryModel, classes, executions, random};

fn main() {
    let count = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(5_000);
    let programs: Vec<_> = (0..count).map(|seed| random::program(seed, random::Shape::default())).collect();
    let symmetric = programs.iter().filter(|program| classes(program).len() < program.threads.len()).count();
    println!("{count} programs, {symmetric} with identical threads");
    let mut counts = Vec::new();
    for model in MemoryModel::ALL {
        let start = Instant::now();
        let mut times: Vec<(Duration, usize)> = Vec::new();
        let mut found = Vec::new();
        for (seed, program) in programs.iter().enumerate() {
            let begin = Instant::now();
            found.push(executions(program, model).map(|found| found.len()).ok());
            times.push((begin.elapsed(), seed));
        }
        times.sort_unstable();
        let rate = count as f64 / start.elapsed().as_secs_f64();
        let (median, slowest) = (times[times.len() / 2].0, times[times.len() - 1]);
        let total: usize = found.iter().flatten().sum();
        let large = found.iter().filter(|found| found.is_none()).count();
        println!(
            "{model}: {rate:.0} programs/s, {total} executions, {large} too large, median {median:?}, slowest {slowest:?}"
        );
        counts.push(found);
    }
    for (index, model) in MemoryModel::ALL.into_iter().enumerate().skip(1) {
        let differ = counts[0].iter().zip(&counts[index]).filter(|(sc, other)| sc != other).count();
        println!("{differ} programs have other executions under {model} than under sc");
    }
}
