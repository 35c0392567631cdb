//! The parser's place in the tokens, and the messages. A part that fails has already said why, and returns [`Failed`].

use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::MAX_DEPTH;
use crate::ast::Name;
use crate::token::{Token, TokenKind};

/// Messages after this many would not be read.
const MAX_DIAGNOSTICS: usize = 100;

/// Something could not be parsed, and the reason has been told.
#[derive(Debug)]
pub(super) struct Failed;

/// The result of every part of the parser.
pub(super) type Parsed<T> = Result<T, Failed>;

/// Words that cannot be names, in order.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "actiondef", "active", "assert", "assume", "atomic", "boolean", "catch", "choose", "const", "do", "double", "else",
    "elseif", "end", "enum", "exit", "expdef", "extends", "extension", "false", "float", "for", "fun", "function",
    "goto", "hasLock", "if", "in", "instanceof", "int", "invisible", "invoke", "kindof", "let", "live", "loc", "lock",
    "lockAvailable", "long", "main", "new", "notify", "notifyAll", "null", "ptypedef", "record", "return", "returns",
    "shl", "shr", "skip", "start", "string", "system", "thread", "threadTerminated", "throw", "throwable", "tid", "top",
    "transient", "true", "try", "typealias", "typedef", "unlock", "unwait", "ushr", "virtual", "visible", "wait",
    "wasNotified", "when", "while", "wrap",
];

/// Words that begin a member and can stand nowhere else.
const MEMBER_WORDS: &[&str] = &[
    "active",
    "const",
    "enum",
    "extension",
    "fun",
    "function",
    "main",
    "record",
    "thread",
    "throwable",
    "top",
    "typealias",
    "virtual",
];

/// Whether a word cannot be a name.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

/// The state of a parse.
pub(super) struct Cursor {
    tokens: Vec<Token>,
    pub pos: usize,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
    /// Nothing more is told.
    abandoned: bool,
    /// What is read is part of a formula, so that some words are operators.
    pub in_formula: bool,
    /// It is the first value of `?`, after which `:` stands.
    pub in_choice: bool,
    /// What the last token is the end of.
    pub whole: &'static str,
}

impl Cursor {
    pub(super) fn new(tokens: Vec<Token>) -> Self {
        debug_assert!(tokens.last().is_some_and(|last| last.kind == TokenKind::End));
        let (diagnostics, whole) = (Vec::new(), "file");
        Cursor { tokens, pos: 0, depth: 0, diagnostics, abandoned: false, in_formula: false, in_choice: false, whole }
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    // ---- looking ----

    pub(super) fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.pos + n).min(self.tokens.len() - 1)]
    }

    pub(super) fn span(&self) -> Span {
        self.ahead(0).span
    }

    pub(super) fn at(&self, punct: &str) -> bool {
        self.is(0, punct)
    }

    /// Whether the token `n` further on is this operator.
    pub(super) fn is(&self, n: usize, punct: &str) -> bool {
        matches!(&self.ahead(n).kind, TokenKind::Punct(here) if *here == punct)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.is_word(0, word)
    }

    /// Whether the token `n` further on is this word.
    pub(super) fn is_word(&self, n: usize, word: &str) -> bool {
        matches!(&self.ahead(n).kind, TokenKind::Word(here) if &**here == word)
    }

    /// The word `n` tokens further on.
    pub(super) fn word(&self, n: usize) -> Option<Rc<str>> {
        match &self.ahead(n).kind {
            TokenKind::Word(word) => Some(word.clone()),
            _ => None,
        }
    }

    /// Whether the token `n` further on is a word that can be a name.
    pub(super) fn is_name(&self, n: usize) -> bool {
        self.word(n).is_some_and(|word| !is_reserved(&word))
    }

    pub(super) fn at_end(&self) -> bool {
        self.ahead(0).kind == TokenKind::End
    }

    pub(super) fn at_member(&self) -> bool {
        self.word(0).is_some_and(|word| MEMBER_WORDS.contains(&&*word))
    }

    /// The span of what was read since the token at `start`.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let last = self.pos.saturating_sub(1).max(start);
        self.tokens[start.min(self.tokens.len() - 1)].span.to(self.tokens[last.min(self.tokens.len() - 1)].span)
    }

    // ---- moving ----

    /// Steps over a token. The end is never left behind.
    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        if !self.at_end() {
            self.pos += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: &str, place: &str) -> Parsed<Span> {
        if self.at(punct) {
            return Ok(self.bump());
        }
        Err(self.expected(&format!("`{punct}` {place}")))
    }

    pub(super) fn expect_word(&mut self, word: &str, place: &str) -> Parsed<Span> {
        if self.at_word(word) {
            return Ok(self.bump());
        }
        Err(self.expected(&format!("`{word}` {place}")))
    }

    /// Expects the end of what was opened at `open`.
    pub(super) fn close(&mut self, punct: &str, open: Span) -> Parsed<Span> {
        if self.at(punct) {
            return Ok(self.bump());
        }
        let message = format!("expected `{punct}`, found {}", self.found());
        Err(self.fail(Diagnostic::error(self.span(), message).related(open, "to close this")))
    }

    /// A name; `what` says of what.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.word(0) {
            Some(word) if is_reserved(&word) => {
                let message = format!("expected {what}, but `{word}` is a keyword");
                Err(self.fail(Diagnostic::error(self.span(), message)))
            }
            Some(text) => Ok(Name { text, span: self.bump() }),
            None => Err(self.expected(what)),
        }
    }

    /// A name after a dot, which may be a keyword elsewhere.
    pub(super) fn member_name(&mut self, what: &str) -> Parsed<Name> {
        match self.word(0) {
            Some(text) => Ok(Name { text, span: self.bump() }),
            None => Err(self.expected(what)),
        }
    }

    /// A part one level further down.
    pub(super) fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    // ---- messages ----

    /// The token here, for a message.
    fn found(&self) -> String {
        match &self.ahead(0).kind {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Number(number) => format!("`{}`", number.unsigned_abs()),
            TokenKind::Text => "a string".to_string(),
            TokenKind::Punct(punct) => format!("`{punct}`"),
            TokenKind::End => format!("the end of the {}", self.whole),
        }
    }

    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let message = format!("expected {what}, found {}", self.found());
        self.fail(Diagnostic::error(self.span(), message))
    }

    pub(super) fn too_deep(&mut self) -> Failed {
        let failed = self.fail(Diagnostic::error(self.span(), "this is nested too deeply"));
        self.abandoned = true;
        failed
    }

    pub(super) fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        self.tell(diagnostic);
        Failed
    }

    /// Notes a message, one for each place.
    pub(super) fn tell(&mut self, diagnostic: Diagnostic) {
        let known = self.diagnostics.iter().any(|one| one.span == diagnostic.span);
        if !known && !self.abandoned && self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// How many messages there are.
    pub(super) fn messages(&self) -> usize {
        self.diagnostics.len()
    }

    /// Reads again from a place, as if nothing had been said since there were so many messages.
    pub(super) fn go_back(&mut self, pos: usize, messages: usize) {
        self.pos = pos;
        self.diagnostics.truncate(messages);
    }

    /// Whether something was not understood.
    pub(super) fn has_failed(&self) -> bool {
        !self.diagnostics.is_empty()
    }

    /// Whether to give up: nothing more would be told.
    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned || self.diagnostics.len() >= MAX_DIAGNOSTICS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_in_order() {
        assert!(RESERVED.is_sorted());
        assert!(MEMBER_WORDS.iter().all(|word| is_reserved(word)));
    }
}
