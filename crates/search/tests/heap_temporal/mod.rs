//! What the tests of temporal properties of models with a heap are made of.

pub(crate) mod models;
pub(crate) mod oracle;
