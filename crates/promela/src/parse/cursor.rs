//! The parser's place in the tokens, and all that its parts share: the messages, what is still open, the names known
//! so far. A part that fails has already reported why, and returns the empty [`Failed`].

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::{FileId, Span};

use super::MAX_DEPTH;
use super::formulas;
use super::inline::{Definition, Frame};
use crate::ast::Name;
use crate::ast::Taken;
use crate::token::{Punct, Token, TokenKind};

/// Messages after this many would not be read.
const MAX_DIAGNOSTICS: usize = 100;

/// Something could not be parsed, and the reason has been reported.
#[derive(Debug)]
pub(super) struct Failed;

/// The result of every part of the parser.
pub(super) type Parsed<T> = Result<T, Failed>;

/// A token with what the parser must remember about where it came from.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    /// The text it was written in: 0, or the number of an inline. Only tokens of one home make a sensible span.
    pub home: u32,
    /// It is the first of its line.
    pub starts_line: bool,
}

/// What waits for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Brace,
    If,
    Do,
}

/// Words that cannot be names. `in` and the words of temporal logic are missing, being names elsewhere. In
/// order, for binary search.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "D_proctype", "active", "assert", "atomic", "bit", "bool", "break", "byte", "c_code", "c_decl", "c_expr",
    "c_state", "c_track", "chan", "d_step", "do", "else", "empty", "enabled", "eval", "false", "fi", "for", "full",
    "get_priority", "goto", "hidden", "if", "init", "inline", "int", "len", "local", "ltl", "mtype", "nempty", "never",
    "nfull", "notrace", "np_", "od", "of", "pc_value", "pid", "printf", "printm", "priority", "proctype", "provided",
    "return", "run", "select", "set_priority", "short", "show", "skip", "timeout", "trace", "true", "typedef",
    "unless", "unsigned", "xr", "xs",
];

/// Words that begin a top-level unit and can stand nowhere else.
const UNIT_WORDS: &[&str] =
    &["proctype", "D_proctype", "active", "init", "never", "ltl", "trace", "notrace", "typedef", "inline"];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

/// The state of a parse.
pub(super) struct Cursor {
    /// The tokens being read: the specification, or the expanded body of an inline. Ends with `End`.
    pub buffer: Rc<Vec<Lexeme>>,
    pub pos: usize,
    /// A place where no separator is needed: after an inline call, whose body ends in `}`.
    pub ended_at: usize,
    pub depth: usize,
    /// The height of the tallest expression read since this was last reset.
    pub tallest: usize,
    /// Open parentheses and brackets; a line break inside them means nothing.
    pub parens: u32,
    pub in_body: bool,
    pub in_ltl: bool,
    /// The words of dSPIN are understood (`dynamic.rs`).
    pub dynamic: bool,
    pub open: Vec<Open>,
    pub proctypes: HashSet<Rc<str>>,
    pub functions: HashSet<Rc<str>>,
    /// There are variables for functions (`ftype`).
    pub function_values: bool,
    /// `null` stands somewhere.
    pub has_null: bool,
    pub typedefs: HashSet<Rc<str>>,
    /// All inlines of the input, also those further down.
    pub inline_names: HashSet<Rc<str>>,
    /// Names after `&`, in the unit that is being read and before it.
    pub taken_in_unit: Vec<Taken>,
    pub taken: Vec<Taken>,
    pub inlines: HashMap<Rc<str>, Definition>,
    pub frames: Vec<Frame>,
    pub expanded: usize,
    pub calls: u32,
    abandoned: bool,
    reported: HashSet<Span>,
    diagnostics: Vec<Diagnostic>,
}

