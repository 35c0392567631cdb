//! Representative functions: one name for all states that differ by a renaming of what the model's [`Symmetry`] allows to
//! be renamed.
//!
//! A [`Plan`] says what a renaming does to the bytes of a state; a [`Reducer`] finds representatives by one
//! [`Strategy`]. A search looks representatives up in its visited set and goes on from the states themselves.
//!
//! [`Symmetry`]: quotient_ir::Symmetry
//!
//! # Where things are
//!
//! - `plan.rs` is a symmetry compiled against the schema: which bytes change places, which are names, which are ids of
//!   channels that change places; `plan/build.rs` makes it. `plan/code.rs` has what values stand for where that is more
//!   than a run of names of one set, and control states that stand for members; `plan/unread.rs` has what nobody will
//!   read. `orbit.rs` has single renamings and exact sizes of orbits.
//! - `sort.rs` has the strategies of "Symmetric Spin"; `label.rs` turns a state into a structure of `group` for
//!   `canonical`; `reducer.rs` is what a search calls.
//! - `obstacle.rs` finds why a symmetry cannot be used, and lets ended processes stay; `error.rs` has the reasons.
//!
//! # What must stay true
//!
//! - A representative is always in the orbit of its state. A strategy says whether it is canonical; where `canonical`
//!   runs out of its budget, that is counted.
//! - Elements of a class have one layout; what does not fit together is refused when the plan is made.
//! - A representative costs no allocation once the model's kinds of states have been seen.

#![forbid(unsafe_code)]

mod error;
pub mod heap;
mod label;
mod obstacle;
mod orbit;
mod plan;
mod reducer;
mod representative;
mod sort;
mod strategy;

pub use error::{Misfit, Obstacle, UnknownStrategy};
pub use heap::{HeapReducer, HeapStrategy};
pub use obstacle::{ending_family, ends_are_unseen, keep_ended, keep_types, obstacle};
pub use plan::{Arrangement, Images, Plan};
pub use reducer::{Counts, Reducer, group_size};
pub use representative::{Itself, Representative};
pub use strategy::Strategy;
