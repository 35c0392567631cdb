//! Checks concurrent Rust programs in every way that their threads and memory can behave.
//!
//! Write a program with [`sync`], [`thread`] and [`cell`] from here instead of from `std`, and give it to [`check`], or
//! write `#[quotient::test]` instead of `#[test]`. What is wrong with it in any execution is found: panics, data races,
//! deadlocks, leaks. Executions that differ only in which of several like threads does what are explored once.
//!
//! ```
//! use quotient::sync::atomic::{AtomicUsize, Ordering};
//! use quotient::sync::Arc;
//! use quotient::thread;
//!
//! quotient::check(|| {
//!     let counter = Arc::new(AtomicUsize::new(0));
//!     let threads: Vec<_> = (0..3)
//!         .map(|_| {
//!             let counter = counter.clone();
//!             thread::spawn(move || {
//!                 counter.fetch_add(1, Ordering::Relaxed);
//!             })
//!         })
//!         .collect();
//!     for thread in threads {
//!         thread.join().unwrap();
//!     }
//!     assert_eq!(counter.load(Ordering::Relaxed), 3);
//! });
//! ```
//!
//! The program runs many times, so it must do the same each time: no clocks, no random numbers other than [`choose`],
//! no threads or shared memory of `std`. `std::sync::Arc` is fine.

pub mod alloc;
pub mod cell;
pub mod future;
pub mod helping;
pub mod hint;
pub mod panic;
pub mod sync;
pub mod thread;

mod builder;
mod connect;
mod contents;
mod engine;
mod env;
mod internal;
mod lazy_static;
mod nondeterminism;
#[doc(hidden)]
pub mod ops;
mod per_execution;
mod report;
mod statics;
mod token;

pub use builder::{AddressOrder, Builder, check};
pub use nondeterminism::{any_bool, assume, choose};
pub use quotient_macros::test;
pub use quotient_report::Answer;
pub use quotient_runtime::{Estimate, MemoryModel, Stop, Tracked, ViolationKind};

/// The memory of checked programs is looked after, so that none is used before it is published or after it is freed.
#[cfg(feature = "allocator")]
#[global_allocator]
static ALLOCATOR: Tracked = Tracked;
pub use report::Report;
