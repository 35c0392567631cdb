//! The programs of `programs/c/addresses`: programs that compute with the addresses of like threads' memory, and programs
//! that only seem to. The answer must not depend on the compiler, on how much it optimises, or on symmetry.
//!
//! A line `// expect verdict=violated kind=deadlock cflags=-DX` says what is found. `warning=file.c:7` must be in a warning,
//! `note=text` in a note; `alike=yes` says that no likeness is dropped; `executions=4` and `unreduced=8` count with symmetry
//! and without it. With `QUOTIENT_ALL_ADDRESSES=1` every line is checked at every level of optimisation.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

struct Expectation {
    file: PathBuf,
    line: String,
}

impl Expectation {
    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let words = self.line.split_whitespace().filter_map(|word| word.split_once('='));
        words.filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.line.split_whitespace().filter_map(|word| word.split_once('=')).find(|(name, _)| *name == key).map(|w| w.1)
    }

    /// What is wrong with the answer, if anything.
    fn check(&self, compilers: (&str, &str), level: usize, reduced: bool) -> Option<String> {
        let mut options = vec!["--format=json"];
        options.extend(if reduced { &["--symmetry=on"][..] } else { &["--symmetry=off", "--address-order=both"] });
        let flags: Vec<String> = self.values("cflags").map(str::to_owned).chain([format!("-O{level}")]).collect();
        let answer = answer(&self.file, compilers, &options, &flags)?;
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let violation = &answer["violations"][0];
        for (key, found) in [("verdict", text(&answer["verdict"])), ("kind", text(&violation["kind"]))] {
            if let Some(wanted) = self.value(key)
                && wanted != found
            {
                return Some(format!("{key} is {found}, not {wanted}: {}", violation["message"]));
            }
        }
        for (key, list) in [("warning", "warnings"), ("note", "notes")] {
            let lines = answer[list].as_array().cloned().unwrap_or_default();
            for wanted in self.values(key) {
                if !lines.iter().any(|line| text(line).contains(wanted)) {
                    return Some(format!("{wanted} is in none of {list}: {lines:?}"));
                }
            }
        }
        if reduced && self.value("alike") == Some("yes") && answer["stats"]["told_apart"] != Value::Bool(false) {
            return Some(format!("threads are told apart: {}", answer["notes"]));
        }
        let key = if reduced { "executions" } else { "unreduced" };
        let executions = text(&answer["stats"]["executions"]);
        let wanted = self.value(key).filter(|&wanted| wanted != executions);
        wanted.map(|wanted| format!("{executions} executions, not {wanted}"))
    }
}

fn answer(file: &Path, compilers: (&str, &str), options: &[&str], flags: &[String]) -> Option<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.env("CC", compilers.0).env("CXX", compilers.1);
    command.arg("check").arg(file).args(options).arg("--").args(flags);
    let output = command.output().expect("the command runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let answer = serde_json::from_str(&stdout);
    Some(answer.unwrap_or_else(|_| panic!("{}: {stdout}{}", file.display(), String::from_utf8_lossy(&output.stderr))))
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/addresses")
}

fn expectations() -> Vec<Expectation> {
    let mut list = Vec::new();
    for entry in std::fs::read_dir(programs()).expect("the programs") {
        let file = entry.expect("a file").path();
        let text = std::fs::read_to_string(&file).expect("a text");
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
            list.push(Expectation { file: file.clone(), line: line.to_owned() });
        }
    }
    list.sort_by(|a, b| (&a.file, &a.line).cmp(&(&b.file, &b.line)));
    list
}

const COMPILERS: [(&str, &str); 2] = [("gcc", "g++"), ("clang", "clang++")];

fn has_compiler(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok()
}

#[test]
fn addresses_tell_threads_apart_only_if_the_program_computes_with_them() {
    let all = std::env::var_os("QUOTIENT_ALL_ADDRESSES").is_some();
    let expectations = expectations();
    assert!(expectations.len() >= 20, "{} expectations", expectations.len());
    let mut wrong = Vec::new();
    for (number, expectation) in expectations.iter().enumerate() {
        for (index, compilers) in COMPILERS.into_iter().enumerate().filter(|(_, names)| has_compiler(names.0)) {
            for level in 0..4 {
                for reduced in [true, false] {
                    let turn = (number + 2 * index + usize::from(reduced)) % 4 == level;
                    if !all && !turn {
                        continue;
                    }
                    if let Some(what) = expectation.check(compilers, level, reduced) {
                        let way = format!("{} -O{level}, symmetry {reduced}", compilers.0);
                        wrong.push(format!("{} ({way}): {}: {what}", expectation.file.display(), expectation.line));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_execution_with_descending_addresses_can_be_replayed() {
    let file = programs().join("unlike.c");
    let flags = ["-DGREATER=mine>before".to_owned()];
    let found = answer(&file, COMPILERS[0], &["--format=json"], &flags).expect("an answer");
    let replay = found["violations"][0]["replay"].as_str().expect("a text").to_owned();
    assert!(replay.starts_with("descending:"), "{replay}");
    let again = answer(&file, COMPILERS[0], &["--format=json", "--replay", &replay], &flags).expect("an answer");
    assert_eq!(again["verdict"], "violated");
    assert_eq!(again["violations"][0]["replay"], replay.as_str());
}

#[test]
fn one_order_only_says_that_the_program_depends_on_it() {
    let file = programs().join("unlike.c");
    let flags = ["-DGREATER=mine>before".to_owned()];
    let answer =
        answer(&file, COMPILERS[0], &["--format=json", "--address-order=ascending"], &flags).expect("an answer");
    assert_eq!(answer["verdict"], "holds");
    assert!(answer["warnings"].to_string().contains("unlike.c:18"), "{}", answer["warnings"]);
}

#[test]
fn the_order_of_addresses_is_not_for_models() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/conformance");
    let file = std::fs::read_dir(model).expect("models").map(|entry| entry.expect("a file").path());
    let file = file.into_iter().find(|file| file.extension().is_some_and(|end| end == "pml")).expect("a model");
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    let output = command.arg("check").arg(file).arg("--address-order=both").output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
}
