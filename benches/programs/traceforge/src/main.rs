//! The programs under TraceForge, which checks message passing: a location is a thread that answers requests.
//! Only the programs without compare-exchange are here, because TraceForge cannot wait for a location to change.

#[path = "../../programs/counters.rs"]
mod counters;
mod location;
mod tool {
    pub use crate::location::Location as AtomicUsize;
    pub use traceforge::thread;
}

use harness::{Arguments, Counts, Program, Refused};
use std::process::ExitCode;
use traceforge::Config;

fn main() -> ExitCode {
    harness::main(counters::find, check, 1)
}

fn check(program: Program, arguments: &Arguments, _copies: u64) -> Result<Counts, Refused> {
    let threads = arguments.threads;
    let config = Config::builder().with_progress_report(usize::MAX).build();
    let stats = traceforge::verify(config, move || harness::execute(program, threads));
    Ok(Counts { executions: (stats.execs + stats.block) as u64, complete: stats.execs as u64 })
}
