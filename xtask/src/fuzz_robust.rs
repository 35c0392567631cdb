//! `cargo xtask fuzz-robust`: programs, models, saved runs, descriptions, checkpoints and texts of executions, damaged at random. Whatever they
//! are, the checker must end in time, with a documented exit code, without a panic, and leave nothing behind.

mod cases;
mod material;
mod replayer_source;
mod rust;
mod seal;
mod watch;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use quotient_generate::random::Random;

use crate::process::Scratch;
use crate::seeds;
use cases::{Case, Material};

/// The name of the command.
const NAME: &str = "fuzz-robust";

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// C and C++ programs.
    C,
    /// Rust programs: the tests of the library.
    Rust,
    /// Promela models.
    Model,
    /// Saved runs of models.
    Trace,
    /// Descriptions of symmetry.
    Sym,
    /// Texts of executions.
    Replay,
    /// Checkpoints of checks that were stopped.
    Checkpoint,
}

/// Options of `fuzz-robust`.
#[derive(Args)]
pub struct Options {
    /// What is damaged
    #[arg(long, value_enum)]
    pub kind: Kind,
    /// Number of damaged inputs
    #[arg(long, default_value_t = 100)]
    pub count: u64,
    /// Seed of the first one
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Directory for inputs with which something goes wrong
    #[arg(long, default_value = "target/fuzz-robust")]
    pub out: PathBuf,
    /// The quotient binary; by default the one next to xtask, or in target/dist
    #[arg(long, value_name = "FILE")]
    pub quotient: Option<PathBuf>,
    /// Keep the input of the first seed as well, whatever comes of it
    #[arg(long)]
    pub keep: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    let binary = match seeds::binary(NAME, options.quotient.as_ref()) {
        Ok(binary) => binary,
        Err(code) => return code,
    };
    // Processes whose parents are gone come to this one, where they are noticed.
    if let Err(error) = nix::sys::prctl::set_child_subreaper(true) {
        eprintln!("{NAME}: processes that stay behind are not seen: {error}");
    }
    let started = Instant::now();
    let material = match Material::new(options.kind, &binary) {
        Ok(material) => material,
        Err(problem) => {
            eprintln!("{NAME}: {problem}");
            return ExitCode::from(2);
        }
    };
    let mut tally = Tally::default();
    let mut seed = options.seed;
    while tally.done < options.count {
        if let Err(problem) = examine(options, &material, seed, &mut tally) {
            eprintln!("{NAME}: seed {seed}: {problem}");
            return ExitCode::from(2);
        }
        seed = seed.wrapping_add(1);
    }
    for (what, count) in &tally.ends {
        println!("{count} × {what}");
    }
    let kind = options.kind;
    println!(
        "{NAME}: {kind:?}: {} damaged inputs, {} dropped, {} findings; seeds {} to {seed}; {} s",
        tally.done,
        tally.dropped,
        tally.findings,
        options.seed,
        started.elapsed().as_secs()
    );
    if tally.findings > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What came of the inputs.
#[derive(Default)]
struct Tally {
    done: u64,
    dropped: u64,
    findings: u64,
    ends: BTreeMap<&'static str, u64>,
}

/// Damages an input and runs the checker on it.
fn examine(options: &Options, material: &Material, seed: u64, tally: &mut Tally) -> std::io::Result<()> {
    let scratch = Scratch::new()?;
    let case = material.case(&mut Random::new(seed), scratch.path())?;
    tally.done += case.inputs;
    tally.dropped += case.dropped;
    if options.keep && seed == options.seed {
        save(options, seed, scratch.path(), &case, "kept because that was asked for\n")?;
    }
    for call in &case.calls {
        let mut ended = watch::watch(call, scratch.path())?;
        if ended.problem.as_ref().is_some_and(|problem| problem.contains("hangs")) {
            // The machine may have been busy.
            ended = watch::watch(call, scratch.path())?;
        }
        *tally.ends.entry(name_of(ended.code, call.is_test)).or_default() += 1;
        if let Some(problem) = ended.problem {
            tally.findings += 1;
            println!("--- {:?}, seed {seed}: {problem}\n    {}", options.kind, call.text());
            let text = format!("{problem}\n\n{}\n\n{}", call.text(), ended.text);
            save(options, seed, scratch.path(), &case, &text)?;
        }
    }
    Ok(())
}

/// What an exit code means.
fn name_of(code: Option<i32>, is_test: bool) -> &'static str {
    match code {
        Some(0) => "ended with 0",
        Some(1) => "ended with 1 (violated)",
        Some(2) => "ended with 2 (refused)",
        Some(3) => "ended with 3 (inconclusive)",
        Some(101) if is_test => "ended with 101 (a test has failed)",
        Some(_) => "ended with another code",
        None => "ended by a signal",
    }
}

/// Keeps what is needed to see it again.
fn save(options: &Options, seed: u64, scratch: &Path, case: &Case, what: &str) -> std::io::Result<()> {
    let directory = options.out.join(format!("{:?}-{seed}", options.kind).to_lowercase());
    fs::create_dir_all(&directory)?;
    for name in &case.files {
        fs::copy(scratch.join(name), directory.join(name))?;
    }
    fs::write(directory.join("finding.txt"), what)
}
