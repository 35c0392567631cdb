//! A line of the source with a mark below the place that is meant, in the manner of rustc.

use super::Site;
use crate::text::cut;

const WIDEST: usize = 100;

/// How many columns a tab takes in the positions that rustc gives.
const TAB: usize = 4;

/// A line without what is left and right of it, and without a comment at its end.
pub fn trimmed(line: &str) -> &str {
    let line = line.trim();
    line.split_once(" // ").map_or(line, |(code, _)| code.trim_end())
}

/// The place with its line, if that is known; each line of text begins with `indent`.
pub fn excerpt(site: &Site, indent: &str) -> String {
    let number = site.location.line.to_string();
    let gutter = " ".repeat(number.len());
    let mut text = format!("{indent}{gutter}--> {}\n", site.location);
    let Some(source) = site.source.as_deref() else { return text };
    let cut_off = source.chars().take_while(|c| c.is_whitespace()).map(columns).sum::<usize>();
    let column = (site.location.column as usize).saturating_sub(1 + cut_off);
    let line = cut(source.trim(), WIDEST);
    text.push_str(&format!("{indent}{gutter} |\n{indent}{number} | {line}\n"));
    if column < WIDEST {
        text.push_str(&format!("{indent}{gutter} | {}^\n", " ".repeat(column)));
    }
    text
}

fn columns(c: char) -> usize {
    if c == '\t' { TAB } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Location;

    #[test]
    fn the_mark_stands_below_the_place() {
        let site = |source: &str, column| Site {
            location: Location { file: "a.rs".to_string(), line: 9, column },
            source: Some(source.to_string()),
        };
        let expected = " --> a.rs:9:7\n  |\n9 | x.load()\n  |   ^\n";
        assert_eq!(excerpt(&site("    x.load()", 7), ""), expected);
        assert_eq!(excerpt(&site("\tx.load()", 7), ""), expected);
        let unknown = Site { source: None, ..site("", 1) };
        assert_eq!(excerpt(&unknown, "> "), ">  --> a.rs:9:1\n");
    }
}
