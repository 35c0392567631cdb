//! Rates of process checks: transitions on learned trees, steps and copies of real processes, and what starting the program again
//! for every path would take at least, as the paper does.

#![allow(clippy::print_stdout)]

#[path = "../tests/support/mod.rs"]
mod support;

use quotient_process::{Processes, Setup};
use quotient_system::{Arrival, Grow, Op, Options, Outcome, Program, System, Unwatched, explore};
use std::time::Instant;
use support::{compile, compile_text, program, traced};

fn main() {
    if !traced() {
        return;
    }
    let (_directory, philosophers) = compile("phil.c", &["-DN=4"]);
    let system = System { programs: vec![Program::default()], exits_wait: true, ..System::default() };
    let mut processes = Processes::new(Setup::new(vec![program(&philosophers, &[])]));
    let options = Options { all_violations: true, ..Options::plain(false) };
    let begun = Instant::now();
    let found = explore(&system, &mut processes, &options, &mut Unwatched);
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "four philosophers without reduction: {} transitions, {} paths, {} process steps, {seconds:.2} s, {:.0} transitions/s",
        found.transitions,
        found.paths,
        processes.counts().steps,
        found.transitions as f64 / seconds
    );

    // Whoever runs the program again for every path starts it at least once for each.
    let count = 200;
    let begun = Instant::now();
    for _ in 0..count {
        let mut setup = Setup::new(vec![program(&philosophers, &[])]);
        setup.twice = 0;
        Processes::new(setup).start(0, 100, 0).expect("it starts");
    }
    let each = begun.elapsed().as_secs_f64() / f64::from(count);
    println!(
        "starting it again for every path: {:.2} ms each, {:.0} s for {} paths",
        each * 1e3,
        each * found.paths as f64,
        found.paths
    );

    let text = "#include <unistd.h>\n#include <sys/syscall.h>\n\
        int main(void) { long s = 0; for (int i = 0; i < 11; i++) s = s * 2 + syscall(0x5653, 1); return s & 1; }";
    let (_directory, tosses) = compile_text(text, &[]);
    let mut setup = Setup::new(vec![program(&tosses, &[])]);
    setup.twice = 0;
    let mut processes = Processes::new(setup);
    processes.start(0, 100, 0).expect("it starts");
    let begun = Instant::now();
    let (mut waiting, mut next) = (vec![0], 1);
    while let Some(from) = waiting.pop() {
        for value in 0..2 {
            let step = processes.grow(from, &Outcome::value(value), next).expect("it goes on");
            if let Arrival::Stop(stop) = step.arrival
                && !matches!(stop.op, Op::Exit { .. })
            {
                waiting.push(next);
            }
            next += 1;
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let counts = processes.counts();
    println!(
        "steps of a process, each with a copy: {} in {seconds:.2} s, {:.0} steps/s, {:.0} µs each; {} run again",
        counts.steps,
        counts.steps as f64 / seconds,
        seconds * 1e6 / counts.steps as f64,
        counts.repeated
    );
}
