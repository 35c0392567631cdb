//! Changed Rust programs: tests of the library, some of one file at a time. Those that do not compile are put back as they were,
//! by the lines of the compiler's errors, so that one compilation tries many of them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use quotient_generate::random::Random;
use quotient_generate::statements::{change, lines};

use super::cases::Case;
use super::material::{self, File};
use super::replayer_source;
use super::watch::Call;

/// The library, compiled.
pub struct Library {
    target: PathBuf,
    /// A directory for what is compiled once.
    own: crate::process::Scratch,
}

/// How many tests of a file are changed at once.
const AT_ONCE: usize = 24;
/// How often the compiler is asked which of them it refuses.
const TRIES: usize = 8;

impl Library {
    /// Compiles it, with unwinding panics and checks for overflow.
    pub fn build() -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo).current_dir(material::root()).args(["build", "-p", "quotient"]).status();
        if !built.is_ok_and(|status| status.success()) {
            return Err("the library does not compile".to_owned());
        }
        let own = crate::process::Scratch::new().map_err(|error| error.to_string())?;
        Ok(Library { target: material::root().join("target/debug"), own })
    }

    /// A compiler for a file that uses the library.
    fn compiler(&self, source: &Path, to: &Path) -> Command {
        let mut command = Command::new("rustc");
        command.args(["--edition=2024", "--cap-lints=allow", "--error-format=short", "-C", "opt-level=1"]);
        command.arg("-C").arg("debug-assertions=on").arg("--extern");
        command.arg(format!("quotient={}", self.target.join("libquotient.rlib").display()));
        command.arg("-L").arg(format!("dependency={}", self.target.join("deps").display()));
        command.arg(source).arg("-o").arg(to);
        command
    }

    /// The program that repeats executions, and the names and texts of those that it has.
    pub fn replayer(&self) -> Result<(PathBuf, Vec<(String, String)>), String> {
        let (source, program) = (self.own.path().join("replayer.rs"), self.own.path().join("replayer"));
        fs::write(&source, replayer_source::SOURCE).map_err(|error| error.to_string())?;
        let compiled = self.compiler(&source, &program).output().map_err(|error| error.to_string())?;
        if !compiled.status.success() {
            return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
        }
        let output = Command::new(&program).output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let split = |line: &str| line.split_once(' ').map(|(name, text)| (name.to_owned(), text.to_owned()));
        let texts: Vec<_> = text.lines().filter_map(split).filter(|(_, text)| !text.is_empty()).collect();
        if texts.is_empty() { Err("no Rust program goes wrong".to_owned()) } else { Ok((program, texts)) }
    }

    /// Changes some tests of a file, compiles it, and says how they are run.
    pub fn case(&self, files: &[File], random: &mut Random, scratch: &Path) -> io::Result<Case> {
        let usable: Vec<&File> = files.iter().filter(|file| is_usable(file)).collect();
        let file = *random.pick(&usable);
        let original = lines(&file.text);
        let mut tests = tests(&original);
        while tests.len() > AT_ONCE {
            let at = random.below(tests.len());
            tests.remove(at);
        }
        // What each test is now, with its name.
        let mut now: Vec<(String, Range<usize>, Vec<String>, bool)> = Vec::new();
        for (name, range) in tests {
            let mut body = original[range.clone()].to_vec();
            let mut changed = false;
            for _ in 0..=random.below(2) {
                // The heading of the function and its end stay.
                let inside = 1..body.len().saturating_sub(1);
                changed |= inside.len() > 1 && change(&mut body, inside, random);
            }
            now.push((name, range, body, changed));
        }
        let common = scratch.join("common");
        fs::create_dir_all(&common)?;
        for helper in files.iter().filter(|file| file.path.ends_with("common/mod.rs")) {
            fs::write(common.join("mod.rs"), &helper.text)?;
        }
        let (source, program) = (scratch.join("tests.rs"), scratch.join("tests"));
        let all = now.iter().filter(|test| test.3).count() as u64;
        let mut accepted = false;
        for _ in 0..TRIES {
            let (text, places) = put_together(&original, &now);
            fs::write(&source, text)?;
            let checked =
                self.compiler(&source, &scratch.join("tests.rmeta")).args(["--test", "--emit=metadata"]).output()?;
            accepted = checked.status.success();
            if accepted {
                break;
            }
            let errors = error_lines(&String::from_utf8_lossy(&checked.stderr));
            let mut known = false;
            for (test, place) in now.iter_mut().zip(&places) {
                if test.3 && errors.iter().any(|line| place.contains(line)) {
                    (test.2, test.3, known) = (original[test.1.clone()].to_vec(), false, true);
                }
            }
            if !known {
                break;
            }
        }
        let compiled = accepted && self.compiler(&source, &program).arg("--test").status()?.success();
        let names: Vec<&str> = now.iter().filter(|test| test.3).map(|test| test.0.as_str()).collect();
        let inputs = if compiled { names.len() as u64 } else { 0 };
        let mut case = Case { files: vec!["tests.rs".to_owned()], calls: Vec::new(), inputs, dropped: all - inputs };
        if inputs > 0 {
            let mut call = Call::new(&program, &["--test-threads=1", "--exact"]);
            call.arguments.extend(names.iter().map(|&name| name.to_owned()));
            call.environment = [("QUOTIENT_MAX_EXECUTIONS", "400"), ("QUOTIENT_MAX_TIME", "3")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec();
            call.limit = Duration::from_secs(240);
            (call.addresses, call.is_test) = (None, true);
            case.calls.push(call);
        }
        Ok(case)
    }
}

