//! `cargo xtask fuzz-symmetry`: random symmetric models on SPIN, unreduced, and on Quotient with every strategy.
//! Verdicts must agree; a model with declared scalarsets must agree with its plain equal in every count.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use crate::process::{Scratch, run_limited};
use crate::quotient;
use crate::spin::{self, Mode};
use quotient_generate::symmetric::{Dialect, Symmetric, generate};

/// Options of `fuzz-symmetry`.
#[derive(Args)]
pub struct Options {
    /// Number of models
    #[arg(long, default_value_t = 100)]
    pub count: u64,
    /// Seed of the first model
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Directory for models that differ
    #[arg(long, default_value = "target/fuzz-symmetry")]
    pub out: PathBuf,
    /// The quotient binary; by default the one next to xtask, or in target/dist
    #[arg(long, value_name = "FILE")]
    pub quotient: Option<PathBuf>,
    /// Print the model of the seed in both dialects and stop
    #[arg(long)]
    pub print: bool,
}

const STRATEGIES: [&str; 6] = ["canonical", "full", "sorted", "segmented", "pc-sorted", "pc-segmented"];
const LIMIT: Duration = Duration::from_secs(60);

/// What Quotient said: the verdict, states, transitions and errors.
type Answer = (String, u64, u64, u64);

/// What a run has found.
#[derive(Default)]
struct Summary {
    agreed: usize,
    skipped: usize,
    differences: Vec<u64>,
    /// Checks with a strategy.
    strategies: usize,
    reduced: usize,
    violated: usize,
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    if options.print {
        let model = generate(options.seed);
        println!("{}\n/* declared */\n{}", model.text(Dialect::Plain), model.text(Dialect::Declared));
        return ExitCode::SUCCESS;
    }
    let chosen = options.quotient.as_ref().and_then(|path| fs::canonicalize(path).ok());
    let Some(binary) = chosen.or_else(quotient::locate) else {
        eprintln!("fuzz-symmetry: no quotient binary; build it first: cargo build --profile dist -p quotient-cli");
        return ExitCode::from(2);
    };
    let mut summary = Summary::default();
    for seed in options.seed..options.seed + options.count {
        let model = generate(seed);
        match examine(&binary, &model, &mut summary) {
            Ok(true) => summary.agreed += 1,
            Ok(false) => summary.skipped += 1,
            Err(difference) => {
                println!("seed {seed}: {difference}");
                publish(options, seed, &model, &difference);
                summary.differences.push(seed);
            }
        }
    }
    let Summary { agreed, skipped, differences, strategies, reduced, violated } = &summary;
    println!(
        "fuzz-symmetry: {agreed} models agree ({violated} of them violated), {} differ, {skipped} skipped; {strategies} \
         checks with a strategy, {reduced} of them with fewer states",
        differences.len()
    );
    if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn publish(options: &Options, seed: u64, model: &Symmetric, difference: &str) {
    let text = format!("/* {difference} */\n{}", model.text(Dialect::Plain));
    let written =
        fs::create_dir_all(&options.out).and_then(|()| fs::write(options.out.join(format!("seed-{seed}.pml")), text));
    if let Err(error) = written {
        eprintln!("fuzz-symmetry: {}: {error}", options.out.display());
    }
}

/// Whether all agree on a model; false if SPIN could not finish.
fn examine(binary: &Path, model: &Symmetric, summary: &mut Summary) -> Result<bool, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let plain = scratch.path().join("plain.pml");
    fs::write(&plain, model.text(Dialect::Plain)).map_err(|error| error.to_string())?;
    let spin = match spin::measure(&plain, Mode::A, &[]) {
        Ok(spin) if !spin.aborted => spin,
        Ok(_) => return Ok(false),
        Err(failure) => return Err(format!("SPIN fails: {failure:?}")),
    };
    let expected = if spin.errors > 0 { "violated" } else { "holds" };
    let mut files = vec![plain.clone()];
    let off = check(binary, &plain, "off", None)?.ok_or("no answer without symmetry")?;
    if (off.0.as_str(), off.1) != (expected, spin.stored) {
        return Err(format!("without symmetry: {off:?}, but SPIN has {expected} with {} states", spin.stored));
    }
    if model.declarable() {
        let declared = scratch.path().join("declared.pml");
        fs::write(&declared, model.text(Dialect::Declared)).map_err(|error| error.to_string())?;
        let answer = check(binary, &declared, "off", None)?.ok_or("no answer for the declared model")?;
        if answer != off {
            return Err(format!("declared {answer:?}, but plain {off:?}"));
        }
        files.push(declared);
    }
    summary.violated += usize::from(expected == "violated");
    for file in &files {
        for strategy in STRATEGIES {
            for reduce in ["off", "spin", "full"] {
                let Some(answer) = check(binary, file, reduce, Some(strategy))? else { continue };
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                if answer.0 != expected {
                    return Err(format!("{name}, {strategy}, reduce {reduce}: {answer:?}, but {expected} is right"));
                }
                if answer.1 > off.1 && reduce == "off" {
                    return Err(format!("{name}, {strategy}: {} states, but {} without", answer.1, off.1));
                }
                summary.strategies += 1;
                summary.reduced += usize::from(answer.1 < off.1 && reduce == "off");
            }
        }
    }
    Ok(true)
}

/// Quotient's answer; `None` if the strategy cannot be used on the model.
fn check(binary: &Path, model: &Path, reduce: &str, strategy: Option<&str>) -> Result<Option<Answer>, String> {
    let mut command = Command::new(binary);
    command.arg("check").arg(model).args(["--reduce", reduce, "--all-errors", "--format", "json"]);
    command.args(["--symmetry", strategy.unwrap_or("off")]);
    let directory = model.parent().unwrap_or(Path::new("."));
    let outcome = run_limited(&mut command, directory, LIMIT).map_err(|error| error.to_string())?;
    if outcome.code == Some(2) && strategy.is_some() && outcome.text().contains("cannot be reduced by symmetry") {
        return Ok(None);
    }
    let answer: Value =
        serde_json::from_str(&outcome.stdout).map_err(|_| format!("no answer ({strategy:?}): {}", outcome.text()))?;
    let count = |name: &str| answer["stats"][name].as_u64().unwrap_or(0);
    let verdict = answer["verdict"].as_str().unwrap_or("none").to_string();
    Ok(Some((verdict, count("states"), count("transitions"), count("errors"))))
}
