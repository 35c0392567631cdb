//! The programs of `programs/c/memory`: errors of memory, and programs that only look as if they had one. Every line is
//! checked in one way, which changes from line to line, with gcc and clang at `-O0` and `-O2`; with `QUOTIENT_ALL_MEMORY=1` in
//! all ways, also at `-O1` and `-O3`. `QUOTIENT_MEMORY=name` takes some files only. Every violation is had again by its text.
//!
//! A line `// expect verdict=violated kind=race cflags=-DX` has the keys of `native.rs`; `opt=0,1` says at which levels of
//! optimisation it is true, `with=gcc` with which compiler; where several kinds are right, they stand with commas between.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Checks that run side by side.
const JOBS: usize = 2;

/// One line of expectations, and one way to check it.
struct Check {
    file: PathBuf,
    line: String,
    compilers: (&'static str, &'static str),
    level: u32,
}

impl Check {
    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let words = self.line.split_whitespace().filter_map(|word| word.split_once('='));
        words.filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Whether the line is about this way.
    fn is_meant(&self) -> bool {
        let level = self.level.to_string();
        let levels = self.values("opt").all(|levels| levels.split(',').any(|one| one == level));
        levels && self.values("with").all(|name| name == self.compilers.0)
    }

    /// The answer of the command.
    fn run(&self, replay: Option<&str>) -> Result<Value, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
        command.env("CC", self.compilers.0).env("CXX", self.compilers.1);
        command.arg("check").arg(&self.file).arg("--format=json").args(self.values("flags"));
        if self.values("executions").next().is_some() {
            command.arg("--symmetry=off");
        }
        command.args(replay.map(|text| format!("--replay={text}")));
        command.arg("--").arg(format!("-O{}", self.level)).args(self.values("cflags"));
        let output = command.output().expect("the command runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&stdout)
            .map_err(|_| format!("no answer: {stdout}{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// What is wrong with the answer, if anything.
    fn check(&self) -> Result<(), String> {
        let answer = self.run(None)?;
        let violation = &answer["violations"][0];
        let kind = violation["kind"].as_str().unwrap_or_default();
        let message = violation["message"].as_str().unwrap_or_default();
        let warnings = answer["warnings"].to_string();
        for (key, found) in [
            ("verdict", answer["verdict"].as_str().unwrap_or_default().to_owned()),
            ("kind", kind.to_owned()),
            ("line", violation["location"]["line"].to_string()),
            ("executions", answer["stats"]["executions"].to_string()),
        ] {
            if let Some(expected) = self.values(key).next().filter(|all| all.split(',').all(|one| one != found)) {
                return Err(format!("{key} is {found}, not {expected}: {message} {}", answer["reason"]));
            }
        }
        if let Some(part) = self.values("mentions").find(|part| !message.contains(part)) {
            return Err(format!("`{part}` is not in: {message}"));
        }
        if let Some(part) = self.values("warns").find(|part| !warnings.contains(part)) {
            return Err(format!("`{part}` is not in the warnings {warnings}"));
        }
        let Some(text) = violation["replay"].as_str().filter(|text| !text.is_empty()) else { return Ok(()) };
        let again = self.run(Some(text))?;
        let second = again["violations"][0]["kind"].as_str().unwrap_or_default();
        if second == kind { Ok(()) } else { Err(format!("replayed, it shows `{second}` instead of {kind}")) }
    }
}

fn has_compiler(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Every line in the ways that it is to be checked in.
fn checks() -> Vec<Check> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/memory");
    let only = std::env::var("QUOTIENT_MEMORY").unwrap_or_default();
    let all = std::env::var_os("QUOTIENT_ALL_MEMORY").is_some();
    let levels: &[u32] = if all { &[0, 2, 1, 3] } else { &[0, 2] };
    let installed: Vec<_> =
        [("gcc", "g++"), ("clang", "clang++")].into_iter().filter(|compilers| has_compiler(compilers.0)).collect();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&directory).expect("the programs").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut checks = Vec::new();
    let mut number = 0;
    for file in files.iter().filter(|file| file.to_string_lossy().contains(&only)) {
        let text = std::fs::read_to_string(file).expect("a program");
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
            let mut ways = Vec::new();
            for &compilers in &installed {
                let check = |&level| Check { file: file.clone(), line: line.to_owned(), compilers, level };
                ways.extend(levels.iter().map(check).filter(Check::is_meant));
            }
            number += 1;
            if !all && !ways.is_empty() {
                ways = vec![ways.swap_remove(number % ways.len())];
            }
            checks.extend(ways);
        }
    }
    checks
}

#[test]
fn errors_of_memory_are_seen() {
    let checks = checks();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while let Some(check) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = check.check() {
                        let name = check.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        let Check { line, compilers: (compiler, _), level, .. } = check;
                        wrong.lock().unwrap().push(format!("{name} [{line}] {compiler} -O{level}: {error}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), checks.len(), wrong.join("\n"));
}
