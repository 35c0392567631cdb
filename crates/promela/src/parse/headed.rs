//! Statements of a fixed shape: a word, then a header in parentheses. What follows the header of `for` is a block like
//! any other.

use quotient_report::diagnostic::Diagnostic;

use super::cursor::{Cursor, Failed, Parsed};
use super::{expressions, statements};
use crate::ast::{Expr, ExprKind, Sequence, StmtKind};
use crate::token::{Punct, TokenKind};

/// `for (v : a .. b) { … }`, `for (v in c) { … }`
pub(super) fn for_loop(p: &mut Cursor) -> Parsed<StmtKind> {
    p.bump();
    let open = p.open_paren("after `for`")?;
    let var = expressions::var_ref(p)?;
    if p.eat_word("in") {
        let collection = expressions::var_ref(p)?;
        p.close_paren(open)?;
        let body = for_body(p)?;
        return Ok(StmtKind::ForIn { var, collection, body });
    }
    if !p.at(Punct::Colon) {
        return Err(for_header(p));
    }
    p.bump();
    if scalarset_ahead(p)
        && let [field] = &var.path[..]
        && field.index.is_none()
    {
        let (var, set) = (field.name.clone(), p.name("a scalarset")?);
        p.close_paren(open)?;
        let body = for_body(p)?;
        return Ok(StmtKind::ForEach { var, set, body });
    }
    let (from, to) = range(p)?;
    p.close_paren(open)?;
    let body = for_body(p)?;
    Ok(StmtKind::ForRange { var, from, to, body })
}

/// Reports a wrong header, most likely that of C, and skips it with the `;` in it.
#[cold]
fn for_header(p: &mut Cursor) -> Failed {
    let message = format!("expected `:` or `in` after the variable of `for`, found {}", p.found());
    let help = "write `for (i : 1 .. n) { … }` or `for (i in a) { … }`";
    let failed = p.fail(Diagnostic::error(p.span(), message).help(help));
    while p.parens > 0 && !p.at_end() && !p.at(Punct::LeftBrace) && !p.at(Punct::RightBrace) {
        p.parens += u32::from(p.at(Punct::LeftParen));
        p.parens -= u32::from(p.at(Punct::RightParen));
        p.bump();
    }
    failed
}

fn for_body(p: &mut Cursor) -> Parsed<Sequence> {
    p.eat(Punct::Semicolon);
    statements::block(p, "after `for (…)`")
}

/// `a .. b`
fn range(p: &mut Cursor) -> Parsed<(Expr, Expr)> {
    let from = expressions::expression(p)?;
    p.expect(Punct::DotDot, "between the bounds")?;
    Ok((from, expressions::expression(p)?))
}

/// Whether a type alone stands in the header, in place of a range.
fn scalarset_ahead(p: &Cursor) -> bool {
    p.word().is_some_and(|word| p.typedefs.contains(&word)) && p.ahead(1).is(Punct::RightParen)
}

/// `select (v : a .. b)`, `select (v : T)`
pub(super) fn select(p: &mut Cursor) -> Parsed<StmtKind> {
    p.bump();
    let open = p.open_paren("after `select`")?;
    let var = expressions::var_ref(p)?;
    p.expect(Punct::Colon, "after the variable of `select`")?;
    if scalarset_ahead(p) {
        let set = p.name("a scalarset")?;
        p.close_paren(open)?;
        return Ok(StmtKind::Choose { var, set });
    }
    let (from, to) = range(p)?;
    p.close_paren(open)?;
    Ok(StmtKind::Select { var, from, to })
}

/// `printf("…", a, b)`
pub(super) fn printf(p: &mut Cursor) -> Parsed<StmtKind> {
    p.bump();
    let open = p.open_paren("after `printf`")?;
    let TokenKind::Text(format) = p.token().kind.clone() else {
        return Err(p.expected("a string, which `printf` needs first"));
    };
    p.bump();
    let args = if p.eat(Punct::Comma) { expressions::expressions(p)? } else { Vec::new() };
    p.close_paren(open)?;
    Ok(StmtKind::Printf { format, args })
}

/// `printm(m)`
pub(super) fn printm(p: &mut Cursor) -> Parsed<StmtKind> {
    p.bump();
    let open = p.open_paren("after `printm`")?;
    let expr = expressions::expression(p)?;
    if !matches!(expr.kind, ExprKind::Var(_) | ExprKind::Const(_)) {
        p.error(Diagnostic::error(expr.span, "`printm` takes one variable or constant"));
    }
    p.close_paren(open)?;
    Ok(StmtKind::Printm(expr))
}

/// `set_priority(p, n)`
pub(super) fn set_priority(p: &mut Cursor) -> Parsed<StmtKind> {
    p.bump();
    let open = p.open_paren("after `set_priority`")?;
    let process = expressions::expression(p)?;
    p.expect(Punct::Comma, "and the priority")?;
    let priority = expressions::expression(p)?;
    p.close_paren(open)?;
    Ok(StmtKind::SetPriority(process, priority))
}
