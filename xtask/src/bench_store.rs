//! Measures the ways to keep visited states beside each other, and SPIN's verifier with `-DCOLLAPSE`, on models of
//! `benches/spin.tsv`. It follows `bench-spin`: both sides must give the same counts, and only ratios of times are meant.

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use crate::bench::Options;
use crate::pan::{Pan, Side};
use crate::quotient;

/// At most so much of the time with whole states is wanted for trees.
const WANTED_TIME: f64 = 1.3;

/// At most so much of what pan takes with `-DCOLLAPSE` is wanted, where it is asked for.
const WANTED_BYTES: f64 = 0.25;

/// The model and the definitions for which that is asked.
const PHILOSOPHERS: &str = "dining-philosophers -DN=10";

/// One line of the table.
struct Row {
    name: String,
    states: u64,
    state_bytes: f64,
    exact: f64,
    tree: f64,
    payload: f64,
    collapse: f64,
    time: f64,
}

/// Runs the benchmark; prints the table and what falls short.
pub fn run(options: &Options) -> ExitCode {
    let rows = match measure_all(options) {
        Ok(rows) => rows,
        Err(message) => {
            eprintln!("bench-store: {message}");
            return ExitCode::FAILURE;
        }
    };
    print_table(&rows);
    let mut code = ExitCode::SUCCESS;
    for row in &rows {
        if row.time > WANTED_TIME {
            eprintln!("bench-store: {}: trees take {:.2} of the time of whole states", row.name, row.time);
            code = ExitCode::FAILURE;
        }
        if row.name == PHILOSOPHERS && row.tree > WANTED_BYTES * row.collapse {
            eprintln!("bench-store: {}: {:.1} bytes per state, pan {:.1}", row.name, row.tree, row.collapse);
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn measure_all(options: &Options) -> Result<Vec<Row>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let binary = options.binary()?;
    let mut rows = Vec::new();
    for (name, defines) in &quotient::list(&root.join("benches/spin.tsv"))? {
        let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
        let label = format!("{name} {}", defines.join(" ")).trim().to_string();
        if options.leaves_out(&label) {
            continue;
        }
        eprintln!("{label} …");
        let model = root.join("models").join(format!("{name}.pml"));
        rows.push(measure(label, &model, &defines, &binary, options.runs)?);
    }
    Ok(rows)
}

/// A side with the best of its times so far.
fn best(runs: u32, mut run: impl FnMut() -> Result<(Side, Value), String>) -> Result<(Side, Value), String> {
    let mut best = run()?;
    for _ in 1..runs {
        let (side, _) = run()?;
        best.0.cpu = best.0.cpu.min(side.cpu);
    }
    Ok(best)
}

fn measure(name: String, model: &Path, defines: &[&str], binary: &Path, runs: u32) -> Result<Row, String> {
    let collapse = Pan::build_with(model, defines, &["-DCOLLAPSE"])?.run()?;
    let kept = |store: &str| {
        let arguments = [defines, &["--reduce", "off", "--symmetry", "off", "--store", store]].concat();
        best(runs, || quotient::measure(binary, model, &arguments))
    };
    let ((exact, whole), (tree, shared)) = (kept("exact")?, kept("tree")?);
    let counts = |side: &Side| (side.states, side.transitions);
    if counts(&exact) != counts(&tree) || counts(&exact) != counts(&collapse) {
        return Err(format!(
            "{name}: states and transitions differ: {:?}, {:?}, pan {:?}",
            counts(&exact),
            counts(&tree),
            counts(&collapse)
        ));
    }
    let payload = |answer: &Value| answer["stats"]["payload_per_state"].as_f64().ok_or("no payload in the answer");
    Ok(Row {
        name,
        states: exact.states,
        // A whole state has a header of two bytes, or four if it is long.
        state_bytes: payload(&whole)? - 2.0,
        exact: exact.bytes_per_state,
        tree: tree.bytes_per_state,
        payload: payload(&shared)?,
        collapse: collapse.bytes_per_state,
        time: tree.cpu / exact.cpu,
    })
}

fn print_table(rows: &[Row]) {
    println!(
        "| model | states | bytes of a state | bytes/state, exact | bytes/state, tree | payload of it | bytes/state, pan -DCOLLAPSE | time, tree ÷ exact |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for row in rows {
        println!(
            "| {} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} |",
            row.name, row.states, row.state_bytes, row.exact, row.tree, row.payload, row.collapse, row.time
        );
    }
    let mut times: Vec<f64> = rows.iter().map(|row| row.time).collect();
    times.sort_by(f64::total_cmp);
    if let (Some(most), Some(median)) = (times.last(), times.get(times.len() / 2)) {
        println!("\nbench-store: {} models, time median {median:.2}, most {most:.2}", rows.len());
    }
}
