//! Threads that differ in an id: the programs of `programs/c/ids`, each without symmetry, with `--symmetry ids`, and with
//! the claim (`-DCLAIM`) that the threads are alike. The verdict never changes, a claim that is accepted leaves one
//! execution per orbit, and one that is wrong is an error.
//!
//! A header says `ids=accepted` or `ids=refused`; `off` and `on`, the executions without and with symmetry; or `same=yes`:
//! they are those of threads with the same argument (`-DSAME`), which are known to be alike. `verdict` and `kind` are what
//! is wrong with the program itself, and `mentions` is in the reason for which the threads are not alike.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/ids")
}

fn answer(file: &Path, symmetry: &str, define: &str) -> Value {
    answer_of(file, symmetry, define, 1)
}

/// The answer of so many processes.
fn answer_of(file: &Path, symmetry: &str, define: &str, jobs: u32) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.arg("check").arg(file).args(["--format=json", "--leaks=off", "--symmetry", symmetry, "-D", define]);
    let output = command.args(["--jobs", &jobs.to_string()]).output().expect("the command runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{}: {error}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    })
}

fn kind(answer: &Value) -> &str {
    answer["violations"][0]["kind"].as_str().unwrap_or("none")
}

/// What was said about threads that are not taken to be alike.
fn reason(answer: &Value) -> String {
    let notes = answer["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    notes.filter(|note| note.contains("not taken to be alike")).collect()
}

fn check(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("// expect ")).ok_or("nothing is expected")?;
    let word = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let expect = |what: &str, found: &Value, expected: &str| {
        let found = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
        if found == expected { Ok(()) } else { Err(format!("{what} is {found}, not {expected}")) }
    };
    let (off, ids) = (answer(file, "off", "PLAIN"), answer(file, "ids", "PLAIN"));
    let claim = answer(file, "on", "CLAIM");
    let divided = answer_of(file, "on", "CLAIM", 2);
    if divided["verdict"] != claim["verdict"] || kind(&divided) != kind(&claim) {
        return Err(format!("two processes say {}", divided["verdict"]));
    }
    let verdict = word("verdict").unwrap_or("holds");
    expect("the verdict without symmetry", &off["verdict"], verdict)?;
    expect("the verdict with ids", &ids["verdict"], verdict)?;
    if verdict == "violated" {
        let expected = word("kind").ok_or("no kind of violation is expected")?;
        for answer in [&off, &ids] {
            expect("what is wrong", &kind(answer).into(), expected)?;
        }
    }
    let executions = |answer: &Value| answer["stats"]["executions"].clone();
    if let (Some(without), Some(with)) = (word("off"), word("on")) {
        expect("the number of all executions", &executions(&off), without)?;
        expect("the number with ids", &executions(&ids), with)?;
        expect("the number with a claim", &executions(&claim), with)?;
    }
    if word("same").is_some() {
        let number = |symmetry| executions(&answer(file, symmetry, "SAME")).to_string();
        expect("the number of all executions", &executions(&off), &number("off"))?;
        expect("the number with ids", &executions(&ids), &number("on"))?;
        expect("the number with a claim", &executions(&claim), &number("on"))?;
    }
    match word("ids") {
        Some("accepted") => {
            expect("the verdict with a claim", &claim["verdict"], verdict)?;
            expect("the reason", &reason(&ids).into(), "")?;
            if verdict == "holds" {
                let offer = answer(file, "on", "PLAIN")["notes"].to_string();
                if !offer.contains("--symmetry ids") {
                    return Err(format!("ids are not offered: {offer}"));
                }
            }
        }
        Some("refused") => {
            if verdict == "holds" {
                expect("the number with ids", &executions(&ids), &executions(&off).to_string())?;
            }
            // A claim is refuted, or the program's own mistake is found first.
            let message = claim["violations"][0]["message"].to_string();
            let said = format!("{}{message}", reason(&ids));
            if claim["verdict"] != "violated" && reason(&claim).is_empty() {
                return Err("a wrong claim is not noticed".to_owned());
            }
            if kind(&claim) != "annotation" && claim["verdict"] == "violated" && Some(kind(&claim)) != word("kind") {
                return Err(format!("a wrong claim gives {}", kind(&claim)));
            }
            if word("mentions").is_some_and(|mentioned| !said.contains(&format!("`{mentioned}`"))) {
                return Err(format!("the reason is: {said}"));
            }
        }
        other => return Err(format!("ids={other:?}")),
    }
    Ok(())
}

#[test]
fn every_program_is_what_it_says() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory())
        .expect("a directory of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 30, "there are {} programs", files.len());
    let wrong: Vec<String> =
        files.iter().filter_map(|file| Some(format!("{}: {}", file.display(), check(file).err()?))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ids_are_for_programs() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/peterson.pml");
    let output = Command::new(env!("CARGO_BIN_EXE_quotient"))
        .arg("check")
        .arg(model)
        .args(["--symmetry", "ids"])
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("--symmetry ids is for C and C++ programs"), "{text}");
}
