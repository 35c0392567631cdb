//! What a check takes with `--max-memory`: the most memory that the process ever had, as the system tells, is at most a
//! tenth more. The settings differ in what fills the memory: states, the table, the queue, the stack, runs.
//!
//! `QUOTIENT_ALL_LIMITS=1` tries larger limits too, and prints the table of the book.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

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

/// Counters that are read, so that no reduction leaves them out, and steps that are taken at once.
const READ: &str = "unsigned a : 9, b : 9, c : 9;
    active [2] proctype P() { byte t; do :: t = a; t = t + 1; a = t :: t = b; t = t + 1; b = t :: c++ od }
    active proctype Q() { a + b + c == 2000 }\n";

/// A program that takes more and more memory.
const GROWS: &str = "#include <stdlib.h>\n#include <string.h>\n
    int main(void) { for (;;) memset(malloc(1 << 16), 1, 1 << 16); }\n";

/// An execution that is long.
const EVENTS: &str = "#include <pthread.h>\n#include <stdatomic.h>\n
    static atomic_int x;
    static void *run(void *a) { for (int i = 0; i < 20000000; i++) atomic_fetch_add(&x, 1); return a; }
    int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); run(0); pthread_join(t, 0); }\n";

/// One test measures at a time: what this process has when it starts another counts as well.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs Quotient; gives the most memory that it had, in MB, and the file with what it said. Nothing long is read into this
/// process: the system counts what a process has that starts another.
fn most(dir: &Dir, args: &[&str]) -> (f64, PathBuf) {
    let mut command = dir.command(args);
    let path = command.get_current_dir().expect("the directory of the test").join("said");
    let said = File::create(&path).expect("a file");
    let id = command.stdout(said).stderr(Stdio::null()).spawn().expect("the binary runs").id() as i32;
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the process is our child, nobody has waited for it, and both places are ours.
    let waited = unsafe { libc::wait4(id, &mut status, 0, &mut usage) };
    assert_eq!(waited, id);
    (usage.ru_maxrss as f64 / 1024.0, path)
}

/// Whether a file has a line with these words.
fn says(path: &Path, words: &str) -> bool {
    BufReader::new(File::open(path).expect("a file")).lines().any(|line| line.expect("text").contains(words))
}

/// What is read of an answer.
#[derive(serde::Deserialize)]
struct Answer {
    verdict: String,
    stop: Option<String>,
    stats: Stats,
}

#[derive(serde::Deserialize)]
struct Stats {
    /// Of a program, what all processes had together that have checked it.
    peak_memory_bytes: u64,
}

