//! Representative functions: one name for all states that differ by a renaming of what the model's [`Symmetry`] allows to
//! be renamed.
//!
//! A [`Plan`] says what a renaming does to the bytes of a state; a [`Reducer`] finds representatives by one
//! [`Strategy`]. A search looks representatives up in its visited set and goes on from the states themselves.
//!
//! [`Symmetry`]: quotient_ir::Symmetry

#![forbid(unsafe_code)]

pub mod heap;
mod label;
mod obstacle;
mod orbit;
mod plan;
mod reducer;
mod representative;
mod sort;
mod strategy;

pub use heap::{HeapReducer, HeapStrategy};
pub use obstacle::{ending_family, ends_are_unseen, keep_ended, keep_types, obstacle};
pub use plan::{Arrangement, Images, Plan};
pub use reducer::{Counts, Reducer, group_size};
pub use representative::{Itself, Representative};
pub use strategy::Strategy;
