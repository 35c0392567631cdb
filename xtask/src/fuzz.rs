//! `cargo xtask fuzz-spin`: generates programs, compares Quotient with SPIN on each, shrinks what differs.
//! Program number `i` of a run is the one of seed `seed + i`, so that every finding can be printed and rerun by itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::{Args, ValueEnum};
use quotient_generate::promela::feature::Feature;
use quotient_generate::promela::shrink::shrink;
use quotient_generate::promela::tree::Program;
use quotient_generate::promela::{Generated, generate};

use crate::compare::{Comparison, Difference, compare};
use crate::spin::Mode;
use crate::{quotient, self_test};

/// Options of `fuzz-spin`.
#[derive(Args)]
pub struct Options {
    /// Number of programs
    #[arg(long, default_value_t = 150)]
    pub count: u64,
    /// Seed of the first program
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Programs compared at the same time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Compare without (a) or with (b) partial-order reduction
    #[arg(long, value_enum, default_value_t = Modes::Both)]
    pub mode: Modes,
    /// Compare with SPIN's optimisations, which are on by default: with --count-as spin-default
    #[arg(long)]
    pub default: bool,
    /// Feature that every program must be allowed to use
    #[arg(long = "feature", value_name = "NAME", value_parser = Feature::from_name)]
    pub features: Vec<Feature>,
    /// Also generate what SPIN calls dubious
    #[arg(long)]
    pub odd: bool,
    /// Go on after a difference
    #[arg(long)]
    pub keep_going: bool,
    /// Programs tried while shrinking a difference
    #[arg(long, default_value_t = 1500)]
    pub shrink: usize,
    /// Directory for programs that differ
    #[arg(long, default_value = "target/fuzz-spin")]
    pub out: PathBuf,
    /// The quotient binary; by default the one next to xtask, or in target/dist
    #[arg(long, value_name = "FILE")]
    pub quotient: Option<PathBuf>,
    /// Print the program of the seed and stop
    #[arg(long)]
    pub print: bool,
    /// Examine the generator with SPIN only
    #[arg(long)]
    pub self_test: bool,
}

/// The modes to compare.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Modes {
    /// Without reduction.
    A,
    /// With partial-order reduction.
    B,
    /// Both.
    Both,
}

