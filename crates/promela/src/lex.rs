//! Turns a file's text into preprocessing tokens, one at a time. What is wrong with a token (an unclosed quote, a
//! number that is no Promela number) is kept in the token and only told when the token reaches the parser, because
//! text in a skipped conditional group may be anything at all.

use std::collections::HashSet;
use std::rc::Rc;

use quotient_report::source::{FileId, Span};

use crate::token::Punct;

/// What a preprocessing token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RawKind {
    /// A name or keyword.
    Word(Rc<str>),
    /// Digits and whatever letters follow them, as spelt.
    Number(Rc<str>),
    /// A character constant, without its quotes.
    Char(Rc<str>),
    /// A string, without its quotes.
    Text(Rc<str>),
    /// An operator of Promela.
    Punct(Punct),
    /// `#`
    Hash,
    /// `##`
    HashHash,
    /// `...`
    Ellipsis,
    /// Characters that begin no token.
    Stray(Rc<str>),
    /// The rest of a line that starts with an unclosed `"`.
    OpenText(Rc<str>),
    /// The rest of a line that starts with an unclosed `'`.
    OpenChar(Rc<str>),
    /// The rest of a file that starts with an unclosed `/*`.
    OpenComment,
    /// The end of the file.
    End,
}

/// A preprocessing token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Raw {
    /// What it is.
    pub kind: RawKind,
    /// Where it is spelt.
    pub span: Span,
    /// Whether it is the first one on its line; a `#` there starts a directive.
    pub line_start: bool,
    /// Whether white space or a comment comes before it.
    pub space_before: bool,
    /// Whether it is the name of a macro that must never be expanded again, because it came out of that macro.
    pub painted: bool,
}

impl Raw {
    /// Whether this is the given operator.
    pub(crate) fn is(&self, punct: Punct) -> bool {
        self.kind == RawKind::Punct(punct)
    }

