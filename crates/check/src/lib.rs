//! One call for each kind of input: [`model`] checks a Promela model, [`program`] a C or C++ program. Options are data
//! ([`ModelOptions`], [`ProgramOptions`]), progress goes to an [`Observer`], and nothing is printed.

#![forbid(unsafe_code)]

mod checkpoint;
mod dropped;
mod error;
mod input;
mod keep;
mod memory;
mod model;
mod observer;
mod options;
#[cfg(feature = "clap")]
mod parse;
mod program;
mod select;
mod symmetry;
mod words;

pub use checkpoint::CheckpointError;
pub use error::Error;
pub use input::{Input, ModelSource, load};
pub use model::model;
pub use observer::{Beginning, Observed, Observer, Progress};
pub use options::{Common, ModelOptions, ProgramOptions, Told};
pub use program::program;
pub use quotient_explain::Keep;
pub use quotient_explain::trace_file::Define;
pub use quotient_report::answer::Answer;
pub use quotient_report::verdict::{StopReason, Verdict};
pub use words::{
    AddressOrder, Clock, Leaks, MemoryModel, Order, Por, Property, Sandbox, StuckThreads, Symmetry, Volatile,
};
