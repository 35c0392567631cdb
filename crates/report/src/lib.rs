//! What was found: verdicts, stop reasons, statistics, traces, and diagnostics about the input.
//! Knows nothing of how it was found, and never prints by itself.

#![forbid(unsafe_code)]

pub mod answer;
pub mod diagnostic;
pub mod execution;
pub mod graph;
pub mod processes;
pub mod program;
pub mod property;
pub mod render;
pub mod run;
pub mod sequence;
pub mod shown;
pub mod source;
pub mod standing;
pub mod stats;
pub mod summary;
pub mod text;
pub mod trace;
pub mod verdict;

pub use answer::Answer;
pub use execution::Execution;
