//! Fenced blocks of a Markdown file, each with what the comment above it says. Follows what the documents use of
//! CommonMark: fences of three backticks, and comments that begin a line.

/// What a comment says about the block below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The block is this file.
    File(String),
    /// The block takes the place of these lines of a file, the first and the last one.
    Replace(String, usize, usize),
    /// The block is a part of what this command prints.
    PartOf(String),
    /// The block is a part of this file of the project.
    SameAs(String),
    /// The commands need these programs, which need not be there.
    Needs(Vec<String>),
    /// The block is not run, for a reason.
    NotRun(String),
}

/// A part of a document that means something to the tests.
#[derive(Debug)]
pub(crate) enum Part {
    /// A fenced block; or, without a language, a file or a change of one that the reader does not see.
    Block { line: usize, language: String, text: String, note: Option<Note> },
    /// A file of the project that the commands find under another name.
    Copy(String, String),
}

/// All parts of a document, in order.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut parts, mut note, mut at) = (Vec::new(), None, 0);
    while at < lines.len() {
        let line = lines[at];
        if let Some(language) = line.strip_prefix("```") {
            let end = (at + 1..lines.len()).find(|&end| lines[end] == "```").expect("a block ends");
            let text = joined(&lines[at + 1..end]);
            parts.push(Part::Block { line: at + 1, language: language.to_string(), text, note: note.take() });
            at = end;
        } else if let Some(begun) = line.strip_prefix("<!-- ") {
            let end = (at..lines.len()).find(|&end| lines[end].ends_with("-->")).expect("a comment ends");
            if end > at && lines[end] == "-->" {
                let (note, text) = (said(&format!("{line} -->")), joined(&lines[at + 1..end]));
                parts.push(Part::Block { line: at + 1, language: String::new(), text, note });
            } else if let Some(rest) = begun.strip_prefix("copy: ") {
                let mut words = rest.split_whitespace().map(String::from);
                let mut next = || words.next().expect("a file and its name");
                parts.push(Part::Copy(next(), next()));
            } else {
                note = said(&lines[at..=end].join(" "));
            }
            at = end;
        } else if !line.trim().is_empty() {
            note = None;
        }
        at += 1;
    }
    parts
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What a comment says, if it is about a block.
fn said(comment: &str) -> Option<Note> {
    let (kind, rest) = comment.strip_prefix("<!-- ")?.strip_suffix("-->")?.trim_end().split_once(": ")?;
    let rest = rest.to_string();
    Some(match kind {
        "file" => Note::File(rest),
        "replace" => {
            let (name, lines) = rest.split_once(' ').expect("a file and its lines");
            let (first, last) = lines.split_once('-').expect("the first and the last line");
            let number = |text: &str| text.parse().expect("the number of a line");
            Note::Replace(name.to_string(), number(first), number(last))
        }
        "part of" => Note::PartOf(rest),
        "same as" => Note::SameAs(rest),
        "needs" => Note::Needs(rest.split(", ").map(String::from).collect()),
        "not run" => Note::NotRun(rest),
        _ => return None,
    })
}

/// The commands of a block in which each begins with `$ `, each with what it is shown to print.
pub(crate) fn session(text: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_string(), String::new())),
            (None, Some((_, shown))) => *shown += &format!("{line}\n"),
            (None, None) => panic!("output before the first command: {line}"),
        }
    }
    commands
}