#[test]
fn the_limit_on_memory_holds() {
    let _alone = ALONE.lock();
    let dir = Dir::new(&[
        ("small.pml", SMALL),
        ("long.pml", LONG),
        ("deep.pml", DEEP),
        ("errors.pml", ERRORS),
        ("violation.pml", VIOLATION),
        ("symmetric.pml", SYMMETRIC),
        ("read.pml", READ),
        ("grows.c", GROWS),
        ("events.c", EVENTS),
    ]);
    let settings: [(&[&str], &str); 24] = [
        (&["small.pml", "--reduce=off"], "states, depth-first"),
        (&["small.pml", "--reduce=off", "--order=bfs"], "states, breadth-first"),
        (&["small.pml", "--reduce=off", "--store=tree"], "states in trees, depth-first"),
        (&["small.pml", "--reduce=off", "--store=tree", "--order=bfs"], "states in trees, breadth-first"),
        (&["long.pml", "--reduce=off"], "long states, depth-first"),
        (&["long.pml", "--reduce=off", "--order=bfs"], "long states, breadth-first"),
        (&["long.pml", "--reduce=off", "--store=tree"], "long states in trees, depth-first"),
        (&["long.pml", "--reduce=off", "--store=tree", "--order=bfs"], "long states in trees, breadth-first"),
        (&["deep.pml", "--reduce=off"], "one run, depth-first"),
        (&["deep.pml", "--reduce=off", "--order=bfs"], "one run, breadth-first"),
        (&["errors.pml", "--reduce=off", "--all-errors"], "many errors, depth-first"),
        (&["errors.pml", "--reduce=off", "--all-errors", "--order=bfs"], "many errors, breadth-first"),
        (&["violation.pml", "--reduce=off", "--trace=t"], "a long run that is saved, depth-first"),
        (&["violation.pml", "--reduce=off", "--trace=t", "--order=bfs"], "a long run that is saved, breadth-first"),
        (&["symmetric.pml", "--reduce=off"], "symmetry, depth-first"),
        (&["symmetric.pml", "--reduce=off", "--order=bfs"], "symmetry, breadth-first"),
        (&["read.pml"], "states that are read, depth-first"),
        (&["read.pml", "--order=bfs"], "states that are read, breadth-first"),
        (&["read.pml", "--symmetry=off"], "states that are read, depth-first, without symmetry"),
        (&["read.pml", "--symmetry=off", "--order=bfs"], "states that are read, breadth-first, without symmetry"),
        (&["grows.c"], "a program's heap"),
        (&["grows.c", "--jobs=2"], "a program's heap, in two processes"),
        (&["events.c", "--max-events=100000000"], "a long execution of a program"),
        (&["events.c", "--max-events=100000000", "--jobs=2"], "a long execution of a program, in two processes"),
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
            let said = BufReader::new(File::open(said).expect("a file"));
            let Answer { verdict, stop, stats } = serde_json::from_reader(said).expect("an answer");
            let answer = format!("{verdict}, {}", stop.as_deref().unwrap_or("to the end"));
            let most = most.max(stats.peak_memory_bytes as f64 / 1024.0 / 1024.0);
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

/// A compiler may take a gigabyte in any case; the array would take many.
#[test]
fn a_compiler_that_takes_too_much_is_stopped() {
    let _alone = ALONE.lock();
    let levels = (1..=8).map(|level| format!("#define L{level} {}\n", format!("L{} ", level - 1).repeat(16)));
    let text = format!(
        "#define L0 1,2,3,4,\n{}int all[] = {{ L8 }};\nint main(void) {{ return all[0]; }}\n",
        levels.collect::<String>()
    );
    let dir = Dir::new(&[("huge.c", &text)]);
    let (_, said) = most(&dir, &["check", "--format=json", "--max-memory=64M", "huge.c"]);
    let answer: serde_json::Value =
        serde_json::from_reader(BufReader::new(File::open(said).expect("a file"))).expect("an answer");
    assert_eq!((&answer["verdict"], &answer["stop"]), (&"inconclusive".into(), &"max-memory".into()), "{answer}");
    assert!(answer["reason"].as_str().is_some_and(|reason| reason.contains("the compiler took more than 1024 MB")));
}

#[test]
fn how_long_a_saved_run_is_takes_no_memory() {
    let _alone = ALONE.lock();
    let dir = Dir::new(&[("m.pml", VIOLATION)]);
    let mut replays = Vec::new();
    for last in [5_000, 250_000] {
        let last = format!("-DLAST={last}");
        let (_, said) = most(&dir, &["check", "m.pml", &last, "--trace=t"]);
        assert!(says(&said, "steps left out"), "a long run is not shown as a whole");
        let (replay, said) = most(&dir, &["replay", "t"]);
        assert!(says(&said, "REPRODUCED"), "{}", said.display());
        let (steps, said) = most(&dir, &["replay", "t", "--steps"]);
        assert!(says(&said, "REPRODUCED") && !says(&said, "left out"), "all steps are shown");
        replays.push((replay, steps));
    }
    let [(short, short_steps), (long, long_steps)] = replays[..] else { panic!("two runs") };
    assert!(long < short + 4.0, "{long} MB instead of {short}");
    assert!(long_steps < short_steps + 4.0, "{long_steps} MB instead of {short_steps}");
}
