//! Conditions of `#if` and `#elif`: C's constant expressions over 64-bit integers that wrap around. A suffix for
//! unsigned numbers is read and ignored, and a name that is no macro counts as 0.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::constant;
use crate::lex::{Raw, RawKind};
use crate::token::Punct;

/// How deep parentheses, signs and `?:` may be nested.
const MAX_DEPTH: usize = 100;

/// The value of an expanded condition (`None` if it has none), and what is wrong with it.
pub(super) fn evaluate(tokens: &[Raw], line: Span) -> (Option<i64>, Vec<Diagnostic>) {
    if tokens.is_empty() {
        return (None, vec![Diagnostic::error(line, "the condition is empty")]);
    }
    let mut reader = Reader { tokens, at: 0, line, depth: 0, warnings: Vec::new() };
    let value = reader.ternary(true).and_then(|value| match reader.tokens.get(reader.at) {
        None => Ok(value),
        Some(token) => Err(Diagnostic::error(token.span, format!("unexpected {} in the condition", shown(token)))),
    });
    match value {
        Ok(value) => (Some(value), reader.warnings),
        Err(problem) => {
            reader.warnings.push(problem);
            (None, reader.warnings)
        }
    }
}

struct Reader<'a> {
    tokens: &'a [Raw],
    at: usize,
    line: Span,
    depth: usize,
    warnings: Vec<Diagnostic>,
}

type Value = Result<i64, Diagnostic>;

