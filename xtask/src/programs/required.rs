//! The speeds that are required of Quotient, each a ratio to something measured in the same minute.
//! Checks are repeated for a second of CPU time. Those of Quotient, which have few executions, explore the program many times
//! each, so that executions are measured and not the start of a check.

use std::path::Path;

use super::Options;
use super::cell::{Cell, rate};
use super::tool::{Request, Tool, Tools};
use crate::pan::Pan;

/// For how long a check is repeated, in seconds of CPU time.
const REPEAT: f64 = 1.0;
/// How often pan and Quotient are measured in turn.
const PAN_RUNS: u32 = 5;
/// Transitions per second of pan on the machine for which a speed of Quotient is required.
const PAN_REFERENCE: f64 = 3.0e6;
/// Executions per second that are required there, of fetch-add by eight threads without symmetry reduction.
const REQUIRED_RATE: f64 = 8.0 * 26_000.0;

/// Measures and prints what is required.
pub fn measure(tools: &Tools, options: &Options) -> Result<(), String> {
    let [plain, loom, shuttle] = four_threads(tools, options)?;
    println!("fetch-add × 4, symmetry off, executions per CPU second:");
    println!();
    println!("- Quotient: {}; shuttle: {}; loom: {}", rate(plain), rate(shuttle), rate(loom));
    println!("- Quotient ÷ shuttle: {:.2} (required: 2)", plain / shuttle);
    println!("- Quotient ÷ loom: {:.2} (required: 20)", plain / loom);
    let (plain, pan) = eight_threads(tools, options)?;
    let required = REQUIRED_RATE * pan / PAN_REFERENCE;
    println!();
    println!("fetch-add × 8, symmetry off, executions per CPU second:");
    println!();
    println!("- pan on peterson -DN=4: {:.2} M transitions/s, where the reference has 3.00 M", pan / 1e6);
    println!(
        "- Quotient: {}; ÷ what is required at this speed of pan ({}): {:.2} (required: 1)",
        rate(plain),
        rate(required),
        plain / required
    );
    Ok(())
}

/// The best rates of Quotient without symmetry, loom and shuttle, measured in turn.
fn four_threads(tools: &Tools, options: &Options) -> Result<[f64; 3], String> {
    let mut best = [0.0_f64; 3];
    for _ in 0..options.runs {
        for (tool, best) in [Tool::Plain, Tool::Loom, Tool::Shuttle].into_iter().zip(&mut best) {
            *best = best.max(fetch_add(tools, tool, 4)?);
        }
    }
    Ok(best)
}

/// The best rates of Quotient without symmetry, in executions, and of pan, in transitions.
fn eight_threads(tools: &Tools, options: &Options) -> Result<(f64, f64), String> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/peterson.pml");
    let pan = Pan::build(&model, &["-DN=4"])?;
    let (mut best, mut best_pan) = (0.0_f64, 0.0_f64);
    for _ in 0..options.runs.max(PAN_RUNS) {
        let side = pan.run()?;
        best_pan = best_pan.max(side.transitions as f64 / side.cpu);
        best = best.max(fetch_add(tools, Tool::Plain, 8)?);
    }
    Ok((best, best_pan))
}

fn fetch_add(tools: &Tools, tool: Tool, threads: usize) -> Result<f64, String> {
    // Without the limit of the table: a ratio needs both sides.
    let cell = tools.check(tool, &Request { program: "fetch-add", threads, limit: 600.0, repeat: REPEAT });
    match (cell.rate(), cell) {
        (Some(rate), _) => Ok(rate),
        (None, Cell::Failed(message)) => Err(format!("fetch-add × {threads}, {}: {message}", tool.title())),
        (None, _) => Err(format!("fetch-add × {threads}, {}: no rate", tool.title())),
    }
}
