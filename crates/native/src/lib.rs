//! C and C++ programs: compiled by the user's own compiler with `-fsanitize=thread`, loaded, and explored.
//!
//! The instrumentation turns every access to memory into a call. The program is linked, together with the C++ library,
//! into one shared object in which those calls, and all of the C library that must not be done for real, lead to a table
//! of functions of this crate (`table`, and `glue/`). Nothing of the process itself is replaced, so the checker can go
//! on using its own memory and threads.
//!
//! Atomic operations and what blocks are visible operations: they become events of the execution graph. Plain accesses
//! do not: threads always run in an order that extends happens-before, so plain memory behaves as it should as long as
//! there is no race, and races are found with clocks (`shadow`), as in FastTrack (PLDI 2009).

mod abi;
mod addresses;
mod alloc;
mod answer;
mod atomic;
mod bare;
mod bits;
mod bounds;
mod carried;
mod check;
mod child;
mod clock;
mod compile;
mod compiler;
mod crash;
mod declare;
mod directory;
mod errno;
mod finals;
mod glue;
mod heap;
mod host;
mod identity;
mod image;
mod inline;
mod input;
mod keep;
mod layouts;
mod libc_calls;
pub mod library;
mod lifetime;
mod likeness;
mod locals;
mod machine;
mod maps;
mod options;
mod order;
mod processes;
mod said;
mod sandbox;
mod shadow;
mod symbols;
mod sync;
mod table;
mod threads;
mod timed;
mod unroll;
mod unwritten;
mod volatile;
mod wakeups;
mod watch;
mod wide;
mod world;
mod zones;

pub use child::stopped;
pub use compile::{Compiled, Problem, compile};
pub use directory::remove_all;
pub use input::{Language, is_native};
pub use keep::{Checkpoints, Writer};
pub use layouts::{AddressOrder, check};
pub use options::{Interrupted, Leaks, Options, Stuck};
