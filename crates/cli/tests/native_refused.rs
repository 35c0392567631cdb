//! What a program wants of the system and does not get is told with its place.

mod compilers;

use std::path::Path;
use std::process::Command;

use compilers::installed;
use serde_json::Value;

#[test]
fn a_process_that_is_not_started_has_a_line() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/refused/fork.c");
    let text = std::fs::read_to_string(&program).expect("the program is there");
    let line = 1 + text.lines().position(|line| line.ends_with("// here")).expect("the line is there");
    for (compiler, _) in installed() {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
            command.env("CC", compiler).arg("check").arg(&program).args(["--format=json", "--", level]);
            let output = command.output().expect("the command runs");
            let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
            let reason = answer["reason"].as_str().unwrap_or_default();
            assert_eq!(output.status.code(), Some(3), "{compiler} {level}: {answer}");
            assert!(reason.starts_with("the program starts a process"), "{compiler} {level}: {answer}");
            // Without optimisation it is the line of the call before, in the same function.
            let lines = if level == "-O0" { line - 1..=line } else { line..=line };
            let has_line = lines.into_iter().any(|line| reason.ends_with(&format!("fork.c:{line})")));
            assert!(has_line, "{compiler} {level}: {reason}");
        }
    }
}
