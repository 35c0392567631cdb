//! When signals arrive, as real programs see it: all that can happen is found, and nothing that cannot.

mod support;

use quotient_process::Processes;
use quotient_system::{Exploration, Options, Program, System, Unwatched, ViolationKind, explore};
use support::{compile_text, program, setup, traced};

/// What all programs begin with. `handle` sets a handler that counts.
const HEAD: &str = r#"
#define _GNU_SOURCE
#include "vs.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int count, order[10];
static void on(int signal) { order[count++] = signal; }
static void handle(int signal, int blocks, int flags) {
    struct sigaction a = {.sa_handler = on, .sa_flags = flags};
    if (blocks) sigaddset(&a.sa_mask, blocks);
    sigaction(signal, &a, 0);
}
static void mask(int how, int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(how, &set, 0);
}
"#;

/// All that happens, with the reductions and without.
fn search(text: &str) -> Exploration {
    let (_directory, path) = compile_text(&format!("{HEAD}{text}"), &[]);
    let all = |options: Options| {
        let system = System { programs: vec![Program::default()], ..System::default() };
        let options = Options { all_violations: true, ..options };
        let found = explore(&system, &mut Processes::new(setup(vec![program(&path, &[])])), &options, &mut Unwatched);
        assert_eq!((found.stopped, found.doubts.as_slice()), (None, [].as_slice()));
        found
    };
    let (plain, found) = (all(Options::plain(true)), all(Options::stateful()));
    let kinds = |found: &Exploration| {
        let mut kinds: Vec<_> = found.violations.iter().map(|one| format!("{:?} {:?}", one.kind, one.pid)).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(&plain), kinds(&found));
    found
}

fn holds(text: &str) {
    if traced() {
        assert_eq!(search(text).violations, []);
    }
}

/// An assertion fails in some order. It stands for something that may happen.
fn may_happen(text: &str) {
    if traced() {
        let found = search(text);
        assert!(found.violations.iter().any(|one| one.kind == ViolationKind::Assertion), "{:?}", found.violations);
    }
}

#[test]
fn what_is_let_in_arrives_before_the_call_returns() {
    holds(
        "int main(void) { handle(SIGUSR1, 0, 0); mask(SIG_BLOCK, SIGUSR1); kill(getpid(), SIGUSR1); int before = count;
           mask(SIG_UNBLOCK, SIGUSR1); int after = count; VS_assert(before == 0 && after == 1); return 0; }",
    );
}

#[test]
fn handlers_begin_in_the_order_of_the_system() {
    // Each begins before the one with the lower number has done anything.
    holds(
        "int main(void) { handle(SIGUSR1, 0, 0); handle(SIGUSR2, 0, 0); mask(SIG_BLOCK, SIGUSR1); mask(SIG_BLOCK, SIGUSR2);
           kill(getpid(), SIGUSR2); kill(getpid(), SIGUSR1); sigset_t none; sigemptyset(&none);
           sigprocmask(SIG_SETMASK, &none, 0); int both = count == 2;
           VS_assert(both && order[0] == SIGUSR2 && order[1] == SIGUSR1); return 0; }",
    );
}

#[test]
fn what_a_handler_blocks_arrives_when_it_ends() {
    holds(
        "static void first(int signal) { kill(getpid(), SIGUSR2); int before = count; VS_assert(before == 0); }
         int main(void) { handle(SIGUSR2, 0, 0); struct sigaction a = {.sa_handler = first}; sigaddset(&a.sa_mask, SIGUSR2);
           sigaction(SIGUSR1, &a, 0); kill(getpid(), SIGUSR1); int after = count; VS_assert(after == 1); return 0; }",
    );
}

#[test]
fn sigsuspend_lets_all_in_that_it_does_not_block() {
    holds(
        "int main(void) { handle(SIGUSR1, 0, 0); handle(SIGUSR2, 0, 0); mask(SIG_BLOCK, SIGUSR1); mask(SIG_BLOCK, SIGUSR2);
           kill(getpid(), SIGUSR1); kill(getpid(), SIGUSR2); sigset_t none; sigemptyset(&none);
           int r = sigsuspend(&none); int both = count; VS_assert(r == -1 && errno == EINTR && both == 2); return 0; }",
    );
}

#[test]
fn ppoll_that_only_has_a_look_lets_signals_in() {
    holds(
        "int main(void) { handle(SIGUSR1, 0, 0); mask(SIG_BLOCK, SIGUSR1); kill(getpid(), SIGUSR1);
           sigset_t none; sigemptyset(&none); struct timespec zero = {0};
           int r = ppoll(0, 0, &zero, &none); int one = count; VS_assert(r == -1 && errno == EINTR && one == 1); return 0; }",
    );
}

