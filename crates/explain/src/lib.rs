//! From what was found in a model to what a person reads: runs are repeated on the reference interpreter, told in the user's
//! names, and saved in files. What an engine claims is believed only if the repeated run shows it ([`explain`]).
//!
//! ```
//! use quotient_explain::{Keep, Subject, explain};
//!
//! let text = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n";
//! let options = quotient_promela::Options::default();
//! let loaded = quotient_promela::load_with("m.pml".as_ref(), &options, &|_| Ok(text.into()));
//! let model = loaded.model.expect("a model");
//! let found = quotient_search::explore(&model, &Default::default(), &mut |_| true);
//!
//! let subject = Subject { model: &model, sources: &loaded.sources, promises: false };
//! let violation = &found.violations[0];
//! let explained = explain(subject, &violation.error, &violation.path, Keep::ALL, None)?;
//! assert_eq!(explained.violation.message, "assertion violated");
//! assert_eq!(explained.violation.trace[0].effect.statement, "x = 1");
//! assert_eq!(explained.diagnostic.label, "x is 1");
//! # Ok::<(), quotient_explain::Unconfirmed>(())
//! ```
//!
//! # Where things are
//!
//! - `violation.rs` repeats a violation and puts it into words; `replay.rs` repeats a run step by step and keeps what is
//!   wanted of it; `narrate.rs` tells the steps, `snapshot.rs` the state at the end, `names.rs` has the user's names;
//!   `probe.rs` asks the reference interpreter what an expression is worth.
//! - `lasso.rs` repeats a run that violates a temporal property, and tells it; `watch.rs` is what it must show: the cycle
//!   closes, the claim is false on the run, and the run is fair; `claim.rs` runs a never claim beside it.
//! - `written.rs` turns a run of a model whose statements are merged into one of the model as it is written.
//! - `trace_file.rs` is the form of saved runs; `target.rs` refuses files that cannot be written, before a search.
//!
//! # What must stay true
//!
//! - What an engine claims is told only if the run shows it on the reference interpreter.

#![forbid(unsafe_code)]

mod claim;
mod heap;
mod lasso;
mod lives;
mod messages;
pub mod names;
mod narrate;
mod print;
mod probe;
mod replay;
mod snapshot;
pub mod target;
pub mod trace_file;
mod violation;
mod watch;
mod written;

pub use lasso::{Lasso, Refuted, explain_lasso};
pub use lives::Lives;
pub use replay::{Keep, MOST_KEPT, Misfit, Replay, Replayed, Show, Subject, replay};
pub use snapshot::snapshot;
pub use violation::{Explained, Unconfirmed, explain, message, violation};
pub use written::as_written;
