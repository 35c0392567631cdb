//! Visited sets: which states a search has met. [`exact`] keeps every state's bytes.
//! A set can be written to a file and read back.

pub mod exact;
mod pages;
mod saved;

pub use exact::{Entry, Exact, Insert};
