//! The commands that README.md, the book and the examples show are run, and what is printed is compared with what is
//! shown.
//!
//! A `console` block has commands after `$ ` and what they print; `[…]` stands for what is left out, and memory and times do not
//! count. The commands of an `sh` block must only succeed. Other blocks need a comment in the line above:
//!
//! | comment | meaning |
//! |---|---|
//! | `<!-- file: NAME -->` | the block is this file, which Quotient must be able to check |
//! | `<!-- replace: NAME 9-11 -->` | it takes the place of these lines of a file |
//! | `<!-- part of: COMMAND -->` | it is a part of what the command prints; JSON is compared as JSON |
//! | `<!-- same as: PATH -->` | it is a part of this file of the project, which other tests compile |
//! | `<!-- needs: spin, gcc -->` | it is left out where these are not installed |
//! | `<!-- not run: REASON -->` | it is not tested. The test knows how many of these there are. |
//!
//! `<!-- copy: PATH NAME -->` gives a file of the project another name. A comment of several lines that begins with `file:` or
//! `replace:` and ends with a line `-->` has the text itself, hidden from the reader.
//!
//! With `QUOTIENT_WRITE_BOOK=1` outputs that are shown as a whole are written anew. With `QUOTIENT_DOCUMENT=README.md` only
//! this document is run. Commands of cargo build something, and run with `QUOTIENT_ALL_DOCUMENTS=1` only.

mod common;
#[path = "documents/compare.rs"]
mod compare;
#[path = "documents/links.rs"]
mod links;
#[path = "documents/markdown.rs"]
mod markdown;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use common::Dir;
use markdown::{Note, Part, parts, session};

/// So many blocks are not run. A new one needs a good reason; whoever makes one run lowers the number.
const NOT_RUN: usize = 17;

/// The top of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

/// Every document, by its path from the top.
fn documents() -> BTreeSet<String> {
    let mut documents = BTreeSet::from(["README.md".to_string()]);
    for directory in ["docs", "docs/src", "examples"] {
        for entry in fs::read_dir(root().join(directory)).into_iter().flatten() {
            let name = entry.expect("an entry").file_name().into_string().expect("a name");
            if name.ends_with(".md") {
                documents.insert(format!("{directory}/{name}"));
            }
        }
    }
    documents
}

