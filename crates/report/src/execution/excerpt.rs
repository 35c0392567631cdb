//! A line of the source with a mark below the place that is meant, in the manner of rustc.

use super::Site;
use crate::text::{cut, width};

const WIDEST: usize = 100;

/// How many columns a tab takes in the positions that rustc gives.
const TAB: usize = 4;

/// As much of the line as has room, without indentation and comments; where the place is far to the right, its
/// surroundings.
pub(super) fn surroundings(site: &Site, room: usize) -> String {
    let Some(source) = site.source.as_deref() else { return String::new() };
    let line = source.trim();
    let line = line.split_once(" // ").map_or(line, |(code, _)| code.trim_end());
    let column = column(site, source);
    if width(line) <= room || column + room / 4 <= room {
        return cut(line, room);
    }
    let chars: Vec<char> = line.chars().collect();
    let skipped = column.saturating_sub(room / 2).min(chars.len() - room + 1);
    // Rather a little less than half a word.
    let word = chars[skipped..].iter().position(|c| c.is_whitespace()).map_or(0, |space| space + 1);
    let skipped = if skipped + word <= column { skipped + word } else { skipped };
    cut(&format!("…{}", chars[skipped..].iter().collect::<String>()), room)
}

/// Where the place is in its line, not counting the indentation.
fn column(site: &Site, source: &str) -> usize {
    let indentation = source.chars().take_while(|c| c.is_whitespace()).map(columns).sum::<usize>();
    (site.location.column as usize).saturating_sub(1 + indentation)
}

/// The place with its line, if that is known; each line of text begins with `indent`.
pub(super) fn excerpt(site: &Site, indent: &str) -> String {
    let number = site.location.line.to_string();
    let gutter = " ".repeat(number.len());
    let mut text = format!("{indent}{gutter}--> {}\n", site.location);
    let Some(source) = site.source.as_deref() else { return text };
    let column = column(site, source);
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

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let line = "    assert_eq!((first.load(Relaxed), second.load(Relaxed)), (1, 1)); // never";
        let shown = |mark: &str| {
            let column = line.find(mark).expect("the mark") as u32 + 1;
            let location = Location { file: "a.rs".to_string(), line: 9, column };
            surroundings(&Site { location, source: Some(line.to_string()) }, 40)
        };
        assert_eq!(shown("load(Relaxed), second"), "assert_eq!((first.load(Relaxed), second…");
        assert_eq!(shown("load(Relaxed))"), "…second.load(Relaxed)), (1, 1));");
        assert_eq!(shown("(1, 1)"), "…second.load(Relaxed)), (1, 1));");
    }
}
