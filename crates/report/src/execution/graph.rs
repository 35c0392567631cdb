//! The execution graph as text: a column for each thread, its steps from top to bottom, what each read reads from; then
//! the coherence order of every place that is written more than once. The notation is that of the literature.

use super::act::notation;
use super::names::value;
use super::{Action, Execution, Source, Step};
use crate::text::{cut, fill, pad, width};

const LINE: usize = 110;
const WIDEST: usize = 40;
/// More writes of one place than this are not listed; the last ones are.
const MOST_WRITES: usize = 16;

/// The steps that are `kept`, as a graph.
pub(super) fn render(execution: &Execution, kept: &[bool]) -> String {
    let mut columns: Vec<Vec<String>> = Vec::new();
    for thread in &execution.threads {
        let cells = cells(execution, kept, thread.thread);
        if !cells.is_empty() {
            let mut column = vec![cut(&execution.who(thread.thread), WIDEST)];
            column.extend(cells);
            columns.push(column);
        }
    }
    let mut text = String::new();
    while !columns.is_empty() {
        let wide = |column: &Vec<String>| column.iter().map(|cell| width(cell)).max().unwrap_or(0);
        let mut room = LINE;
        let fit = columns.iter().take_while(|column| {
            let fits = wide(column) + 3 <= room;
            room = room.saturating_sub(wide(column) + 3);
            fits
        });
        let fit = fit.count().max(1);
        let group: Vec<Vec<String>> = columns.drain(..fit).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        let widths: Vec<usize> = group.iter().map(wide).collect();
        let height = group.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..height {
            let cell = |column: &Vec<String>, wide: usize| pad(column.get(row).map_or("", |cell| cell), wide);
            let cells: Vec<String> = group.iter().zip(&widths).map(|(column, &wide)| cell(column, wide)).collect();
            text.push_str(&format!("  {}\n", cells.join(" │ ").trim_end()));
            if row == 0 {
                let rules: Vec<String> = widths.iter().map(|&wide| "─".repeat(wide)).collect();
                text.push_str(&format!("  {}\n", rules.join("─┼─")));
            }
        }
    }
    text.push_str(&coherence(execution));
    text
}

/// The steps of one thread; an ellipsis stands for those that are left out.
fn cells(execution: &Execution, kept: &[bool], thread: usize) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    let mut left_out = false;
    let is_shown = |step: &Step| step.thread == thread && step.action != Action::End;
    for step in execution.steps.iter().filter(|step| is_shown(step)) {
        if !kept[step.step - 1] {
            left_out = true;
            continue;
        }
        if std::mem::take(&mut left_out) {
            cells.push("…".to_string());
        }
        cells.push(cut(&format!("{} {}", step.step, notation(execution, step)), WIDEST));
    }
    if left_out && !cells.is_empty() {
        cells.push("…".to_string());
    }
    cells
}

/// The order of the writes of each place that has more than one.
fn coherence(execution: &Execution) -> String {
    let mut text = String::new();
    for place in execution.places.iter().filter(|place| place.writes.len() > 1) {
        let with = |source: Source, written: Option<u64>| {
            let written = written.map_or(String::new(), |number| format!(" ({})", value(number)));
            match source {
                Source::Initial => format!("init{written}"),
                Source::Step(step) => format!("{step}{written}"),
            }
        };
        let skipped = place.writes.len().saturating_sub(MOST_WRITES);
        let first = if skipped == 0 { with(Source::Initial, place.initial) } else { "…".to_string() };
        let writes = place.writes[skipped..]
            .iter()
            .map(|&write| with(Source::Step(write), execution.step(write).and_then(|step| step.access()?.written)));
        let mut pieces = vec![format!("co {}: {first}", place.label)];
        pieces.extend(writes.map(|write| format!("→ {write}")));
        text.push_str(&fill(&pieces, " ", "  ", LINE));
    }
    text
}
