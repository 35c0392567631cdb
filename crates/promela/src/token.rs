//! Tokens: what the preprocessor hands to the parser. Keywords are not distinguished from names here, because
//! several of them are words only in places (`in`, the words of temporal logic); the parser asks [`Token::is_word`].

use std::rc::Rc;

use quotient_report::source::Span;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word(Rc<str>),
    /// An integer constant (also a character constant).
    Number(i32),
    /// A string, with its escapes still in it and without its quotes.
    Text(Rc<str>),
    /// An operator or a separator.
    Punct(Punct),
    /// The end of the input; always the last token, and the only one of its kind.
    End,
}

/// Operators and separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Punct {
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Semicolon,
    Comma,
    /// `->`
    Arrow,
    /// `<->`
    Equivalent,
    Colon,
    /// `::`
    Option,
    /// `..`
    DotDot,
    Dot,
    At,
    Assign,
    PlusPlus,
    MinusMinus,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Ampersand,
    Caret,
    Bar,
    Tilde,
    AndAnd,
    OrOr,
    EqualEqual,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    /// `!`
    Bang,
    /// `!!`
    BangBang,
    /// `?`
    Question,
    /// `??`
    QuestionQuestion,
    /// `[]`, which in expressions is the temporal operator and elsewhere two brackets.
    Box,
    /// `<>`, the temporal operator.
    Diamond,
}

impl Punct {
    /// The spelling.
    pub fn text(self) -> &'static str {
        use Punct::*;
        match self {
            LeftBrace => "{",
            RightBrace => "}",
            LeftParen => "(",
            RightParen => ")",
            LeftBracket => "[",
            RightBracket => "]",
            Semicolon => ";",
            Comma => ",",
            Arrow => "->",
            Equivalent => "<->",
            Colon => ":",
            Option => "::",
            DotDot => "..",
            Dot => ".",
            At => "@",
            Assign => "=",
            PlusPlus => "++",
            MinusMinus => "--",
            Plus => "+",
            Minus => "-",
            Star => "*",
            Slash => "/",
            Percent => "%",
            Ampersand => "&",
            Caret => "^",
            Bar => "|",
            Tilde => "~",
            AndAnd => "&&",
            OrOr => "||",
            EqualEqual => "==",
            NotEqual => "!=",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            Bang => "!",
            BangBang => "!!",
            Question => "?",
            QuestionQuestion => "??",
            Box => "[]",
            Diamond => "<>",
        }
    }
}

/// A token and where the user wrote it. A token that comes out of a macro carries the span of the macro's use, so
/// that every message points at the user's own line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where the user wrote it.
    pub span: Span,
}

impl Token {
    /// Whether this is the given word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, TokenKind::Word(w) if &**w == word)
    }

    /// Whether this is the given operator.
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    /// The token as a reader would write it.
    pub fn text(&self) -> String {
        match &self.kind {
            TokenKind::Word(w) => w.to_string(),
            TokenKind::Number(n) => n.unsigned_abs().to_string(),
            TokenKind::Text(t) => format!("\"{t}\""),
            TokenKind::Punct(p) => p.text().to_string(),
            TokenKind::End => "end of file".to_string(),
        }
    }
}