impl Reader<'_> {
    /// The operator that comes next.
    fn operator(&self) -> Option<Punct> {
        match self.tokens.get(self.at)?.kind {
            RawKind::Punct(punct) => Some(punct),
            _ => None,
        }
    }

    fn expect(&mut self, punct: Punct) -> Result<(), Diagnostic> {
        if self.operator() == Some(punct) {
            self.at += 1;
            return Ok(());
        }
        let (span, found) = match self.tokens.get(self.at) {
            Some(token) => (token.span, shown(token)),
            None => (self.line, "its end".to_string()),
        };
        Err(Diagnostic::error(span, format!("expected `{}` in the condition, found {found}", punct.text())))
    }

    /// Guards everything that calls itself.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Value) -> Value {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(self.line, format!("the condition is nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// `live` tells whether the value counts: where it does not, dividing by zero is no mistake.
    fn ternary(&mut self, live: bool) -> Value {
        let condition = self.binary(1, live)?;
        if self.operator() != Some(Punct::Question) {
            return Ok(condition);
        }
        self.at += 1;
        let then = self.deeper(|r| r.ternary(live && condition != 0))?;
        self.expect(Punct::Colon)?;
        let otherwise = self.deeper(|r| r.ternary(live && condition == 0))?;
        Ok(if condition != 0 { then } else { otherwise })
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u32, live: bool) -> Value {
        let mut left = self.unary(live)?;
        while let Some(operator) = self.operator()
            && let Some(binding) = binding(operator)
            && binding >= least
        {
            let span = self.tokens[self.at].span;
            self.at += 1;
            let live = live
                && match operator {
                    Punct::AndAnd => left != 0,
                    Punct::OrOr => left == 0,
                    _ => true,
                };
            let right = self.binary(binding + 1, live)?;
            left = match apply(operator, left, right) {
                Ok(value) => value,
                Err(problem) if live => return Err(Diagnostic::error(span, problem.to_string())),
                Err(_) => 0,
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Value {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(Diagnostic::error(self.line, "the condition ends where a value is expected"));
        };
        self.at += 1;
        match &token.kind {
            RawKind::Punct(Punct::LeftParen) => {
                let value = self.deeper(|r| r.ternary(live))?;
                self.expect(Punct::RightParen)?;
                Ok(value)
            }
            RawKind::Punct(Punct::Bang) => Ok(i64::from(self.deeper(|r| r.unary(live))? == 0)),
            RawKind::Punct(Punct::BangBang) => Ok(i64::from(self.deeper(|r| r.unary(live))? != 0)),
            RawKind::Punct(Punct::Minus) => Ok(self.deeper(|r| r.unary(live))?.wrapping_neg()),
            RawKind::Punct(Punct::Plus) => self.deeper(|r| r.unary(live)),
            RawKind::Punct(Punct::Tilde) => Ok(!self.deeper(|r| r.unary(live))?),
            RawKind::Number(digits) => {
                number(digits).map_err(|problem| Diagnostic::error(token.span, problem.to_string()))
            }
            RawKind::Char(inside) => constant::character(inside)
                .map(i64::from)
                .ok_or_else(|| Diagnostic::error(token.span, format!("{} is not a character constant", shown(token)))),
            RawKind::Word(name) => {
                if &**name == "true" {
                    let problem = Diagnostic::warning(token.span, "`true` is an unknown name here, and counts as 0");
                    self.warnings.push(problem.help("write `1`"));
                }
                Ok(0)
            }
            _ => {
                Err(Diagnostic::error(token.span, format!("expected a value in the condition, found {}", shown(token))))
            }
        }
    }
}

fn shown(token: &Raw) -> String {
    format!("`{}`", constant::brief(&token.spelling()))
}

/// How tightly a binary operator binds.
fn binding(operator: Punct) -> Option<u32> {
    Some(match operator {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Bar => 3,
        Punct::Caret => 4,
        Punct::Ampersand => 5,
        Punct::EqualEqual | Punct::NotEqual => 6,
        Punct::Less | Punct::LessEqual | Punct::Greater | Punct::GreaterEqual => 7,
        Punct::ShiftLeft | Punct::ShiftRight => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}

/// What a value goes wrong with.
#[derive(Clone, Debug, thiserror::Error)]
enum ValueError {
    #[error("shift by {0} in the condition")]
    Shift(i64),
    #[error("division by zero in the condition")]
    Division,
    #[error("`{0}` is too large")]
    TooLarge(String),
    #[error("`{0}` is not a number")]
    NotANumber(String),
}

fn apply(operator: Punct, left: i64, right: i64) -> Result<i64, ValueError> {
    let shift = || u32::try_from(right).ok().filter(|&by| by < 64).ok_or(ValueError::Shift(right));
    Ok(match operator {
        Punct::OrOr => i64::from(left != 0 || right != 0),
        Punct::AndAnd => i64::from(left != 0 && right != 0),
        Punct::Bar => left | right,
        Punct::Caret => left ^ right,
        Punct::Ampersand => left & right,
        Punct::EqualEqual => i64::from(left == right),
        Punct::NotEqual => i64::from(left != right),
        Punct::Less => i64::from(left < right),
        Punct::LessEqual => i64::from(left <= right),
        Punct::Greater => i64::from(left > right),
        Punct::GreaterEqual => i64::from(left >= right),
        Punct::ShiftLeft => left.wrapping_shl(shift()?),
        Punct::ShiftRight => left.wrapping_shr(shift()?),
        Punct::Plus => left.wrapping_add(right),
        Punct::Minus => left.wrapping_sub(right),
        Punct::Star => left.wrapping_mul(right),
        _ if right == 0 => return Err(ValueError::Division),
        Punct::Slash => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    })
}

/// A number as C writes it, octal and hexadecimal included.
fn number(digits: &str) -> Result<i64, ValueError> {
    let lower = digits.to_ascii_lowercase();
    let plain = lower.trim_end_matches(['u', 'l']);
    let (base, plain) = match plain.strip_prefix("0x") {
        Some(rest) => (16, rest),
        None if plain.len() > 1 && plain.starts_with('0') => (8, &plain[1..]),
        None => (10, plain),
    };
    i64::from_str_radix(plain, base).map_err(|_| {
        let all_digits = plain.bytes().all(|b| char::from(b).is_digit(base)) && !plain.is_empty();
        let shown = constant::brief(digits).to_string();
        if all_digits { ValueError::TooLarge(shown) } else { ValueError::NotANumber(shown) }
    })
}
