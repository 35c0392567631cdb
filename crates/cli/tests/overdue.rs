//! Limits on time and signals hold whatever Quotient is busy with: the answer comes in time, and nothing is left.

mod common;

use common::{Dir, Ran};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How late an answer may be here: the machine may be busy.
const LATE: Duration = Duration::from_secs(6);

/// Processes that have this text in their commands.
fn running(text: &str) -> usize {
    let all = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let commands = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    commands.filter(|command| String::from_utf8_lossy(command).contains(text)).count()
}

/// Waits a little until none of these processes is left.
fn all_gone(text: &str) -> bool {
    (0..40).any(|_| {
        let gone = running(text) == 0;
        if !gone {
            std::thread::sleep(Duration::from_millis(50));
        }
        gone
    })
}

/// A script for a shell that never makes a call.
fn busy(mark: &str) -> String {
    format!("{mark}=1; while :; do :; done")
}

#[test]
fn a_process_that_makes_no_call_is_not_waited_for() {
    let directory = Dir::new(&[]);
    let mark = format!("busy_{}", std::process::id());
    let started = Instant::now();
    let ran = directory.run(&["run", "--max-time=1", "--format=json", "--", "sh", "-c", &busy(&mark)]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.json()["stop"], "max-time");
    assert!(started.elapsed() < LATE, "{:?}", started.elapsed());
    assert!(all_gone(&mark));
}

#[test]
fn processes_without_end_are_left_in_time() {
    let directory = Dir::new(&[]);
    let shared = directory.0.join("shared");
    std::fs::create_dir(&shared).expect("a directory");
    let mark = format!("endless_{}", std::process::id());
    let script = format!("{mark}=0; while :; do echo ${mark} > {}/x; {mark}=$(({mark}+1)); done", shared.display());
    let started = Instant::now();
    let shared = format!("--shared={}", shared.display());
    let ran = directory.run(&["run", "--max-time=2", "-q", &shared, "--", "sh", "-c", &script]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(started.elapsed() < LATE, "{:?}", started.elapsed());
    assert!(all_gone(&mark));
}

#[test]
fn a_signal_ends_a_run_of_processes() {
    let directory = Dir::new(&[]);
    let mark = format!("signal_{}", std::process::id());
    let mut command = directory.command(&["run", "-q", "--", "sh", "-c", &busy(&mark)]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    while running(&mark) < 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let started = Instant::now();
    // SAFETY: the process is ours, and has not been waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    let ran = Ran::new(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("INCONCLUSIVE"), "{}", ran.stdout);
    assert!(started.elapsed() < LATE, "{:?}", started.elapsed());
    assert!(all_gone(&mark));
}

/// Nobody writes what is to be read.
#[test]
fn reading_a_model_ends_in_time() {
    let directory = Dir::new(&[("includes.pml", "#include \"pipe.pml\"\ninit { skip }\n")]);
    let pipe = directory.0.join("pipe.pml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    for name in ["pipe.pml", "includes.pml"] {
        let started = Instant::now();
        let ran = directory.run(&["check", name, "--max-time=1", "--format=json"]);
        assert_eq!(ran.code, Some(3), "{name}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.json()["stop"], "max-time");
        assert!(started.elapsed() < LATE, "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn not_more_is_told_than_a_person_reads() {
    let model = format!("init {{\n{}}}\n", "x = 1;\n".repeat(2000));
    let line = format!("init {{ {}}}\n", "x = 1; ".repeat(20_000));
    let directory = Dir::new(&[("many.pml", &*model), ("line.pml", &*line)]);
    let ran = directory.run(&["check", "many.pml"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("error: and 1900 more errors"), "{}", &ran.stderr[ran.stderr.len() - 500..]);
    assert!(ran.stderr.len() < 100_000, "{}", ran.stderr.len());
    let ran = directory.run(&["check", "line.pml"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("line.pml:1:"), "{}", ran.stderr);
    // The line itself is too long to be shown.
    assert!(ran.stderr.len() < 100_000, "{}", ran.stderr.len());
}

/// An error that takes long to tell is told nevertheless.
#[test]
fn many_channels_have_names_soon() {
    let directory = Dir::new(&[("many.pml", "chan c[20000] = [1] of { int };\ninit { c[0]!1 }\n")]);
    let started = Instant::now();
    let ran = directory.run(&["check", "many.pml", "-q"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("more than 255 channels"), "{}", ran.stdout);
    assert!(started.elapsed() < 5 * LATE, "{:?}", started.elapsed());
}

/// Where addresses are limited, an allocation may fail at any time.
#[test]
fn a_limit_on_addresses_is_named() {
    let model = format!("int x;\ninit {{ {}}}\n", "x = 1; ".repeat(400_000));
    let directory = Dir::new(&[("long.pml", &*model)]);
    let limited = format!("ulimit -v 300000; exec {} check long.pml --format=json", env!("CARGO_BIN_EXE_quotient"));
    let output = std::process::Command::new("sh").arg("-c").arg(limited).current_dir(&directory.0).output();
    let ran = Ran::new(output.expect("the shell runs"));
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("ulimit -v"), "{}", ran.stdout);
    assert_eq!(ran.json()["stop"], "max-memory");
}