fn text_of(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

#[test]
fn documents_show_what_commands_print() {
    let only = std::env::var("QUOTIENT_DOCUMENT").ok();
    let wanted = documents().into_iter().filter(|document| only.as_ref().is_none_or(|only| only == document));
    let wrong: Vec<String> = thread::scope(|scope| {
        let checks: Vec<_> = wanted.map(|document| scope.spawn(move || check(&document))).collect();
        checks.into_iter().flat_map(|check| check.join().expect("a document is checked")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let others = ["ARCHITECTURE.md", "TESTS.md", "CHANGELOG.md", "benches/README.md"].map(String::from);
    let broken: Vec<String> =
        documents().into_iter().chain(others).flat_map(|document| links::broken(&root().join(document))).collect();
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn every_chapter_is_in_the_summary() {
    let summary = text_of("docs/src/SUMMARY.md");
    for document in documents() {
        if let Some(chapter) = document.strip_prefix("docs/src/").filter(|&chapter| chapter != "SUMMARY.md") {
            assert!(summary.contains(&format!("]({chapter})")), "{chapter} is not in SUMMARY.md");
        }
    }
}

#[test]
fn few_blocks_are_not_run() {
    let mut reasons = Vec::new();
    for document in documents() {
        for part in parts(&text_of(&document)) {
            if let Part::Block { line, note: Some(Note::NotRun(reason)), .. } = part {
                reasons.push(format!("{document}:{line}: {reason}"));
            }
        }
    }
    assert_eq!(reasons.len(), NOT_RUN, "blocks that are not run:\n{}", reasons.join("\n"));
}

/// Runs a document in a directory of its own. Returns what is wrong with it.
fn check(document: &str) -> Vec<String> {
    let directory = Dir::new(&[]);
    for name in ["models", "programs", "examples"] {
        std::os::unix::fs::symlink(root().join(name), directory.0.join(name)).expect("a link");
    }
    let text = text_of(document);
    let (mut wrong, mut written) = (Vec::new(), text.clone());
    for part in parts(&text) {
        match part {
            Part::Copy(from, to) => {
                fs::copy(root().join(from), directory.0.join(to)).expect("a file of the project");
            }
            Part::Block { line, language, text, note } => {
                let block = Block { directory: &directory.0, language: &language, text: &text };
                if let Err(Wrong { what, instead }) = block.check(note.as_ref()) {
                    wrong.push(format!("{document}:{line}: {what}"));
                    if let Some((shown, printed)) = instead {
                        written = written.replacen(&shown, &printed, 1);
                    }
                }
            }
        }
    }
    if std::env::var_os("QUOTIENT_WRITE_BOOK").is_some() && written != text {
        fs::write(root().join(document), written).expect("the document");
    }
    wrong
}

/// What is wrong with a block, and what could stand there instead of what stands there.
struct Wrong {
    what: String,
    instead: Option<(String, String)>,
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Wrong { what, instead: None }
    }
}

struct Block<'a> {
    directory: &'a Path,
    language: &'a str,
    text: &'a str,
}

impl Block<'_> {
    fn check(&self, note: Option<&Note>) -> Result<(), Wrong> {
        match note {
            Some(Note::NotRun(_)) => Ok(()),
            Some(Note::File(name)) => {
                fs::write(self.directory.join(name), self.text).expect("a file");
                self.read_by_quotient(name)
            }
            Some(Note::Replace(name, first, last)) => {
                self.replace(name, *first, *last);
                Ok(())
            }
            Some(Note::SameAs(path)) => {
                let whole = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
                if !compare::within(self.text, &whole) {
                    return Err(format!("this is no part of {path}").into());
                }
                Ok(())
            }
            Some(Note::PartOf(command)) if left_out(command) => Ok(()),
            Some(Note::PartOf(command)) => {
                let (printed, _) = self.run(command);
                let json = self.language == "json" && compare::same_json(self.text, &printed);
                if !json && !compare::within(self.text, &printed) {
                    return Err(format!("this is no part of what `{command}` prints:\n{printed}").into());
                }
                Ok(())
            }
            Some(Note::Needs(programs)) if !programs.iter().all(|program| installed(program)) => Ok(()),
            Some(Note::Needs(_)) | None => self.commands(),
        }
    }

    /// A file that the reader sees is one that Quotient can check. What is hidden from him may be wrong.
    fn read_by_quotient(&self, name: &str) -> Result<(), Wrong> {
        if self.language.is_empty() {
            return Ok(());
        }
        let (printed, code) = self.run(&format!("quotient check {name}"));
        match code {
            Some(0 | 1 | 3) => Ok(()),
            _ => Err(format!("`quotient check {name}` ends with {code:?}:\n{printed}").into()),
        }
    }

    /// Runs the commands of the block.
    fn commands(&self) -> Result<(), Wrong> {
        match self.language {
            "console" => {
                for (command, shown) in session(self.text).into_iter().filter(|(command, _)| !left_out(command)) {
                    let (printed, _) = self.run(&command);
                    if !compare::same(&shown, &printed) {
                        let instead =
                            (!shown.contains("[…]")).then(|| (shown.clone(), compare::renewed(&shown, &printed)));
                        return Err(Wrong { what: format!("`{command}` prints:\n{printed}"), instead });
                    }
                }
                Ok(())
            }
            "sh" => {
                for command in self.text.lines().filter(|command| !left_out(command)) {
                    let (printed, code) = self.run(command);
                    if !matches!(code, Some(0 | 1 | 3)) {
                        return Err(format!("`{command}` ends with {code:?}:\n{printed}").into());
                    }
                }
                Ok(())
            }
            other => Err(format!("nothing says what this block of {other} is about").into()),
        }
    }

    /// Runs a command in the directory of the document, or at the top of the project if it is one of cargo's.
    fn run(&self, command: &str) -> (String, Option<i32>) {
        let tools = Path::new(env!("CARGO_BIN_EXE_quotient")).parent().expect("a directory");
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(if is_cargos(command) { root() } else { self.directory.to_path_buf() })
            .env("PATH", path)
            .env_remove("NO_COLOR")
            .output()
            .expect("a shell");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    }

    /// Puts the block in the place of lines of a file.
    fn replace(&self, name: &str, first: usize, last: usize) {
        let path = self.directory.join(name);
        let old = fs::read_to_string(&path).expect("a file that the document has shown");
        let mut lines: Vec<&str> = old.lines().collect();
        lines.splice(first - 1..last, self.text.lines());
        fs::write(path, lines.join("\n") + "\n").expect("a file");
    }
}

/// Whether a command is one of cargo's.
fn is_cargos(command: &str) -> bool {
    command.split_whitespace().any(|word| word == "cargo")
}

/// Whether a command takes too long for every day.
fn left_out(command: &str) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    (is_cargos(command) && !is_set("QUOTIENT_ALL_DOCUMENTS"))
        || (command.starts_with("quotient run") && is_set("QUOTIENT_WITHOUT_TRACING"))
}

/// Whether there is a program of this name.
fn installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|directory| directory.join(program).is_file())
}
