//! What is told of the messages of a front end: not more than a person reads, and nothing that stands in a file of others.

use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::{FileId, SourceMap};

/// So many messages are told.
const MOST: usize = 100;

/// What stands for a text of a file that is not shown.
const HIDDEN: &str = "…";

/// The messages that are told. A model can include any file: of those that are not shown only the place is told, so texts in
/// backquotes that stand only there are left out.
pub(crate) fn told(mut messages: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    // Errors say more than warnings, and both are in the order in which they were found.
    if messages.len() > MOST {
        messages.sort_by_key(|message| message.severity != Severity::Error);
        let left_out = messages.split_off(MOST);
        let errors = left_out.iter().filter(|message| message.severity == Severity::Error).count();
        let count = |count: usize, what: &str| format!("{count} more {what}{}", if count == 1 { "" } else { "s" });
        let mut more = Diagnostic::global(match (errors, left_out.len() - errors) {
            (0, warnings) => format!("and {}", count(warnings, "warning")),
            (errors, 0) => format!("and {}", count(errors, "error")),
            (errors, warnings) => format!("and {}, {}", count(errors, "error"), count(warnings, "warning")),
        });
        if errors == 0 {
            more.severity = Severity::Warning;
        }
        messages.push(more);
    }
    if sources.files().iter().all(|file| file.is_shown) {
        return messages;
    }
    for message in &mut messages {
        let is_hidden = |file: FileId| sources.files().get(file.0 as usize).is_some_and(|file| !file.is_shown);
        let is_there = message.span.is_some_and(|span| is_hidden(span.file))
            || message.related.iter().any(|(span, _)| is_hidden(span.file));
        let texts = [&mut message.message, &mut message.label].into_iter().chain(&mut message.help);
        for text in texts.chain(message.related.iter_mut().map(|(_, text)| text)) {
            *text = without_others(text, sources, is_there);
        }
    }
    messages
}

/// A text without what is in backquotes in it, if that stands in hidden files only.
fn without_others(text: &str, sources: &SourceMap, is_there: bool) -> String {
    let is_shown = |part: &str| sources.files().iter().any(|file| file.is_shown && file.text.contains(part));
    let stands_elsewhere = |part: &str| sources.files().iter().any(|file| !file.is_shown && file.text.contains(part));
    let is_other = |part: &str| (is_there || stands_elsewhere(part)) && !is_shown(part);
    let parts = text.split('`').enumerate().map(|(number, part)| match number % 2 {
        1 if is_other(part) => HIDDEN,
        _ => part,
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_not_more_than_a_person_reads() {
        let messages = told((0..1000).map(|n| Diagnostic::global(n.to_string())).collect(), &SourceMap::default());
        assert_eq!(messages.len(), MOST + 1);
        assert_eq!(messages[MOST].message, "and 900 more errors");
    }
}