/// Whoever was sent a signal before it reads has run the handler when it has read.
const SENT_BEFORE: &str = "int main(void) { int p[2]; pipe(p); handle(SIGUSR1, 0, FLAGS); int parent = getpid();
   if (!fork()) { kill(parent, SIGUSR1); write(p[1], \"x\", 1); _exit(0); }
   char c; int r; while ((r = read(p[0], &c, 1)) < 0) continue; int seen = count; VS_assert(seen == 1); wait(0); return 0; }";

#[test]
fn a_signal_that_was_sent_before_is_there() {
    holds(&SENT_BEFORE.replace("FLAGS", "0"));
    holds(&SENT_BEFORE.replace("FLAGS", "SA_RESTART"));
}

#[test]
fn a_signal_may_come_before_its_handler_is_set() {
    // It kills the child then.
    may_happen(
        "int main(void) { int child = fork(); if (!child) { handle(SIGUSR1, 0, 0); _exit(0); }
           kill(child, SIGUSR1); int status; wait(&status); VS_assert(status == 0); return 0; }",
    );
    holds(
        "int main(void) { mask(SIG_BLOCK, SIGUSR1); int child = fork();
           if (!child) { handle(SIGUSR1, 0, 0); mask(SIG_UNBLOCK, SIGUSR1); _exit(0); }
           kill(child, SIGUSR1); int status; wait(&status); VS_assert(status == 0); return 0; }",
    );
}

#[test]
fn a_signal_may_come_before_it_is_blocked() {
    let text = |expected: &str| {
        format!(
            "int main(void) {{ int p[2]; pipe(p); handle(SIGUSR1, 0, SA_RESTART); int parent = getpid();
               if (!fork()) {{ char c; read(p[0], &c, 1); kill(parent, SIGUSR1); _exit(0); }}
               write(p[1], \"x\", 1); mask(SIG_BLOCK, SIGUSR1); int seen = count; VS_assert(seen == {expected}); return 0; }}"
        )
    };
    may_happen(&text("0"));
    may_happen(&text("1"));
}

#[test]
fn a_child_that_ends_before_its_signal_is_blocked_is_not_heard_of() {
    // Who waits for the signal waits forever then.
    if traced() {
        let found = search(
            "int main(void) { if (!fork()) _exit(0); sigset_t set; sigemptyset(&set); sigaddset(&set, SIGCHLD);
               sigprocmask(SIG_BLOCK, &set, 0); int s; sigwait(&set, &s); return 0; }",
        );
        assert!(found.deadlocks > 0);
    }
    holds(
        "int main(void) { sigset_t set; sigemptyset(&set); sigaddset(&set, SIGCHLD); sigprocmask(SIG_BLOCK, &set, 0);
           if (!fork()) _exit(0); int s; sigwait(&set, &s); return 0; }",
    );
}

#[test]
fn a_process_may_be_killed_before_it_forks() {
    let text = |asserted: &str| {
        format!(
            "int main(void) {{ int p[2], q[2]; pipe(p); pipe(q); int child = fork();
               if (!child) {{ write(p[1], \"x\", 1); if (!fork()) {{ write(q[1], \"y\", 1); _exit(0); }} for (;;) pause(); }}
               close(q[1]); char c; read(p[0], &c, 1); kill(child, SIGKILL); waitpid(child, 0, 0);
               int n = read(q[0], &c, 1); VS_assert({asserted}); return 0; }}"
        )
    };
    may_happen(&text("n == 1"));
    may_happen(&text("n == 0"));
}

#[test]
fn a_wait_with_a_deadline_is_interrupted() {
    may_happen(
        "int main(void) { handle(SIGUSR1, 0, SA_RESTART); int parent = getpid();
           if (!fork()) { kill(parent, SIGUSR1); _exit(0); }
           int r = poll(0, 0, 1000); VS_assert(r == 0); return 0; }",
    );
}

#[test]
fn a_handler_may_run_before_another_program_is_there() {
    may_happen(
        "int main(int c, char **v) { if (c > 1) return 0; int p[2]; pipe(p); handle(SIGUSR1, 0, 0); int child = fork();
           if (!child) { write(p[1], \"x\", 1); execl(v[0], v[0], \"again\", (char *)0); _exit(9); }
           char b; read(p[0], &b, 1); kill(child, SIGUSR1); int s; wait(&s); VS_assert(WIFSIGNALED(s)); return 0; }",
    );
}

#[test]
fn a_process_dies_before_it_goes_on() {
    // It writes to shared memory only if the signal was not there when it read.
    holds(
        "int main(void) { int *m = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0), p[2]; pipe(p); int child = fork();
           if (!child) { char c; read(p[0], &c, 1); *m = 1; sched_yield(); _exit(0); }
           kill(child, SIGTERM); write(p[1], \"x\", 1); int s; wait(&s); VS_assert(*m == 0 && WIFSIGNALED(s)); return 0; }",
    );
}
