//! Memory that is checked for leaks: loom's functions are Quotient's. What is freed must also have been allocated here,
//! with the same layout.

pub use quotient::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
