//! Measures Quotient against loom, shuttle's depth-first search and TraceForge on the programs of `benches/programs`.
//! All are correct, and every tool must say so. Times are CPU times, the best of a few runs in turn.

mod cell;
mod plan;
mod required;
mod table;
mod tool;

use std::process::ExitCode;

use cell::Cell;
pub use cell::rate;
use plan::Program;
use tool::{Request, Tool, Tools};

/// Options of `bench-programs`.
#[derive(clap::Args)]
pub struct Options {
    /// How often each tool checks each program; the best time counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// After how many seconds of CPU time a check is given up
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Only programs whose name contains this, and no comparison with what is required
    #[arg(long)]
    only: Option<String>,
}

/// For how long the checks of a table are repeated, in seconds of CPU time: most take less than a millisecond.
const REPEAT: f64 = 0.2;

/// The library for Rust programs alone, to be measured beside something else.
pub struct Library(Tools);

impl Library {
    /// Builds it, with the programs.
    pub fn build() -> Result<Self, String> {
        Tools::build_one(Tool::Plain).map(Library)
    }

    /// Executions of fetch-add per second of CPU time, without symmetry reduction.
    pub fn fetch_add(&self, threads: usize) -> Result<f64, String> {
        required::fetch_add(&self.0, Tool::Plain, threads)
    }
}

/// Runs the benchmark; prints the table and what is required.
pub fn run(options: &Options) -> ExitCode {
    match measure(options) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            for failure in failures {
                eprintln!("bench-programs: {failure}");
            }
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("bench-programs: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints everything; gives back what has gone wrong on the way.
fn measure(options: &Options) -> Result<Vec<String>, String> {
    let tools = Tools::build()?;
    table::print_head();
    let mut failures = Vec::new();
    for program in plan::PROGRAMS {
        if options.only.as_ref().is_none_or(|only| program.name.contains(only.as_str())) {
            measure_program(&tools, program, options, &mut failures);
        }
    }
    if options.only.is_none() {
        println!();
        required::measure(&tools, options)?;
    }
    Ok(failures)
}

/// Measures a program with more and more threads. A tool that did not manage some number is not given more.
fn measure_program(tools: &Tools, program: &Program, options: &Options, failures: &mut Vec<String>) {
    let mut active = Tool::ALL.to_vec();
    for &threads in program.sizes {
        active.retain(|&tool| threads <= program.most(tool));
        if active.is_empty() {
            return;
        }
        eprintln!("{} × {threads} …", program.name);
        let cells = measure_row(tools, program, threads, &active, options);
        table::print_row(program, threads, &cells);
        for (tool, cell) in Tool::ALL.into_iter().zip(&cells) {
            if let Cell::Failed(message) = cell {
                failures.push(format!("{} × {threads}, {}: {message}", program.name, tool.title()));
            }
        }
        active.retain(|&tool| matches!(cells[tool as usize], Cell::Finished { .. }));
    }
}

/// Measures one program with all tools in turn, so that whatever else the machine does hits all alike.
fn measure_row(
    tools: &Tools,
    program: &Program,
    threads: usize,
    active: &[Tool],
    options: &Options,
) -> [Cell; Tool::COUNT] {
    let mut cells = [const { Cell::Skipped }; Tool::COUNT];
    for run in 0..options.runs {
        for &tool in active {
            let cell = &mut cells[tool as usize];
            if run == 0 || matches!(cell, Cell::Finished { .. }) {
                let request = Request { program: program.name, threads, limit: options.seconds, repeat: REPEAT };
                *cell = std::mem::replace(cell, Cell::Skipped).best(tools.check(tool, &request));
            }
        }
    }
    cells
}
