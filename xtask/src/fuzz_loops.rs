//! `cargo xtask fuzz-loops`: random C programs with loops against the brute-force oracle, with the user's compilers. Each
//! program must end in every final state that the oracle has, in no other, and show an error exactly if it has one.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use quotient_oracle::loops::random::{Shape, program};
use quotient_oracle::loops::{Answer, Layout, Program, answer, c_source, shrink};
use quotient_oracle::{MemoryModel, Outcome};

use crate::seeds::{self, Found};

/// The name of the command.
const NAME: &str = "fuzz-loops";

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
    /// The quotient binary; by default the one next to xtask, or in target/dist
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
    model: MemoryModel,
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
    let binary = match seeds::binary(NAME, options.quotient.as_ref()) {
        Ok(binary) => binary,
        Err(code) => return code,
    };
    seeds::examine_all(NAME, (options.seed, options.count), options.jobs, |seed| examine(options, &binary, seed))
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
        model: MemoryModel::ALL[(seed / 7) as usize % MemoryModel::ALL.len()],
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
            let header = format!("// {word}: {way:?}\n// {}\n", text.lines().next().unwrap_or_default());
            seeds::keep(NAME, &options.out, seed, &(header + &source));
            println!("--- seed {seed}, {way:?}: {word}\n{small}{text}\n");
            format!("differs: {word}")
        }
    }
}

/// The oracle's answer, if the program is small enough and more rounds make no difference.
fn expected(program: &Program, model: MemoryModel) -> Option<Answer> {
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

/// Checks a C program; with a number, that this final state never is.
fn check(binary: &Path, text: &str, way: &Way, never: Option<usize>) -> Result<Found, String> {
    seeds::check(binary, &way.cc, text, PATIENCE, |command| {
        command.args(["--max-events=200", "--max-executions=3000"]).arg(format!("--memory-model={}", way.model));
        command.arg(if way.symmetry { "--symmetry=on" } else { "--symmetry=off" });
        command.args(never.map(|number| format!("-DNEVER={number}"))).arg("--").arg(format!("-O{}", way.level));
    })
}
