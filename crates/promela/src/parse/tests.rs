//! Tests of the parser, on text that a small scanner below cuts into tokens, so that they need no preprocessor.
//! A statement's `Display` stands for its tree.

mod conformance;
mod constructs;
mod errors;
mod robustness;

use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::{FileId, SourceMap, Span};

use crate::ast::{Sequence, Spec, Unit};
use crate::token::{Punct, Token, TokenKind};

/// The operators, longest first.
#[rustfmt::skip]
const PUNCTS: &[Punct] = &[
    Punct::Equivalent, Punct::Arrow, Punct::Option, Punct::DotDot, Punct::PlusPlus, Punct::MinusMinus, Punct::AndAnd,
    Punct::OrOr, Punct::EqualEqual, Punct::NotEqual, Punct::LessEqual, Punct::GreaterEqual, Punct::ShiftLeft,
    Punct::ShiftRight, Punct::BangBang, Punct::QuestionQuestion, Punct::Box, Punct::Diamond, Punct::LeftBrace,
    Punct::RightBrace, Punct::LeftParen, Punct::RightParen, Punct::LeftBracket, Punct::RightBracket, Punct::Semicolon,
    Punct::Comma, Punct::Colon, Punct::Dot, Punct::At, Punct::Assign, Punct::Plus, Punct::Minus, Punct::Star,
    Punct::Slash, Punct::Percent, Punct::Ampersand, Punct::Caret, Punct::Bar, Punct::Tilde, Punct::Less,
    Punct::Greater, Punct::Bang, Punct::Question,
];

pub(crate) fn scan(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let run = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
        let first = rest.chars().next().unwrap_or(' ');
        let (kind, length) = if rest.starts_with("/*") {
            (None, rest.find("*/").map_or(rest.len(), |i| i + 2))
        } else if rest.starts_with("//") || first == '#' {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if first.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            (Some(TokenKind::Number(rest[..length].parse().unwrap_or(i32::MAX))), length)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
            (Some(TokenKind::Word(Rc::from(&rest[..length]))), length)
        } else if first == '"' {
            let mut escaped = false;
            let close = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let length = close.map_or(rest.len() - 1, |i| i + 1);
            (Some(TokenKind::Text(Rc::from(&rest[1..length]))), length + 1)
        } else if first == '\'' {
            (Some(TokenKind::Number(rest.as_bytes().get(1).map_or(0, |&b| b.into()))), 3.min(rest.len()))
        } else if let Some(punct) = PUNCTS.iter().find(|p| rest.starts_with(p.text())) {
            (Some(TokenKind::Punct(*punct)), punct.text().len())
        } else {
            (None, first.len_utf8())
        };
        let span = Span { file: FileId(0), start: at as u32, end: (at + length) as u32 };
        tokens.extend(kind.map(|kind| Token { kind, span }));
        at += length;
    }
    let end = text.len() as u32;
    tokens.push(Token { kind: TokenKind::End, span: Span { file: FileId(0), start: end, end } });
    tokens
}

/// Parses with line breaks as separators.
pub(crate) fn parse_text(text: &str) -> (Spec, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    sources.add("test.pml", text.to_string());
    super::parse_with_lines(&scan(text), &sources, false)
}

/// Parses what must be correct.
fn good(text: &str) -> Spec {
    let (spec, diagnostics) = parse_text(text);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:#?}");
    spec
}

fn bodies(spec: &Spec) -> Vec<&Sequence> {
    spec.units
        .iter()
        .filter_map(|unit| match unit {
            Unit::Proctype(p) => Some(&p.body),
            Unit::Init(i) => Some(&i.body),
            Unit::Never(n) => Some(&n.body),
            Unit::Trace(t) => Some(&t.body),
            _ => None,
        })
        .collect()
}

const PREFIX: &str = "proctype P(byte a) { skip } proctype B() { skip } typedef T { int f }";

/// The text of the statements of a body.
fn body(text: &str) -> String {
    let spec = good(&format!("{PREFIX} init {{ {text} }}"));
    let shown = bodies(&spec).last().map(|b| b.to_string()).unwrap_or_default();
    shown.strip_prefix("{ ").and_then(|s| s.strip_suffix(" }")).unwrap_or_default().to_string()
}

/// The text of a formula.
fn formula(text: &str) -> String {
    match good(&format!("ltl p {{ {text} }}")).units.as_slice() {
        [Unit::Ltl(ltl)] => ltl.formula.to_string(),
        _ => String::new(),
    }
}

/// The messages about a whole specification.
fn messages(text: &str) -> Vec<String> {
    parse_text(text).1.into_iter().map(|d| d.message).collect()
}

/// The messages about a body.
fn complaints(text: &str) -> Vec<String> {
    messages(&format!("{PREFIX} init {{ {text} }}"))
}
