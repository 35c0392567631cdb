//! What the compiler itself says about memory: variables in registers are not seen when the program runs, and pointers to
//! variables that are gone only sometimes. Its warnings of these are passed on.

use quotient_report::shown::is_source;
use std::path::Path;

/// What to ask the compiler to look for. That is never an error, even if the user wants warnings to be.
pub(crate) fn flags(is_gcc: bool) -> Vec<String> {
    let names: &[&str] = if is_gcc {
        &["uninitialized", "maybe-uninitialized", "return-local-addr", "dangling-pointer", "free-nonheap-object"]
    } else {
        &["uninitialized", "sometimes-uninitialized", "conditional-uninitialized", "return-stack-address", "dangling"]
    };
    names.iter().flat_map(|name| [format!("-W{name}"), format!("-Wno-error={name}")]).collect()
}

/// The warnings of these kinds among what the compiler has said: place and text.
pub(crate) fn warnings(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in said.lines() {
        let Some((place, text)) = line.split_once(": warning: ") else { continue };
        let Some((text, kind)) = text.rsplit_once(" [-W") else { continue };
        let kind = kind.trim_end_matches(']');
        let is_shown = file_of(line).is_none_or(|file| !Path::new(file).exists() || is_source(Path::new(file)));
        let is_asked_for =
            is_shown && [true, false].into_iter().any(|is_gcc| flags(is_gcc).contains(&format!("-W{kind}")));
        let warning = format!("the compiler says: {text} ({})", without_column(place));
        if is_asked_for && !found.contains(&warning) {
            found.push(warning);
        }
    }
    found.truncate(MOST);
    found
}

/// What the compiler has said, without what it shows of files that are no sources: of those only places are told.
pub(crate) fn with_lines_of_sources(said: &str) -> String {
    let mut is_shown = true;
    let mut kept = Vec::new();
    for line in said.lines() {
        // The heading of what is said of a function.
        let heading = line.split_once(": In ").or_else(|| line.split_once(": At "));
        if heading.is_some_and(|(file, _)| !is_source(Path::new(file))) {
            continue;
        }
        if let Some(file) = file_of(line) {
            is_shown = is_source(Path::new(file));
            kept.push(if is_shown { line.to_owned() } else { without_text(line) });
        } else if is_shown || line.starts_with("In file included from ") {
            kept.push(line.to_owned());
        }
    }
    kept.join("\n")
}

/// A line of the compiler about a place, without what it says of that.
fn without_text(line: &str) -> String {
    let kind = KINDS.iter().find(|kind| line.contains(*kind)).copied().unwrap_or_default();
    let place = line.split(kind).next().unwrap_or_default();
    format!("{place}{kind}the file is no source, so nothing of it is told")
}

/// What follows a place in a line of the compiler.
const KINDS: [&str; 4] = [": fatal error: ", ": error: ", ": warning: ", ": note: "];

/// The file that a line of the compiler is about, if it is one that names a place.
fn file_of(line: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (place, _) = KINDS.iter().find_map(|kind| line.split_once(kind))?;
    let (rest, last) = place.rsplit_once(':').filter(|(_, last)| is_number(last))?;
    match rest.rsplit_once(':') {
        Some((file, line)) if is_number(line) => Some(file),
        _ => Some(rest).filter(|_| is_number(last)),
    }
}

/// More are left out.
const MOST: usize = 5;

/// A place by file and line.
fn without_column(place: &str) -> &str {
    match place.rsplit_once(':') {
        Some((rest, _)) if rest.contains(':') => rest,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_lines_are_shown_of_files_that_are_no_sources() {
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/src/build/said.rs");
        let said = format!(
            "In file included from a.c:1:\n/etc/passwd:1:5: error: expected ';'\n    1 | root:x:0\n      |     ^\n\
             {own}:2:1: error: no\n    2 | shown\n      | ^"
        );
        let kept = with_lines_of_sources(&said);
        assert!(kept.contains("/etc/passwd:1:5: error") && !kept.contains("root:x:0"), "{kept}");
        assert!(!kept.contains("expected ';'") && kept.starts_with("In file included from a.c:1:"), "{kept}");
        assert!(kept.ends_with("error: no\n    2 | shown\n      | ^"), "{kept}");
    }

    #[test]
    fn only_what_was_asked_for_is_passed_on() {
        let said = "a.c: In function 'f':\na.c:3:7: warning: 'x' is used uninitialized [-Wuninitialized]\n   3 | int x;\n\
                    a.c:4:1: warning: unused variable 'y' [-Wunused-variable]\n";
        assert_eq!(warnings(said), ["the compiler says: 'x' is used uninitialized (a.c:3)"]);
    }
}
