//! Measures Quotient against SPIN's compiled verifier, side by side, on the models of `benches/spin.tsv`.
//! Both must give the same counts. Times are CPU times, the best of a few runs in turn; only ratios are meant.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::pan::{Pan, Side};
use crate::quotient;

/// Options of `bench-spin` and `bench-store`.
#[derive(clap::Args)]
pub struct Options {
    /// How often each side runs; the best time counts
    #[arg(long, default_value_t = 3)]
    pub runs: u32,
    /// Only models whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// The `quotient` binary; by default the one next to this program
    #[arg(long)]
    quotient: Option<PathBuf>,
}

impl Options {
    /// Where the `quotient` binary is.
    pub fn binary(&self) -> Result<PathBuf, String> {
        quotient::binary(self.quotient.as_deref())
    }

    /// Whether a model is not to be measured.
    pub fn leaves_out(&self, name: &str) -> bool {
        self.only.as_ref().is_some_and(|only| !name.contains(only.as_str()))
    }
}

/// What SPIN's verifier does not have is left out.
const OPTIONS: [&str; 4] = ["--reduce", "off", "--symmetry", "off"];

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
    let quotient = options.binary()?;
    let mut rows = Vec::new();
    for (name, defines) in &quotient::list(&root.join("benches/spin.tsv"))? {
        let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
        if options.leaves_out(name) {
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
        let (side, _) = quotient::measure(quotient, model, &[defines, &OPTIONS].concat())?;
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
