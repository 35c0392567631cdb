//! How the time for one long thread grows with its length: `chain SHAPE OPERATIONS [second]`.
//!
//! With `apart`, a second thread does a store and a load of a place that the long thread writes at its end. With `beside`,
//! the second thread does both to a place that the long thread uses all the time, before it begins; with `late`, when it has
//! ended. Then there are very many executions, and only the first ten are run.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, Rmw};
use quotient_runtime::{Limits, Options, Settings, check};
use std::sync::Arc;
use std::time::Instant;

/// What a thread does.
type Body = Box<dyn FnOnce()>;

/// One operation of the long thread.
fn operation(shape: &str, index: usize, x: &MemoryCell, y: &MemoryCell) {
    match shape {
        "add" => drop(ops::update(x, 0, Rmw::Add, 1, 64, Order::Relaxed)),
        "store" => ops::store(x, 0, index as u64, Order::SeqCst),
        "mix" if index.is_multiple_of(2) => ops::store(x, 0, index as u64, Order::SeqCst),
        "mix" => drop(ops::load(y, 0, Order::SeqCst)),
        "fence" if index.is_multiple_of(2) => ops::store(x, 0, index as u64, Order::Relaxed),
        "fence" => ops::fence(Order::SeqCst),
        _ => panic!("no such shape: {shape}"),
    }
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let shape = arguments.next().expect("a shape: add, store, mix or fence");
    let count: usize = arguments.next().map_or(1000, |count| count.parse().expect("a number of operations"));
    let second = arguments.next().unwrap_or_default();
    let limits = Limits { executions: matches!(&*second, "beside" | "late").then_some(10), ..Limits::default() };
    let settings = Settings { max_events: 1_000_000, ..Settings::default() };
    let start = Instant::now();
    let outcome = check(
        Options { settings, limits, ..Options::default() },
        Arc::new(move || {
            let places = Arc::new([const { MemoryCell::new() }; 3]);
            let (theirs, kind, last) = (places.clone(), shape.clone(), second == "apart");
            let long = move || {
                (0..count).for_each(|index| operation(&kind, index, &theirs[0], &theirs[1]));
                if last {
                    ops::store(&theirs[2], 0, 1, Order::SeqCst);
                }
            };
            let short = move || {
                let place = if last { &places[2] } else { &places[0] };
                ops::store(place, 0, 2, Order::SeqCst);
                ops::load(place, 0, Order::SeqCst);
            };
            // The thread that spawns goes first.
            let (first, then): (Body, Option<Body>) = match &*second {
                "" => (Box::new(long), None),
                "late" => (Box::new(long), Some(Box::new(short))),
                _ => (Box::new(short), Some(Box::new(long))),
            };
            let thread = then.map(|then| ops::spawn(then, None, Likeness::Unlike));
            first();
            thread.into_iter().for_each(ops::join);
        }),
    );
    let seconds = start.elapsed().as_secs_f64();
    println!("{count}: {} executions, {seconds:.3} s", outcome.statistics.complete);
    assert!(outcome.failure.is_none(), "nothing is wrong with it");
}
