//! The command line `quotient`: options, the choice of what to check, printing and signals. It is the only crate that
//! prints; what it prints comes from `quotient_check` and `quotient_explain`.
//!
//! # Where things are
//!
//! - `check.rs` calls the check; `watch.rs` is its observer: heading, progress, and the steps of long runs while they are
//!   repeated (`lines.rs`). `human.rs` has the text around an answer, `failure.rs` what is said when there is none.
//! - `interrupt.rs` has signals, and `overdue.rs` answers in time when nobody else does.
//! - `run.rs` is for sets of processes; `replay.rs` and `simulate.rs` are the other commands; `choose.rs` says who
//!   decides what happens next in a simulation.
//!
//! # What must stay true
//!
//! - It is the only crate that prints (`xtask` aside).

#![forbid(unsafe_code)]

mod args;
mod check;
mod choose;
mod drawing;
mod failure;
mod human;
mod interrupt;
mod lines;
mod output;
mod overdue;
mod progress;
mod replay;
mod run;
mod simulate;
mod watch;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::{Cli, Command};
use output::Failure;

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let run = || match &cli.command {
        Command::Check(args) => check::run(args, matches.subcommand().map_or(&matches, |(_, matches)| matches)),
        Command::Run(args) => run::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Simulate(args) => simulate::run(args),
    };
    // What went wrong has been said by then.
    let Ok(result) = std::panic::catch_unwind(AssertUnwindSafe(run)) else {
        output::err(
            "error: this is a mistake of Quotient, not of your input; please report it, together with the input\n",
        );
        return ExitCode::from(2);
    };
    match result {
        Ok(_) if output::is_lost() => ExitCode::from(2),
        Ok(code) => ExitCode::from(code),
        Err(Failure { stdout, stderr }) => {
            output::out(&stdout);
            output::err(&stderr);
            ExitCode::from(2)
        }
    }
}
