//! Measures temporal searches against `pan -a` and `pan -a -f`, side by side, on the lines of `benches/temporal.tsv`, and how many pairs
//! symmetry leaves. Times are CPU times, the best of a few runs in turn; only ratios are meant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

use crate::pan::{Side, float_before, timed};
use crate::process::Scratch;
use crate::quotient;

/// Options of `bench-temporal`.
#[derive(clap::Args)]
pub struct Options {
    /// How often each side runs; the best time counts
    #[arg(long, default_value_t = 3)]
    runs: u32,
    /// Only lines that contain this
    #[arg(long)]
    only: Option<String>,
    /// The `quotient` binary; by default the one next to this program
    #[arg(long)]
    quotient: Option<PathBuf>,
}

/// How deep SPIN's verifier may go.
const DEPTH: &str = "-m10000000";

/// What is measured.
struct Case {
    model: PathBuf,
    defines: Vec<String>,
    fair: bool,
    reduced: bool,
    formula: String,
}

/// What was measured of a case.
struct Row {
    name: String,
    fair: bool,
    time: f64,
    memory: f64,
    pairs: (u64, u64),
}

/// Runs the benchmark and prints the table.
pub fn run(options: &Options) -> ExitCode {
    match measure_all(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench-temporal: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(options: &Options) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let binary = quotient::binary(options.quotient.as_deref())?;
    let list = root.join("benches/temporal.tsv");
    let text = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let mut rows = Vec::new();
    println!("| model and formula | pairs | time, quotient ÷ pan | bytes for a state, quotient ÷ pan |");
    println!("| --- | ---: | ---: | ---: |");
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        if options.only.as_ref().is_some_and(|only| !line.contains(only.as_str())) {
            continue;
        }
        let case = case(root, line)?;
        let row = measure(&case, &binary, options.runs).map_err(|problem| format!("{line}: {problem}"))?;
        println!("| {} | {} (pan {}) | {:.2} | {:.2} |", row.name, row.pairs.0, row.pairs.1, row.time, row.memory);
        rows.push(row);
    }
    for (fair, what) in [(false, "all runs"), (true, "fair runs")] {
        let of = |value: fn(&Row) -> f64| {
            let mut values: Vec<f64> = rows.iter().filter(|row| row.fair == fair).map(value).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        if let (Some(time), Some(memory)) = (of(|row| row.time), of(|row| row.memory)) {
            println!("\nbench-temporal: {what}: median {time:.2} of pan's time, {memory:.2} of its bytes for a state");
        }
    }
    if options.only.is_none() {
        symmetric(root, &binary)?;
    }
    Ok(())
}

fn case(root: &Path, line: &str) -> Result<Case, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [model, defines, fair, reduced, formula] = fields[..] else {
        return Err(format!("`{line}` has no five fields"));
    };
    Ok(Case {
        model: root.join("models").join(format!("{model}.pml")),
        defines: defines.split_whitespace().map(str::to_string).collect(),
        fair: fair == "fair",
        reduced: reduced == "on",
        formula: formula.to_string(),
    })
}

fn measure(case: &Case, binary: &Path, runs: u32) -> Result<Row, String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let directory = scratch.path();
    let text = fs::read_to_string(&case.model).map_err(|e| e.to_string())?;
    fs::write(directory.join("m.pml"), format!("{text}\nltl p {{ {} }}\n", case.formula)).map_err(|e| e.to_string())?;
    // Without reduction, nothing is merged either, and both sides have the same states.
    let plain: &[&str] = if case.reduced { &[] } else { &["-o1", "-o2", "-o3"] };
    timed(Command::new("spin").args(plain).args(&case.defines).args(["-a", "m.pml"]).current_dir(directory))?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-w", "-DNFAIR=4", "-o", "pan", "pan.c"]).current_dir(directory);
    if !case.reduced {
        gcc.arg("-DNOREDUCE");
    }
    timed(&mut gcc)?;
    let (mut pan, mut ours) = (Side { cpu: f64::MAX, ..Side::default() }, Side { cpu: f64::MAX, ..Side::default() });
    for _ in 0..runs {
        let mut command = Command::new(directory.join("pan"));
        command.args(["-a", "-n", DEPTH]).args(case.fair.then_some("-f")).current_dir(directory);
        let (side, output) = timed(&mut command)?;
        if !output.contains("errors: 0") || output.contains("max search depth too small") {
            return Err(format!("pan does not say that it holds: {output}"));
        }
        pan.cpu = pan.cpu.min(side.cpu);
        pan.states = float_before(&output, " states, stored")? as u64;
        let megabytes = float_before(&output, "\tactual memory usage for states")
            .or_else(|_| float_before(&output, "\tequivalent memory usage for states"))?;
        pan.bytes_per_state = megabytes * 1024.0 * 1024.0 / pan.states as f64;
        let reduce = if case.reduced { "full" } else { "off" };
        let mut more = vec!["--reduce", reduce, "--symmetry", "off"];
        more.extend(case.fair.then_some("--fair"));
        let (side, answer) = check(binary, &directory.join("m.pml"), &case.defines, &more)?;
        ours.cpu = ours.cpu.min(side.cpu);
        ours.states = answer["properties"][0]["stats"]["states"].as_u64().ok_or("no states in the answer")?;
        ours.bytes_per_state = answer["stats"]["bytes_per_state"].as_f64().ok_or("no bytes in the answer")?;
    }
    let name = case.model.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let fair = if case.fair { ", fair" } else { "" };
    Ok(Row {
        name: format!("{name} {}{fair}: `{}`", case.defines.join(" "), case.formula.replace('|', "\\|")),
        fair: case.fair,
        time: ours.cpu / pan.cpu,
        memory: ours.bytes_per_state / pan.bytes_per_state,
        pairs: (ours.states, pan.states),
    })
}

/// Checks the property `p` of a model, which must hold.
fn check(binary: &Path, model: &Path, defines: &[String], more: &[&str]) -> Result<(Side, Value), String> {
    let mut command = Command::new(binary);
    command.arg("check").arg(model).args(defines).args(more).args(["--property", "p", "--format", "json"]);
    let (side, output) = timed(&mut command)?;
    let answer: Value = serde_json::from_str(&output).map_err(|e| format!("{command:?}: {e}: {output}"))?;
    match answer["verdict"].as_str() {
        Some("holds") => Ok((side, answer)),
        other => Err(format!("{command:?}: the verdict is {other:?}")),
    }
}

/// How many pairs symmetry leaves of Peterson's algorithm for five, with a property of one process.
fn symmetric(root: &Path, binary: &Path) -> Result<(), String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let text = fs::read_to_string(root.join("models/peterson.pml")).map_err(|e| e.to_string())?;
    let model = scratch.path().join("m.pml");
    fs::write(&model, format!("{text}\nltl p {{ [] (flag[0] > 0 -> <> (flag[0] == 0)) }}\n"))
        .map_err(|e| e.to_string())?;
    let mut pairs = [0; 2];
    for (number, symmetry) in ["off", "canonical"].into_iter().enumerate() {
        let more = ["--fair", "--reduce", "off", "--symmetry", symmetry];
        let (_, answer) = check(binary, &model, &["-DN=5".to_string()], &more)?;
        pairs[number] = answer["properties"][0]["stats"]["states"].as_u64().ok_or("no states in the answer")?;
    }
    let [all, some] = pairs;
    println!(
        "\nbench-temporal: peterson -DN=5: {some} of {all} pairs with symmetry, 1/{:.1}",
        all as f64 / some as f64
    );
    Ok(())
}
