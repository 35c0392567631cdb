//! Symmetry without states: permutations and their groups, ordered partitions, colour refinement, and the canonical
//! labelling of structures that are built from points.
//!
//! A caller describes whatever it wants to rename as a [`Structure`]: points in several [`Sort`]s, each with its
//! [`Group`], and what is known of them: colours, edges, relations. A [`Canonizer`] then finds the element of the
//! product of these groups that takes the structure to the one name its orbit has.
//!
//! ```
//! use quotient_group::{Canonizer, Group, Sort, Structure};
//!
//! // Three processes with a program counter each; the one at 7 waits for another.
//! let mut canonizer = Canonizer::new();
//! let mut structure = Structure::new(&[Sort { size: 3, group: Group::Symmetric }]);
//! let mut representative = |counters: [u64; 3], waits: (usize, usize)| {
//!     structure.clear();
//!     structure.colours_mut(0).copy_from_slice(&counters);
//!     structure.edge(0, structure.point(0, waits.0), structure.point(0, waits.1));
//!     let labelling = canonizer.canonize(&structure);
//!     assert!(labelling.is_canonical());
//!     let images = labelling.images(0);
//!     let mut renamed = [0; 3];
//!     for (member, counter) in counters.into_iter().enumerate() {
//!         renamed[usize::from(images[member])] = counter;
//!     }
//!     (renamed, images[waits.0], images[waits.1])
//! };
//! assert_eq!(representative([1, 7, 1], (1, 2)), representative([7, 1, 1], (0, 1)));
//! ```
//!
//! The algorithm is individualisation and refinement (McKay & Piperno, *Practical graph isomorphism, II*, 2014), run on
//! the structure itself and not on a graph that encodes it, with two short cuts for what states of protocols look like:
//! cells whose members are interchangeable, and components that are independent of each other. That scalarsets are
//! sorts whose group is the symmetric one is due to Ip & Dill (*Better verification through symmetry*, 1996). A lone
//! ring is solved by its least rotation (Booth, *Lexicographically least circular substrings*, 1980).
//!
//! # Where things are
//!
//! - `structure.rs` says what a caller pushes and what it must guarantee; `canonize.rs` is the search, with `refine.rs`
//!   (colour refinement), `components.rs` (what need not be searched) and `ring.rs` (least rotations) beside it.
//! - `cargo bench -p quotient-group` prints the time for one labelling.
//!
//! # What must stay true
//!
//! - A labelling is made of elements of the groups, whatever the caller pushed. If it says that it is canonical, all
//!   structures of the orbit get the same name, whatever the hashes.
//! - A workspace that is warm allocates nothing.

#![forbid(unsafe_code)]

mod arcs;
mod canonize;
mod classes;
mod components;
pub mod group;
mod partition;
pub mod permutation;
mod refine;
mod ring;
pub mod structure;

pub use canonize::{Canonizer, Labelling};
pub use group::{Group, Sort};
pub use permutation::Permutation;
pub use structure::{Point, RelationId, Structure};

#[cfg(test)]
extern crate self as quotient_group;
#[cfg(test)]
mod tests;
