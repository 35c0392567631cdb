//! The table in Markdown. It is printed a row at a time, because the whole takes long.

use super::cell::Cell;
use super::plan::Program;
use super::tool::Tool;

/// Prints the headings.
pub fn print_head() {
    let titles: Vec<&str> = Tool::ALL.into_iter().map(Tool::title).collect();
    println!("| program | N | {} |", titles.join(" | "));
    println!("| --- | ---: |{}", " --- |".repeat(Tool::COUNT));
}

/// Prints a row.
pub fn print_row(program: &Program, threads: usize, cells: &[Cell; Tool::COUNT]) {
    let texts: Vec<String> = cells.iter().map(Cell::to_string).collect();
    println!("| {} | {threads} | {} |", program.title, texts.join(" | "));
}
