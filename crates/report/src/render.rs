//! Diagnostics as text for people, in the manner of rustc. Nothing is printed here; the caller gets a string.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{FileId, Location, SourceFile, SourceMap, Span};

/// All diagnostics, each followed by an empty line.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&renderer.render(&[report(diagnostic, sources)]));
        text.push_str("\n\n");
    }
    text
}

/// How many errors and warnings there are: `3 errors, 1 warning`, or nothing if there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    let counts = [(errors, "error"), (diagnostics.len() - errors, "warning")];
    let counted = counts.iter().filter(|(count, _)| *count > 0);
    let texts: Vec<String> =
        counted.map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" })).collect();
    texts.join(", ")
}

fn report<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&*diagnostic.message));
    let primary = diagnostic.span.iter().map(|&span| (span, &*diagnostic.label, AnnotationKind::Primary));
    let related = diagnostic.related.iter().map(|(span, text)| (*span, &**text, AnnotationKind::Context));
    let places: Vec<Mark<'_>> = primary.chain(related).filter(|p| has_file(sources, p.0.file)).collect();
    // One view for each file, in the order in which the diagnostic names them.
    let mut files: Vec<FileId> = Vec::new();
    for (span, ..) in &places {
        if !files.contains(&span.file) {
            files.push(span.file);
        }
    }
    for file in files {
        let here: Vec<Mark<'_>> = places.iter().filter(|p| p.0.file == file).copied().collect();
        group = match sources.file(file) {
            shown if shown.is_shown && lines(shown, &here).len() <= MOST_SHOWN => group.element(view(shown, &here)),
            _ => here.iter().fold(group, |group, (span, ..)| group.element(origin(sources, *span))),
        };
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(&**help));
    }
    group
}

type Mark<'a> = (Span, &'a str, AnnotationKind);

fn has_file(sources: &SourceMap, file: FileId) -> bool {
    (file.0 as usize) < sources.files().len()
}

/// A place of which no line is shown.
fn origin<'a>(sources: &SourceMap, span: Span) -> Origin<'a> {
    let Location { file, line, column } = sources.location(span);
    Origin::path(file).line(line as usize).char_column(column as usize)
}

/// More of a file than this is not shown: nobody reads such lines, and it takes long to lay them out.
const MOST_SHOWN: usize = 20_000;

