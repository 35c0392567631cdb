//! Checks of C programs that are stopped and gone on with, by limits, by signals and by being killed: in the end the answer is
//! that of a check that nobody has stopped. Checkpoints that are damaged or of something else are refused.
//!
//! `QUOTIENT_KILLS=100` kills more often.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c").join(name);
    path.to_str().expect("a path").to_owned()
}

fn command(arguments: &[&str], more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    // What follows `--` stays at the end.
    let flags = arguments.iter().position(|&argument| argument == "--").unwrap_or(arguments.len());
    command.arg("check").args(&arguments[..flags]).args(more).arg("--format=json").args(&arguments[flags..]);
    command
}

fn run(arguments: &[&str], more: &[&str]) -> Output {
    command(arguments, more).output().expect("the command runs")
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })
}

/// What must be the same, however often a check was stopped.
fn essence(answer: &Value) -> Value {
    let mut answer = answer.clone();
    let stats = answer["stats"].as_object_mut().expect("statistics");
    // What was measured differs from check to check.
    for measured in ["seconds", "peak_memory_bytes"] {
        stats.remove(measured);
    }
    answer["notes"]
        .as_array_mut()
        .expect("notes")
        .retain(|note| !note.as_str().is_some_and(|n| n.contains("--resume")));
    answer
}

/// Checks a program, stopping after each so many executions; gives how often it was stopped.
fn stop_and_go(arguments: &[&str], step: usize) -> usize {
    let whole = answer(&run(arguments, &[]));
    let directory = tempfile::tempdir().expect("a directory");
    let saved = directory.path().join("saved");
    let saved = saved.to_str().expect("a path");
    let mut stops = 0;
    loop {
        let limit = format!("--max-executions={}", step * (stops + 1));
        let mut more = vec!["--checkpoint", saved, &limit];
        if stops > 0 {
            more.extend(["--resume", saved]);
        }
        let part = answer(&run(arguments, &more));
        if part["stop"] != "max-executions" {
            assert_eq!(essence(&part), essence(&whole), "{arguments:?}, {stops} stops");
            return stops;
        }
        let note = part["notes"].to_string();
        assert!(note.contains("--resume"), "{arguments:?}: {note}");
        stops += 1;
        assert!(stops < 500, "{arguments:?} does not come to an end");
    }
}

/// Programs with the options that make them of a good size.
const PROGRAMS: [(&str, &str); 10] = [
    ("treiber.c", "-DN=4"),
    ("mutex.c", "-DN=4"),
    ("ttas.c", "-DN=3"),
    ("ms_queue.c", "-DN=3"),
    ("twa_lock.c", "-DN=2"),
    ("ticket.c", "-DN=3"),
    ("sp_cyc.c", "-DN=4"),
    ("fetch_add.c", "-DN=4"),
    ("readers.c", "-DN=4"),
    ("cas_mutex.c", "-DN=3"),
];

#[test]
fn a_check_that_was_stopped_goes_on() {
    let mut stops = 0;
    for (number, (name, define)) in PROGRAMS.into_iter().enumerate() {
        let name = file(name);
        stops += stop_and_go(&[&name, define], 2 + number);
        stops += stop_and_go(&[&name, define, "--symmetry=off"], 5 + 2 * number);
    }
    assert!(stops > 20, "only {stops} stops");
}

#[test]
fn several_processes_go_on() {
    let mut stops = 0;
    for (number, (name, define)) in PROGRAMS.into_iter().enumerate() {
        let name = file(name);
        let symmetry = if number % 2 == 0 { "--symmetry=off" } else { "--symmetry=on" };
        stops += stop_and_go(&[&name, define, "--jobs=2", symmetry], 6 + number);
    }
    assert!(stops > 10, "only {stops} stops");
}

