//! Cuts a text into tokens with line numbers. The notation is our own; see [`parse`](super).

use std::fmt;

use super::ParseError;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word: a keyword, a mode, a register or the name of a location.
    Word(String),
    Number(u64),
    Symbol(&'static str),
    /// The rest of a line that begins with `name`.
    Text(String),
    /// The end of a line.
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(text) | Token::Text(text) => write!(f, "`{text}`"),
            Token::Number(value) => write!(f, "`{value}`"),
            Token::Symbol(text) => write!(f, "`{text}`"),
            Token::End => f.write_str("the end of the line"),
        }
    }
}

/// Longer symbols come before those they begin with.
const SYMBOLS: [&str; 16] = ["==", "!=", "&&", "||", "{", "}", "(", ")", ";", ",", "=", "<", "+", "!", ":", "&"];

/// The tokens of a text, each with its line.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ParseError> {
    let mut tokens = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let mut rest = line.split('#').next().unwrap_or("").trim();
        if let Some(name) = rest.strip_prefix("name").filter(|name| name.starts_with(char::is_whitespace)) {
            tokens.push((line_number, Token::Word("name".to_string())));
            tokens.push((line_number, Token::Text(name.trim().to_string())));
            rest = "";
        }
        while !rest.is_empty() {
            let (token, length) = token(rest).map_err(|message| ParseError { line: line_number, message })?;
            tokens.push((line_number, token));
            rest = rest[length..].trim_start();
        }
        tokens.push((line_number, Token::End));
    }
    Ok(tokens)
}

/// The first token of a text that is not empty, and how many bytes it takes.
fn token(text: &str) -> Result<(Token, usize), String> {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let word = &text[..length];
    match word.chars().next() {
        Some(first) if first.is_ascii_digit() => match word.parse() {
            Ok(value) => Ok((Token::Number(value), length)),
            Err(_) => Err(format!("`{word}` is not a number of 64 bits")),
        },
        Some(_) => Ok((Token::Word(word.to_string()), length)),
        None => match SYMBOLS.iter().find(|symbol| text.starts_with(**symbol)) {
            Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
            None => Err(format!("`{}` has no meaning here", text.chars().next().unwrap_or(' '))),
        },
    }
}
