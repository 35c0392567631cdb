//! The programs under Quotient, in its default memory model, with or without symmetry reduction.
//! Executions are what the report says: complete ones, and those given up.

#[path = "../../programs/counters.rs"]
mod counters;
#[path = "../../programs/structures.rs"]
mod structures;
mod tool {
    pub use quotient::sync::Mutex;
    pub use quotient::sync::atomic::{AtomicPtr, AtomicUsize};
    pub use quotient::thread;
}

use harness::{Arguments, Counts, Program, Refused};
use quotient::Builder;
use std::process::ExitCode;

fn main() -> ExitCode {
    harness::main(|name| counters::find(name).or_else(|| structures::find(name)), check, ENOUGH)
}

/// Executions after which beginning a check does not count.
const ENOUGH: u64 = 24_000;

fn check(program: Program, arguments: &Arguments, copies: u64) -> Result<Counts, Refused> {
    let threads = arguments.threads;
    let report = Builder::new().symmetry(arguments.symmetry).run(move || {
        quotient::choose(copies as usize);
        harness::execute(program, threads)
    });
    assert!(report.holds(), "{report}");
    Ok(Counts { executions: report.executions() + report.blocked(), complete: report.executions() })
}
