//! Pieces of text for people: numbers, colours, columns. Nothing is printed here; the caller gets strings.

use crate::source::Location;

/// Whether and how to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// Use colours.
    pub color: bool,
}

impl Palette {
    /// What matters.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// What is wrong.
    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// What is right.
    pub fn good(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    /// What is undecided, or to be noted.
    pub fn note(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    /// Who does something.
    pub fn who(self, text: &str) -> String {
        self.paint("36", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }
}

/// A number with separators: `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 step`, `1,234 steps`.
pub fn count(number: u64, what: &str) -> String {
    let plural = match (number, what.strip_suffix('y')) {
        (1, _) => what.to_string(),
        (_, Some(stem)) => format!("{stem}ies"),
        _ => format!("{what}s"),
    };
    format!("{} {plural}", thousands(number))
}

/// An amount of memory: `12.3 MiB`.
pub fn bytes(bytes: u64) -> String {
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 1024.0 && unit < 4 {
        amount /= 1024.0;
        unit += 1;
    }
    match ["B", "KiB", "MiB", "GiB", "TiB"][unit] {
        "B" => format!("{bytes} B"),
        unit => format!("{amount:.1} {unit}"),
    }
}

/// A place as `file:line`, with the file's name only.
pub fn place(location: &Location) -> String {
    let name = std::path::Path::new(&location.file).file_name().map(|name| name.to_string_lossy().into_owned());
    format!("{}:{}", name.unwrap_or_else(|| location.file.clone()), location.line)
}

/// How many characters a text has.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// A text filled up with spaces.
pub fn pad(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// A text that is not longer than allowed; control characters are shown, not sent to the terminal.
pub fn cut(text: &str, most: usize) -> String {
    let text: String = text.chars().flat_map(shown).collect();
    if width(&text) <= most {
        return text;
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

fn shown(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}

/// Joins pieces into lines that are not longer than `most`, where that is possible.
pub fn fill(pieces: &[String], between: &str, indent: &str, most: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if width(line) + width(between) + width(piece) <= most => {
                line.push_str(between);
                line.push_str(piece);
            }
            _ => lines.push(format!("{indent}{piece}")),
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1000, 123_456, 1_234_567].map(thousands), ["0", "999", "1,000", "123,456", "1,234,567"]);
        assert_eq!([0, 1023, 1536, 5 << 30].map(bytes), ["0 B", "1023 B", "1.5 KiB", "5.0 GiB"]);
        assert_eq!(count(1, "step"), "1 step");
        assert_eq!(count(2000, "property"), "2,000 properties");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(cut("a\u{1b}[2Jb\n", 40), "a\\u{1b}[2Jb\\n");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("äöü", 3), "äöü");
    }

    #[test]
    fn pieces_fill_lines() {
        let pieces = ["aaa", "bbb", "ccc"].map(str::to_string);
        assert_eq!(fill(&pieces, ", ", "  ", 12), "  aaa, bbb\n  ccc\n");
    }
}
