//! Damage to any text: words, lines and bytes are left out, doubled, exchanged, or taken from another text.
//! It knows no language, so that most of what it makes is refused; that must happen without a crash.

use crate::random::Random;

/// Numbers at which programs go wrong.
pub const EXTREMES: [&str; 16] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
];

/// What is put where something else was.
const ODD: [&str; 14] = ["", "(", ")", "{", "}", "[", "]", ";", "\"", "'", "\\", "\0", "\u{1F600}", "-"];

/// Words, numbers, runs of spaces, and single characters; together they are the text.
pub fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        ' ' | '\t' => 2,
        _ => 0,
    };
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match kind(first) {
            0 => first.len_utf8(),
            same => rest.find(|c| kind(c) != same).unwrap_or(rest.len()),
        };
        let (piece, after) = rest.split_at(end);
        found.push(piece);
        rest = after;
    }
    found
}

/// Whether a piece is a number.
pub fn is_number(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_digit())
}

/// The text, damaged in one to four places, with parts of another text.
pub fn damage(text: &str, other: &str, random: &mut Random) -> Vec<u8> {
    let mut text = text.to_owned();
    // Few places, so that some of it is still understood.
    for _ in 0..=[0, 0, 0, 1, 3][random.below(5)] {
        text = match random.below(10) {
            0..=5 => damage_pieces(&text, other, random),
            6..=8 => damage_lines(&text, other, random),
            _ => damage_length(&text, other, random),
        };
    }
    let mut bytes = text.into_bytes();
    if random.chance(5) && !bytes.is_empty() {
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.bits() as u8;
        }
    }
    bytes
}

fn damage_pieces(text: &str, other: &str, random: &mut Random) -> String {
    let mut pieces = pieces(text);
    let others = self::pieces(other);
    if pieces.is_empty() {
        return other.to_owned();
    }
    let at = random.below(pieces.len());
    let numbers: Vec<usize> = (0..pieces.len()).filter(|&at| is_number(pieces[at])).collect();
    match random.below(7) {
        0 => drop(pieces.remove(at)),
        1 => pieces.insert(at, pieces[at]),
        2 => {
            let with = random.below(pieces.len());
            pieces.swap(at, with);
        }
        3 if !others.is_empty() => pieces[at] = *random.pick(&others),
        4 => pieces[at] = *random.pick(&ODD),
        5 => {
            // A word of the same text in the place of another one.
            let words: Vec<&str> =
                pieces.iter().copied().filter(|piece| piece.starts_with(|c: char| c.is_alphabetic())).collect();
            if !words.is_empty() {
                pieces[at] = *random.pick(&words);
            }
        }
        _ if !numbers.is_empty() => pieces[*random.pick(&numbers)] = *random.pick(&EXTREMES),
        _ => {}
    }
    pieces.concat()
}

fn damage_lines(text: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let others: Vec<&str> = other.split_inclusive('\n').collect();
    if lines.is_empty() {
        return other.to_owned();
    }
    let at = random.below(lines.len());
    match random.below(5) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at]),
        2 => {
            let with = random.below(lines.len());
            lines.swap(at, with);
        }
        3 if !others.is_empty() => lines[at] = *random.pick(&others),
        _ => {
            let end = (at + 1 + random.below(8)).min(lines.len());
            lines.drain(at..end);
        }
    }
    lines.concat()
}

/// Cuts the text off, repeats a piece of it very often, or puts a part of another text into it.
fn damage_length(text: &str, other: &str, random: &mut Random) -> String {
    let mut pieces: Vec<&str> = pieces(text);
    let at = random.below(pieces.len().max(1)).min(pieces.len());
    match random.below(3) {
        0 => pieces.truncate(at),
        1 if at < pieces.len() => {
            let piece = pieces[at];
            let times = 1 << random.between(4, 14);
            pieces.splice(at..at, std::iter::repeat_n(piece, times));
        }
        _ => {
            let others = self::pieces(other);
            let from = random.below(others.len().max(1)).min(others.len());
            let to = (from + random.below(40)).min(others.len());
            pieces.splice(at..at, others[from..to].iter().copied());
        }
    }
    pieces.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_whole_text() {
        let text = "int x = 10;\n  é(\"a b\")\u{1F600}\t\n";
        assert_eq!(pieces(text).concat(), text);
        assert_eq!(pieces("a1 += 2"), ["a1", " ", "+", "=", " ", "2"]);
    }

    #[test]
    fn a_seed_names_its_damage() {
        let of = |seed| damage("one two\nthree 4\n", "five\nsix", &mut Random::new(seed));
        assert!((0..200).all(|seed| of(seed) == of(seed)));
        assert!((0..200).filter(|&seed| of(seed) != b"one two\nthree 4\n").count() > 150);
    }
}
