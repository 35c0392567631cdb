//! Visited sets: which states a search has met. [`exact`] keeps every state's bytes, [`tree`] keeps equal parts of states once.
//! A set can be written to a file and read back.
//!
//! # Where things are
//!
//! - `exact.rs` keeps states whole: a table of tagged addresses into an arena, in huge pages where there are any.
//!   `saved.rs` writes such a set to a file and reads it back.
//! - `tree.rs` keeps equal parts once. `tree/plan.rs` says how a state is cut, `tree/nodes.rs` has leaves and pairs,
//!   `tree/roots.rs` the table of states, `tree/saved.rs` the file. Where components end, the caller says: for models
//!   `search/src/engine/visited.rs`, by the shape.
//!
//! # What must stay true
//!
//! - A state keeps its entry when a set grows or is read back, and no table is ever there twice, also while it grows.
//! - What is found does not depend on the set. `crates/search/tests/stores.rs` holds them to that.
//! - Two different states are never taken for one.

pub mod exact;
mod pages;
mod saved;
mod store;
pub mod tree;

pub use exact::{Entry, Exact, Insert};
pub use store::Store;
pub use tree::Tree;
