//! Checks of small C and C++ programs by the lines `// expect` in them, in several ways each: compilers, levels of
//! optimisation, with symmetry and without. What is wrong must be wrong again when its execution is replayed.
//!
//! A line has words `key=value`:
//!
//! | key | meaning |
//! |---|---|
//! | `verdict`, `kind`, `line`, `executions` | what is found, with commas between those that are right |
//! | `unreduced` | the executions without symmetry |
//! | `mentions`, `prints` | a part of the message, of the output |
//! | `at` | the end of the place of the violation |
//! | `says`, `silent` | what warnings and notes say, or do not |
//! | `warns`, `notes` | what one of the warnings or notes says |
//! | `unseen=none` | nothing is said not to be checked |
//! | `alike=yes` | no threads are told apart |
//! | `with`, `opt` | the compiler with which, and the levels at which the line is true |
//! | `flags`, `cflags` | options of the check and of the compiler |
//!
//! A line with the word `everywhere` is checked in every way, and so are all with `QUOTIENT_ALL_WAYS=1`; otherwise the ways
//! change from line to line. `QUOTIENT_ONLY=name` takes some files only.
#![allow(dead_code)]

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

#[path = "../compilers/mod.rs"]
pub(crate) mod compilers;
#[path = "../expectations/mod.rs"]
pub(crate) mod expectations;
use compilers::{COMPILERS, Compilers, installed};
use expectations::{Expectation, expectations};

/// Checks that run side by side.
const JOBS: usize = 2;

/// One way to check a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub compilers: Compilers,
    pub level: usize,
    pub symmetry: bool,
}

/// The programs of a directory of `programs/c`, and how they are checked.
pub(crate) struct Programs {
    pub directory: &'static str,
    /// Options of every check.
    pub options: &'static [&'static str],
    /// Whether they are checked without symmetry as well.
    pub both_symmetries: bool,
    /// Each line is checked in one way of every group.
    pub group: fn(&Way) -> usize,
}

/// Each line in one way.
pub(crate) fn together(_: &Way) -> usize {
    0
}

/// Each line with each compiler.
pub(crate) fn by_compiler(way: &Way) -> usize {
    usize::from(way.compilers == COMPILERS[1])
}

/// Each line with each compiler, with symmetry and without.
pub(crate) fn by_compiler_and_symmetry(way: &Way) -> usize {
    2 * by_compiler(way) + usize::from(way.symmetry)
}

impl Expectation {
    fn has(&self, word: &str) -> bool {
        self.line.split_whitespace().any(|one| one == word)
    }

    /// The ways in which the line is true.
    fn ways(&self, programs: &Programs, compilers: &[Compilers]) -> Vec<Way> {
        let unreduced = self.values("unreduced").next().is_some();
        let symmetries: &[bool] = if programs.both_symmetries { &[true, false] } else { &[!unreduced] };
        let mut ways = Vec::new();
        for &compilers in compilers.iter().filter(|names| self.values("with").all(|name| name == names.0)) {
            let is_meant =
                |level: &usize| self.values("opt").all(|levels| levels.split(',').any(|one| one == level.to_string()));
            for level in (0..4).filter(is_meant) {
                ways.extend(symmetries.iter().map(|&symmetry| Way { compilers, level, symmetry }));
            }
        }
        ways
    }

    /// The answer of the command.
    fn answer(&self, options: &[&str], way: Way, more: &[&str]) -> Result<Value, String> {
        let mut all = options.to_vec();
        all.extend(self.values("flags"));
        if !way.symmetry {
            all.push("--symmetry=off");
        }
        all.extend(more);
        let level = format!("-O{}", way.level);
        let flags: Vec<&str> = std::iter::once(&*level).chain(self.values("cflags")).collect();
        answer(&self.file, way.compilers, &all, &flags)
    }

    /// What is wrong with the answer for one way, if anything.
    fn check(&self, programs: &Programs, way: Way) -> Result<(), String> {
        // Programs that are looked at without symmetry are not to depend on the order of addresses either.
        let order: &[&str] = if programs.both_symmetries && !way.symmetry { &["--address-order=both"] } else { &[] };
        let answer = self.answer(programs.options, way, order)?;
        self.compare(&answer, way)?;
        let violation = &answer["violations"][0];
        let Some(text) = violation["replay"].as_str().filter(|text| !text.is_empty()) else { return Ok(()) };
        let again = self.answer(programs.options, way, &["--replay", text])?;
        let (before, after) = (&violation["message"], &again["violations"][0]["message"]);
        if before == after { Ok(()) } else { Err(format!("replayed, {before} becomes {after}")) }
    }