impl Cursor {
    pub(super) fn new(tokens: &[Token], dynamic: bool, line_break: impl Fn(&Token, &Token) -> bool) -> Self {
        let mut buffer: Vec<Lexeme> = Vec::with_capacity(tokens.len() + 1);
        for token in tokens.iter().take_while(|t| t.kind != TokenKind::End) {
            let starts_line = buffer.last().is_some_and(|before| line_break(&before.token, token));
            buffer.push(Lexeme { token: token.clone(), home: 0, starts_line });
        }
        let span = tokens.last().map_or(Span { file: FileId(0), start: 0, end: 0 }, |t| t.span);
        buffer.push(Lexeme { token: Token { kind: TokenKind::End, span }, home: 0, starts_line: true });
        let named_after = |words: &[&str]| {
            let pairs = buffer.windows(2).filter(|w| words.iter().any(|word| w[0].token.is_word(word)));
            pairs.filter_map(|w| word_of(&w[1].token)).collect::<HashSet<_>>()
        };
        Cursor {
            proctypes: named_after(&["proctype", "D_proctype"]),
            functions: if dynamic { named_after(&["function"]) } else { HashSet::new() },
            function_values: dynamic && buffer.iter().any(|lexeme| lexeme.token.is_word("ftype")),
            has_null: dynamic && buffer.iter().any(|lexeme| lexeme.token.is_word("null")),
            typedefs: named_after(&["typedef", "scalarset"]),
            inline_names: named_after(&["inline"]),
            buffer: Rc::new(buffer),
            pos: 0,
            ended_at: usize::MAX,
            depth: 0,
            tallest: 0,
            parens: 0,
            in_body: false,
            in_ltl: false,
            dynamic,
            open: Vec::new(),
            taken_in_unit: Vec::new(),
            taken: Vec::new(),
            inlines: HashMap::new(),
            frames: Vec::new(),
            expanded: 0,
            calls: 0,
            abandoned: false,
            reported: HashSet::new(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    // ---- looking ----

    fn lexeme(&self, ahead: usize) -> &Lexeme {
        &self.buffer[(self.pos + ahead).min(self.buffer.len() - 1)]
    }

    pub(super) fn token(&self) -> &Token {
        &self.lexeme(0).token
    }

    pub(super) fn ahead(&self, n: usize) -> &Token {
        &self.lexeme(n).token
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    /// The word here, reserved or not.
    pub(super) fn word(&self) -> Option<Rc<str>> {
        word_of(self.token())
    }

    pub(super) fn at(&self, punct: Punct) -> bool {
        self.token().is(punct)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.token().is_word(word)
    }

    pub(super) fn at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    pub(super) fn at_separator(&self) -> bool {
        self.at(Punct::Semicolon) || self.at(Punct::Arrow)
    }

    pub(super) fn at_unit_word(&self) -> bool {
        let function = self.dynamic && self.at_word("function");
        function || matches!(&self.token().kind, TokenKind::Word(w) if UNIT_WORDS.contains(&&**w))
    }

    /// Whether the line break before this token ends the statement before it.
    pub(super) fn at_line_break(&self) -> bool {
        self.in_body && self.parens == 0 && self.lexeme(0).starts_line
    }

    /// Whether a statement that ends here needs no separator: SPIN supplies one after `}` and `else`.
    pub(super) fn separated(&self) -> bool {
        let before = self.pos.checked_sub(1).map(|i| &self.buffer[i].token);
        let closed = before.is_some_and(|t| t.is(Punct::RightBrace) || t.is_word("else"));
        self.at_separator() || closed || self.ended_at == self.pos || self.at_line_break()
    }

    /// The span of what was read since `start`. Arguments that were put into an inline's body lie elsewhere in the
    /// text, so only the tokens of the body itself count, unless there are none.
    pub(super) fn span_from(&self, start: usize) -> Span {
        let read = &self.buffer[start.min(self.pos)..self.pos.max(start + 1).min(self.buffer.len())];
        let here = self.frames.last().map_or(0, |f| f.home);
        let Some(first) = read.iter().find(|l| l.home == here).or(read.first()) else { return self.span() };
        let last = read.iter().rev().find(|l| l.home == first.home).unwrap_or(first);
        first.token.span.to(last.token.span)
    }

    // ---- moving ----

    /// Steps over a token and returns its span. `End` is never left behind.
    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        if !self.at_end() {
            self.pos += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, punct: Punct) -> bool {
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

    pub(super) fn expect(&mut self, punct: Punct, place: &str) -> Parsed<Span> {
        if self.at(punct) {
            return Ok(self.bump());
        }
        Err(self.expected(&format!("`{}` {place}", punct.text())))
    }

    /// Expects `(` and notes that line breaks mean nothing from here on.
    pub(super) fn open_paren(&mut self, place: &str) -> Parsed<Span> {
        let span = self.expect(Punct::LeftParen, place)?;
        self.parens += 1;
        Ok(span)
    }

    pub(super) fn close_paren(&mut self, open: Span) -> Parsed<Span> {
        self.close(Punct::RightParen, open)
    }

    /// Expects the closing bracket of what was opened at `open`.
    pub(super) fn close(&mut self, punct: Punct, open: Span) -> Parsed<Span> {
        if self.at(punct) {
            self.parens = self.parens.saturating_sub(1);
            return Ok(self.bump());
        }
        if self.in_ltl
            && let Some(problem) = formulas::misplaced(self)
        {
            return Err(self.fail(problem));
        }
        let message = format!("expected `{}`, found {}", punct.text(), self.found());
        Err(self.fail(Diagnostic::error(self.span(), message).related(open, "to close this")))
    }

    /// Expects a name; `what` says of what.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let Some(text) = self.word() else { return Err(self.expected(&format!("the name of {what}"))) };
        if is_reserved(&text) || self.dynamic && super::dynamic::is_reserved(&text) {
            let message = format!("`{text}` is a reserved word and cannot be the name of {what}");
            let failed = self.fail(Diagnostic::error(self.span(), message).help("choose another name"));
            // It was meant as a name, so it is not to be read again as what it is, unless it closes or begins something.
            if !self.at_unit_word() && !self.at_word("fi") && !self.at_word("od") {
                self.bump();
            }
            return Err(failed);
        }
        Ok(Name { text, span: self.bump() })
    }

    /// Skips from an opening bracket to past its partner.
    pub(super) fn skip_brackets(&mut self, open: Punct, close: Punct) {
        let mut depth = 0usize;
        while !self.at_end() {
            depth += usize::from(self.at(open));
            depth = depth.saturating_sub(usize::from(self.at(close)));
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// After an error in a sequence: goes to where a statement may begin or something may close, and makes sure that
    /// at least one token was passed since `start`.
    pub(super) fn resynchronise(&mut self, start: usize) {
        if self.pos == start {
            self.bump();
        }
        let mut parens = std::mem::take(&mut self.parens);
        while !self.at_end() && !self.at_unit_word() {
            let token = self.token();
            let outside = parens == 0;
            if [Punct::Semicolon, Punct::Option, Punct::RightBrace].iter().any(|&p| token.is(p))
                || ["fi", "od"].iter().any(|w| token.is_word(w))
                || outside && (token.is(Punct::Arrow) || self.at_line_break())
                || outside && ["if", "do", "for", "atomic", "d_step"].iter().any(|w| token.is_word(w))
            {
                return;
            }
            match &token.kind {
                TokenKind::Punct(Punct::LeftParen) => parens += 1,
                TokenKind::Punct(Punct::RightParen) => parens = parens.saturating_sub(1),
                TokenKind::Punct(Punct::LeftBrace) => {
                    self.skip_brackets(Punct::LeftBrace, Punct::RightBrace);
                    continue;
                }
                _ => {}
            }
            self.bump();
        }
    }

    // ---- depth ----

    /// Goes one level down; every success is paired with a [`Cursor::leave`].
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.check_depth(1)?;
        self.depth += 1;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Checks that a tree of this height fits here.
    pub(super) fn check_depth(&mut self, height: usize) -> Parsed<()> {
        if self.depth + height <= MAX_DEPTH {
            return Ok(());
        }
        self.error(Diagnostic::error(self.span(), format!("nested deeper than {MAX_DEPTH} levels")));
        self.abandon();
        Err(Failed)
    }

    /// Gives up: everything from here on looks like the end, and nothing more is reported.
    pub(super) fn abandon(&mut self) {
        self.abandoned = true;
        self.pos = self.buffer.len() - 1;
    }

    /// Goes back to the text that an inline call stands in.
    pub(super) fn resume(&mut self, buffer: Rc<Vec<Lexeme>>, pos: usize) {
        self.buffer = buffer;
        self.pos = if self.abandoned { self.buffer.len() - 1 } else { pos };
    }

    // ---- messages ----

    /// The token here, as a message names it.
    pub(super) fn found(&self) -> String {
        match &self.token().kind {
            TokenKind::End if self.frames.is_empty() => "the end of the file".to_string(),
            TokenKind::End => "the end of the inline's body".to_string(),
            TokenKind::Text(_) => "a string".to_string(),
            _ if formulas::is_at_its_end(self) => "the end of the formula".to_string(),
            _ => format!("`{}`", self.token().text()),
        }
    }

    /// Reports that something else should stand here.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let message = format!("expected {what}, found {}", self.found());
        self.fail(Diagnostic::error(self.span(), message))
    }

    /// Reports an error that the part at hand cannot go on after.
    pub(super) fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        self.error(diagnostic);
        Failed
    }

    /// Reports; the first message about a place is the one that helps, so later ones there are dropped.
    pub(super) fn error(&mut self, mut diagnostic: Diagnostic) {
        let new = diagnostic.span.is_none_or(|span| self.reported.insert(span));
        if self.abandoned || !new || self.diagnostics.len() > MAX_DIAGNOSTICS {
            return;
        }
        if self.diagnostics.len() == MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::global(format!(
                "more than {MAX_DIAGNOSTICS} errors in the model; the rest are not shown"
            )));
            return;
        }
        for frame in self.frames.iter().rev().take(3) {
            diagnostic = diagnostic.related(frame.call, format!("in the inline `{}`, called here", frame.name));
        }
        self.diagnostics.push(diagnostic);
    }
}

fn word_of(token: &Token) -> Option<Rc<str>> {
    match &token.kind {
        TokenKind::Word(w) => Some(w.clone()),
        _ => None,
    }
}

#[test]
fn reserved_words_are_sorted() {
    assert!(RESERVED.is_sorted());
}
