//! The command line `quotient`: reads models, calls the engines, and prints what they found. It is the only crate
//! that prints.

mod args;
mod check;
mod checkpoint;
mod choose;
mod dropped;
mod human;
mod input;
mod interrupt;
mod keep;
mod lines;
mod memory;
mod output;
mod program;
mod program_checkpoint;
mod progress;
mod replay;
mod select;
mod simulate;
mod symmetry;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use output::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let run = || match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Simulate(args) => simulate::run(args),
    };
    // What went wrong has been said by then.
    let Ok(result) = std::panic::catch_unwind(run) else {
        output::err(
            "error: this is a mistake of Quotient, not of your input; please report it, together with the input\n",
        );
        return ExitCode::from(2);
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(Failure { stdout, stderr }) => {
            output::out(&stdout);
            output::err(&stderr);
            ExitCode::from(2)
        }
    }
}
