//! `cargo xtask fuzz-c`: random C programs that use the library, the heap and waits with deadlines. The answer must not depend on
//! the compiler, its options, symmetry, or how many processes explore; and what is wrong must show when it is replayed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use quotient_generate::c::Program;
use quotient_generate::random::Random;

use crate::seeds::{self, Found};

/// The name of the command.
const NAME: &str = "fuzz-c";

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
    /// The quotient binary; by default the one next to xtask, or in target/dist
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

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    if options.print {
        print!("{}", Program::random(options.seed).source());
        return ExitCode::SUCCESS;
    }
    let binary = match seeds::binary(NAME, options.quotient.as_ref()) {
        Ok(binary) => binary,
        Err(code) => return code,
    };
    seeds::examine_all(NAME, (options.seed, options.count), options.jobs, |seed| examine(options, &binary, seed))
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
    let text = format!("// {}\n{}", difference.replace('\n', " "), program.source());
    seeds::keep(NAME, &options.out, seed, &text);
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
    seeds::check(binary, way.cc, text, PATIENCE, |command| {
        command.arg("--leaks=off").arg(format!("--max-executions={MOST}")).arg(format!("--jobs={}", way.jobs));
        command.arg(if way.symmetry { "--symmetry=on" } else { "--symmetry=off" });
        command.args(replay.map(|replay| format!("--replay={replay}"))).arg("--").arg(format!("-O{}", way.level));
    })
}
