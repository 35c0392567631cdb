//! Measures Quotient against SPIN's compiled verifier, side by side, on the models of `benches/spin.tsv`.
//! Both must give the same counts. Times are CPU times, the best of a few runs in turn; only ratios are meant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::pan::{Pan, Side, timed};

/// Options of `bench-spin`.
#[derive(clap::Args)]
pub struct Options {
    /// How often each side runs; the best time counts
    #[arg(long, default_value_t = 3)]
    runs: u32,
    /// Only models whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// The `quotient` binary; by default the one next to this program
    #[arg(long)]
    quotient: Option<PathBuf>,
}

/// One line of the table.
struct Row {
    name: String,
    states: u64,
    speed: f64,
    pan_bytes: f64,
    quotient_bytes: f64,
    answer: f64,
}

/// Runs the benchmark and prints the table.
pub fn run(options: &Options) -> ExitCode {
    match measure_all(options) {
        Ok(rows) => {
            print_table(&rows);
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("bench-spin: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(options: &Options) -> Result<Vec<Row>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let quotient = match &options.quotient {
        Some(path) => path.clone(),
        None => std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("quotient"),
    };
    if !quotient.exists() {
        return Err(format!(
            "{} is missing; build it with `cargo build --release -p quotient-cli`",
            quotient.display()
        ));
    }
    let list = fs::read_to_string(root.join("benches/spin.tsv")).map_err(|e| format!("benches/spin.tsv: {e}"))?;
    let mut rows = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (name, defines) = line.split_once('\t').unwrap_or((line, ""));
        let defines: Vec<&str> = defines.split_whitespace().collect();
        if options.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let label = format!("{name} {}", defines.join(" ")).trim().to_string();
        eprintln!("{label} …");
        let model = root.join("models").join(format!("{name}.pml"));
        rows.push(measure(&label, &model, &defines, &quotient, options.runs)?);
    }
    Ok(rows)
}

fn measure(label: &str, model: &Path, defines: &[&str], quotient: &Path, runs: u32) -> Result<Row, String> {
    let pan = Pan::build(model, defines)?;
    let (mut best_pan, mut best) = (Side { cpu: f64::MAX, wall: f64::MAX, ..Side::default() }, Side::default());
    (best.cpu, best.wall) = (f64::MAX, f64::MAX);
    for _ in 0..runs {
        let side = pan.run()?;
        best_pan = Side { cpu: side.cpu.min(best_pan.cpu), wall: side.wall.min(best_pan.wall), ..side };
        let side = quotient_side(quotient, model, defines)?;
        best = Side { cpu: side.cpu.min(best.cpu), wall: side.wall.min(best.wall), ..side };
    }
    if (best_pan.states, best_pan.transitions) != (best.states, best.transitions) {
        return Err(format!(
            "{label}: pan has {} states and {} transitions, quotient {} and {}",
            best_pan.states, best_pan.transitions, best.states, best.transitions
        ));
    }
    Ok(Row {
        name: label.to_string(),
        states: best.states,
        speed: best_pan.cpu / best.cpu,
        pan_bytes: best_pan.bytes_per_state,
        quotient_bytes: best.bytes_per_state,
        answer: best.wall / (pan.making + best_pan.wall),
    })
}

fn quotient_side(quotient: &Path, model: &Path, defines: &[&str]) -> Result<Side, String> {
    let mut command = Command::new(quotient);
    command.arg("check").arg(model).args(defines);
    command.args(["--por", "off", "--symmetry", "off", "--all-errors", "--property", "none", "--format", "json"]);
    let (mut side, output) = timed(&mut command)?;
    let json: serde_json::Value = serde_json::from_str(&output).map_err(|e| format!("quotient: {e}: {output}"))?;
    let stats = &json["stats"];
    side.states = stats["states"].as_u64().ok_or("no states in the answer")?;
    side.transitions = stats["transitions"].as_u64().ok_or("no transitions in the answer")?;
    side.bytes_per_state = stats["bytes_per_state"].as_f64().ok_or("no bytes_per_state in the answer")?;
    Ok(side)
}

fn print_table(rows: &[Row]) {
    println!(
        "| model | states | transitions/s, quotient ÷ pan | bytes/state, pan | bytes/state, quotient | time to answer, quotient ÷ spin+gcc+pan |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for row in rows {
        println!(
            "| {} | {} | {:.2} | {:.0} | {:.0} | {:.2} |",
            row.name, row.states, row.speed, row.pan_bytes, row.quotient_bytes, row.answer
        );
    }
    let mut speeds: Vec<f64> = rows.iter().map(|row| row.speed).collect();
    speeds.sort_by(f64::total_cmp);
    if let (Some(least), Some(median)) = (speeds.first(), speeds.get(speeds.len() / 2)) {
        println!("\nbench-spin: {} models, median {median:.2}, least {least:.2}", rows.len());
    }
}
