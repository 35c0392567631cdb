//! Counts states beside SPIN's verifier, default against default (`spin -a`, `-DSAFETY`), on all models of the project. Both
//! look for all errors, and must agree on whether there are any. Beside the states stand the times to an answer: of `spin -a`,
//! `gcc -O2` and the verifier together, and of `quotient check` as it is by default.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use quotient_canon::Strategy;
use quotient_ir::Model;
use quotient_search::{Exploration, Order, Reduce};

use crate::pan::timed;
use crate::process::{Scratch, run_limited};
use crate::quotient;

/// Options of `bench-states`.
#[derive(clap::Args)]
pub struct Options {
    /// Only models whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// The `quotient` binary; by default the one next to this program
    #[arg(long)]
    quotient: Option<PathBuf>,
}

/// How long SPIN and the compiler may take.
const LIMIT: Duration = Duration::from_secs(300);

/// At most so many states for one of SPIN's are wanted, in the geometric mean.
const WANTED_MEAN: f64 = 0.6;

/// At most so much of SPIN's time to an answer is wanted, in the median, and anywhere.
const WANTED_TIME: [f64; 2] = [0.5, 1.0];

/// Models that may have more states than SPIN, and why.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "database-managers",
    "SPIN believes that a variable declared `local` is used by one process; all of them use it",
)];

/// A model with macros.
struct Case {
    label: String,
    path: PathBuf,
    defines: Vec<String>,
}

/// What was counted for one model.
struct Row {
    label: String,
    spin: u64,
    spin_errors: u64,
    /// Seconds to SPIN's answer, and to Quotient's.
    seconds: [f64; 2],
    full: Exploration,
    breadth: Exploration,
    symmetric: Exploration,
}

/// Runs the benchmark; prints the table and what falls short.
pub fn run(options: &Options) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let binary = match quotient::binary(options.quotient.as_deref()) {
        Ok(binary) => binary,
        Err(message) => {
            eprintln!("bench-states: {message}");
            return ExitCode::FAILURE;
        }
    };
    let mut failures = Vec::new();
    let mut rows = Vec::new();
    for case in cases(root) {
        if options.only.as_ref().is_some_and(|only| !case.label.contains(only.as_str())) {
            continue;
        }
        eprintln!("{} …", case.label);
        match measure(&case, &binary) {
            Ok(Some(row)) => rows.push(row),
            Ok(None) => eprintln!("{}: SPIN has no counts for it", case.label),
            Err(message) => failures.push(format!("{}: {message}", case.label)),
        }
    }
    failures.extend(rows.iter().flat_map(shortfalls));
    let mean = print_table(&rows);
    if mean > WANTED_MEAN {
        failures.push(format!("the geometric mean is {mean:.2}, not {WANTED_MEAN}"));
    }
    let mut times: Vec<f64> = rows.iter().map(Row::time).collect();
    times.sort_by(f64::total_cmp);
    if let (Some(&median), Some(&most)) = (times.get(times.len() / 2), times.last()) {
        println!("time to answer, Quotient ÷ SPIN: median {median:.2}, at most {most:.2}");
        if median > WANTED_TIME[0] || most > WANTED_TIME[1] {
            failures.push(format!("the time to an answer is {median:.2} of SPIN's in the median, {most:.2} at most"));
        }
    }
    failures.iter().for_each(|failure| eprintln!("bench-states: {failure}"));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Row {
    /// Quotient's time for SPIN's.
    fn time(&self) -> f64 {
        self.seconds[1] / self.seconds[0]
    }
}

/// All models, with the macros that their headers name, and the large ones of `bench-spin`.
fn cases(root: &Path) -> Vec<Case> {
    let models = root.join("models");
    let mut cases: Vec<Case> = Vec::new();
    for directory in [models.to_path_buf(), models.join("conformance")] {
        let mut files: Vec<PathBuf> = fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
            .collect();
        files.sort();
        for path in files {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).unwrap_or_default();
            let macros = text.lines().filter_map(|line| line.strip_prefix("// expect ")).map(|line| {
                line.split_whitespace().filter(|word| word.starts_with("-D")).map(str::to_string).collect::<Vec<_>>()
            });
            let mut all: Vec<Vec<String>> = std::iter::once(Vec::new()).chain(macros).collect();
            all.sort();
            all.dedup();
            for defines in all {
                let label = format!("{name} {}", defines.join(" ")).trim().to_string();
                cases.push(Case { label, path: path.clone(), defines });
            }
        }
    }
    for (name, defines) in quotient::list(&root.join("benches/spin.tsv")).unwrap_or_default() {
        let label = format!("{name} {}", defines.join(" ")).trim().to_string();
        if cases.iter().all(|case| case.label != label) {
            cases.push(Case { label, path: models.join(format!("{name}.pml")), defines });
        }
    }
    cases
}

