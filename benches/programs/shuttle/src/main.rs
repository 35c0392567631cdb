//! The programs under shuttle's depth-first scheduler, which enumerates all interleavings.
//! An execution that spins is cut off; a search with such an execution is not exhaustive and must not end as if it were.

#[path = "../../programs/counters.rs"]
mod counters;
#[path = "../../programs/structures.rs"]
mod structures;
mod tool {
    pub use shuttle::sync::Mutex;
    pub use shuttle::sync::atomic::{AtomicPtr, AtomicUsize};
    pub use shuttle::thread;
}

use harness::{Arguments, Counts, Program, Refused};
use shuttle::scheduler::DfsScheduler;
use shuttle::{Config, MaxSteps, Runner};
use std::process::ExitCode;

/// More steps than any program here has if it does not spin.
const MAX_STEPS: usize = 10_000;

fn main() -> ExitCode {
    harness::main(|name| counters::find(name).or_else(|| structures::find(name)), check, 1)
}

fn check(program: Program, arguments: &Arguments, _copies: u64) -> Result<Counts, Refused> {
    let threads = arguments.threads;
    let mut config = Config::new();
    config.max_steps = MaxSteps::ContinueAfter(MAX_STEPS);
    config.silence_warnings = true;
    Runner::new(DfsScheduler::new(None, false), config).run(move || harness::execute(program, threads));
    let counts = Counts::by_program();
    assert_eq!(counts.executions, counts.complete, "executions were cut off");
    Ok(counts)
}
