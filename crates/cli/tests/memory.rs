//! What a check takes with `--max-memory`: the most memory that the process ever had, as the system tells, is at most a
//! tenth more. The settings differ in what fills the memory: states, the table, the queue, the stack, runs.
//!
//! `QUOTIENT_ALL_LIMITS=1` tries larger limits too, and prints the table of the book.

mod common;

use std::process::Stdio;

use common::Dir;

/// Many small states: all of the memory is the visited set.
const SMALL: &str = "unsigned a : 9, b : 9, c : 9; active proctype P() { do :: a++ :: b++ :: c++ od }\n";

/// Long states, that breadth-first search keeps in its queue.
const LONG: &str = "int a[150]; unsigned b : 12, c : 12;
    active proctype P() { do :: b++; a[b % 150] = c :: c++; a[c % 150] = b od }\n";

/// One run that goes on and on.
const DEEP: &str = "int n; active proctype P() { do :: n++ od }\n";

/// The same, with an error now and then.
const ERRORS: &str = "int n; active proctype P() { do :: n++; assert(n % 50000) od }\n";

/// A run that ends in a violation just below the limit.
const VIOLATION: &str = "int n; active proctype P() { do :: n < LAST -> n++ :: n == LAST -> assert(false) od }\n";

/// Processes that change places.
const SYMMETRIC: &str = "byte t; active [5] proctype P() { unsigned n : 7; do :: n++ :: n < 100 -> n = n + 2 od }\n";

/// Runs Quotient; gives the most memory that it had, in MB, and what it said.
// It is waited for by `wait4`, which tells the memory.
#[expect(clippy::zombie_processes)]
fn most(dir: &Dir, args: &[&str]) -> (f64, String) {
    let mut command = dir.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary runs");
    let id = child.id() as i32;
    let said = std::io::read_to_string(child.stdout.expect("a pipe")).expect("text");
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the process is our child, nobody has waited for it, and both places are ours.
    let waited = unsafe { libc::wait4(id, &mut status, 0, &mut usage) };
    assert_eq!(waited, id);
    (usage.ru_maxrss as f64 / 1024.0, said)
}

#[test]
fn the_limit_on_memory_holds() {
    let dir = Dir::new(&[
        ("small.pml", SMALL),
        ("long.pml", LONG),
        ("deep.pml", DEEP),
        ("errors.pml", ERRORS),
        ("violation.pml", VIOLATION),
        ("symmetric.pml", SYMMETRIC),
    ]);
    let settings: [(&[&str], &str); 12] = [
        (&["small.pml"], "states, depth-first"),
        (&["small.pml", "--order=bfs"], "states, breadth-first"),
        (&["long.pml"], "long states, depth-first"),
        (&["long.pml", "--order=bfs"], "long states, breadth-first"),
        (&["deep.pml"], "one run, depth-first"),
        (&["deep.pml", "--order=bfs"], "one run, breadth-first"),
        (&["errors.pml", "--all-errors"], "many errors, depth-first"),
        (&["errors.pml", "--all-errors", "--order=bfs"], "many errors, breadth-first"),
        (&["violation.pml", "--trace=t"], "a long run that is saved, depth-first"),
        (&["violation.pml", "--trace=t", "--order=bfs"], "a long run that is saved, breadth-first"),
        (&["symmetric.pml", "--por=off"], "symmetry, depth-first"),
        (&["symmetric.pml", "--por=off", "--order=bfs"], "symmetry, breadth-first"),
    ];
    let limits: &[u64] = if std::env::var_os("QUOTIENT_ALL_LIMITS").is_some() { &[64, 256, 1024] } else { &[64] };
    let mut table = String::from("| what fills the memory | limit | at most | of the limit | answer |\n");
    let mut worst = 0.0_f64;
    for &limit in limits {
        for (args, what) in settings {
            let last = format!("-DLAST={}", limit * 3_000);
            let more: [&str; 1] = [&last];
            let args = [args, &more[..]].concat();
            let option = format!("--max-memory={limit}M");
            let (most, said) = most(&dir, &[&["check", "--format=json", &option], &args[..]].concat());
            let answer: serde_json::Value = serde_json::from_str(&said).expect("an answer");
            let answer = format!("{}, {}", answer["verdict"], answer["stop"]).replace('"', "");
            let share = most / limit as f64;
            table.push_str(&format!("| {what} | {limit} MB | {most:.0} MB | {share:.2} | {answer} |\n"));
            worst = worst.max(share);
        }
    }
    assert!(worst <= 1.1, "{table}");
    if limits.len() > 1 {
        std::fs::write(std::env::temp_dir().join("quotient-limits.md"), table).expect("a table");
    }
}

#[test]
fn how_long_a_saved_run_is_takes_no_memory() {
    let dir = Dir::new(&[("m.pml", VIOLATION)]);
    let mut replays = Vec::new();
    for last in [5_000, 250_000] {
        let last = format!("-DLAST={last}");
        let (_, said) = most(&dir, &["check", "m.pml", &last, "--trace=t"]);
        assert!(said.contains("steps left out"), "a long run is not shown as a whole");
        let (replay, said) = most(&dir, &["replay", "t"]);
        assert!(said.contains("REPRODUCED"), "{said}");
        let (steps, said) = most(&dir, &["replay", "t", "--steps"]);
        assert!(said.contains("REPRODUCED") && !said.contains("left out"), "all steps are shown");
        replays.push((replay, steps));
    }
    let [(short, short_steps), (long, long_steps)] = replays[..] else { panic!("two runs") };
    assert!(long < short + 4.0, "{long} MB instead of {short}");
    assert!(long_steps < short_steps + 4.0, "{long_steps} MB instead of {short_steps}");
}
