//! The loader follows processes as ptrace does: the same operations, the same states; also where ptrace is forbidden.

mod support;

use quotient_process::{Follow, Processes, Setup, shared_files};
use quotient_system::{Exploration, Options, Program, System, Unwatched, explore};
use seccompiler::{SeccompAction, SeccompFilter, TargetArch};
use std::os::unix::process::CommandExt;
use std::process::Command;
use support::{compile, compile_text, plain, program, walk};

fn search(mut setup: Setup, follow: Follow) -> Exploration {
    setup.follow = follow;
    setup.merge = true;
    setup.shared = vec!["/shared".into()];
    let files = shared_files(&setup.shared).expect("an empty directory");
    let system = System { programs: vec![Program::default(); setup.programs.len()], files, ..System::default() };
    let options = Options { all_violations: true, ..Options::stateful() };
    explore(&system, &mut Processes::new(setup), &options, &mut Unwatched)
}

/// What both ways have in common. Less may be the same in memory with the loader, where signals leave traces below the stack.
fn summary(found: &Exploration) -> String {
    let kinds: Vec<_> = found.violations.iter().map(|violation| (&violation.kind, violation.pid)).collect();
    format!("{} {kinds:?} {:?}", found.paths, found.doubts)
}

fn same(programs: &[(&str, &[&str])]) {
    let (directory, path) = compile("vs.c", &[]);
    std::fs::rename(path, directory.path().join("vs")).expect("a command");
    let mut setup = Setup::new(programs.iter().map(|(command, arguments)| program(command, arguments)).collect());
    for program in &mut setup.programs {
        let path = format!("{}:/usr/bin:/bin", directory.path().display());
        program.environment.push(("PATH".to_owned(), path));
    }
    let loaded = search(setup.clone(), Follow::Loader);
    assert_eq!(loaded.doubts, []);
    assert_eq!(summary(&loaded), summary(&search(setup, Follow::Ptrace)));
}

#[test]
fn programs_do_the_same() {
    if support::traced() {
        let (_one, philosophers) = compile("phil.c", &["-DN=3"]);
        same(&[(&philosophers, &[])]);
        let (_two, fixed) = compile("phil_loop.c", &["-DN=3", "-static"]);
        same(&[(&fixed, &[])]);
        same(&[("dash", &["lock_bad.sh"]), ("dash", &["lock_bad.sh"])]);
        same(&[("busybox", &["sh", "lock_good.sh"]), ("busybox", &["sh", "lock_good.sh"])]);
        same(&[("python3", &["pipes.py"])]);
    }
}

/// Signals with handlers, other sets of signals while a call waits, faults with and without handlers, the processor's counter.
#[test]
fn signals_do_the_same() {
    if support::traced() {
        let text = r#"
#include "vs.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <x86intrin.h>
static sigjmp_buf back;
static volatile int count;
static char stack[1 << 16];
static void on(int s, siginfo_t *i, void *c) { (void)c; count++; VS_assert(s == SIGUSR1 && i->si_pid > 1); }
static void wrong(int s) { (void)s; siglongjmp(back, 1); }
int main(void) {
    struct sigaction a = {.sa_sigaction = on, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, 0);
    sigfillset(&a.sa_mask);
    sigaction(SIGUSR1, &a, 0);
    sigset_t one, old;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, &old);
    int parent = getpid();
    if (fork() == 0) { kill(parent, SIGUSR1); _exit(0); }
    sigsuspend(&old);
    VS_assert(count == 1);
    sigprocmask(SIG_BLOCK, 0, &old);
    VS_assert(sigismember(&old, SIGUSR1));
    wait(0);
    signal(SIGSEGV, wrong);
    for (int i = 0; i < 2; i++)
        if (!sigsetjmp(back, 1)) *(volatile int *)8 = 1;
    if (__rdtsc() == 0) return 1;
    signal(SIGSEGV, SIG_DFL);
    if (fork() == 0) *(volatile int *)8 = 1;
    int status;
    wait(&status);
    VS_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    return 0;
}"#;
        let (_directory, path) = compile_text(text, &[]);
        same(&[(&path, &[])]);
    }
}

#[test]
fn a_stack_without_room_is_a_crash() {
    let text = "static int deep(int n) { volatile char room[9000]; room[0] = n; return deep(n + 1) + room[0]; }\n\
        int main(void) { return deep(0); }";
    let (_directory, path) = compile_text(text, &["-O0", "-w"]);
    let mut processes = Processes::new(Setup { follow: Follow::Loader, ..Setup::new(vec![program(&path, &[])]) });
    let run = walk(&mut processes, plain);
    assert!(matches!(run.ops.last(), Some(quotient_system::Op::Crash { signal: 11, .. })), "{run:?}");
}

/// Says that this process may not use ptrace.
const FORBIDDEN: &str = "QUOTIENT_TEST_FORBIDDEN";

#[test]
fn processes_are_followed_where_ptrace_is_forbidden() {
    if std::env::var_os(FORBIDDEN).is_some() {
        let (_directory, path) = compile("phil.c", &["-DN=3"]);
        let setup = Setup::new(vec![program(&path, &[])]);
        let refused = search(setup.clone(), Follow::Ptrace);
        let doubt = format!("{:?}", refused.doubts);
        assert!(doubt.contains("processes cannot be traced here") && doubt.contains("--follow loader"), "{doubt}");
        let found = search(setup, Follow::Any);
        assert_eq!(found.doubts, []);
        assert_eq!(found.deadlocks, 1);
        return;
    }
    let calls = [libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev];
    let rules = calls.map(|call| (call, Vec::new())).into();
    let no = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, no, TargetArch::x86_64).expect("a filter");
    let filter: seccompiler::BpfProgram = filter.try_into().expect("a filter");
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "processes_are_followed_where_ptrace_is_forbidden"]).env(FORBIDDEN, "1");
    // SAFETY: the filter was made before; setting it allocates nothing.
    unsafe {
        command.pre_exec(move || seccompiler::apply_filter(&filter).map_err(|_| std::io::ErrorKind::Other.into()))
    };
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
