//! Checks concurrent Rust code.
