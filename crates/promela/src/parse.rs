//! The parser: tokens to syntax tree, with every inline call expanded on the way. It reports all the mistakes it can
//! find and always returns a tree, in which a statement it could not read stands as `skip`.

mod cursor;
mod declarations;
mod dynamic;
mod expressions;
mod formulas;
mod headed;
mod inline;
mod statements;
#[cfg(test)]
mod tests;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::SourceMap;

use crate::ast::Spec;
use crate::token::Token;
use cursor::Cursor;

/// How deep blocks, options, parentheses, operators and inline calls may nest together. The parser, and everything
/// that walks or drops the tree, recurses once per level, so this is what keeps them inside a 2 MB stack.
pub const MAX_DEPTH: usize = 250;

/// Parses a specification. Statements must be separated by `;` or `->` (a `}` or `else` also ends one); use
/// [`parse_with_lines`] to let line breaks separate them too, as SPIN 6.3 and later do.
pub fn parse(tokens: &[Token]) -> (Spec, Vec<Diagnostic>) {
    run(tokens, false, |_, _| false)
}

/// Parses a specification in which, as in SPIN, a line break ends a statement that is complete. The line breaks are
/// looked up in `sources`, because tokens do not carry them. `dynamic` says whether the words of dSPIN are understood.
pub fn parse_with_lines(tokens: &[Token], sources: &SourceMap, dynamic: bool) -> (Spec, Vec<Diagnostic>) {
    run(tokens, dynamic, |before, after| line_break_between(before, after, sources))
}

fn run(tokens: &[Token], dynamic: bool, line_break: impl Fn(&Token, &Token) -> bool) -> (Spec, Vec<Diagnostic>) {
    let mut p = Cursor::new(tokens, dynamic, line_break);
    let units = declarations::units(&mut p);
    let taken = std::mem::take(&mut p.taken);
    (Spec { units, taken, has_null: p.has_null }, p.into_diagnostics())
}

/// Tokens out of one macro share a span, so nothing lies between them; the next file of an `#include` is a new line.
fn line_break_between(before: &Token, after: &Token, sources: &SourceMap) -> bool {
    if before.span.file != after.span.file {
        return true;
    }
    let Some(file) = sources.files().get(before.span.file.0 as usize) else { return false };
    let Some(gap) = file.text.get(before.span.end as usize..after.span.start as usize) else { return false };
    // A newline after a backslash joins two lines, so it does not count.
    let bytes = gap.as_bytes();
    bytes.iter().enumerate().any(|(i, &b)| {
        let joined = match i.checked_sub(1).map(|j| bytes[j]) {
            Some(b'\r') => i >= 2 && bytes[i - 2] == b'\\',
            before => before == Some(b'\\'),
        };
        b == b'\n' && !joined
    })
}
