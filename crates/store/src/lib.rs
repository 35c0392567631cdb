//! Visited sets: which states a search has met. [`exact`] keeps every state's bytes, [`tree`] keeps equal parts of states once.
//! A set can be written to a file and read back.

pub mod exact;
mod pages;
mod saved;
mod store;
pub mod tree;

pub use exact::{Entry, Exact, Insert};
pub use store::Store;
pub use tree::Tree;
