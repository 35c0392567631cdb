//! How fast executions are explored: N threads that each do one fetch_add, without symmetry.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, Rmw};
use quotient_runtime::{Options, Settings, check};
use std::sync::Arc;
use std::time::Instant;

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    let count: usize = std::env::args().nth(1).map_or(8, |count| count.parse().expect("a number of threads"));
    let settings = Settings { symmetry: false, ..Settings::default() };
    let start = Instant::now();
    let program = move || {
        let x = Arc::new(MemoryCell::new());
        let spawn = |_| {
            let x = x.clone();
            let body = move || {
                ops::update(&x, 0, Rmw::Add, 1, 64, Order::AcqRel);
            };
            ops::spawn(Box::new(body), None, Likeness::Unlike)
        };
        let threads: Vec<_> = (0..count).map(spawn).collect();
        threads.into_iter().for_each(ops::join);
    };
    let outcome = check(
        Options {
            settings,
            jobs: std::env::args().nth(2).map_or(1, |j| j.parse().expect("jobs")),
            ..Options::default()
        },
        Arc::new(program),
    );
    let seconds = start.elapsed().as_secs_f64();
    let executions = outcome.statistics.complete;
    println!("{executions} executions in {seconds:.3} s, {:.0} per second", executions as f64 / seconds);
}