    /// The name, if it is one.
    pub(crate) fn word(&self) -> Option<&Rc<str>> {
        match &self.kind {
            RawKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The token as it is written.
    pub(crate) fn spelling(&self) -> String {
        match &self.kind {
            RawKind::Word(s) | RawKind::Number(s) | RawKind::Stray(s) => s.to_string(),
            RawKind::OpenText(s) => format!("\"{s}"),
            RawKind::OpenChar(s) => format!("'{s}"),
            RawKind::Char(s) => format!("'{s}'"),
            RawKind::Text(s) => format!("\"{s}\""),
            RawKind::Punct(p) => p.text().to_string(),
            RawKind::Hash => "#".to_string(),
            RawKind::HashHash => "##".to_string(),
            RawKind::Ellipsis => "...".to_string(),
            RawKind::OpenComment => "/*".to_string(),
            RawKind::End => String::new(),
        }
    }
}

/// Every distinct spelling once, so that a large model does not hold a copy for each use of a name.
#[derive(Default)]
pub(crate) struct Spellings(HashSet<Rc<str>>);

impl Spellings {
    /// The shared copy of a spelling.
    pub(crate) fn share(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new: Rc<str> = text.into();
        self.0.insert(new.clone());
        new
    }
}

/// A place in a file's text.
pub(crate) struct Lexer {
    file: FileId,
    /// The text without its backslash-newlines.
    text: String,
    position: usize,
    /// For each backslash-newline: its position in `text`, and the bytes dropped up to and including it.
    splices: Vec<(usize, usize)>,
    line_start: bool,
}

/// Starts at the beginning of a file.
pub(crate) fn lexer(file: FileId, text: &str) -> Lexer {
    let (text, splices) = join_lines(text);
    Lexer { file, text, position: 0, splices, line_start: true }
}

/// Takes out every backslash-newline. As in gcc, blanks may come between the two: nobody sees them in an editor.
fn join_lines(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut joined = String::with_capacity(text.len());
    let (mut splices, mut dropped, mut kept_to) = (Vec::new(), 0, 0);
    for (at, _) in text.match_indices('\\') {
        let after = &text[at + 1..];
        let blanks = after.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
        if at < kept_to || after.as_bytes().get(blanks) != Some(&b'\n') {
            continue;
        }
        joined.push_str(&text[kept_to..at]);
        kept_to = at + blanks + 2;
        dropped += blanks + 2;
        splices.push((joined.len(), dropped));
    }
    joined.push_str(&text[kept_to..]);
    (joined, splices)
}

/// The operators, longest first among those with a common beginning.
const OPERATORS: [(&str, Punct); 45] = [
    ("<->", Punct::Equivalent),
    ("->", Punct::Arrow),
    ("::", Punct::Option),
    ("..", Punct::DotDot),
    ("++", Punct::PlusPlus),
    ("--", Punct::MinusMinus),
    ("&&", Punct::AndAnd),
    ("/\\", Punct::AndAnd),
    ("||", Punct::OrOr),
    ("\\/", Punct::OrOr),
    ("==", Punct::EqualEqual),
    ("!=", Punct::NotEqual),
    ("<=", Punct::LessEqual),
    (">=", Punct::GreaterEqual),
    ("<<", Punct::ShiftLeft),
    (">>", Punct::ShiftRight),
    ("<>", Punct::Diamond),
    ("[]", Punct::Box),
    ("!!", Punct::BangBang),
    ("??", Punct::QuestionQuestion),
    ("{", Punct::LeftBrace),
    ("}", Punct::RightBrace),
    ("(", Punct::LeftParen),
    (")", Punct::RightParen),
    ("[", Punct::LeftBracket),
    ("]", Punct::RightBracket),
    (";", Punct::Semicolon),
    (",", Punct::Comma),
    (":", Punct::Colon),
    (".", Punct::Dot),
    ("@", Punct::At),
    ("=", Punct::Assign),
    ("+", Punct::Plus),
    ("-", Punct::Minus),
    ("*", Punct::Star),
    ("/", Punct::Slash),
    ("%", Punct::Percent),
    ("&", Punct::Ampersand),
    ("^", Punct::Caret),
    ("|", Punct::Bar),
    ("~", Punct::Tilde),
    ("<", Punct::Less),
    (">", Punct::Greater),
    ("!", Punct::Bang),
    ("?", Punct::Question),
];

impl Lexer {
    /// The next token; at the end of the file, [`RawKind::End`] as often as it is asked for.
    pub(crate) fn next(&mut self, spellings: &mut Spellings) -> Raw {
        let mut space_before = false;
        loop {
            let rest = &self.text.as_bytes()[self.position..];
            match rest {
                [b'\n', ..] => {
                    self.position += 1;
                    self.line_start = true;
                    space_before = true;
                }
                [b' ' | b'\t' | b'\r' | 0x0b | 0x0c, ..] => {
                    self.position += 1;
                    space_before = true;
                }
                // A byte order mark is no text.
                [0xef, 0xbb, 0xbf, ..] if self.position == 0 => self.position += 3,
                [b'/', b'/', ..] => {
                    self.position += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    space_before = true;
                }
                [b'/', b'*', ..] => {
                    let start = self.position;
                    // A newline in a comment starts no line: the comment is one space.
                    match self.text[start + 2..].find("*/") {
                        Some(length) => self.position += length + 4,
                        None => {
                            self.position = self.text.len();
                            return self.token(start, start + 2, RawKind::OpenComment, space_before);
                        }
                    }
                    space_before = true;
                }
                _ => break,
            }
        }
        let start = self.position;
        let (kind, length) = kind_at(&self.text[start..], spellings);
        self.position += length;
        self.token(start, self.position, kind, space_before)
    }

    fn token(&mut self, start: usize, end: usize, kind: RawKind, space_before: bool) -> Raw {
        let line_start = std::mem::replace(&mut self.line_start, false) || kind == RawKind::End;
        let span = Span { file: self.file, start: self.original_start(start), end: self.original_end(start, end) };
        Raw { kind, span, line_start, space_before, painted: false }
    }

    fn original_start(&self, at: usize) -> u32 {
        (at + self.dropped(self.splices.partition_point(|s| s.0 <= at))) as u32
    }

    fn original_end(&self, start: usize, end: usize) -> u32 {
        if start == end {
            return self.original_start(end);
        }
        (end + self.dropped(self.splices.partition_point(|s| s.0 < end))) as u32
    }

    fn dropped(&self, splices_before: usize) -> usize {
        splices_before.checked_sub(1).map_or(0, |last| self.splices[last].1)
    }
}

/// The token at the beginning of a text that begins with no white space, and its length.
fn kind_at(text: &str, spellings: &mut Spellings) -> (RawKind, usize) {
    let Some(first) = text.chars().next() else { return (RawKind::End, 0) };
    let word_length = || text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    match first {
        'a'..='z' | 'A'..='Z' | '_' => {
            let length = word_length();
            (RawKind::Word(spellings.share(&text[..length])), length)
        }
        '0'..='9' => {
            let length = word_length();
            (RawKind::Number(spellings.share(&text[..length])), length)
        }
        '"' | '\'' => quoted(text, first, spellings),
        '#' if text.starts_with("##") => (RawKind::HashHash, 2),
        '#' => (RawKind::Hash, 1),
        '.' if text.starts_with("...") => (RawKind::Ellipsis, 3),
        _ => {
            if let Some((spelling, punct)) = OPERATORS.iter().find(|(spelling, _)| text.starts_with(spelling)) {
                return (RawKind::Punct(*punct), spelling.len());
            }
            // A run of foreign characters is one mistake.
            let foreign = |c: &char| !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace());
            let length = text.chars().take_while(foreign).map(char::len_utf8).sum::<usize>().max(first.len_utf8());
            (RawKind::Stray(spellings.share(&text[..length])), length)
        }
    }
}

/// A string or a character constant; the rest of the line if it is never closed.
fn quoted(text: &str, quote: char, spellings: &mut Spellings) -> (RawKind, usize) {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => {
                // The carriage return of a line's end is no part of what the user wrote.
                let line = text[..at].trim_end_matches('\r');
                return (open(line, quote, spellings), line.len());
            }
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => {
                let inside = spellings.share(&text[1..at]);
                return (if quote == '"' { RawKind::Text(inside) } else { RawKind::Char(inside) }, at + 1);
            }
            _ => {}
        }
    }
    (open(text, quote, spellings), text.len())
}

