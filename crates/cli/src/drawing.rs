//! `--heap-graph`: the heap at the end of a run, drawn into a file.

use std::path::{Path, PathBuf};

use quotient_check::Language;
use quotient_explain::target::{check_writable, spare_inputs};
use quotient_report::graph;
use quotient_report::trace::Snapshot;

/// Whether the model can have a heap, and the file can be written and is none of the inputs: asked before anything starts.
pub(crate) fn check<'a>(
    file: Option<&PathBuf>,
    language: Language,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    if language == Language::Promela {
        return Err("--heap-graph is for models with a heap, and Promela has none".to_string());
    }
    check_writable(file).map_err(|problem| problem.to_string())?;
    spare_inputs(file, "input", inputs).map_err(|problem| problem.to_string())
}

/// Draws the heap of a state, if that was asked for.
pub(crate) fn draw(file: Option<&PathBuf>, state: Option<&Snapshot>) -> Result<(), String> {
    let (Some(file), Some(state)) = (file, state) else { return Ok(()) };
    let written = std::fs::write(file, graph::dot(state));
    written.map_err(|problem| format!("cannot write `{}`: {problem}", file.display()))
}

/// What to say about the drawing.
pub(crate) fn told(file: Option<&PathBuf>, is_drawn: bool) -> String {
    match file {
        None => String::new(),
        Some(_) if !is_drawn => "There is no run whose heap could be drawn.\n".to_string(),
        Some(file) => {
            let name = file.display();
            format!("The heap at the end is drawn in {name}: dot -Tsvg {name}\n")
        }
    }
}
