//! Expressions: `||` binds least, then `&&`, then comparisons, then `+`, then `!`. The notation is our own; see
//! [`parse`](super).

use super::ParseError;
use super::cursor::Cursor;
use super::lex::Token;
use crate::program::Expr;

/// Makes an expression of two.
type Make = fn(Box<Expr>, Box<Expr>) -> Expr;

/// The operators of each level, those that bind least first.
const LEVELS: [&[(&str, Make)]; 4] = [
    &[("||", Expr::Or)],
    &[("&&", Expr::And)],
    &[("==", Expr::Eq), ("!=", Expr::Ne), ("<", Expr::Lt)],
    &[("+", Expr::Add)],
];

/// An expression.
pub(super) fn expr(cursor: &mut Cursor) -> Result<Expr, ParseError> {
    cursor.nested(|cursor| level(cursor, 0))
}

fn level(cursor: &mut Cursor, depth: usize) -> Result<Expr, ParseError> {
    let Some(operators) = LEVELS.get(depth) else { return atom(cursor) };
    let mut left = level(cursor, depth + 1)?;
    let mut length = 0;
    while let Some((_, make)) = operators.iter().find(|(symbol, _)| cursor.takes(symbol)) {
        // A long chain is a deep tree, too.
        length += 1;
        if length > 16 {
            return cursor.error("too many operators in one expression");
        }
        left = make(Box::new(left), Box::new(level(cursor, depth + 1)?));
    }
    Ok(left)
}

/// A number, a register, a negation, or an expression in parentheses.
pub(super) fn atom(cursor: &mut Cursor) -> Result<Expr, ParseError> {
    if cursor.takes("!") {
        return Ok(Expr::Not(Box::new(cursor.nested(atom)?)));
    }
    if cursor.takes("(") {
        let inner = expr(cursor)?;
        cursor.symbol(")")?;
        return Ok(inner);
    }
    match cursor.peek() {
        Some(Token::Number(_)) => Ok(Expr::Const(cursor.number()?)),
        Some(Token::Word(_)) => Ok(Expr::Reg(cursor.register()?)),
        _ => {
            let found = cursor.take();
            cursor.expected("an expression", found)
        }
    }
}
