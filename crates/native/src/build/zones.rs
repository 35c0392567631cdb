//! Room between global variables, and between thread-local ones, that belongs to none of them: it is put into the assembly of
//! the program, so that who reaches behind the end of an array, or in front of it, is seen.

use std::collections::HashSet;
use std::fmt::Write;

/// The beginning of the names of such room.
pub(crate) const NAME: &str = "quotient_zone.";

/// At least so many bytes.
const SIZE: usize = 32;

/// Sections whose objects do not depend on each other's places.
const SECTIONS: [&str; 9] = [
    ".data", ".bss", ".rodata", ".data.rel", ".data.rel.local", ".data.rel.ro", ".data.rel.ro.local", ".tdata", ".tbss",
];

/// Adds the room to the assembly of a file, which has this number.
pub(crate) fn add(assembly: &str, file: usize) -> String {
    let objects: HashSet<&str> = assembly.lines().filter_map(object).collect();
    let mut out = Output { text: String::with_capacity(assembly.len() * 9 / 8), file, count: 0 };
    let mut locals: HashSet<&str> = HashSet::new();
    // The section, if it is one of those; the alignment that was asked for last; what came last.
    let mut section: Option<&str> = None;
    let (mut align, mut after_object, mut after_label) = (1, false, false);
    let (mut ends, mut entered): (Vec<&str>, HashSet<&str>) = (Vec::new(), HashSet::new());
    for line in assembly.lines() {
        let text = if line.contains('"') { line.trim() } else { line.split('#').next().unwrap_or_default().trim() };
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match word {
            ".data" | ".bss" | ".text" | ".section" | ".pushsection" | ".popsection" | ".previous" | ".subsection" => {
                // Texts that have no names of their own may follow: between them and a variable there is room as well.
                if after_object && section.is_some() {
                    out.zone(1);
                }
                section = if is_zoned(word, rest) { Some(line) } else { None };
                (align, after_object, after_label) = (1, false, false);
                if section.is_some() && entered.insert(line) {
                    out.text.push_str(line);
                    out.text.push('\n');
                    out.zone(1);
                    continue;
                }
            }
            ".align" | ".balign" => align = number(rest),
            ".p2align" => align = 1 << number(rest).min(20),
            ".local" => {
                locals.insert(rest);
            }
            ".comm" if rest.split(',').next().is_some_and(|name| locals.contains(name.trim())) => {
                out.define(rest);
                ends.push("\t.bss");
                continue;
            }
            _ if section.is_some() && text.ends_with(':') => {
                let is_object = objects.contains(&text[..text.len() - 1]);
                if (is_object || after_object) && !after_label {
                    out.zone(align);
                }
                (align, after_object, after_label) = (1, is_object || after_object && after_label, true);
                ends.extend(section.filter(|_| is_object));
            }
            _ if is_data(word) => after_label = false,
            _ => {}
        }
        out.text.push_str(line);
        out.text.push('\n');
    }
    ends.sort_unstable();
    ends.dedup();
    for section in ends {
        out.text.push_str(section);
        out.text.push('\n');
        out.zone(1);
    }
    out.text
}

struct Output {
    text: String,
    file: usize,
    count: usize,
}

impl Output {
    /// Room, of a size that keeps what follows aligned.
    fn zone(&mut self, align: usize) {
        let size = SIZE.next_multiple_of(align.max(1));
        let name = format!("{NAME}{}.{}", self.file, self.count);
        self.count += 1;
        let _ = writeln!(self.text, "\t.type\t{name}, @object\n\t.size\t{name}, {size}\n{name}:\n\t.zero\t{size}");
    }

    /// The definition of a variable that has no initial value and is known in this file only.
    fn define(&mut self, what: &str) {
        let mut parts = what.split(',').map(str::trim);
        let (name, size) = (parts.next().unwrap_or_default(), parts.next().map_or(0, number));
        let align = parts.next().map_or(1, number).max(1);
        let _ = writeln!(self.text, "\t.pushsection\t.bss\n\t.balign\t{align}");
        self.zone(align);
        let _ = writeln!(self.text, "\t.type\t{name}, @object\n\t.size\t{name}, {size}\n{name}:\n\t.zero\t{size}");
        self.text.push_str("\t.popsection\n");
    }
}

fn number(text: &str) -> usize {
    text.split(',').next().and_then(|number| number.trim().parse().ok()).unwrap_or(1)
}

/// The object that a line gives a type to.
fn object(line: &str) -> Option<&str> {
    let (name, of) = line.trim().strip_prefix(".type")?.trim().split_once(',')?;
    // A comment may follow.
    of.trim().starts_with("@object").then(|| name.trim())
}

fn is_zoned(directive: &str, rest: &str) -> bool {
    if directive != ".section" {
        return matches!(directive, ".data" | ".bss") && rest.is_empty();
    }
    let mut words = rest.split(',').map(str::trim);
    let name = words.next().unwrap_or_default();
    let flags = words.next().unwrap_or_default();
    // Constants that are merged, and members of groups, have other rules.
    SECTIONS.contains(&name) && !flags.contains(['M', 'S', 'G'])
}

fn is_data(word: &str) -> bool {
    let directives = [
        ".zero", ".long", ".quad", ".byte", ".value", ".short", ".word", ".string", ".ascii", ".asciz", ".skip",
        ".space", ".octa", ".fill", ".int", ".float", ".double", ".2byte", ".4byte", ".8byte", ".sleb128", ".uleb128",
    ];
    directives.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_around_every_object() {
        let text = "\t.data\n\t.align 4\n\t.type\ta, @object\n\t.size\ta, 4\na:\n\t.long\t1\n\t.align 64\n\t.type\tb, @object\n\
                    b:\n\t.zero\t8\n\t.section\t.rodata\n.LC0:\n\t.string \"x\"\n\t.local\tc\n\t.comm\tc,5,4\n";
        let zoned = add(text, 3);
        // Where .data begins, before a and behind b; where .rodata begins; before c; at the ends of .data and .bss.
        assert_eq!(zoned.matches(":\n\t.zero\t32\n").count(), 7, "{zoned}");
        assert_eq!(zoned.matches(":\n\t.zero\t64\n").count(), 1, "{zoned}");
        assert!(zoned.contains("c:\n\t.zero\t5\n"), "{zoned}");
    }

    #[test]
    fn names_of_one_object_stay_together() {
        let text = "\t.data\n\t.type\ta, @object\n\t.type\tb, @object\na:\nb:\n\t.long\t1\n";
        assert!(add(text, 0).contains("a:\nb:\n"));
    }

    #[test]
    fn code_and_merged_constants_stay_as_they_are() {
        let text = "\t.text\nmain:\n\tret\n\t.section\t.rodata.str1.1,\"aMS\",@progbits,1\n\t.type\t.L.str,@object\n.L.str:\n\
                    \t.asciz\t\"x\"\n";
        assert_eq!(add(text, 0), text);
    }
}
