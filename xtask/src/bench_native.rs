//! Measures how fast C programs are explored, symmetry off, beside GenMC's published speed on a machine that is compared with
//! this one by pan, and beside the same program in Rust. Times are what one process takes to explore, without compiling, the
//! best of a few runs in turn. How long all processors take is told as well.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

use crate::pan::timed;
use crate::programs::{Library, rate};
use crate::quotient;
use crate::reference::{GENMC_FETCH_ADD, GENMC_TREIBER, Machine, REQUIRED};

/// Options of `bench-native`.
#[derive(clap::Args)]
pub struct Options {
    /// How often each side runs; the best time counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The `quotient` binary; by default the one next to this program
    #[arg(long)]
    quotient: Option<PathBuf>,
}

/// A program of `programs/c` and what is known about it.
struct Program {
    title: &'static str,
    file: &'static str,
    threads: u32,
    /// Its complete executions.
    complete: u64,
    /// GenMC's executions per second on the reference machine.
    genmc: Option<f64>,
}

const PROGRAMS: [Program; 3] = [
    Program { title: "fetch-add × 8", file: "fetch_add", threads: 8, complete: 40_320, genmc: Some(GENMC_FETCH_ADD) },
    Program { title: "TTAS × 5", file: "ttas", threads: 5, complete: 14_400, genmc: None },
    Program { title: "Treiber × 6", file: "treiber", threads: 6, complete: 2_292, genmc: Some(GENMC_TREIBER) },
];

/// What it took to explore a program.
#[derive(Clone, Copy)]
struct Found {
    complete: u64,
    given_up: u64,
    events: u64,
    /// Without compiling.
    seconds: f64,
}

impl Found {
    fn rate(&self) -> f64 {
        (self.complete + self.given_up) as f64 / self.seconds.max(1e-6)
    }
}

/// Runs the benchmark; prints the table and what is required.
pub fn run(options: &Options) -> ExitCode {
    match measure(options) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            failures.iter().for_each(|failure| eprintln!("bench-native: {failure}"));
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("bench-native: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints everything; gives back what falls short.
fn measure(options: &Options) -> Result<Vec<String>, String> {
    let quotient = quotient::binary(options.quotient.as_deref())?;
    let library = Library::build()?;
    let mut machine = Machine::new()?;
    let mut best: [Option<Found>; PROGRAMS.len()] = [None; PROGRAMS.len()];
    let (mut rust, mut shared) = (0.0_f64, 0.0_f64);
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    for _ in 0..options.runs {
        machine.measure()?;
        rust = rust.max(library.fetch_add(8)?);
        for (program, best) in PROGRAMS.iter().zip(&mut best) {
            eprintln!("{} …", program.title);
            let found = check(&quotient, program, 1)?;
            if found.complete != program.complete {
                return Err(format!("{} has {} executions, not {}", program.title, found.complete, program.complete));
            }
            *best = best.filter(|before| before.seconds < found.seconds).or(Some(found));
            if program.file == "fetch_add" {
                shared = shared.max(check(&quotient, program, processors)?.rate());
            }
        }
    }
    let mut failures = Vec::new();
    println!("| program | complete | given up | executions/s | events/s | GenMC 0.11, scaled | Quotient ÷ GenMC |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut fetch_add = 0.0;
    for (program, best) in PROGRAMS.iter().zip(best) {
        let found = best.ok_or("nothing was measured")?;
        let speed = found.rate();
        if program.file == "fetch_add" {
            fetch_add = speed;
        }
        let genmc = program.genmc.map(|figure| machine.scale(figure));
        let ratio = genmc.map(|genmc| speed / genmc);
        println!(
            "| {} | {} | {} | {} | {:.1} M/s | {} | {} |",
            program.title,
            found.complete,
            found.given_up,
            rate(speed),
            found.events as f64 / found.seconds.max(1e-6) / 1e6,
            genmc.map_or("–".to_string(), rate),
            ratio.map_or("–".to_string(), |ratio| format!("{ratio:.2}")),
        );
        if ratio.is_some_and(|ratio| ratio < REQUIRED) {
            failures.push(format!("{} is less than {REQUIRED} times as fast as GenMC", program.title));
        }
    }
    println!("\n- {}", machine.describe());
    println!("- required: {REQUIRED} times GenMC's speed; {}", if failures.is_empty() { "met" } else { "not met" });
    println!(
        "- fetch-add × 8 in Rust: {}; C ÷ Rust: {:.2} (required: 0.5); {}",
        rate(rust),
        fetch_add / rust,
        if fetch_add * 2.0 >= rust { "met" } else { "not met" }
    );
    println!(
        "- fetch-add × 8 with `--jobs {processors}`: {}; ÷ GenMC: {:.2}",
        rate(shared),
        shared / machine.scale(GENMC_FETCH_ADD)
    );
    if fetch_add * 2.0 < rust {
        failures.push("fetch-add × 8 in C is less than half as fast as in Rust".to_string());
    }
    Ok(failures)
}

/// Explores a program with so many processes.
fn check(quotient: &Path, program: &Program, jobs: usize) -> Result<Found, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let mut command = Command::new(quotient);
    command.arg("check").arg(root.join("programs/c").join(program.file).with_extension("c"));
    command.arg(format!("-DN={}", program.threads)).args(["--symmetry", "off", "--leaks", "off", "--format", "json"]);
    command.args(["--jobs", &jobs.to_string(), "--", "-O1"]);
    let (_, output) = timed(&mut command)?;
    let answer: Value = serde_json::from_str(&output).map_err(|e| format!("{command:?}: {e}: {output}"))?;
    if answer["verdict"] != "holds" {
        return Err(format!("{}: {output}", program.title));
    }
    let stats = &answer["stats"];
    let count = |name: &str| stats[name].as_u64().ok_or(format!("{command:?}: {output}"));
    Ok(Found {
        complete: count("executions")?,
        given_up: count("blocked")?,
        events: count("events")?,
        seconds: stats["seconds"].as_f64().ok_or(format!("{command:?}: {output}"))?,
    })
}
