//! The text of the program that repeats executions of Rust programs; it is compiled when it is needed.

/// The text.
pub const SOURCE: &str = include_str!("replayer.rs");