/// Notes and warnings that come from executions before the stop; both orders of addresses; threads that are looked at in
/// every execution.
#[test]
fn what_was_seen_before_is_not_forgotten() {
    let notes = file("checkpoint/notes.c");
    let whole = answer(&run(&[&notes, "--symmetry=off"], &[]));
    let said = format!("{}{}", whole["warnings"], whole["notes"]);
    assert!(said.contains("leak") && said.contains("waits"), "{said}");
    assert!(stop_and_go(&[&notes, "--symmetry=off"], 1) > 2);
    assert!(stop_and_go(&[&notes, "--symmetry=off", "--jobs=2"], 2) > 1);
    let addresses = file("checkpoint/addresses.c");
    assert!(stop_and_go(&[&addresses], 9) > 5);
    assert!(stop_and_go(&[&addresses, "--jobs=2"], 21) > 2);
    let ids = file("checkpoint/ids.c");
    assert!(stop_and_go(&[&ids, "--symmetry=ids"], 1) > 2);
    assert!(stop_and_go(&[&ids], 5) > 2);
    assert!(stop_and_go(&[&ids, "--symmetry=off", "--jobs=2"], 9) > 1);
}

#[test]
fn an_error_behind_the_stop_is_found() {
    let program = file("checkpoint/late_error.c");
    assert!(stop_and_go(&[&program, "-DLATE=1", "--symmetry=off"], 2) > 1);
    assert_eq!(stop_and_go(&[&program, "-DLATE=7"], 2), 0);
    assert!(stop_and_go(&[&program, "-DLATE=0"], 7) > 1);
}

/// Loops that are cut off, and executions that are given up.
#[test]
fn what_was_cut_off_stays_cut_off() {
    let spin = file("ttas_swap.c");
    stop_and_go(&[&spin, "-DN=3", "--unroll=1", "--symmetry=off"], 4);
    stop_and_go(&[&spin, "-DN=3", "--max-events=18"], 3);
}

