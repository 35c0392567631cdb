//! One call for each kind of input: [`model()`] checks a model in Promela or BIR, [`program()`] a C or C++ program, [`processes()`] a set of
//! processes. Options are data ([`ModelOptions`], [`ProgramOptions`], [`ProcessOptions`]), progress goes to an [`Observer`], and
//! nothing is printed.
//!
//! # Where things are
//!
//! - `options.rs` has every option once: as data, as a part of a command line (feature `clap`), and, as far as it is
//!   serialized, as what must be the same when a search goes on from a checkpoint. `words.rs` has the values that are
//!   words.
//! - `model.rs` and `program.rs` are the checks; `input.rs` reads models, `symmetry.rs` decides what to do about symmetry
//!   and tells what came of it, `counting.rs` has what is special about counting as SPIN does, `select.rs` decides which
//!   violations are told and how much of their runs, `dropped.rs` has the words for reductions that were dropped.
//! - `stages.rs` is what a checkpoint says of several properties.
//! - `wanted.rs` says which properties are checked, `temporal.rs` checks one that is temporal.
//! - `processes.rs` is the check of a set of processes, `system_file.rs` reads `.system` files, `process_run.rs` keeps
//!   runs.
//! - `checkpoint.rs` is the form of checkpoint files, for models and programs; `keep.rs` writes them and says what must
//!   be the same.
//! - `observer.rs`: whoever watches a check is told of progress, warnings and long runs, and can interrupt it.
//!   `error.rs`: why there is no answer.
//!
//! # What must stay true
//!
//! - It never prints. An option that an engine cannot honour is refused before anything starts.

#![forbid(unsafe_code)]

mod checkpoint;
mod counting;
mod dropped;
mod error;
mod heap;
mod input;
mod keep;
mod memory;
mod messages;
mod model;
mod observer;
mod options;
mod parse;
mod process_answer;
mod process_run;
mod processes;
mod program;
mod select;
mod stages;
mod symmetry;
mod system_file;
mod temporal;
mod wanted;
mod words;

pub use checkpoint::CheckpointError;
pub use error::Error;
pub use input::{Input, ModelSource, load, load_with, read};
pub use model::model;
pub use observer::{Beginning, Observed, Observer, Progress};
pub use options::{Common, ModelOptions, ProgramOptions, Reading, Told};
pub use processes::{
    ProcessFairness, ProcessFollow, ProcessMode, ProcessOptions, ProcessSet, ProcessSymmetry, StartedProcess,
    end_processes, processes, replay_processes,
};
pub use program::program;
pub use quotient_explain::Keep;
pub use quotient_explain::trace_file::Define;
pub use quotient_report::answer::Answer;
pub use quotient_report::verdict::{StopReason, Verdict};
pub use words::{
    AddressOrder, Algorithm, Clock, CountAs, Fair, Language, Leaks, MemoryModel, Order, Property, Reduce, Sandbox,
    StuckThreads, Symmetry, Volatile,
};
