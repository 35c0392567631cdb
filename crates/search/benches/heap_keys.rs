//! Time for one key of a state with a heap. `cargo bench -p quotient-search`
//!
//! Times are in microseconds, the least of several rounds over states that a search comes to. `kbots` and `pc` are not canonical.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "../tests/heap_models/mod.rs"]
mod heap_models;

use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;

use heap_models::{list, philosophers};
use quotient_canon::{HeapReducer, HeapStrategy};
use quotient_ir::Model;
use quotient_step::machine::{Attempt, Machine, Program};

const STATES: usize = 4_000;
const ROUNDS: usize = 12;
const STRATEGIES: [&str; 3] = ["pc", "kbots", "canonical"];

fn main() {
    println!("µs per key");
    print!("{:<34}{:>8}{:>8}", "", "states", "bytes");
    STRATEGIES.iter().for_each(|strategy| print!("{strategy:>12}"));
    println!();
    for (name, model) in [
        ("philosophers 5", philosophers(5)),
        ("philosophers 10", philosophers(10)),
        ("list, 3 threads, 1 insert each", list(3, 1)),
        ("list, 2 threads, 3 inserts each", list(2, 3)),
    ] {
        let program = Program::new(&model);
        let states = states(&program);
        let bytes = states.iter().map(Vec::len).sum::<usize>() / states.len();
        print!("{name:<34}{:>8}{bytes:>8}", states.len());
        for strategy in STRATEGIES {
            print!("{:>12.2}", time(&model, &program, &states, strategy));
        }
        println!();
    }
}

/// Microseconds for one key, the least of several rounds.
fn time(model: &Model, program: &Program<'_>, states: &[Vec<u8>], strategy: &str) -> f64 {
    let strategy: HeapStrategy = strategy.parse().expect("there is such a strategy");
    let mut reducer = HeapReducer::new(model, &program.schema, strategy).expect("threads can change places");
    let round = |_| {
        let started = Instant::now();
        for state in states {
            black_box(reducer.representative(black_box(state)));
        }
        started.elapsed().as_secs_f64() * 1e6 / states.len() as f64
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// The first states that a breadth-first search comes to, with threads as they are.
fn states(program: &Program<'_>) -> Vec<Vec<u8>> {
    let mut machine = Machine::new(program, false);
    machine.initial();
    let mut found = vec![(machine.state().to_vec(), None)];
    let mut seen: HashSet<(Vec<u8>, Option<usize>)> = found.iter().cloned().collect();
    let mut next = 0;
    while next < found.len() && found.len() < STATES {
        let (state, only) = found[next].clone();
        next += 1;
        machine.load(&state);
        for process in (0..machine.processes()).filter(|&process| only.is_none_or(|only| only == process)) {
            let (ty, control) = machine.control(process);
            let compiled = &program.proctypes[ty];
            let moves = compiled.states[control].first..compiled.states[control].end;
            for mv in &compiled.moves[moves.start as usize..moves.end as usize] {
                machine.enter(process, false);
                if machine.attempt(mv, false) == Attempt::Moved {
                    let reached = (machine.state().to_vec(), mv.atomic.then_some(process));
                    if seen.insert(reached.clone()) {
                        found.push(reached);
                    }
                }
                machine.take_faults();
                machine.reload();
            }
        }
    }
    // Those of the beginning have few records.
    found.into_iter().map(|(state, _)| state).skip(next / 4).collect()
}
