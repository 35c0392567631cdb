//! What a preprocessing token means to the parser. Here the mistakes inside a single token are told.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::lex::{Raw, RawKind};
use crate::token::TokenKind;

/// The token for the parser, and what is wrong with it. A broken constant still gives a token, so that the parser
/// does not complain a second time. After `-`, the least number of 32 bits stands for what is one greater than the greatest.
pub(super) fn value(token: &Raw, span: Span, after_minus: bool) -> (Option<TokenKind>, Option<Diagnostic>) {
    let error = |message: &str| Some(Diagnostic::error(span, message));
    match &token.kind {
        RawKind::Word(word) => (Some(TokenKind::Word(word.clone())), None),
        RawKind::Punct(punct) => (Some(TokenKind::Punct(*punct)), None),
        RawKind::Text(text) => (Some(TokenKind::Text(text.clone())), None),
        RawKind::Number(digits) => {
            let (value, problem) = match after_minus && &**digits == "2147483648" {
                true => (i32::MIN, None),
                false => number(digits, span),
            };
            (Some(TokenKind::Number(value)), problem)
        }
        RawKind::Char(inside) => match character(inside) {
            Some(value) => (Some(TokenKind::Number(value)), None),
            None => (
                Some(TokenKind::Number(0)),
                Some(
                    Diagnostic::error(span, format!("`'{}'` is not a character constant", brief(inside)))
                        .help("it must be one ASCII character or one of '\\n' '\\t' '\\r' '\\f' '\\0' '\\\\' '\\''"),
                ),
            ),
        },
        RawKind::OpenText(text) => (
            Some(TokenKind::Text(text.clone())),
            error("this string is not closed on its line").map(|d| d.help("close it with `\"`")),
        ),
        RawKind::OpenChar(_) => (
            Some(TokenKind::Number(0)),
            error("this character constant is not closed on its line").map(|d| d.help("close it with `'`")),
        ),
        RawKind::Hash | RawKind::HashHash => {
            (None, error("stray `#`").map(|d| d.help("a directive must be first on its line")))
        }
        RawKind::Ellipsis => (None, error("stray `...`").map(|d| d.help("a range is written with two dots: `1 .. N`"))),
        RawKind::Stray(text) => (None, Some(stray(text, span))),
        RawKind::OpenComment | RawKind::End => (None, None),
    }
}

fn number(digits: &str, span: Span) -> (i32, Option<Diagnostic>) {
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        let significant = digits.trim_start_matches('0');
        let Some(value) = (if significant.is_empty() { Some(0) } else { significant.parse::<i32>().ok() }) else {
            let problem = Diagnostic::error(span, format!("`{}` is too large", brief(digits)))
                .help(format!("the largest number is {}", i32::MAX));
            return (i32::MAX, Some(problem));
        };
        // Below 8, octal and decimal agree and there is nothing to misread.
        let problem = (significant.len() < digits.len() && value >= 8).then(|| {
            Diagnostic::warning(span, format!("`{}` is the decimal number {value}", brief(digits)))
                .help(format!("Promela has no octal numbers; write `{value}`"))
        });
        return (value, problem);
    }
    let lower = digits.to_ascii_lowercase();
    let other_base = [("0x", 16, "hexadecimal"), ("0b", 2, "binary"), ("0o", 8, "octal")];
    for (prefix, base, name) in other_base {
        let Some(rest) = lower.strip_prefix(prefix) else { continue };
        let problem = Diagnostic::error(span, format!("Promela has no {name} numbers"));
        return match i32::from_str_radix(rest.trim_end_matches(['u', 'l']), base) {
            Ok(value) => (value, Some(problem.help(format!("write it in decimal: `{value}`")))),
            Err(_) => (0, Some(problem.help("write it in decimal"))),
        };
    }
    let plain = lower.trim_end_matches(['u', 'l']);
    if let Ok(value) = plain.parse::<i32>() {
        let problem = Diagnostic::error(span, format!("`{}` is not a number", brief(digits)));
        return (value, Some(problem.help(format!("Promela has no suffixes for numbers; write `{value}`"))));
    }
    let problem = Diagnostic::error(span, format!("`{}` is neither a number nor a name", brief(digits)));
    (0, Some(problem.help("a name must not start with a digit")))
}

/// The value of a character constant, given without its quotes.
pub(super) fn character(inside: &str) -> Option<i32> {
    match inside.as_bytes() {
        [b'\\', escape] => Some(match escape {
            b'n' => i32::from(b'\n'),
            b't' => i32::from(b'\t'),
            b'r' => i32::from(b'\r'),
            b'f' => 0x0c,
            b'0' => 0,
            b'\\' | b'\'' | b'"' => i32::from(*escape),
            _ => return None,
        }),
        [byte] if byte.is_ascii() => Some(i32::from(*byte)),
        _ => None,
    }
}

/// A spelling short enough for a message.
pub(super) fn brief(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn stray(text: &str, span: Span) -> Diagnostic {
    let first = text.chars().next().unwrap_or(' ');
    // One message for all of them, so that a file full of them is not told character by character.
    let label = if text.chars().nth(1).is_some() {
        "these characters are not part of Promela".to_string()
    } else if first.is_control() || first.is_whitespace() {
        format!("the character U+{:04X} is not part of Promela", first as u32)
    } else {
        format!("`{first}` is not part of Promela")
    };
    let problem = Diagnostic::error(span, "stray character outside comments and strings").label(label);
    match first {
        '“' | '”' | '„' | '«' | '»' => problem.help("write a plain `\"`"),
        '‘' | '’' => problem.help("write a plain `'`"),
        '–' | '—' | '−' => problem.help("write a plain `-`"),
        '→' => problem.help("write `->`"),
        '¬' => problem.help("write `!`"),
        '\u{a0}' => problem.help("this is a no-break space; write a plain one"),
        '\\' => problem.help("a `\\` joins two lines only at the very end of the first"),
        _ => problem,
    }
}
