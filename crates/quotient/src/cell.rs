//! Cells whose accesses are checked for data races. The shapes are loom's, because std's `UnsafeCell::get` does not say
//! when an access begins and ends; the cells of std that stay within one thread are here as they are.

mod access;
mod plain;
mod pointer;
mod unsafe_cell;

pub use plain::Cell;
pub use pointer::{ConstPtr, MutPtr};
pub use std::cell::{BorrowError, BorrowMutError, LazyCell, OnceCell, Ref, RefCell, RefMut};
pub use unsafe_cell::UnsafeCell;
