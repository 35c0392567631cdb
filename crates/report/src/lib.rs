//! What was found: verdicts, stop reasons, statistics, traces, and diagnostics about the input.
//! Knows nothing of how it was found, and never prints by itself.

pub mod diagnostic;
pub mod render;
pub mod source;