fn open(line: &str, quote: char, spellings: &mut Spellings) -> RawKind {
    let inside = spellings.share(&line[1..]);
    if quote == '"' { RawKind::OpenText(inside) } else { RawKind::OpenChar(inside) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<Raw> {
        let (mut lexer, mut spellings) = (lexer(FileId(0), text), Spellings::default());
        std::iter::from_fn(|| Some(lexer.next(&mut spellings)).filter(|t| t.kind != RawKind::End)).collect()
    }

    fn spelt(text: &str) -> String {
        lex(text).iter().map(Raw::spelling).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_operator_is_read_back_from_its_spelling() {
        for (spelling, punct) in OPERATORS {
            let tokens = lex(spelling);
            assert_eq!(tokens.len(), 1, "{spelling}");
            assert!(tokens[0].is(punct), "{spelling}");
        }
    }

    #[test]
    fn the_longest_operator_wins() {
        assert_eq!(spelt("a<->b->c<>d<<e<=f<g"), "a <-> b -> c <> d << e <= f < g");
        assert_eq!(spelt("a<-1 a--1 !!=x ???y :::z"), "a < - 1 a -- 1 !! = x ?? ? y :: : z");
        assert_eq!(spelt("p/\\q\\/r"), "p && q || r");
        assert_eq!(spelt("1..N ...x"), "1 .. N ... x");
        assert_eq!(spelt("# ## ###"), "# ## ## #");
    }

    #[test]
    fn a_box_is_two_adjacent_brackets() {
        assert_eq!(spelt("[]p [ ]p c?[m] a[b[1]]"), "[] p [ ] p c ? [ m ] a [ b [ 1 ] ]");
    }

    #[test]
    fn quotes_keep_their_escapes() {
        let kinds: Vec<_> = lex(r#"'a' '\n' '\'' '\\' "a\"b\\" "" '"' "'""#).into_iter().map(|t| t.kind).collect();
        let text = |s: &str| RawKind::Text(s.into());
        let char = |s: &str| RawKind::Char(s.into());
        let expected =
            [char("a"), char("\\n"), char("\\'"), char("\\\\"), text("a\\\"b\\\\"), text(""), char("\""), text("'")];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn an_unclosed_quote_takes_the_rest_of_its_line_only() {
        let kinds: Vec<_> = lex("x \"ab\r\ny 'c\nz").into_iter().map(|t| t.kind).collect();
        let word = |s: &str| RawKind::Word(s.into());
        assert_eq!(
            kinds,
            [word("x"), RawKind::OpenText("ab".into()), word("y"), RawKind::OpenChar("c".into()), word("z")]
        );
    }

    #[test]
    fn comments_are_white_space_and_start_no_line() {
        let tokens = lex("a/*x\n*/b // c\n/* \n */ d /**/ e");
        let flags: Vec<_> = tokens.iter().map(|t| (t.spelling(), t.line_start, t.space_before)).collect();
        let expected = [("a", true, false), ("b", false, true), ("d", true, true), ("e", false, true)];
        assert_eq!(flags, expected.map(|(s, l, b)| (s.to_string(), l, b)));
        assert_eq!(lex("a /* b").last().map(|t| (t.kind.clone(), t.span.start, t.span.end)), {
            Some((RawKind::OpenComment, 2, 4))
        });
    }

    #[test]
    fn a_backslash_at_the_end_of_a_line_joins_it_to_the_next() {
        let tokens = lex("ab\\\ncd \\ \r\n e // x \\\n y\nf");
        let places: Vec<_> = tokens.iter().map(|t| (t.spelling(), t.span.start, t.span.end, t.line_start)).collect();
        let expected = [("abcd", 0, 6, true), ("e", 12, 13, false), ("f", 24, 25, true)];
        assert_eq!(places, expected.map(|(s, a, b, l)| (s.to_string(), a, b, l)));
    }

    #[test]
    fn foreign_characters_in_a_row_are_one_token() {
        let tokens = lex("\u{feff}x é→\u{1}y $ \\");
        let places: Vec<_> = tokens.iter().map(|t| (t.spelling(), t.span.start, t.span.end)).collect();
        let expected = [("x", 3, 4), ("é→\u{1}", 5, 11), ("y", 11, 12), ("$", 13, 14), ("\\", 15, 16)];
        assert_eq!(places, expected.map(|(s, a, b)| (s.to_string(), a, b)));
    }
}
