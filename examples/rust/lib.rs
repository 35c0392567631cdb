//! The examples are tests: see `tests`.
