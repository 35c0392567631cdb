//! Random and damaged models and programs, for tests, fuzzers and benches. Everything is determined by a seed, and is text:
//! what it means is for others to find out.
//!
//! [`promela`] writes models that use every construct of the language, [`symmetric`] and [`idiom`] symmetric models,
//! [`promise`] and [`promising`] models with promises, [`lives`] models with processes that come and go; [`patterns`] is a
//! list of symmetric models written by hand. [`c`] writes C programs, [`heap`] programs with a heap in
//! two languages. [`damage`] breaks one place of a model, [`text`] any
//! text and [`statements`] one statement of a program; [`shrink`] makes a model smaller while it keeps some property.

#![forbid(unsafe_code)]

pub mod addresses;
pub mod c;
pub mod channels;
pub mod damage;
pub mod heap;
pub mod idiom;
pub mod lives;
pub mod members;
pub mod patterns;
pub mod promela;
pub mod promise;
pub mod promising;
pub mod random;
pub mod shrink;
pub mod statements;
pub mod symmetric;
pub mod text;
pub mod tokens;
