//! `cargo xtask fuzz-loops`: random C programs with loops against the brute-force oracle, with the user's compilers. Each
//! program must end in every final state that the oracle has, in no other, and show an error exactly if it has one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use quotient_oracle::loops::random::{Shape, program};
use quotient_oracle::loops::{Answer, Layout, Program, answer, c_source, shrink};
use quotient_oracle::{Model, Outcome};
use serde_json::Value;

use crate::process::{Scratch, run_limited};
use crate::quotient;

/// Options of `fuzz-loops`.
#[derive(Args)]
pub struct Options {
    /// Number of programs
    #[arg(long, default_value_t = 50)]
    pub count: u64,
    /// Seed of the first program
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Programs compared at the same time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Compilers, separated by commas; each program takes one of them
    #[arg(long, value_delimiter = ',', default_value = "gcc,clang")]
    pub cc: Vec<String>,
    /// Levels of optimisation, separated by commas; each program takes one of them
    #[arg(long, value_delimiter = ',', default_value = "0,1,2,3")]
    pub opt: Vec<String>,
    /// Show a program that differs as it is, and not a smaller one
    #[arg(long)]
    pub no_shrink: bool,
    /// Directory for programs that differ
    #[arg(long, default_value = "target/fuzz-loops")]
    pub out: PathBuf,
    /// The quotient binary; by default the one next to xtask, or in target/release
    #[arg(long, value_name = "FILE")]
    pub quotient: Option<PathBuf>,
    /// Print the program of the seed as C and stop
    #[arg(long)]
    pub print: bool,
}

/// How many states or executions the oracle looks at.
const LIMIT: usize = 30_000;
/// Rounds that are followed; one more must give the same answer.
const ROUNDS: usize = 3;
/// Programs with more final states are not compared: each of them is a run of its own.
const MOST_FINALS: usize = 10;
/// Longest time for one run of the compiler and the checker.
const PATIENCE: Duration = Duration::from_secs(60);

/// One way to check a program.
#[derive(Clone, Debug)]
struct Way {
    cc: String,
    level: String,
    layout: Layout,
    model: Model,
    symmetry: bool,
}

