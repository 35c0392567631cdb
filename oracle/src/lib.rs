//! A brute-force oracle for checkers of weak-memory programs. It is slow, small and independent of every engine: it
//! enumerates all executions of tiny programs and filters them by the axioms of the memory model.

#![forbid(unsafe_code)]

mod axioms;
mod display;
mod enumerate;
mod execution;
mod graph;
mod interleave;
mod litmus;
pub mod loops;
pub mod parse;
mod program;
pub mod random;
mod relation;
mod thread;

pub use axioms::{MemoryModel, consistent, race};
pub use enumerate::{TooLarge, executions, executions_within};
pub use execution::{Access, Execution, Kind, Source, permutations};
pub use interleave::{Outcome, buffered, interleavings, stuck};
pub use litmus::{Claim, Litmus, Term, Verdict, check, holds, orbits};
pub use parse::{ParseError, parse};
pub use program::{Expr, Instr, Mode, Op, Program, Thread, classes};
