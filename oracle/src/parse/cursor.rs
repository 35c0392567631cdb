//! A place in a list of tokens, and the small steps that all parts of the parser take. The notation is our own; see
//! [`parse`](super).

use super::ParseError;
use super::lex::{Token, tokens};

/// The greatest register that may be named, so that no text makes a thread large.
const MOST_REGISTERS: usize = 256;

/// How deep blocks and expressions may be nested, so that no text exhausts the stack.
const DEEPEST: usize = 32;

/// A place in the text.
pub(super) struct Cursor {
    tokens: Vec<(usize, Token)>,
    at: usize,
    depth: usize,
}

impl Cursor {
    pub(super) fn new(text: &str) -> Result<Self, ParseError> {
        Ok(Cursor { tokens: tokens(text)?, at: 0, depth: 0 })
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    pub(super) fn take(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += 1;
        token
    }

    /// The line of the last token taken.
    pub(super) fn line(&self) -> usize {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get(self.at.saturating_sub(1).min(last)).map_or(1, |(line, _)| *line)
    }

    /// An error in the line of the last token taken.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError { line: self.line(), message: message.into() })
    }

    /// An error that says what should stand in place of the last token taken.
    pub(super) fn expected<T>(&self, what: &str, found: Option<Token>) -> Result<T, ParseError> {
        match found {
            Some(found) => self.error(format!("expected {what}, found {found}")),
            None => self.error(format!("expected {what}, found the end of the text")),
        }
    }

    /// Takes a symbol if it comes next.
    pub(super) fn takes(&mut self, symbol: &str) -> bool {
        let comes = matches!(self.peek(), Some(Token::Symbol(next)) if *next == symbol);
        self.at += usize::from(comes);
        comes
    }

    pub(super) fn symbol(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.takes(symbol) {
            return Ok(());
        }
        let found = self.take();
        self.expected(&format!("`{symbol}`"), found)
    }

    pub(super) fn word(&mut self, what: &str) -> Result<String, ParseError> {
        match self.take() {
            Some(Token::Word(word)) => Ok(word),
            found => self.expected(what, found),
        }
    }

    pub(super) fn number(&mut self) -> Result<u64, ParseError> {
        match self.take() {
            Some(Token::Number(value)) => Ok(value),
            found => self.expected("a number", found),
        }
    }

    /// The end of a line or of the text.
    pub(super) fn end(&mut self) -> Result<(), ParseError> {
        match self.take() {
            None | Some(Token::End) => Ok(()),
            found => self.expected("the end of the line", found),
        }
    }

    /// Skips ends of lines and, within blocks, semicolons.
    pub(super) fn skip_separators(&mut self, semicolons: bool) {
        while matches!(self.peek(), Some(Token::End)) || (semicolons && self.takes(";")) {
            self.at += usize::from(matches!(self.peek(), Some(Token::End)));
        }
    }

    pub(super) fn register(&mut self) -> Result<usize, ParseError> {
        let word = self.word("a register")?;
        match register(&word) {
            Some(register) => Ok(register),
            None => self.error(format!("`{word}` is not a register: r0 to r{}", MOST_REGISTERS - 1)),
        }
    }

    /// Goes one level deeper for as long as `inner` runs.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth == DEEPEST {
            return self.error("nested too deeply");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}

/// The number of a register, if the word names one.
fn register(word: &str) -> Option<usize> {
    let digits = word.strip_prefix('r').filter(|digits| digits.chars().all(|digit| digit.is_ascii_digit()))?;
    digits.parse().ok().filter(|&register| register < MOST_REGISTERS)
}
