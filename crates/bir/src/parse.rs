//! The parser: tokens to a syntax tree. It goes on after a mistake, at the next statement or member.

mod bodies;
mod cursor;
mod declarations;
mod expressions;
mod formulas;
mod types;

use quotient_report::diagnostic::Diagnostic;

use crate::ast::{Claim, Name, System};
use crate::token::Token;

/// The deepest nesting of statements and expressions.
const MAX_DEPTH: usize = 200;

/// Parses a system; without one, there is a message.
pub(crate) fn parse(tokens: Vec<Token>) -> (Option<System>, Vec<Diagnostic>) {
    let mut cursor = cursor::Cursor::new(tokens);
    let system = cursor.system().ok();
    (system, cursor.into_diagnostics())
}

/// Parses a formula that stands alone; without one, there is a message.
pub(crate) fn parse_formula(tokens: Vec<Token>, name: Name) -> (Option<Claim>, Vec<Diagnostic>) {
    let mut cursor = cursor::Cursor::new(tokens);
    let claim = cursor.whole_formula(name).ok();
    (claim, cursor.into_diagnostics())
}
