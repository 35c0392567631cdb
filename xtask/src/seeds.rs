//! What commands have in common that examine random inputs: one examination for each seed, by several workers, a summary of what came
//! of them, and for C programs the answer of one check.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::process::{Scratch, run_limited};
use crate::quotient;

/// Options of a command that makes each input from a seed.
#[derive(clap::Args)]
pub struct Seeds {
    /// How many inputs
    #[arg(long, default_value_t = 300)]
    pub count: u64,
    /// Seed of the first one
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many are examined at the same time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Directory for those that differ; by default one in target with the command's name
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Print what the seed makes, and stop
    #[arg(long)]
    pub print: bool,
}

impl Seeds {
    /// Examines all of them.
    pub fn examine(&self, name: &str, examine: impl Fn(u64) -> String + Sync) -> ExitCode {
        examine_all(name, (self.seed, self.count), self.jobs, examine)
    }

    /// Keeps an input that differs, as files with these extensions.
    pub fn keep(&self, name: &str, seed: u64, files: &[(&str, &str)]) {
        let directory = self.out.clone().unwrap_or_else(|| Path::new("target").join(name));
        files.iter().for_each(|(extension, text)| write(name, &directory, seed, extension, text));
    }
}

/// The quotient binary that is to be used; the error is for the user.
pub fn binary(name: &str, given: Option<&PathBuf>) -> Result<PathBuf, ExitCode> {
    given.cloned().or_else(quotient::locate).and_then(|path| path.canonicalize().ok()).ok_or_else(|| {
        eprintln!("{name}: no quotient binary; build it first: cargo build -p quotient-cli");
        ExitCode::from(2)
    })
}

/// Examines so many programs from a seed on. What an examination says begins with `differs` if something is wrong.
pub fn examine_all(
    name: &str,
    (seed, count): (u64, u64),
    jobs: usize,
    examine: impl Fn(u64) -> String + Sync,
) -> ExitCode {
    let (next, counts) = (AtomicU64::new(0), Mutex::new(BTreeMap::<String, Vec<u64>>::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let seed = seed.wrapping_add(index);
                    let what = examine(seed);
                    counts.lock().expect("no worker panics with it").entry(what).or_default().push(seed);
                }
            });
        }
    });
    let counts = counts.into_inner().expect("no worker has panicked");
    let mut differences = 0;
    for (what, seeds) in &counts {
        println!("{} × {what}", seeds.len());
        if what.starts_with("differs") {
            differences += seeds.len();
            println!("  seeds {seeds:?}");
        }
    }
    println!("{name}: {count} programs, {differences} differences");
    if differences > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Keeps a C program that differs.
pub fn keep(name: &str, directory: &Path, seed: u64, text: &str) {
    write(name, directory, seed, "c", text);
}

fn write(name: &str, directory: &Path, seed: u64, extension: &str, text: &str) {
    let file = directory.join(format!("seed-{seed}.{extension}"));
    let written = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&file, text));
    if let Err(error) = written {
        eprintln!("{name}: {}: {error}", file.display());
    }
}

/// What Quotient has answered.
#[derive(Debug)]
pub struct Found {
    pub verdict: String,
    pub kind: String,
    pub message: String,
    pub executions: u64,
    pub replay: String,
}

/// Checks the text of a C program; `arguments` adds what comes after the file.
pub fn check(
    binary: &Path,
    cc: &str,
    text: &str,
    timeout: Duration,
    arguments: impl FnOnce(&mut Command),
) -> Result<Found, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    std::fs::write(scratch.path().join("program.c"), text).map_err(|error| error.to_string())?;
    let mut command = Command::new(binary);
    command.env("CC", cc).args(["check", "program.c", "--format=json"]);
    arguments(&mut command);
    let outcome = run_limited(&mut command, scratch.path(), timeout).map_err(|error| error.to_string())?;
    if outcome.timed_out {
        return Err("it took too long".to_string());
    }
    let answer: Value =
        serde_json::from_str(&outcome.stdout).map_err(|error| format!("{error}: {}", outcome.text()))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let violation = &answer["violations"][0];
    let found = Found {
        verdict: text(&answer["verdict"]),
        kind: text(&violation["kind"]),
        message: text(&violation["message"]),
        executions: answer["stats"]["executions"].as_u64().unwrap_or_default(),
        replay: text(&violation["replay"]),
    };
    if found.verdict.is_empty() { Err(outcome.text()) } else { Ok(found) }
}
