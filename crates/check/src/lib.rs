//! One call for each kind of input: [`model()`] checks a model in Promela or BIR, [`program()`] a C or C++ program, [`processes()`] a set of
//! processes. Options are data ([`ModelOptions`], [`ProgramOptions`], [`ProcessOptions`]), progress goes to an [`Observer`], and
//! nothing is printed.

#![forbid(unsafe_code)]

mod checkpoint;
mod counting;
mod dropped;
mod error;
mod heap;
mod input;
mod keep;
mod memory;
mod model;
mod observer;
mod options;
mod parse;
mod process_answer;
mod process_run;
mod processes;
mod program;
mod select;
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
    processes, replay_processes,
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