    fn compare(&self, answer: &Value, way: Way) -> Result<(), String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let violation = &answer["violations"][0];
        let (message, stats) = (text(&violation["message"]), &answer["stats"]);
        let executions = if way.symmetry { "executions" } else { "unreduced" };
        let found = [
            ("verdict", text(&answer["verdict"])),
            ("kind", text(&violation["kind"])),
            ("line", text(&violation["location"]["line"])),
            (executions, text(&stats["executions"])),
        ];
        for (key, found) in found {
            if let Some(wanted) = self.values(key).find(|wanted| wanted.split(',').all(|one| one != found)) {
                return Err(format!("{key} is {found}, not {wanted}: {message} {} {stats}", answer["reason"]));
            }
        }
        let place = format!("{}:{}", text(&violation["location"]["file"]), violation["location"]["line"]);
        if let Some(wanted) = self.values("at").find(|wanted| !place.ends_with(wanted)) {
            return Err(format!("it is at {place}, not at {wanted}: {message}"));
        }
        let (warnings, notes) = (answer["warnings"].to_string(), answer["notes"].to_string());
        let said = format!("{warnings} {notes}");
        let parts = [
            ("mentions", &message),
            ("prints", &text(&answer["output"])),
            ("says", &said),
            ("warns", &warnings),
            ("notes", &notes),
        ];
        for (key, found) in parts {
            if let Some(part) = self.values(key).find(|part| !found.contains(part)) {
                return Err(format!("{key}: {part} is not in {found}"));
            }
        }
        if let Some(part) = self.values("silent").find(|part| said.contains(part)) {
            return Err(format!("{part} is in what is said: {said}"));
        }
        if self.has("unseen=none") && notes.contains("is not checked") {
            return Err(format!("something is not checked: {notes}"));
        }
        if way.symmetry && self.has("alike=yes") && stats["distinguished"] != Value::Bool(false) {
            return Err(format!("threads are told apart: {notes}"));
        }
        Ok(())
    }
}

/// What the command answers for a program.
pub(crate) fn answer(file: &Path, compilers: Compilers, options: &[&str], flags: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.env("CC", compilers.0).env("CXX", compilers.1);
    command.arg("check").arg(file).arg("--format=json").args(options).arg("--").args(flags);
    let output = command.output().expect("the command runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&stdout).map_err(|_| format!("no answer: {stdout}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Does some work for every item, and gives what it says.
pub(crate) fn side_by_side<T: Sync>(items: &[T], work: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(problem) = work(item) {
                        wrong.lock().expect("nobody panics with it").push(problem);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("nobody has panicked");
    wrong.sort();
    wrong
}

/// Checks every line of the programs in the ways that it is to be checked in.
pub(crate) fn check_all(programs: &Programs) {
    let (compilers, expectations) = (installed(), expectations(programs.directory, "QUOTIENT_ONLY"));
    let everything = std::env::var_os("QUOTIENT_ALL_WAYS").is_some_and(|value| value != "0");
    let mut work = Vec::new();
    for (number, expectation) in expectations.iter().enumerate() {
        let ways = expectation.ways(programs, &compilers);
        if everything || expectation.has("everywhere") {
            work.extend(ways.into_iter().map(|way| (expectation, way)));
            continue;
        }
        for group in 0..4 {
            let ways: Vec<&Way> = ways.iter().filter(|way| (programs.group)(way) == group).collect();
            let chosen = ways.get((number * 5 + group) % ways.len().max(1));
            work.extend(chosen.map(|&&way| (expectation, way)));
        }
    }
    let wrong = side_by_side(&work, |&(expectation, way)| {
        let problem = expectation.check(programs, way).err()?;
        let name = expectation.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Way { compilers, level, symmetry } = way;
        Some(format!("{name}, {} -O{level}, symmetry {symmetry}: {}\n  {problem}", compilers.0, expectation.line))
    });
    assert!(wrong.is_empty(), "{}\n{} of {} checks are wrong", wrong.join("\n"), wrong.len(), work.len());
}
