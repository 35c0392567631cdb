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

#[test]
fn a_constructor_that_waits_is_told_of() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("early.c");
    let cases = [
        ("sem_init(&s, 0, 0); sem_wait(&s);", "a constructor waits for another thread, and there is none"),
        ("pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "locks a mutex that it holds already"),
        ("pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b);", "a constructor waits for another thread"),
        ("pthread_mutex_lock(&m); pthread_cond_wait(&c, &m);", "a constructor waits for another thread"),
    ];
    for (body, message) in cases {
        let text = format!(
            "#include <pthread.h>\n#include <semaphore.h>\nstatic sem_t s; static pthread_barrier_t b;
            static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
            __attribute__((constructor)) static void early(void) {{ {body} (void)s, (void)b, (void)m, (void)c; }}
            int main(void) {{ return 0; }}\n"
        );
        std::fs::write(&program, text).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_quotient")).arg("check").arg(&program).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{body}: {said}");
        assert!(said.contains("before `main` begins: ") && said.contains(message), "{body}: {said}");
    }
}

#[test]
fn a_call_is_refused_for_what_it_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("refused.c");
    let calls = [
        ("pthread_cancel(pthread_self())", "threads are not cancelled here"),
        ("char name[16]; pthread_getname_np(pthread_self(), name, 16)", "the system does not know the threads"),
        ("signal(2, SIG_IGN)", "signals are not followed"),
        ("fopen(\"x\", \"r\")", "it acts on the world outside the program"),
    ];
    for (call, why) in calls {
        let headers = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n";
        std::fs::write(&program, format!("{headers}int main(void) {{ {call}; }}\n")).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
        let output = command.arg("check").arg(&program).arg("--format=json").output().expect("the command runs");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
        let said = answer["violations"][0]["message"].as_str().unwrap_or_default();
        assert_eq!(output.status.code(), Some(3), "{call}: {answer}");
        assert!(said.contains(&format!("cannot be checked: {why}")), "{call}: {said}");
    }
}
