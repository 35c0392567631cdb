//! C programs whose executions are run again: programs that do not do the same each time, and texts of `--replay`.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Checks a program; gives the exit code, standard output and standard error.
fn check(name: &str, text: &str, options: &[&str]) -> (i32, String, String) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native-again");
    std::fs::create_dir_all(&directory).expect("a directory");
    let file = directory.join(format!("{name}.c"));
    std::fs::write(&file, text).expect("the program is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    let output = command.arg("check").arg(&file).args(options).output().expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// The environment of the process survives an execution: here it counts them.
const COUNTS: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int x, y;
static int run;
static void count(void) {
  const char *text = getenv("RUNS");
  char next[16];
  run = text ? atoi(text) : 0;
  snprintf(next, sizeof next, "%d", run + 1);
  setenv("RUNS", next, 1);
}
static void *worker(void *argument);
static void beside(void) {
  pthread_t thread;
  count();
  pthread_create(&thread, 0, worker, 0);
  int seen = atomic_load(&x);
  pthread_join(thread, 0);
  assert(seen == 0);
}
"#;

/// A thread beside the main one.
fn worker(body: &str) -> String {
    format!("{COUNTS}static void *worker(void *a) {{ {body} return a; }}\nint main(void) {{ beside(); }}\n")
}

/// The main thread alone.
fn alone(body: &str) -> String {
    format!(
        "{COUNTS}static void *worker(void *a) {{ atomic_fetch_add(&x, 1); return a; }}\n\
         int main(void) {{ if (0) beside(); count(); {body} }}\n"
    )
}

#[test]
fn what_survives_an_execution_is_found() {
    let cases = [
        ("early", worker("if (run == 0) atomic_store(&x, 1);")),
        ("late", worker("if (run > 0) atomic_store(&x, 1);")),
        ("value", worker("atomic_store(&y, run);")),
        ("operand", worker("atomic_fetch_add(&y, run);")),
        ("order", worker("atomic_store_explicit(&y, 1, run ? memory_order_relaxed : memory_order_release);")),
        ("memory", worker("atomic_store(run ? &y : &x, 0);")),
        ("panic", worker("assert(run == 0); atomic_load(&y);")),
        ("exit", worker("if (run) exit(0); atomic_load(&y);")),
        ("alone", alone("if (run == 0) atomic_store(&y, 1);")),
        ("initial", alone("static atomic_int z; atomic_init(&z, run); atomic_load(&z);")),
        ("failure", alone("assert(run != 1);")),
        ("threads", alone("pthread_t t; if (run) { pthread_create(&t, 0, worker, 0); pthread_join(t, 0); }")),
        ("fewer", alone("pthread_t t; if (!run) { pthread_create(&t, 0, worker, 0); pthread_join(t, 0); }")),
        (
            "wait",
            alone(
                "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); if (run) pthread_mutex_lock(&m);",
            ),
        ),
        ("spin", alone("while (run && !atomic_load(&y)); atomic_store(&y, 1);")),
    ];
    let ways: [&[&str]; 4] = [&[], &["--symmetry=off"], &["--symmetry=ids"], &["--jobs=2"]];
    for (number, (name, text)) in cases.into_iter().enumerate() {
        // Most differ only in what the program does.
        for &way in ways.iter().filter(|_| number < 2).chain([&ways[number % ways.len()]]) {
            let options: Vec<&str> = way.iter().copied().chain(["--format=json"]).collect();
            let (code, stdout, stderr) = check(name, &text, &options);
            let answer: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{name}: {stdout}{stderr}"));
            let violation = &answer["violations"][0];
            assert_eq!((code, &violation["kind"]), (3, &Value::from("nondeterminism")), "{name} {way:?}: {stdout}");
            let message = violation["message"].as_str().unwrap_or_default();
            assert!(message.contains("not deterministic") && !message.contains(".rs:"), "{name}: {message}");
        }
    }
}

/// The message names the place where the thread was before.
#[test]
fn a_difference_is_shown_with_its_places() {
    let (_, stdout, _) = check("places", &worker("\nif (run == 0)\n  atomic_store(&x, 1);\n"), &[]);
    assert!(stdout.contains("thread 1 came to a write before, and now comes to its end (before: "), "{stdout}");
    assert!(stdout.contains("places.c:27)"), "{stdout}");
}

const RACY: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
     void *worker(void *a) {\n  int seen = atomic_load(&x);\n  atomic_store(&x, seen + 1);\n  return a;\n}\n\
     int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, worker, 0);\n  pthread_create(&b, 0, worker, 0);\n\
       pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(atomic_load(&x) == 2);\n}\n";

#[test]
fn a_replayed_execution_is_one_execution() {
    let (code, stdout, _) = check("racy", RACY, &["--format=json"]);
    let answer: Value = serde_json::from_str(&stdout).expect("an answer");
    assert_eq!((code, &answer["verdict"]), (1, &Value::from("violated")));
    let text = format!("--replay={}", answer["violations"][0]["replay"].as_str().expect("a text"));
    let (code, stdout, stderr) = check("racy", RACY, &[&text]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("this is the one execution that was run again; no other was run"), "{stdout}");

    let passing = "--replay=0*2-1<i-1>i-1-2<1.2-2>1.2-2-0*2-0<2.2-0";
    let (code, stdout, stderr) = check("racy", RACY, &[passing]);
    assert_eq!(code, 3, "{stdout}{stderr}");
    assert_eq!(stdout, "INCONCLUSIVE: this execution shows nothing wrong; it is the only one that was run\n");
    let (code, stdout, _) = check("racy", RACY, &[passing, "--format=json"]);
    let answer: Value = serde_json::from_str(&stdout).expect("an answer");
    assert_eq!((code, &answer["verdict"], &answer["stop"]), (3, &Value::from("inconclusive"), &Value::from("replay")));
    let (_, stdout, _) = check("racy", RACY, &[passing, "--quiet"]);
    assert_eq!(stdout, "INCONCLUSIVE: this execution shows nothing wrong; it is the only one that was run\n");
}

#[test]
fn a_text_that_does_not_fit_is_an_error() {
    for (text, expected) in [
        (
            "0*2-1<i-1<i",
            "step 4 of the text (`1<i`) does not fit: the text has a read, and thread 1 comes to a write (",
        ),
        ("0*2-1<i-1<i", "racy.c:7)"),
        ("0*2-1<i-1>i-1-2<1.2-2>1.2-2-0*2-0<2.2", "the text ends after 11 steps, but the execution does not"),
        ("0*2-1<i-1>i-1-2<1.2-2>1.2-2-0*2-0<2.2-0*2", "that thread has ended"),
        ("0*2-1<i-1>i-1-2<1.2-2>i", "thread 2 knows a later write already"),
        ("0*2-1<2.2", "there is no write 2.2 yet"),
        ("5", "there is no such thread"),
        ("0*99999999", "more than 100000 steps"),
        ("rubbish", "`rubbish` is not a step of an execution"),
        ("", "the text ends after 0 steps"),
    ] {
        let (code, stdout, stderr) = check("racy", RACY, &[&format!("--replay={text}")]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{text}: {stderr}");
        assert!(stderr.contains("the text of --replay is not an execution of this program"), "{text}: {stderr}");
        assert!(stderr.contains(expected), "{text}: {stderr}");
    }
}
