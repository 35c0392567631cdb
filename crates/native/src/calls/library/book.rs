//! The table in the book, made from the rows.

use super::{Case, Function, Size, Span, table};
use std::fmt::Write;

/// The table, as Markdown. Functions of a header that do the same share a line.
pub fn book() -> String {
    let mut lines: Vec<(&str, Vec<&str>, String)> = Vec::new();
    for function in table::every_row() {
        let says = line(&function);
        match lines.iter_mut().find(|(header, _, other)| *header == function.header && *other == says) {
            Some((_, names, _)) => names.push(function.name),
            None => lines.push((function.header, vec![function.name], says)),
        }
    }
    let mut text = String::from("| header | functions | read | write |\n|---|---|---|---|\n");
    for (header, names, says) in lines {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(text, "| `{header}` | {} | {says} |", names.join(", "));
    }
    text
}

fn line(function: &Function) -> String {
    let list = |spans: &[Span]| spans.iter().map(|&span| describe(span)).collect::<Vec<_>>().join("; ");
    let mut writes = list(function.writes);
    if let Some(kept) = function.keeps {
        let separator = if writes.is_empty() { "" } else { "; " };
        let _ = write!(writes, "{separator}{kept}, which all threads share");
    }
    format!("{} | {writes}", list(function.reads))
}

/// A part of memory, in words. Arguments are counted from 1.
fn describe(span: Span) -> String {
    let case = |case: Case| if case == Case::Ignored { " in any case of letters" } else { "" };
    match span {
        Span::Bytes(i, size) => match size {
            Size::Argument(n) => format!("as much as argument {} says, at {}", n + 1, i + 1),
            Size::Product(n, m) => format!("{} times {} bytes at {}", n + 1, m + 1, i + 1),
            Size::Constant(size) => format!("{size} bytes at {}", i + 1),
        },
        Span::Text(i) => format!("the string at {}", i + 1),
        Span::TextIfAny(i) => format!("the string at {}, if there is one", i + 1),
        Span::Token(i, j) => format!("the string at {}, up to what {} has, or the rest of one before", i + 1, j + 1),
        Span::TextAtMost(i, n) => format!("the string at {}, at most {}", i + 1, n + 1),
        Span::Until(i, c, n) => format!("at {}, up to {}, at most {}", i + 1, c + 1, n + 1),
        Span::UntilFound(i, c) => format!("at {}, up to {}", i + 1, c + 1),
        Span::TextUntil(i, c) => format!("the string at {}, up to {}", i + 1, c + 1),
        Span::Compared(i, j, which) => {
            format!("the strings at {} and {}, up to the first difference{}", i + 1, j + 1, case(which))
        }
        Span::ComparedAtMost(i, j, n, which) => {
            let (i, j, n) = (i + 1, j + 1, n + 1);
            format!("the strings at {i} and {j}, up to the first difference{}, at most {n}", case(which))
        }
        Span::While(i, j) => format!("the string at {}, as long as it has what {} has", i + 1, j + 1),
        Span::WhileNot(i, j) => format!("the string at {}, up to what {} has", i + 1, j + 1),
        Span::Match(i, j, which) => format!("the string at {}, up to the end of {} in it{}", i + 1, j + 1, case(which)),
        Span::Copy(i, j) => format!("at {}, as much as the string at {} has", i + 1, j + 1),
        Span::CopyUntil(i, j, ..) => format!("at {}, as much as is read at {}", i + 1, j + 1),
        Span::Append(i, j) => format!("behind the string at {}, as much as {} has", i + 1, j + 1),
        Span::AppendAtMost(i, j, n) => {
            format!("behind the string at {}, as much as {} has, at most {}", i + 1, j + 1, n + 1)
        }
        Span::Number(i) => format!("the number at {}, and the character behind it", i + 1),
        Span::Result(i) => format!("the result, at {}", i + 1),
        Span::Value(i, size) => format!("{size} bytes at {}", i + 1),
        Span::Format(i) => format!("the format at {}, and the strings that it asks for", i + 1),
        Span::Elements(i) => format!("the elements at {}", i + 1),
        Span::New => "new memory".to_owned(),
    }
}

impl Span {
    /// The arguments that are touched.
    pub fn arguments(self) -> Vec<u8> {
        match self {
            Span::Bytes(i, _)
            | Span::Text(i)
            | Span::TextIfAny(i)
            | Span::Token(i, _)
            | Span::TextAtMost(i, _)
            | Span::Until(i, ..)
            | Span::UntilFound(i, _)
            | Span::TextUntil(i, _)
            | Span::While(i, _)
            | Span::WhileNot(i, _)
            | Span::Match(i, ..)
            | Span::Copy(i, _)
            | Span::CopyUntil(i, ..)
            | Span::Append(i, _)
            | Span::AppendAtMost(i, ..)
            | Span::Number(i)
            | Span::Result(i)
            | Span::Value(i, _)
            | Span::Elements(i) => vec![i],
            Span::Compared(i, j, _) | Span::ComparedAtMost(i, j, ..) => vec![i, j],
            // The format, and the string that the examples ask for.
            Span::Format(i) => vec![i, i + 1],
            Span::New => Vec::new(),
        }
    }
}