/// What a run has found.
#[derive(Default)]
struct Summary {
    programs: Vec<Generated>,
    differences: Vec<u64>,
    skipped: BTreeMap<String, usize>,
    /// How many programs agreed without reduction, with it and in both.
    agreed: [usize; 3],
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    if options.print {
        print!("{}", generate(options.seed, &options.features, options.odd).program);
        return ExitCode::SUCCESS;
    }
    if options.self_test {
        return if self_test::run(options) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    // An absolute path, because Quotient is run in directories of its own.
    let chosen = options.quotient.as_ref().and_then(|path| fs::canonicalize(path).ok());
    let Some(binary) = chosen.or_else(quotient::locate) else {
        eprintln!("fuzz-spin: no quotient binary; build it first: cargo build --profile dist -p quotient-cli");
        return ExitCode::from(2);
    };
    let summary = Mutex::new(Summary::default());
    let lock = || summary.lock().expect("no worker panics while it holds the summary");
    each_program(options, |seed, generated| {
        let text = generated.program.to_string();
        let mut difference = None;
        let mut agreed = Vec::new();
        for mode in modes(options, &generated) {
            match compare(&binary, &text, mode) {
                Comparison::Same => agreed.push(mode),
                Comparison::Skipped(reason) => {
                    *lock().skipped.entry(format!("mode {mode:?}: {reason}")).or_default() += 1;
                    break;
                }
                Comparison::Differs(found) => {
                    difference = Some(found);
                    break;
                }
            }
        }
        let modes = [false, true].map(|reduces| agreed.iter().any(|mode| mode.reduces() == reduces));
        for (index, same) in [modes[0], modes[1], modes[0] && modes[1]].into_iter().enumerate() {
            lock().agreed[index] += usize::from(same);
        }
        let differs = difference.is_some();
        if let Some(found) = difference {
            eprintln!("seed {seed}: {} (mode {:?}); shrinking", found.class, found.mode);
            let (program, found) = minimise(options, &binary, generated.program.clone(), *found);
            publish(options, seed, &program, &found);
            lock().differences.push(seed);
        }
        lock().programs.push(generated);
        options.keep_going || !differs
    });
    let summary = summary.into_inner().expect("no worker panics while it holds the summary");
    report(&summary)
}

/// The modes in which a program is compared.
fn modes(options: &Options, generated: &Generated) -> Vec<Mode> {
    let mut modes = Vec::new();
    let (without, with) = if options.default { (Mode::C, Mode::D) } else { (Mode::A, Mode::B) };
    if options.mode != Modes::B {
        modes.push(without);
    }
    // With SPIN's optimisations the reduction is SPIN's own; otherwise Quotient's is more careful on some programs.
    let comparable = if options.default { !generated.miscompiled } else { generated.reducible };
    if options.mode != Modes::A && comparable {
        modes.push(with);
    }
    modes
}

/// Generates the programs of a run and gives each to `examine`, in several threads, until it returns false.
pub fn each_program(options: &Options, examine: impl Fn(u64, Generated) -> bool + Sync) {
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= options.count || stop.load(Ordering::Relaxed) {
                        return;
                    }
                    if index > 0 && index.is_multiple_of(25) {
                        eprintln!("fuzz-spin: {index} of {}", options.count);
                    }
                    let seed = options.seed.wrapping_add(index);
                    if !examine(seed, generate(seed, &options.features, options.odd)) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
}

/// Shrinks a program while the difference stays of the same class, and returns it with its difference.
fn minimise(options: &Options, binary: &std::path::Path, program: Program, found: Difference) -> (Program, Difference) {
    let (mode, mut found) = (found.mode, found);
    let program = shrink(program, options.shrink, |candidate| match compare(binary, &candidate.to_string(), mode) {
        Comparison::Differs(difference) if difference.class == found.class => {
            found = *difference;
            true
        }
        _ => false,
    });
    (program, found)
}

/// Writes a program that differs, with both results, and prints it.
fn publish(options: &Options, seed: u64, program: &Program, found: &Difference) {
    let stem = options.out.join(format!("seed-{seed}-{:?}", found.mode).to_lowercase());
    let written = fs::create_dir_all(&options.out)
        .and_then(|()| fs::write(stem.with_extension("pml"), program.to_string()))
        .and_then(|()| fs::write(stem.with_extension("txt"), &found.report));
    if let Err(error) = written {
        eprintln!("fuzz-spin: {}: {error}", options.out.display());
    }
    let results: Vec<&str> = found.report.lines().take(4).collect();
    println!("--- seed {seed}: {}.pml\n{program}\n{}\n", stem.display(), results.join("\n"));
}

fn report(summary: &Summary) -> ExitCode {
    println!("{}", feature_counts(summary.programs.iter()));
    for (reason, count) in &summary.skipped {
        println!("skipped {count} × {reason}");
    }
    let skipped: usize = summary.skipped.values().sum();
    let (programs, differences) = (summary.programs.len(), summary.differences.len());
    let [without, with, both] = summary.agreed;
    println!("agreed: {without} without reduction, {with} with it, {both} in both modes");
    println!("fuzz-spin: {programs} programs, {differences} differences, {skipped} skipped");
    if differences > 0 {
        println!("seeds that differ: {:?}", summary.differences);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// How many programs used each feature.
pub fn feature_counts<'a>(programs: impl Iterator<Item = &'a Generated>) -> String {
    let mut counts: BTreeMap<Feature, usize> = Feature::ALL.iter().map(|&feature| (feature, 0)).collect();
    for feature in programs.flat_map(|generated| &generated.features) {
        *counts.entry(*feature).or_default() += 1;
    }
    let counts: Vec<String> = counts.iter().map(|(feature, count)| format!("{} {count}", feature.name())).collect();
    format!("features: {}", counts.join(", "))
}
