//! The programs under loom, without a bound on preemptions.
//! loom does not say how many executions there were, so the program counts them.

#[path = "../../programs/counters.rs"]
mod counters;
#[path = "../../programs/structures.rs"]
mod structures;
mod tool {
    pub use loom::sync::Mutex;
    pub use loom::sync::atomic::{AtomicPtr, AtomicUsize};
    pub use loom::thread;
}

use harness::{Arguments, Counts, Program, Refused};
use std::process::ExitCode;

/// More branches than loom allows by default, since its own limit ends the search of a spin lock.
const MAX_BRANCHES: usize = 20_000;

fn main() -> ExitCode {
    harness::main(|name| counters::find(name).or_else(|| structures::find(name)), check, 1)
}

fn check(program: Program, arguments: &Arguments, _copies: u64) -> Result<Counts, Refused> {
    let threads = arguments.threads;
    // The main thread counts, and so does the writer that the readers read from.
    let all = threads + if arguments.program == "readers" { 2 } else { 1 };
    if all > loom::MAX_THREADS {
        return Err(Refused);
    }
    let mut builder = loom::model::Builder::new();
    builder.max_branches = MAX_BRANCHES;
    builder.check(move || harness::execute(program, threads));
    Ok(Counts::by_program())
}
