//! Programs that want to reach the checker or the system: nothing of it may have an effect, and no verdict may be wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod ways;

use ways::Programs;

/// How many ways out `ways/out.c` has.
const WAYS: usize = 76;
/// Those that are tried in a constructor, too: one of each kind.
const EARLY: [usize; 12] = [1, 5, 9, 18, 23, 28, 44, 45, 47, 55, 57, 71];
/// What is in the file that a program wants to get at.
const CONTENTS: &str = "as it was";

/// A directory with a file in it, which goes away.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("victim"), CONTENTS).expect("a file");
        Scratch(directory)
    }

    /// What has changed.
    fn damage(&self) -> Option<String> {
        let names = std::fs::read_dir(self.0.path()).expect("the directory is there");
        let mut names: Vec<String> =
            names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        let contents = std::fs::read_to_string(self.0.path().join("victim")).unwrap_or_default();
        (names != ["victim"] || contents != CONTENTS).then(|| format!("there is {names:?}, and {contents:?}"))
    }
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/hostile").join(name)
}

fn check(flags: &[String]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.arg("check").arg(program("ways/out.c")).args(["--max-time=60", "--"]).args(flags);
    command.output().expect("the command runs")
}

/// What is wrong with the answer to one way out.
fn problem(way: usize, early: bool) -> Option<String> {
    let place = Scratch::new();
    let mut flags = vec![format!("-DWAY={way}"), format!("-DPLACE=\"{}\"", place.0.path().display()), "-w".to_owned()];
    flags.extend(early.then(|| "-DEARLY".to_owned()));
    let output = check(&flags);
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let code = output.status.code();
    let wrong = if !matches!(code, Some(1..=3)) {
        Some(format!("the exit code is {code:?}"))
    } else if said.starts_with("FORGED") || said.contains("7 executions") {
        Some("the answer is forged".to_owned())
    } else {
        place.damage()
    };
    wrong.map(|wrong| format!("way {way}, early {early}: {wrong}\n{said}{complained}"))
}

#[test]
fn nothing_gets_out() {
    let all: Vec<(usize, bool)> =
        (1..=WAYS).map(|way| (way, false)).chain(EARLY.iter().map(|&way| (way, true))).collect();
    let wrong = ways::side_by_side(&all, |&(way, early)| problem(way, early));
    assert!(wrong.is_empty(), "{}\n{} of {} are wrong", wrong.join("\n"), wrong.len(), all.len());
}

/// The list of ways is as long as it is said to be, and the test can fail: without the sandbox there is an effect.
#[test]
fn without_a_sandbox_there_is_an_effect() {
    let text = std::fs::read_to_string(program("ways/out.c")).expect("the program");
    assert!(text.contains(&format!("case {WAYS}:")) && !text.contains(&format!("case {}:", WAYS + 1)));
    let place = Scratch::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.arg("check").arg(program("ways/out.c")).args(["--sandbox=off", "--", "-DWAY=9", "-w"]);
    command.arg(format!("-DPLACE=\"{}\"", place.0.path().display())).output().expect("the command runs");
    assert!(place.damage().is_some());
}

/// A call that is refused is named, with its line.
#[test]
fn a_refused_call_is_named() {
    for (way, call) in [(2, "unlinkat"), (25, "socket"), (56, "mkdir")] {
        let place = Scratch::new();
        let output = check(&[format!("-DWAY={way}"), format!("-DPLACE=\"{}\"", place.0.path().display()), "-w".into()]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(&format!("system call `{call}`")) && said.contains("out.c:"), "{said}");
    }
}

#[test]
fn constructors_and_rounds() {
    ways::check_all(&Programs { directory: "hostile", options: &[], both_symmetries: false, group: ways::together });
}
