//! Links from one document to another. Follows how GitHub and mdBook make an anchor of a heading.

use std::fs;
use std::path::Path;

/// The links of a document that lead nowhere.
pub(crate) fn broken(document: &Path) -> Vec<String> {
    let text = read(document);
    let beside = document.parent().expect("a directory");
    let mut broken = Vec::new();
    for link in links(&text) {
        let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let target = if path.is_empty() { document.to_path_buf() } else { beside.join(path) };
        let found =
            target.exists() && (anchor.is_empty() || anchors(&read(&target)).iter().any(|there| there == anchor));
        if !found && !link.contains("://") {
            broken.push(format!("{}: {link}", document.display()));
        }
    }
    broken
}

/// A document, with what it includes.
fn read(document: &Path) -> String {
    let text = fs::read_to_string(document).unwrap_or_default();
    match text.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
        Some(included) => read(&document.parent().expect("a directory").join(included)),
        None => text,
    }
}

/// Lines that are not in a fenced block.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// Where the links lead. What stands in backquotes is code, which may look like a link.
fn links(text: &str) -> Vec<String> {
    let links = |line: &str| -> Vec<String> {
        let words: String = line.split('`').step_by(2).collect();
        words.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link.to_owned()).collect()
    };
    prose(text).flat_map(links).collect()
}

/// The anchors of all headings.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter_map(|line| line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')));
    headings
        .map(|heading| {
            let kept = heading.trim().chars().filter(|&c| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_');
            kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
        })
        .collect()
}
