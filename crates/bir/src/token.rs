//! Tokens of BIR, and the lexer that makes them. Keywords are words like others here; the parser knows them.

use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::{FileId, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Word(Rc<str>),
    /// An integer.
    Number(i32),
    /// A string, without its quotes.
    Text,
    /// An operator or a separator, as it is spelt.
    Punct(&'static str),
    /// The end of the file; always the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// Operators and separators, longest first among those with a common beginning.
#[rustfmt::skip]
const PUNCTS: &[&str] = &[
    "...", ":=", "->", "==", "=>", "!=", "<=", ">=", "&&", "||", "{", "}", "(", ")", "[", "]", ";", ",", ":", ".", "?",
    "=", "+", "-", "*", "/", "%", "!", "<", ">", "&", "|", "^", "`", "@",
];

/// Turns a file's text into tokens.
pub(crate) fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, position: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    lexer.run();
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    position: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while self.skip_blanks() {
            self.token();
        }
        let span = self.span(self.position, self.position);
        self.tokens.push(Token { kind: TokenKind::End, span });
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    /// Steps over white space and comments; whether there is more.
    fn skip_blanks(&mut self) -> bool {
        loop {
            let rest = &self.text.as_bytes()[self.position..];
            match rest {
                [] => return false,
                [b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, ..] => self.position += 1,
                // A byte order mark is no text.
                [0xef, 0xbb, 0xbf, ..] if self.position == 0 => self.position += 3,
                [b'/', b'/', ..] => self.position += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => match self.text[self.position + 2..].find("*/") {
                    Some(length) => self.position += length + 4,
                    None => {
                        let span = self.span(self.position, self.position + 2);
                        self.diagnostics.push(Diagnostic::error(span, "this comment has no end"));
                        self.position = self.text.len();
                    }
                },
                _ => return true,
            }
        }
    }

    fn token(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return };
        let word_length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
        let kind = match first {
            'a'..='z' | 'A'..='Z' | '_' | '$' => {
                self.position += word_length;
                Some(TokenKind::Word(rest[..word_length].into()))
            }
            '0'..='9' => self.number(word_length),
            '"' => self.string(),
            '#' if self.names_thread(rest) => {
                self.position += 1;
                Some(TokenKind::Punct("#"))
            }
            _ => match PUNCTS.iter().find(|punct| rest.starts_with(**punct)) {
                Some(punct) => {
                    self.position += punct.len();
                    Some(TokenKind::Punct(punct))
                }
                None => self.stray(first),
            },
        };
        if let Some(kind) = kind {
            let span = self.span(start, self.position);
            self.tokens.push(Token { kind, span });
        }
    }

    /// Whether this is the sign in `T#1`.
    fn names_thread(&self, rest: &str) -> bool {
        let is_after_word = self
            .tokens
            .last()
            .is_some_and(|last| matches!(last.kind, TokenKind::Word(_)) && last.span.end as usize == self.position);
        is_after_word && rest[1..].starts_with(|c: char| c.is_ascii_digit())
    }

    fn error(&mut self, start: usize, message: String) {
        let span = self.span(start, self.position);
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    /// A number; one that cannot be used stands for zero. After `-`, the least number of 32 bits stands for what is one greater
    /// than the greatest.
    fn number(&mut self, word_length: usize) -> Option<TokenKind> {
        let start = self.position;
        let rest = &self.text[start..];
        let word = &rest[..word_length];
        self.position += word_length;
        let after = &rest[word_length..];
        let fraction = after.strip_prefix('.').map_or(0, |f| f.bytes().take_while(u8::is_ascii_alphanumeric).count());
        if fraction > 0 && after[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.position += fraction + 1;
            let spelt = &self.text[start..self.position];
            self.error(start, format!("`{spelt}` is not an integer: there are no fractions in models"));
            return Some(TokenKind::Number(0));
        }
        let value = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => word.parse::<i64>().ok(),
        };
        let after_minus = self.tokens.last().is_some_and(|before| before.kind == TokenKind::Punct("-"));
        if after_minus && value == Some(-i64::from(i32::MIN)) {
            return Some(TokenKind::Number(i32::MIN));
        }
        let fits = value.and_then(|value| i32::try_from(value).ok());
        if fits.is_none() {
            let is_number = word.bytes().all(|b| b.is_ascii_digit()) || value.is_some();
            let why = if is_number { "is too large: integers have 32 bits" } else { "is not a number" };
            let message = format!("`{word}` {why}");
            self.error(start, message);
        }
        Some(TokenKind::Number(fits.unwrap_or(0)))
    }

    fn string(&mut self) -> Option<TokenKind> {
        let start = self.position;
        let mut escaped = false;
        for (at, c) in self.text[start..].char_indices().skip(1) {
            match c {
                '\n' => {
                    self.position = start + at;
                    self.error(start, "this string has no end".to_string());
                    return Some(TokenKind::Text);
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.position = start + at + 1;
                    return Some(TokenKind::Text);
                }
                _ => {}
            }
        }
        self.position = self.text.len();
        self.error(start, "this string has no end".to_string());
        Some(TokenKind::Text)
    }

    /// Characters that begin no token; a run of them is one mistake.
    fn stray(&mut self, first: char) -> Option<TokenKind> {
        let start = self.position;
        let foreign = |c: &char| !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace());
        let length = self.text[start..].chars().take_while(foreign).map(char::len_utf8).sum::<usize>();
        self.position += length.max(first.len_utf8());
        let spelt: String = self.text[start..self.position].chars().take(20).collect();
        self.error(start, format!("`{}` begins nothing in BIR", spelt.escape_debug()));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        lex(FileId(0), text).0.into_iter().map(|token| token.kind).collect()
    }

    fn messages(text: &str) -> Vec<String> {
        lex(FileId(0), text).1.into_iter().map(|one| one.message).collect()
    }

    #[test]
    fn tokens_are_as_long_as_they_can_be() {
        let word = |text: &str| TokenKind::Word(text.into());
        let expected = [word("a"), TokenKind::Punct(":="), word("b$1"), TokenKind::Punct("=>"), TokenKind::End];
        assert_eq!(kinds("a:=b$1=>// c\n/* d */"), expected);
        assert_eq!(kinds("0x10 7"), [TokenKind::Number(16), TokenKind::Number(7), TokenKind::End]);
    }

    #[test]
    fn what_is_no_token_is_told() {
        assert_eq!(messages("1.5"), ["`1.5` is not an integer: there are no fractions in models"]);
        assert_eq!(messages("4000000000"), ["`4000000000` is too large: integers have 32 bits"]);
        assert_eq!(messages("12ab"), ["`12ab` is not a number"]);
        assert_eq!(
            messages("a ## é"),
            ["`#` begins nothing in BIR", "`#` begins nothing in BIR", "`é` begins nothing in BIR"]
        );
        assert_eq!(messages("/* x"), ["this comment has no end"]);
        assert_eq!(messages("\"x"), ["this string has no end"]);
    }
}