/// Whether a file can be compiled by itself, or with `common`.
fn is_usable(file: &File) -> bool {
    let beside = file.path.parent().is_some_and(|parent| parent.ends_with("tests"));
    beside && file.text.contains("#[test]") && !file.text.contains("#[path") && !file.text.contains("include")
}

/// The tests of a file: the name of each, and the lines from its heading to its end.
fn tests(lines: &[String]) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix("fn ").and_then(|rest| rest.split_once("()")).map(|(name, _)| name) else {
            continue;
        };
        let is_test = at > 0 && lines[at - 1].trim() == "#[test]";
        if let Some(length) = lines[at..].iter().position(|line| line == "}").filter(|_| is_test) {
            found.push((name.to_owned(), at..at + length + 1));
        }
    }
    found
}

/// The file with its tests as they are now, and the lines (from 1) of each.
fn put_together(
    original: &[String],
    tests: &[(String, Range<usize>, Vec<String>, bool)],
) -> (String, Vec<Range<usize>>) {
    let (mut lines, mut places, mut at) = (Vec::new(), Vec::new(), 0);
    for (_, range, body, _) in tests {
        lines.extend_from_slice(&original[at..range.start]);
        places.push(lines.len() + 1..lines.len() + 1 + body.len());
        lines.extend_from_slice(body);
        at = range.end;
    }
    lines.extend_from_slice(&original[at..]);
    (lines.join("\n") + "\n", places)
}

/// The lines of a compiler's short messages: `tests.rs:12:5: error…`.
fn error_lines(text: &str) -> BTreeSet<usize> {
    let errors = text.lines().filter(|line| line.contains(": error"));
    errors.filter_map(|line| line.split("tests.rs:").nth(1)?.split(':').next()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests_of_this {
    use super::*;

    #[test]
    fn tests_are_found_and_put_together() {
        let text = "use a;\n\n#[test]\nfn one() {\n    a();\n}\n\nfn no() {\n}\n#[test]\nfn two() {\n    b();\n}\n";
        let original = lines(text);
        let found = tests(&original);
        assert_eq!(found.iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        let now: Vec<_> =
            found.into_iter().map(|(name, range)| (name, range.clone(), original[range].to_vec(), true)).collect();
        let (again, places) = put_together(&original, &now);
        assert_eq!((again.as_str(), places), (text, vec![4..7, 11..14]));
    }

    #[test]
    fn errors_have_lines() {
        let text = "warning: x\n/tmp/x/tests.rs:12:5: error[E0425]: no\ntests.rs:3:1: error: bad\n";
        assert_eq!(error_lines(text), [3, 12].into());
    }
}
