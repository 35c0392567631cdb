//! Source files and positions in them. Every front end registers the files it reads in a [`SourceMap`]; a [`Span`]
//! is a byte range in one of them, small enough to sit in every token and every transition.

use crate::shown;
use std::path::{Path, PathBuf};

/// A file registered in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct FileId(pub u32);

/// A byte range in a source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; the first one's if they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as people write it: file, line and column, both from one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Location {
    /// The file's path as the user named it (or as it was included).
    pub file: String,
    /// Line number, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user named it (or as it was included).
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
    /// Whether messages show its lines.
    pub is_shown: bool,
    line_starts: Vec<u32>,
}

/// All files read for one input.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Registers a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: String) -> FileId {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(SourceFile { path: path.into(), text, is_shown: true, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order they were read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Has messages show no lines of files that the user may not mean: those that are no sources, and are not beside the
    /// first one, which is the user's. What is written in an option of the command line is shown.
    pub fn hide_others(&mut self) {
        let Some((input, others)) = self.files.split_first_mut() else { return };
        for file in others {
            let is_option = file.path.to_string_lossy().starts_with("--");
            file.is_shown = is_option || shown::is_source(&file.path) || shown::is_beside(&file.path, &input.path);
        }
    }

    /// The text a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where a span starts.
    pub fn location(&self, span: Span) -> Location {
        let file = self.file(span.file);
        let line = file.line_starts.partition_point(|&s| s <= span.start);
        let start = file.line_starts[line - 1];
        let column = file.text.get(start as usize..span.start as usize).map_or(0, |t| t.chars().count());
        Location { file: path_text(&file.path), line: line as u32, column: column as u32 + 1 }
    }

    /// The line number (from one) where a span starts.
    pub fn line(&self, span: Span) -> u32 {
        self.file(span.file).line_starts.partition_point(|&s| s <= span.start) as u32
    }
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}
