//! `--heap-graph`: the heap at the end of a run, drawn into a file.

use std::io;
use std::path::{Path, PathBuf};

use quotient_check::Language;
use quotient_explain::target::{TargetError, check_writable, spare_inputs};
use quotient_report::graph;
use quotient_report::trace::Snapshot;

/// Why there is no drawing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DrawingError {
    #[error("--heap-graph is for models with a heap, and Promela has none")]
    NoHeap,
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("cannot write `{}`: {_1}", _0.display())]
    Write(PathBuf, io::Error),
}

/// Whether the model can have a heap, and the file can be written and is none of the inputs: asked before anything starts.
pub(crate) fn check<'a>(
    file: Option<&PathBuf>,
    language: Language,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), DrawingError> {
    let Some(file) = file else { return Ok(()) };
    if language == Language::Promela {
        return Err(DrawingError::NoHeap);
    }
    check_writable(file)?;
    Ok(spare_inputs(file, "input", inputs)?)
}

/// Draws the heap of a state, if that was asked for.
pub(crate) fn draw(file: Option<&PathBuf>, state: Option<&Snapshot>) -> Result<(), DrawingError> {
    let (Some(file), Some(state)) = (file, state) else { return Ok(()) };
    std::fs::write(file, graph::dot(state)).map_err(|problem| DrawingError::Write(file.clone(), problem))
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
