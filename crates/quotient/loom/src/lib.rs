//! loom's API on Quotient: the tests of a crate that uses loom 0.7 run here by changing one line.
//!
//! ```toml
//! [target.'cfg(loom)'.dependencies]
//! loom = { package = "quotient-loom", version = "0.1" }
//! ```
//!
//! A test stays as it is, and so does how it is run: `RUSTFLAGS="--cfg loom" cargo test --release`.
//!
//! ```
//! # use quotient_loom as loom;
//! use loom::sync::Arc;
//! use loom::sync::atomic::AtomicUsize;
//! use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
//! use loom::thread;
//!
//! loom::model(|| {
//!     let message = Arc::new(AtomicUsize::new(0));
//!     let ready = Arc::new(AtomicUsize::new(0));
//!     let sender = thread::spawn({
//!         let (message, ready) = (message.clone(), ready.clone());
//!         move || {
//!             message.store(42, Relaxed);
//!             ready.store(1, Release);
//!         }
//!     });
//!     if ready.load(Acquire) == 1 {
//!         assert_eq!(message.load(Relaxed), 42);
//!     }
//!     sender.join().unwrap();
//! });
//! ```
//!
//! # What is different
//!
//! * The search is exhaustive without bounds, so there is no limit on threads and no need for a bound on preemptions.
//!   A loop that waits is recognised, with or without `yield_now`, and does not have to be bounded either.
//! * The memory model is RC11. `SeqCst` has its meaning, where loom takes it for `AcqRel`; locks and joins order no more
//!   than they do in Rust, where loom makes them fences. So a test can pass here that fails there, and the reverse.
//! * A failure shows the execution, and how to run it again.
//! * [`Barrier`](sync::Barrier) works, and there is more of std: `Once`, `OnceLock`, `LazyLock`, `Weak`, `scope`,
//!   `sync_channel`.
//! * A value of `lazy_static!` lives until the execution ends; loom drops it when the first thread ends, and a thread that
//!   uses it later panics.
//!
//! What a test sets by [`model::Builder`] or by loom's environment variables means the same, where it still means
//! something; each field says what has become of it. Quotient's own variables (`QUOTIENT_MODEL`, `QUOTIENT_JOBS`, …; see
//! [`quotient::Builder`]) work as well.

pub mod alloc;
pub mod cell;
pub mod future;
pub mod hint;
pub mod lazy_static;
pub mod model;
pub mod sync;
pub mod thread;

mod explore;

pub use explore::{explore, skip_branch, stop_exploring};
#[doc(inline)]
pub use model::model;
pub use quotient::{lazy_static, thread_local};

/// How many threads an execution may have.
///
/// loom has 5. Here it is only as many as Quotient can count, and nothing is reserved for them.
pub const MAX_THREADS: usize = 1000;