/// What a comparison has come to.
enum Comparison {
    Same,
    Skipped(&'static str),
    Differs(&'static str, String),
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    if options.print {
        let (program, way) = generate(options, options.seed);
        let finals = expected(&program, way.model).map(|answer| answer.finals).unwrap_or_default();
        let finals: Vec<Outcome> = finals.into_iter().collect();
        print!("// {way:?}\n{}", c_source(&program, &finals, way.layout));
        return ExitCode::SUCCESS;
    }
    let Some(binary) = options.quotient.clone().or_else(quotient::locate).and_then(|path| path.canonicalize().ok())
    else {
        eprintln!("fuzz-loops: no quotient binary; build it first: cargo build -p quotient-cli");
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
    println!("fuzz-loops: {} programs, {differences} differences", options.count);
    if differences > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The program of a seed, and the way to check it.
fn generate(options: &Options, seed: u64) -> (Program, Way) {
    let program = program(seed, Shape { assertions: seed % 3 == 1, plain: seed % 5 == 2 });
    let pick =
        |from: &[String], by: u64| from.get((seed / by) as usize % from.len().max(1)).cloned().unwrap_or_default();
    let way = Way {
        cc: pick(&options.cc, 1),
        level: pick(&options.opt, 2),
        layout: Layout::ALL[(seed / 3) as usize % Layout::ALL.len()],
        model: Model::ALL[(seed / 7) as usize % Model::ALL.len()],
        symmetry: (seed / 5) % 2 == 1,
    };
    (program, way)
}

/// Compares one program; says in a few words what came of it.
fn examine(options: &Options, binary: &Path, seed: u64) -> String {
    let (program, way) = generate(options, seed);
    match compare(binary, &program, &way) {
        Comparison::Same => "same".to_string(),
        Comparison::Skipped(why) => format!("skipped: {why}"),
        Comparison::Differs(word, _) => {
            let is_like =
                |one: &Program| matches!(compare(binary, one, &way), Comparison::Differs(other, _) if other == word);
            let small = if options.no_shrink { program } else { shrink(&program, is_like) };
            let Comparison::Differs(_, text) = compare(binary, &small, &way) else {
                return format!("differs: {word}, and not each time");
            };
            let source = source(&small, &way);
            let file = options.out.join(format!("seed-{seed}.c"));
            let header = format!("// {word}: {way:?}\n// {}\n", text.lines().next().unwrap_or_default());
            let written = std::fs::create_dir_all(&options.out).and_then(|()| std::fs::write(&file, header + &source));
            if let Err(error) = written {
                eprintln!("fuzz-loops: {}: {error}", file.display());
            }
            println!("--- seed {seed}, {way:?}: {word}\n{small}{text}\n");
            format!("differs: {word}")
        }
    }
}

/// The oracle's answer, if the program is small enough and more rounds make no difference.
fn expected(program: &Program, model: Model) -> Option<Answer> {
    let less = answer(program, model, ROUNDS, LIMIT).ok()?;
    let more = answer(program, model, ROUNDS + 1, LIMIT).ok()?;
    (less == more).then_some(more)
}

fn source(program: &Program, way: &Way) -> String {
    let finals: Vec<Outcome> =
        expected(program, way.model).map(|answer| answer.finals).unwrap_or_default().into_iter().collect();
    c_source(program, &finals, way.layout)
}

fn compare(binary: &Path, program: &Program, way: &Way) -> Comparison {
    let Some(expected) = expected(program, way.model) else { return Comparison::Skipped("too large or not settled") };
    let finals: Vec<Outcome> = expected.finals.iter().cloned().collect();
    if finals.len() > MOST_FINALS {
        return Comparison::Skipped("too many final states");
    }
    let text = c_source(program, &finals, way.layout);
    let whole = match check(binary, &text, way, None) {
        Ok(found) => found,
        Err(problem) => return Comparison::Differs("there is no answer", problem),
    };
    let errors = [("assertion", expected.fails), ("race", expected.races), ("livelock", expected.stuck)];
    let is_wrong = errors.iter().any(|(_, wrong)| *wrong);
    match (whole.verdict.as_str(), whole.kind.as_str()) {
        ("inconclusive", _) => return Comparison::Skipped("undecided"),
        ("holds", _) if is_wrong => return Comparison::Differs("an error is missed", format!("expected {errors:?}")),
        ("holds", _) => {}
        (_, "deadlock") if expected.stuck => return Comparison::Same,
        (_, kind) if errors.contains(&(kind, true)) => return Comparison::Same,
        (_, kind) => return Comparison::Differs("false alarm", format!("{kind}: {}", whole.message)),
    }
    for (number, outcome) in finals.iter().enumerate() {
        match check(binary, &text, way, Some(number)) {
            Ok(found) if found.verdict == "holds" => {
                return Comparison::Differs("a final state is missing", format!("{outcome:?}"));
            }
            Ok(_) => {}
            Err(problem) => return Comparison::Differs("there is no answer", problem),
        }
    }
    Comparison::Same
}

/// What Quotient has answered.
struct Found {
    verdict: String,
    kind: String,
    message: String,
}

/// Checks a C program; with a number, that this final state never is.
fn check(binary: &Path, text: &str, way: &Way, never: Option<usize>) -> Result<Found, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    std::fs::write(scratch.path().join("program.c"), text).map_err(|error| error.to_string())?;
    let mut command = Command::new(binary);
    command.env("CC", &way.cc).args([
        "check",
        "program.c",
        "--format=json",
        "--max-events=200",
        "--max-executions=3000",
    ]);
    command.arg(format!("--memory-model={}", way.model));
    command.arg(if way.symmetry { "--symmetry=on" } else { "--symmetry=off" });
    command.args(never.map(|number| format!("-DNEVER={number}"))).arg("--").arg(format!("-O{}", way.level));
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
        message: text(&violation["message"]),
    };
    if found.verdict.is_empty() { Err(outcome.text()) } else { Ok(found) }
}
