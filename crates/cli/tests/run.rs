//! `quotient run` from outside: a script with a race and its fix, files that list processes, saved runs, bad input.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn quotient(directory: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quotient")).current_dir(directory).args(words).output().expect("it runs")
}

/// A directory with the scripts of the examples; nothing if processes may not be traced here, and a variable of the environment
/// says that tests may be left out then.
fn scripts() -> Option<tempfile::TempDir> {
    let directory = tempfile::tempdir().expect("a directory");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["lock.sh", "lock-mended.sh"] {
        std::fs::copy(examples.join(name), directory.path().join(name)).expect("an example");
    }
    let tried = quotient(directory.path(), &["run", "--", "true"]);
    let traced = tried.status.code() == Some(0);
    let without = std::env::var_os("QUOTIENT_WITHOUT_TRACING").is_some();
    assert!(traced || without, "processes cannot be traced here: {}", text(&tried));
    traced.then_some(directory)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

const RACE: [&str; 9] = ["run", "--shared", "/shared", "--exit-status", "--", "sh", "lock.sh", ":::", "sh"];

#[test]
fn a_race_is_found_told_saved_and_repeated() {
    let Some(directory) = scripts() else { return };
    let directory = directory.path();
    let words = [&["run", "--trace", "run.json"][..], &RACE[1..], &["lock.sh"]].concat();
    let found = quotient(directory, &words);
    assert_eq!(found.status.code(), Some(1), "{}", text(&found));
    assert!(text(&found).contains("exits with status 1"), "{}", text(&found));
    assert!(!Path::new("/shared").exists(), "nothing is written");
    let again = quotient(directory, &["replay", "run.json"]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again));
    assert!(text(&again).contains("exits with status 1"), "{}", text(&again));
    std::fs::write(directory.join("lock.sh"), "true\n").expect("another script");
    let other = quotient(directory, &["replay", "run.json"]);
    assert_eq!(other.status.code(), Some(2), "{}", text(&other));
}

#[test]
fn the_answer_is_json_if_asked_for() {
    let Some(directory) = scripts() else { return };
    let words = [&["run", "--format", "json"][..], &RACE[1..], &["lock.sh"]].concat();
    let found = quotient(directory.path(), &words);
    let answer: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    assert_eq!(answer["verdict"], "violated");
    assert_eq!(answer["violations"][0]["kind"], "exit-status");
    let calls = answer["violations"][0]["calls"].as_array().expect("calls");
    assert!(calls.iter().any(|call| call["call"].as_str().is_some_and(|call| call.starts_with("mkdir"))));
    assert!(answer["stats"]["process_steps"].as_u64() > Some(0));
}

#[test]
fn a_file_lists_processes() {
    let Some(directory) = scripts() else { return };
    let file = "shared = [\"/shared\"]\n[[process]]\nrun = [\"sh\", \"lock-mended.sh\"]\ncount = 2\nsymmetric = \"full\"\n\
                [search]\nexit-status = true\n";
    std::fs::write(directory.path().join("lock.system"), file).expect("a file");
    let holds = quotient(directory.path(), &["run", "lock.system"]);
    assert_eq!(holds.status.code(), Some(0), "{}", text(&holds));
    assert!(text(&holds).contains("HOLDS"), "{}", text(&holds));
    std::fs::write(directory.path().join("bad.system"), "shard = []\n").expect("a file");
    let bad = quotient(directory.path(), &["run", "bad.system"]);
    assert_eq!(bad.status.code(), Some(2), "{}", text(&bad));
    assert!(text(&bad).contains("shard"), "{}", text(&bad));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let Some(directory) = scripts() else { return };
    let cases = [
        &["run"][..],
        &["run", "--"],
        &["run", "--", "true", ":::"],
        &["run", "--", "./there-is-none"],
        &["run", "there-is-none.system"],
    ];
    for words in cases {
        let refused = quotient(directory.path(), words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}: {}", text(&refused));
    }
}

#[test]
fn limits_make_the_answer_inconclusive() {
    let Some(directory) = scripts() else { return };
    for limit in [["--max-depth", "2"], ["--max-states", "3"]] {
        let words =
            [&["run"][..], &limit, &["--shared", "/shared", "--", "sh", "lock.sh", ":::", "sh", "lock.sh"]].concat();
        let cut = quotient(directory.path(), &words);
        assert_eq!(cut.status.code(), Some(3), "{}", text(&cut));
    }
}

/// Compiles a C program of a few lines into a directory.
fn compile(directory: &Path, name: &str, text: &str) {
    std::fs::write(directory.join("program.c"), text).expect("a file");
    let made = Command::new("gcc").args(["-O1", "-g", "-o", name, "program.c"]).current_dir(directory).status();
    assert!(made.expect("gcc runs").success(), "{name} does not compile");
}

const POLITE: &str = r#"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int main(int count, char **words) {
    int first = open(words[1], O_RDWR | O_CREAT, 0600), second = open(words[2], O_RDWR | O_CREAT, 0600);
    for (;;) {
        flock(first, LOCK_EX);
        if (flock(second, LOCK_EX | LOCK_NB) == 0) return 0;
        flock(first, LOCK_UN);
        usleep(1000);
    }
}
"#;