/// Starts a check with frequent checkpoints and sends it a signal after a while. Returns its answer, if it has one.
fn signalled(arguments: &[&str], saved: &Path, signal: i32, milliseconds: u64) -> Option<Value> {
    let path = saved.to_str().expect("a path");
    let mut more = vec!["--checkpoint", path, "--checkpoint-every=0.02"];
    if saved.exists() {
        more.extend(["--resume", path]);
    }
    let mut command = command(arguments, &more);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    std::thread::sleep(Duration::from_millis(milliseconds));
    // SAFETY: the process is our child, and has not been waited for.
    unsafe { libc::kill(child.id() as i32, signal) };
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_ne!(output.status.code(), Some(2), "{text}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).ok()
}

/// A program with some thousands of executions.
const LONG: [&str; 2] = ["-DN=6", "--symmetry=off"];

/// Sends signals at all kinds of moments, until the check comes to its end.
fn interrupted_again_and_again(signal: i32, more: &[&str]) {
    let program = file("fetch_add.c");
    let arguments = [&[program.as_str()], &LONG[..], more].concat();
    let whole = answer(&run(&arguments, &[]));
    let directory = tempfile::tempdir().expect("a directory");
    let saved = directory.path().join("saved");
    let kills = std::env::var("QUOTIENT_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let mut last = None;
    for number in 0..kills {
        let moment = 150 + ((number * 0x9e37_79b9_u64) >> 7) % 700;
        last = signalled(&arguments, &saved, signal, moment);
        if last.as_ref().is_some_and(|answer| answer["verdict"] == "holds") {
            break;
        }
    }
    let end = match last.filter(|answer| answer["verdict"] == "holds") {
        Some(end) => end,
        None if saved.exists() => answer(&run(&arguments, &["--resume", saved.to_str().expect("a path")])),
        None => answer(&run(&arguments, &[])),
    };
    assert_eq!(essence(&end), essence(&whole));
    let files = std::fs::read_dir(directory.path()).expect("the directory is there").count();
    assert!(files <= 2, "{files} files");
}

#[test]
fn a_check_that_was_killed_goes_on() {
    interrupted_again_and_again(libc::SIGKILL, &[]);
    interrupted_again_and_again(libc::SIGKILL, &["--jobs=2"]);
}

#[test]
fn a_check_that_was_interrupted_goes_on() {
    interrupted_again_and_again(libc::SIGINT, &[]);
    interrupted_again_and_again(libc::SIGTERM, &["--jobs=2"]);
}

#[test]
fn a_check_without_time_goes_on() {
    let program = file("fetch_add.c");
    let arguments = [program.as_str(), LONG[0], LONG[1]];
    let whole = answer(&run(&arguments, &[]));
    let directory = tempfile::tempdir().expect("a directory");
    let saved = directory.path().join("saved");
    let saved = saved.to_str().expect("a path");
    for time in ["--max-time=0.5", "--max-time=0.8", "--max-time=1.3"] {
        let mut more = vec!["--checkpoint", saved, time];
        if Path::new(saved).exists() {
            more.extend(["--resume", saved]);
        }
        let part = run(&arguments, &more);
        assert!(matches!(part.status.code(), Some(0 | 3)), "{:?}", answer(&part));
    }
    let resume = ["--resume", saved];
    let end = answer(&run(&arguments, if Path::new(saved).exists() { &resume } else { &[] }));
    assert_eq!(essence(&end), essence(&whole));
}

/// A checkpoint of a check that was stopped after two executions.
fn saved(directory: &Path, arguments: &[&str]) -> PathBuf {
    let path = directory.join("saved");
    let stopped = run(arguments, &["--checkpoint", path.to_str().expect("a path"), "--max-executions=2"]);
    assert_eq!(stopped.status.code(), Some(3), "{}", String::from_utf8_lossy(&stopped.stderr));
    path
}

fn refusal(arguments: &[&str], path: &Path) -> String {
    let output = run(arguments, &["--resume", path.to_str().expect("a path")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(!text.contains("mistake"), "{text}");
    text
}

#[test]
fn another_check_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("program.c");
    std::fs::copy(file("mutex.c"), &program).expect("a copy");
    std::fs::copy(file("threads.h"), directory.path().join("threads.h")).expect("a copy");
    let name = program.to_str().expect("a path");
    let arguments = [name, "-DN=3", "--symmetry=off"];
    let path = saved(directory.path(), &arguments);
    let said = |arguments: &[&str], what: &str| {
        let text = refusal(arguments, &path);
        assert!(text.contains("of another search") && text.contains(what), "{text}");
    };
    said(&[name, "-DN=4", "--symmetry=off"], "-D is N=3 there, and N=4 here");
    said(&[name, "-DN=3"], "--symmetry is off there, and auto here");
    said(&[name, "-DN=3", "--symmetry=off", "--jobs=2"], "--jobs is 1 there, and 2 here");
    said(&[name, "-DN=3", "--symmetry=off", "--memory-model=tso"], "--memory-model is rc11 there, and tso here");
    said(&[name, "-DN=3", "--symmetry=off", "--", "-O2"], "what follows `--`");
    // The same text, and another header.
    let header = directory.path().join("threads.h");
    let text = std::fs::read_to_string(&header).expect("a header");
    std::fs::write(&header, format!("{text}\nextern int more;\nint more = 1;\n")).expect("it can be written");
    said(&arguments, "the compiled program is not the same");
    std::fs::write(&header, text).expect("it can be written");
    let text = std::fs::read_to_string(&program).expect("a program");
    std::fs::write(&program, format!("{text}\n// changed\n")).expect("it can be written");
    said(&arguments, "the text of");
    refusal(&arguments, &directory.path().join("nothing"));
    refusal(&arguments, directory.path());
}

#[test]
fn damaged_checkpoints_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let name = file("mutex.c");
    let arguments = [name.as_str(), "-DN=3", "--symmetry=off"];
    let path = saved(directory.path(), &arguments);
    let good = std::fs::read(&path).expect("it is there");
    for number in 0..12 {
        let mut bad = good.clone();
        match number {
            0 => bad.clear(),
            1 => bad.truncate(good.len() - 1),
            2 => bad.push(0),
            3 => bad.truncate(30),
            _ => bad[number * 7919 % good.len()] ^= 1 << (number % 8),
        }
        std::fs::write(&path, bad).expect("it can be written");
        refusal(&arguments, &path);
    }
}
