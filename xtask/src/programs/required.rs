//! The speeds that are required of Quotient, each a ratio to something measured in the same minute.
//! Checks are repeated for a second of CPU time. Those of Quotient, which have few executions, explore the program many times
//! each, so that executions are measured and not the start of a check.

use super::Options;
use super::cell::{Cell, rate};
use super::tool::{Request, Tool, Tools};
use crate::reference::{GENMC_FETCH_ADD, Machine, REQUIRED};

/// For how long a check is repeated, in seconds of CPU time.
const REPEAT: f64 = 1.0;
/// How often pan and Quotient are measured in turn.
const PAN_RUNS: u32 = 5;

/// Measures and prints what is required.
pub fn measure(tools: &Tools, options: &Options) -> Result<(), String> {
    let [plain, loom, shuttle] = four_threads(tools, options)?;
    println!("fetch-add × 4, symmetry off, executions per CPU second:");
    println!();
    println!("- Quotient: {}; shuttle: {}; loom: {}", rate(plain), rate(shuttle), rate(loom));
    println!("- Quotient ÷ shuttle: {:.2} (required: 2)", plain / shuttle);
    println!("- Quotient ÷ loom: {:.2} (required: 20)", plain / loom);
    let (plain, machine) = eight_threads(tools, options)?;
    let required = machine.scale(REQUIRED * GENMC_FETCH_ADD);
    println!();
    println!("fetch-add × 8, symmetry off, executions per CPU second:");
    println!();
    println!("- {}", machine.describe());
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

/// The best rate of Quotient without symmetry, and the speed of the machine.
fn eight_threads(tools: &Tools, options: &Options) -> Result<(f64, Machine), String> {
    let mut machine = Machine::new()?;
    let mut best = 0.0_f64;
    for _ in 0..options.runs.max(PAN_RUNS) {
        machine.measure()?;
        best = best.max(fetch_add(tools, Tool::Plain, 8)?);
    }
    Ok((best, machine))
}

pub fn fetch_add(tools: &Tools, tool: Tool, threads: usize) -> Result<f64, String> {
    // Without the limit of the table: a ratio needs both sides.
    let cell = tools.check(tool, &Request { program: "fetch-add", threads, limit: 600.0, repeat: REPEAT });
    match (cell.rate(), cell) {
        (Some(rate), _) => Ok(rate),
        (None, Cell::Failed(message)) => Err(format!("fetch-add × {threads}, {}: {message}", tool.title())),
        (None, _) => Err(format!("fetch-add × {threads}, {}: no rate", tool.title())),
    }
}
