//! `cargo xtask fuzz-c`: random C programs that use the library, the heap and waits with deadlines. The answer must not depend on
//! the compiler, its options, symmetry, or how many processes explore; and what is wrong must show when it is replayed.

mod program;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use quotient_generate::random::Random;
use serde_json::Value;

use crate::process::{Scratch, run_limited};
use crate::quotient;
use program::Program;

/// Options of `fuzz-c`.
#[derive(Args)]
pub struct Options {
    /// Number of programs
    #[arg(long, default_value_t = 100)]
    pub count: u64,
    /// Seed of the first program
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Programs examined at the same time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// In how many ways each program is checked
    #[arg(long, default_value_t = 3)]
    pub ways: usize,
    /// Directory for programs that differ
    #[arg(long, default_value = "target/fuzz-c")]
    pub out: PathBuf,
    /// The quotient binary; by default the one next to xtask, or in target/release
    #[arg(long, value_name = "FILE")]
    pub quotient: Option<PathBuf>,
    /// Print the program of the seed and stop
    #[arg(long)]
    pub print: bool,
}

/// Programs with more executions are not compared.
const MOST: u64 = 3000;
/// Longest time for one run of the compiler and the checker.
const PATIENCE: Duration = Duration::from_secs(120);

/// One way to check a program.
#[derive(Clone, Debug)]
struct Way {
    cc: &'static str,
    level: usize,
    symmetry: bool,
    jobs: u64,
}

impl Way {
    /// Ways for a seed; the first one is the plainest.
    fn some(seed: u64, count: usize) -> Vec<Way> {
        let mut random = Random::new(seed ^ 0x3a75_0000);
        let plain = Way { cc: "gcc", level: 0, symmetry: false, jobs: 1 };
        let others = (1..count).map(|number| Way {
            // Both compilers come up, and each option.
            cc: if number % 2 == 1 { "clang" } else { "gcc" },
            level: random.below(4),
            symmetry: random.chance(60),
            jobs: 1 + u64::from(random.chance(30)),
        });
        std::iter::once(plain).chain(others).collect()
    }
}

/// What Quotient has answered.
#[derive(Debug)]
struct Found {
    verdict: String,
    kind: String,
    executions: u64,
    replay: String,
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    if options.print {
        print!("{}", Program::random(options.seed).source());
        return ExitCode::SUCCESS;
    }
    let Some(binary) = options.quotient.clone().or_else(quotient::locate).and_then(|path| path.canonicalize().ok())
    else {
        eprintln!("fuzz-c: no quotient binary; build it first: cargo build -p quotient-cli");
        return ExitCode::from(2);
    };
    let (next, counts) = (AtomicU64::new(0), Mutex::new(BTreeMap::<String, Vec<u64>>::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= options.count {
                        return;
                    }
                    let seed = options.seed.wrapping_add(index);
                    let what = examine(options, &binary, seed);
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
    println!("fuzz-c: {} programs, {differences} differences", options.count);
    if differences > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Compares the answers for one program; says in a few words what came of it.
fn examine(options: &Options, binary: &Path, seed: u64) -> String {
    let mut program = Program::random(seed);
    let ways = Way::some(seed, options.ways);
    let mut difference = match compare(binary, &program, &ways) {
        Ok(what) => return what,
        Err(difference) => difference,
    };
    // A smaller one that differs as well.
    while let Some((smaller, again)) =
        program.smaller().into_iter().find_map(|one| compare(binary, &one, &ways).err().map(|again| (one, again)))
    {
        (program, difference) = (smaller, again);
    }
    let file = options.out.join(format!("seed-{seed}.c"));
    let text = format!("// {}\n{}", difference.replace('\n', " "), program.source());
    let written = std::fs::create_dir_all(&options.out).and_then(|()| std::fs::write(&file, text));
    if let Err(error) = written {
        eprintln!("fuzz-c: {}: {error}", file.display());
    }
    println!("--- seed {seed}: {difference}\n{}", program.source());
    "differs".to_string()
}

/// The answer that all ways have in common, or how they differ.
fn compare(binary: &Path, program: &Program, ways: &[Way]) -> Result<String, String> {
    let source = program.source();
    let mut first: Option<(&Way, Found)> = None;
    for way in ways {
        let found = check(binary, &source, way, None).map_err(|problem| format!("{way:?}: {problem}"))?;
        if found.verdict == "inconclusive" {
            return Ok("inconclusive".to_string());
        }
        if found.verdict == "violated" {
            let again =
                check(binary, &source, way, Some(&found.replay)).map_err(|problem| format!("{way:?}: {problem}"))?;
            if again.kind != found.kind {
                return Err(format!("{way:?}: {found:?} replayed: {again:?}"));
            }
        }
        match &first {
            None => first = Some((way, found)),
            Some((other, before)) => {
                let counts = found.verdict == "holds" && !way.symmetry && found.executions != before.executions;
                if before.verdict != found.verdict || counts {
                    return Err(format!("{other:?} {before:?}, {way:?} {found:?}"));
                }
            }
        }
    }
    Ok(first.map_or_else(String::new, |(_, found)| format!("{} {}", found.verdict, found.kind)))
}

/// Checks a C program, or repeats one execution of it.
fn check(binary: &Path, text: &str, way: &Way, replay: Option<&str>) -> Result<Found, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    std::fs::write(scratch.path().join("program.c"), text).map_err(|error| error.to_string())?;
    let mut command = Command::new(binary);
    command.env("CC", way.cc).args(["check", "program.c", "--format=json", "--leaks=off"]);
    command.arg(format!("--max-executions={MOST}")).arg(format!("--jobs={}", way.jobs));
    command.arg(if way.symmetry { "--symmetry=on" } else { "--symmetry=off" });
    command.args(replay.map(|replay| format!("--replay={replay}"))).arg("--").arg(format!("-O{}", way.level));
    let outcome = run_limited(&mut command, scratch.path(), PATIENCE).map_err(|error| error.to_string())?;
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
        executions: answer["stats"]["executions"].as_u64().unwrap_or_default(),
        replay: text(&violation["replay"]),
    };
    if found.verdict.is_empty() { Err(outcome.text()) } else { Ok(found) }
}
