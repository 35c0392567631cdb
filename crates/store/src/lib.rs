//! Visited sets: which states a search has met. [`exact`] keeps every state's bytes.

pub mod exact;
mod pages;

pub use exact::{Entry, Exact, Insert};