/// Where the lines are in a file from the first place to the last.
fn lines(file: &SourceFile, places: &[Mark<'_>]) -> Range<usize> {
    let text = &*file.text;
    let ranges: Vec<Range<usize>> = places.iter().map(|(span, ..)| range(text, *span)).collect();
    let first = ranges.iter().map(|r| r.start).min().unwrap_or(0);
    let last = ranges.iter().map(|r| r.end).max().unwrap_or(0);
    let start = text[..first].rfind('\n').map_or(0, |newline| newline + 1);
    start..text[last..].find('\n').map_or(text.len(), |newline| last + newline)
}

/// The lines of a file from the first place to the last.
fn view<'a>(file: &'a SourceFile, places: &[Mark<'a>]) -> Snippet<'a, Annotation<'a>> {
    let text = &*file.text;
    let ranges: Vec<Range<usize>> = places.iter().map(|(span, ..)| range(text, *span)).collect();
    let Range { start, end } = lines(file, places);
    let line = text[..start].bytes().filter(|&b| b == b'\n').count() + 1;
    let annotations = places.iter().zip(&ranges).map(|((_, label, kind), range)| {
        let annotation = kind.span(range.start - start..range.end - start);
        if label.is_empty() { annotation } else { annotation.label(*label) }
    });
    Snippet::source(&text[start..end]).line_start(line).path(file.path.display().to_string()).annotations(annotations)
}

/// A span as a range that lies in the text and cuts no character in two.
fn range(text: &str, span: Span) -> Range<usize> {
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.ceil_char_boundary(span.end as usize).max(start);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// Renders one diagnostic about a file `m.pml`.
    fn rendered(text: &str, diagnostic: impl Fn(FileId) -> Diagnostic) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("m.pml", text.to_string());
        render(&[diagnostic(file)], &sources, false)
    }

    #[test]
    fn a_diagnostic_shows_its_place_the_related_places_and_the_help() {
        let text = "int x;\n\n\n\n\nint x;\n";
        let shown = rendered(text, |file| {
            Diagnostic::error(span(file, 15, 16), "`x` is declared twice")
                .label("declared again")
                .related(span(file, 4, 5), "first declared here")
                .help("rename one of them")
                .help("or remove it")
        });
        let expected = "\
error: `x` is declared twice
 --> m.pml:6:5
  |
1 | int x;
  |     - first declared here
...
6 | int x;
  |     ^ declared again
  |
  = help: rename one of them
  = help: or remove it

";
        assert_eq!(shown, expected);
    }

    #[test]
    fn places_in_two_files_are_shown_apart() {
        let mut sources = SourceMap::default();
        let model = sources.add("m.pml", "x = N;".to_string());
        let header = sources.add("d/n.h", "\n#define N 1 2".to_string());
        let problem = Diagnostic::warning(span(model, 4, 5), "odd").related(span(header, 9, 10), "defined here");
        let expected = "\
warning: odd
 --> m.pml:1:5
  |
1 | x = N;
  |     ^
  |
 ::: d/n.h:2:9
  |
2 | #define N 1 2
  |         - defined here

";
        assert_eq!(render(&[problem], &sources, false), expected);
    }

    #[test]
    fn a_diagnostic_without_a_place_is_one_line() {
        let sources = SourceMap::default();
        let problems = [Diagnostic::global("cannot read `m.pml`: no such file"), Diagnostic::global("second")];
        assert_eq!(render(&problems, &sources, false), "error: cannot read `m.pml`: no such file\n\nerror: second\n\n");
        assert_eq!(
            render(&[Diagnostic::global("first").help("try again")], &sources, false),
            "error: first\n |\n = help: try again\n\n"
        );
    }

    #[test]
    fn a_place_on_several_lines_is_bracketed() {
        let text = "a {\n  b\n}\n";
        let expected = "\
error: never ends
 --> m.pml:1:3
  |
1 |   a {
  |  ___^
2 | |   b
3 | | }
  | |_^ this block

";
        assert_eq!(
            rendered(text, |file| Diagnostic::error(span(file, 2, 9), "never ends").label("this block")),
            expected
        );
    }

    #[test]
    fn the_end_of_a_file_and_an_empty_file_have_places_too() {
        let at_end = |text: &str, at: usize| rendered(text, |file| Diagnostic::error(span(file, at, at), "ends early"));
        assert_eq!(at_end("", 0), "error: ends early\n --> m.pml:1:1\n  |\n1 |\n  | ^\n\n");
        assert_eq!(at_end("a\n", 2), "error: ends early\n --> m.pml:2:1\n  |\n2 |\n  | ^\n\n");
        assert_eq!(at_end("abc", 3), "error: ends early\n --> m.pml:1:4\n  |\n1 | abc\n  |    ^\n\n");
        // A span that is wrong altogether is still shown somewhere.
        assert_eq!(at_end("abc", 99), at_end("abc", 3));
    }

    #[test]
    fn columns_count_characters() {
        let text = "\té = z;";
        let expected = "\
error: unknown name
 --> m.pml:1:6
  |
1 |     é = z;
  |         ^ here

";
        assert_eq!(rendered(text, |file| Diagnostic::error(span(file, 6, 7), "unknown name").label("here")), expected);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}x = undefined;{}", "a; ".repeat(300), "b = c; ".repeat(300));
        let shown = rendered(&text, |file| Diagnostic::error(span(file, 904, 913), "unknown name").label("here"));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], " --> m.pml:1:905");
        assert!(lines.iter().all(|line| line.chars().count() <= 150), "{shown}");
        let column = lines[3].find("undefined");
        assert!(column.is_some() && column == lines[4].find("^^^^^^^^^ here"), "{shown}");
        assert!(lines[3].starts_with("1 | ...") && lines[3].ends_with("..."), "{shown}");
    }

    #[test]
    fn color_changes_the_colors_only() {
        let mut sources = SourceMap::default();
        let file = sources.add("m.pml", "abc".to_string());
        let problems = [Diagnostic::error(span(file, 1, 2), "odd")];
        let colored = render(&problems, &sources, true);
        assert!(colored.contains("\u{1b}["), "{colored:?}");
        let mut plain = String::new();
        for (i, part) in colored.split("\u{1b}[").enumerate() {
            plain.push_str(if i == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
        }
        let lines = |text: &str| text.lines().map(|l| l.trim_end().to_string()).collect::<Vec<_>>();
        assert_eq!(lines(&plain), lines(&render(&problems, &sources, false)));
    }

    #[test]
    fn the_summary_counts() {
        let warning = |_| Diagnostic { severity: Severity::Warning, ..Diagnostic::global("w") };
        let make = |errors: usize, warnings: usize| -> Vec<Diagnostic> {
            (0..errors).map(|_| Diagnostic::global("e")).chain((0..warnings).map(warning)).collect()
        };
        for (errors, warnings, expected) in
            [(0, 0, ""), (1, 0, "1 error"), (3, 1, "3 errors, 1 warning"), (0, 2, "2 warnings")]
        {
            assert_eq!(summary(&make(errors, warnings)), expected);
        }
    }

    #[test]
    fn no_text_and_no_span_makes_it_panic() {
        let pieces = [
            "a",
            "\n",
            "\r\n",
            "\t",
            "é",
            "漢",
            "\u{200b}",
            "\u{1}",
            "\r",
            "👩‍👩‍👧",
            "\u{202e}",
            "long_name_here ",
            "\u{301}",
        ];
        let mut random = 42_u64;
        let mut below = |limit: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % limit
        };
        for round in 0..20_000 {
            // Now and then a line is long enough to be cut.
            let length = if round % 50 == 0 { 600 } else { below(30) };
            let kinds = if round % 100 == 0 { 1 + below(4) } else { pieces.len() };
            let text: String = (0..length).map(|_| pieces[below(kinds)]).collect();
            let mut sources = SourceMap::default();
            let file = sources.add("m.pml", text.clone());
            let other = sources.add("o.pml", "b\n".repeat(below(4)));
            let mut place = |file| {
                let start = below(text.len() + 3);
                span(file, start, start + [0, 1, 2, 5, 40, 2000][below(6)])
            };
            let problem = Diagnostic::error(place(file), "m")
                .label("l")
                .related(place(file), "r")
                .related(place(other), "s")
                .related(place(file), "")
                .related(place(FileId(9)), "no such file");
            let shown = render(&[problem], &sources, round % 2 == 0);
            assert!(shown.contains("m.pml:"), "{text:?}");
        }
    }
}