#[test]
fn a_livelock_is_found_told_saved_and_repeated_if_it_is_asked_for() {
    let Some(directory) = scripts() else { return };
    let directory = directory.path();
    compile(directory, "polite", POLITE);
    let commands = ["--", "./polite", "/shared/a", "/shared/b", ":::", "./polite", "/shared/b", "/shared/a"];
    let base = ["run", "--shared", "/shared"];
    let unasked = quotient(directory, &[&base[..], &commands].concat());
    assert_eq!(unasked.status.code(), Some(0), "{}", text(&unasked));
    let found = quotient(directory, &[&base[..], &["--livelock", "--trace", "run.json"], &commands].concat());
    assert_eq!(found.status.code(), Some(1), "{}", text(&found));
    assert!(text(&found).contains("from here on, again and again"), "{}", text(&found));
    assert!(text(&found).contains("VIOLATED: livelock: polite #1 never ends"), "{}", text(&found));
    let again = quotient(directory, &["replay", "run.json"]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again));
    let same = ["--", "./polite", "/shared/a", "/shared/b", ":::", "./polite", "/shared/a", "/shared/b"];
    let holds = quotient(directory, &[&base[..], &["--livelock"], &same].concat());
    assert_eq!(holds.status.code(), Some(0), "{}", text(&holds));
    // Lock files that are made and removed again and again lead back as well.
    let script = "until mkdir /shared/$1 2> /dev/null && mkdir /shared/$2 2> /dev/null; do rmdir /shared/$1 2> /dev/null; done\n";
    std::fs::write(directory.join("never.sh"), script).expect("a script");
    let words = [&base[..], &["--livelock", "--max-time", "100", "--", "sh", "never.sh", "a", "a"]].concat();
    let never = quotient(directory, &words);
    assert_eq!(never.status.code(), Some(1), "{}", text(&never));
    assert!(text(&never).contains("livelock"), "{}", text(&never));
}

#[test]
fn options_that_cannot_be_honoured_are_refused_by_name() {
    let Some(directory) = scripts() else { return };
    for (words, named) in [
        (&["run", "--jobs", "2", "--", "true"][..], "--jobs"),
        (&["run", "--livelock", "--mode", "stateless", "--", "true"], "--livelock"),
        (&["run", "--livelock", "--mode", "paper", "--", "true"], "--livelock"),
        (&["run", "--max-memory", "much", "--", "true"], "--max-memory"),
    ] {
        let refused = quotient(directory.path(), words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}: {}", text(&refused));
        assert!(text(&refused).contains(named), "{words:?}: {}", text(&refused));
    }
    assert_eq!(quotient(directory.path(), &["run", "--jobs", "1", "--", "true"]).status.code(), Some(0));
}

#[test]
fn a_script_that_does_not_find_the_command_for_assertions_is_inconclusive() {
    let Some(directory) = scripts() else { return };
    let directory = directory.path();
    std::fs::write(directory.join("asserts.sh"), "vs fail\ntrue\n").expect("a script");
    for shell in ["sh", "bash", "python3"] {
        if shell == "python3" {
            std::fs::write(directory.join("asserts.sh"), "import os\nos.system('vs fail')\n").expect("a script");
        }
        let without = quotient(directory, &["run", "--", shell, "asserts.sh"]);
        assert_eq!(without.status.code(), Some(3), "{shell}: {}", text(&without));
        assert!(text(&without).contains("does not find the command vs"), "{shell}: {}", text(&without));
    }
}

#[test]
fn an_exit_status_that_nobody_asked_about_is_told() {
    let Some(directory) = scripts() else { return };
    let holds = quotient(directory.path(), &["run", "--", "sh", "-c", "exit 3"]);
    assert_eq!(holds.status.code(), Some(0), "{}", text(&holds));
    assert!(text(&holds).contains("exits with status 3 in some run"), "{}", text(&holds));
}

/// Runs a command that may not trace.
const UNTRACED: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words) {
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { 4, lines };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 99;
    execv(words[1], words + 1);
    return 98;
}
"#;

#[test]
fn where_tracing_is_forbidden_a_loader_takes_its_place() {
    let Some(directory) = scripts() else { return };
    let directory = directory.path();
    compile(directory, "untraced", UNTRACED);
    let run = |more: &[&str]| {
        let words = [&[env!("CARGO_BIN_EXE_quotient"), "run"], more, &["--", "true"]].concat();
        Command::new(directory.join("untraced")).args(words).output().expect("it runs")
    };
    let followed = run(&[]);
    assert_eq!(followed.status.code(), Some(0), "{}", text(&followed));
    let refused = run(&["--follow", "ptrace"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("processes cannot be traced here"), "{}", text(&refused));
}

/// Writes to all of its memory in every round.
const LARGE: &str = r#"
#include <string.h>
#include <unistd.h>

static char memory[20 << 20];

int main(void) {
    int ends[2];
    pipe(ends);
    for (int round = 0; round < 100; round++) {
        memset(memory, round + 1, sizeof memory);
        write(ends[1], "x", 1);
        read(ends[0], memory, 1);
    }
    return 0;
}
"#;

#[test]
fn processes_that_are_kept_count_for_the_limit_on_memory() {
    let Some(directory) = scripts() else { return };
    let directory = directory.path();
    compile(directory, "large", LARGE);
    // Two hundred copies would take four gigabytes; those that are ended are run again when they are needed.
    let words = ["run", "--no-merge", "--max-memory", "600M", "--", "./large", ":::", "true"];
    let holds = quotient(directory, &words);
    assert_eq!(holds.status.code(), Some(0), "{}", text(&holds));
    let words = ["run", "--max-memory", "1M", "--shared", "/shared", "--", "sh", "lock.sh", ":::", "sh", "lock.sh"];
    let cut = quotient(directory, &words);
    assert_eq!(cut.status.code(), Some(3), "{}", text(&cut));
    assert!(text(&cut).contains("--max-memory"), "{}", text(&cut));
}