fn measure(case: &Case, binary: &Path) -> Result<Option<Row>, String> {
    let Some((spin, spin_errors, spin_seconds)) = spin(case)? else { return Ok(None) };
    let mut check = Command::new(binary);
    check.arg("check").arg(&case.path).args(&case.defines).args(["--all-errors", "-q"]);
    let (side, _) = timed(&mut check)?;
    let seconds = [spin_seconds, side.wall];
    let defines = case.defines.iter().map(|word| match word[2..].split_once('=') {
        Some((name, value)) => (name.to_string(), Some(value.to_string())),
        None => (word[2..].to_string(), None),
    });
    let options = quotient_promela::Options { defines: defines.collect(), ..quotient_promela::Options::default() };
    let mut model = quotient_promela::load(&case.path, &options).model.ok_or("not a model")?;
    let full = explore(&model, Order::DepthFirst, None);
    let breadth = explore(&model, Order::BreadthFirst, None);
    quotient_symmetry::detect(&mut model);
    let symmetric = explore(&model, Order::DepthFirst, Some(Strategy::Canonical));
    Ok(Some(Row { label: case.label.clone(), spin, spin_errors, seconds, full, breadth, symmetric }))
}

fn explore(model: &Model, order: Order, symmetry: Option<Strategy>) -> Exploration {
    let options = quotient_search::Options { order, reduce: Reduce::Full, symmetry, ..Default::default() };
    quotient_search::explore(model, &quotient_search::Options { all_errors: true, ..options }, &mut |_| true)
}

/// The states and errors that SPIN's verifier counts, and how long it all took; nothing if it does not accept the model, or does
/// not come to an end.
fn spin(case: &Case) -> Result<Option<(u64, u64, f64)>, String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let directory = scratch.path();
    fs::copy(&case.path, directory.join("model.pml")).map_err(|e| e.to_string())?;
    let mut spin = Command::new("spin");
    spin.args(&case.defines).args(["-a", "model.pml"]);
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=4096", "-DMEMLIM=4000", "-o", "pan", "pan.c"]);
    let mut pan = Command::new("./pan");
    pan.args(["-c0", "-n", "-m4000000"]);
    let started = Instant::now();
    for command in [&mut spin, &mut compile] {
        let done = run_limited(command, directory, LIMIT).map_err(|e| e.to_string())?;
        if done.code != Some(0) {
            return Ok(None);
        }
    }
    let done = run_limited(&mut pan, directory, LIMIT).map_err(|e| e.to_string())?;
    let seconds = started.elapsed().as_secs_f64();
    let result = crate::spin::parse(&done.text());
    Ok((!result.aborted && !done.timed_out).then_some((result.stored, result.errors, seconds)))
}

/// Why a model may have more states than SPIN.
fn exception(label: &str) -> Option<&'static str> {
    EXCEPTIONS.iter().find(|(name, _)| label.split(' ').next() == Some(name)).map(|(_, why)| *why)
}

/// What a row should not show.
fn shortfalls(row: &Row) -> Vec<String> {
    let Row { label, spin, spin_errors, full, breadth, symmetric, .. } = row;
    let mut found = Vec::new();
    if full.states > *spin && exception(label).is_none() {
        found.push(format!("{label}: {} states, but SPIN has {spin}", full.states));
    }
    if (full.states, full.matched) != (breadth.states, breadth.matched) {
        found.push(format!("{label}: {} states depth-first, {} breadth-first", full.states, breadth.states));
    }
    for (way, exploration) in [("", full), (" breadth-first", breadth), (" with symmetry", symmetric)] {
        if (exploration.errors > 0) != (*spin_errors > 0) {
            found.push(format!("{label}{way}: {} errors, but SPIN has {spin_errors}", exploration.errors));
        }
        if !exploration.dropped.is_empty() || exploration.stop.is_some() {
            found.push(format!("{label}{way}: {:?} {:?}", exploration.dropped, exploration.stop));
        }
    }
    found
}

/// Prints the table; gives back the geometric mean of the ratios.
fn print_table(rows: &[Row]) -> f64 {
    println!("| model | SPIN | Quotient | ÷ | with symmetry | taken at once | one process enough | time ÷ |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut sum = 0.0;
    for row in rows {
        let Row { label, spin, full, symmetric, .. } = row;
        let ratio = full.states as f64 / *spin as f64;
        sum += ratio.ln();
        println!(
            "| {label} | {spin} | {} | {ratio:.2} | {} | {} | {} | {:.2} |",
            full.states,
            symmetric.states,
            full.skipped,
            full.reduced,
            row.time()
        );
    }
    for Row { label, spin, full, .. } in rows.iter().filter(|row| row.full.states > row.spin) {
        println!(
            "\n{label}: {} states, SPIN {spin}: {}",
            full.states,
            exception(label).unwrap_or("no reason is known")
        );
    }
    let mean = (sum / rows.len().max(1) as f64).exp();
    println!("\nbench-states: {} models, geometric mean {mean:.2}", rows.len());
    mean
}
