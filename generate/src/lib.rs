//! Random and damaged models, for tests and fuzzers. Everything is determined by a seed, and is text: what it means is
//! for others to find out.
//!
//! [`symmetric`] and [`idiom`] write symmetric models, [`promise`] models with promises, [`lives`]
//! models with processes that come and go, [`damage`] breaks one place of a model, and [`shrink`] makes a
//! model smaller while it keeps some property.

pub mod damage;
pub mod idiom;
pub mod lives;
pub mod promise;
pub mod random;
pub mod shrink;
pub mod symmetric;
pub mod tokens;
