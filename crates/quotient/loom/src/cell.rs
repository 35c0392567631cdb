//! Cells whose accesses are checked for data races. To make a cell is already an access: a thread that finds it without
//! being told through synchronisation races with the one that has made it.

mod overlap;
mod plain;
mod pointer;
mod unsafe_cell;

pub use plain::Cell;
pub use pointer::{ConstPtr, MutPtr};
pub use unsafe_cell::UnsafeCell;
