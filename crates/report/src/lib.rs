//! What was found: verdicts, stop reasons, statistics, traces, and diagnostics about the input.
//! Knows nothing of how it was found, and never prints by itself.
//!
//! # Where things are
//!
//! - `answer.rs` has the one `Answer` for models and programs; its JSON form is versioned by `SCHEMA`, and
//!   `docs/src/json.md` documents it. `verdict.rs` is the one place that says what a verdict follows from.
//! - `property.rs` has the answers about single properties of a model, and what is special about a run that repeats.
//! - `program.rs` renders the answer about a program, in whatever language it is, `processes.rs` that about a set of
//!   processes.
//! - `run.rs`, `sequence.rs`, `standing.rs`, `summary.rs` render the parts of an answer for people; `render.rs` renders
//!   diagnostics.
//!
//! # What must stay true
//!
//! - It knows nothing of how something was found, and prints nothing: renderers return strings.

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
