//! Signals that ask Quotient to end, at all kinds of moments: there is always a summary, and nothing is left behind.
//!
//! `QUOTIENT_SIGNALS=100` sends more of them.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

fn count() -> usize {
    std::env::var("QUOTIENT_SIGNALS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Starts a check that takes long.
fn start(arguments: &[&str], temporary: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.arg("check").args(arguments).arg("--format=json").env("TMPDIR", temporary);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs")
}

/// Whether a process handles a signal, as the system tells.
fn handles(process: u32, signal: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).is_some_and(|set| set >> (signal - 1) & 1 == 1)
}

/// The processes that have this one as their parent.
fn children(process: u32) -> String {
    std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default()
}

fn interrupt(arguments: &[&str], seed: u64) {
    let temporary = tempfile::tempdir().expect("a directory");
    let signals = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
    let signal = signals[seed as usize % signals.len()];
    let child = start(arguments, temporary.path());
    while !handles(child.id(), signal) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // Some moments are while a compiler runs.
    std::thread::sleep(Duration::from_millis(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 511));
    let started: Vec<i32> = children(child.id()).split_whitespace().map(|id| id.parse().expect("a number")).collect();
    // SAFETY: the process is our child, and has not been waited for.
    unsafe { libc::kill(child.id() as i32, signal) };
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "seed {seed}, signal {signal}: {said}{complained}");
    let answer: Value = serde_json::from_str(&said).expect("an answer");
    assert_eq!(answer["verdict"], "inconclusive", "seed {seed}");
    assert_eq!(answer["stop"], "interrupted", "seed {seed}");
    let left = std::fs::read_dir(temporary.path()).expect("the directory is there").count();
    assert_eq!(left, 0, "seed {seed}, signal {signal}: files are left");
    for process in started {
        let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        assert!(!name.starts_with("quotient"), "seed {seed}: process {process} is left");
    }
}

#[test]
fn a_search_of_a_model_is_interrupted() {
    let model = file("models/peterson.pml");
    let model = model.to_str().expect("a path");
    for seed in 0..count() as u64 / 2 {
        interrupt(&[model, "-DN=6", "--symmetry=off", "--reduce=off"], seed);
    }
}

#[test]
fn a_check_of_a_program_is_interrupted() {
    let program = file("programs/c/fetch_add.c");
    let program = program.to_str().expect("a path");
    for seed in 0..count() as u64 / 2 {
        interrupt(&[program, "-DN=11", "--symmetry=off", "--jobs=2"], 1000 + seed);
    }
}

#[test]
fn a_model_that_nobody_writes_can_be_interrupted() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipe = directory.path().join("model.pml");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let mut child = start(&[pipe.to_str().expect("a path")], directory.path());
    while !handles(child.id(), libc::SIGTERM) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // SAFETY: the process is ours, and has not been waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
}
