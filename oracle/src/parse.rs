//! The text form of programs and litmus tests. It is a notation of our own for what the litmus tests of Alglave,
//! Maranget, Tautschnig (TOPLAS 2014) say.
//!
//! ```text
//! # store buffering
//! name SB
//! init x=0 y=0
//! thread { store rlx x 1; r0 = load rlx y }
//! thread { store rlx y 1; r0 = load rlx x }
//! outcome 0:r0=0 & 1:r0=0   sc: never   tso, ra, rc11: sometimes
//! executions sc: 3   tso, ra, rc11: 4
//! ```
//!
//! Instructions end with a line or a semicolon. They are `r0 = load MODE LOC`, `store MODE LOC EXPR`, `r0 = OP MODE LOC
//! EXPR` with `OP` one of `add sub and or xor swap max min`, `r0 = cas SUCCESS FAILURE LOC EXPR EXPR` (`r0, r1 = …` for the
//! success, `cas_weak` for one that may fail without reason), `fence MODE`, `if EXPR { … } else { … }`, `assume EXPR`, `r0 = set EXPR`,
//! `lock LOC` and `unlock LOC`. The two expressions of `cas` are atoms or in parentheses. `threads 3 { … }` is three
//! identical threads. What can be said of the executions is described at [`Litmus`].

mod code;
mod cursor;
mod expr;
mod lex;
mod litmus;

use std::fmt;

pub use litmus::parse;

#[cfg(doc)]
use crate::Litmus;

/// What is wrong with a text, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}
