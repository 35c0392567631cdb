//! C and C++ programs: compiled by the user's own compiler with `-fsanitize=thread`, loaded, and explored.
//!
//! The instrumentation turns every access to memory into a call. The program is linked, together with the C++ library,
//! into one shared object in which those calls, and all of the C library that must not be done for real, lead to a table
//! of functions of this crate (`calls/imports.rs`, and `glue/`). Nothing of the process itself is replaced, so the checker can go
//! on using its own memory and threads.
//!
//! Atomic operations and what blocks are visible operations: they become events of the execution graph. Plain accesses
//! do not: threads always run in an order that extends happens-before, so plain memory behaves as it should as long as
//! there is no race, and races are found with clocks (`memory/shadow.rs`), as in FastTrack (PLDI 2009).
//!
//! All of that is for Linux on an x86-64 processor. Elsewhere a program cannot be compiled, and the problem says so.

mod input;
mod options;
mod problem;

pub use input::{Language, is_native};
pub use options::{AddressOrder, Checkpoints, Interrupted, Leaks, Options, Stuck, Writer};
pub use problem::Problem;

/// Declares what there is on this system only.
macro_rules! here {
    ($($item:item)*) => {
        $(#[cfg(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere)))] $item)*
    };
}

here! {
    mod build;
    mod calls;
    mod check;
    mod machine;
    mod memory;

    use check::sandbox::is_available as is_sandbox_available;

    pub use build::compile::{Compiled, compile};
    pub use build::directory::remove_all;
    pub use calls::library;
    pub use check::child::stopped;
    pub use check::layouts::check;
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere))))]
mod elsewhere;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere))))]
use elsewhere::is_sandbox_available;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere))))]
pub use elsewhere::{Compiled, check, compile, remove_all, stopped};
