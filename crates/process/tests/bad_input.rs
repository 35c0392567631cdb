//! Programs that cannot be checked get a clear answer, and nothing of them is left running.

mod support;

use quotient_process::{Limits, Processes};
use quotient_system::{Grow, Op, Trouble};
use support::{compile_text, plain, program, running, setup, traced, walk};

/// The trouble with a C program.
fn trouble(text: &str, flags: &[&str]) -> Option<Trouble> {
    let (_directory, path) = compile_text(text, flags);
    let mut setup = setup(vec![program(&path, &[])]);
    setup.limits.stall_timeout = 1;
    let mut processes = Processes::new(setup);
    let trouble = walk(&mut processes, plain).trouble;
    drop(processes);
    assert_eq!(running(&path), 0, "nothing is left running");
    trouble
}

fn failed(trouble: Option<Trouble>) -> String {
    match trouble {
        Some(Trouble::Failed { what }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_file() {
    if traced() {
        let mut processes = Processes::new(setup(vec![program("/nowhere/nothing", &[])]));
        assert_eq!(failed(processes.start(0, 100, 0).err()), "there is no program /nowhere/nothing");
        let mut processes = Processes::new(setup(vec![program("no-such-command", &[])]));
        assert_eq!(failed(processes.start(0, 100, 0).err()), "there is no program no-such-command");
    }
}

#[test]
fn a_file_that_is_not_executable() {
    if traced() {
        let mut processes = Processes::new(setup(vec![program("./phil.c", &[])]));
        assert_eq!(failed(processes.start(0, 100, 0).err()), "./phil.c is not executable");
    }
}

#[test]
fn a_file_that_the_system_does_not_run() {
    if traced() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("program");
        std::fs::write(&path, "no program").expect("a file");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("a mode");
        let mut processes = Processes::new(setup(vec![program(path.to_str().expect("letters"), &[])]));
        let what = failed(processes.start(0, 100, 0).err());
        assert!(what.contains("cannot be run: Exec format error"), "{what}");
    }
}

#[test]
fn threads() {
    if traced() {
        let text = "#include <pthread.h>\nstatic void *run(void *x) { return x; }\n\
            int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }";
        match trouble(text, &["-pthread"]) {
            Some(Trouble::Unsupported { call, detail }) => {
                assert_eq!(call, "clone");
                assert!(detail.starts_with("threads"), "{detail}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_program_that_never_makes_a_call() {
    if traced() {
        let text = "int main(void) { for (volatile int i = 0;; i++); }";
        assert_eq!(trouble(text, &[]), Some(Trouble::Divergence));
    }
}

#[test]
fn chance_that_cannot_be_caught() {
    if traced() && std::arch::is_x86_feature_detected!("rdrand") {
        let text = "#include <immintrin.h>\n#include <unistd.h>\n\
            int main(void) { unsigned x; _rdrand32_step(&x); int p[2]; pipe(p); write(p[1], &x, 4); return 0; }";
        assert!(matches!(trouble(text, &["-mrdrnd"]), Some(Trouble::Nondeterminism { .. })));
    }
}

#[test]
fn the_processors_counter_is_a_clock_that_can_be_caught() {
    if traced() {
        let text = "#include <x86intrin.h>\n#include <unistd.h>\n#include <time.h>\n\
            int main(void) { unsigned a; unsigned long x = __rdtsc() ^ __rdtscp(&a); struct timespec t;\n\
            clock_gettime(CLOCK_REALTIME, &t); int p[2]; pipe(p); write(p[1], &x, 8); write(p[1], &t, 16); return 0; }";
        assert_eq!(trouble(text, &[]), None);
    }
}

#[test]
fn a_call_that_nobody_knows() {
    if traced() {
        let text = "#include <sys/ptrace.h>\nint main(void) { ptrace(PTRACE_TRACEME, 0, 0, 0); return 0; }";
        assert!(matches!(trouble(text, &[]), Some(Trouble::Unsupported { call, .. }) if call == "ptrace"));
    }
}

#[test]
fn a_file_outside_the_shared_directories_is_not_written() {
    if traced() {
        let text =
            "#include <fcntl.h>\nint main(void) { open(\"/tmp/never-made\", O_CREAT | O_WRONLY, 0600); return 0; }";
        match trouble(text, &[]) {
            Some(Trouble::Unsupported { detail, .. }) => {
                assert_eq!(detail, "/tmp/never-made is outside the shared directories");
            }
            other => panic!("{other:?}"),
        }
        assert!(!std::path::Path::new("/tmp/never-made").exists());
    }
}

#[test]
fn a_crash_is_an_operation() {
    if traced() {
        let (_directory, path) = compile_text("int main(void) { *(volatile int *)8 = 1; return 0; }", &[]);
        let mut processes = Processes::new(setup(vec![program(&path, &[])]));
        let run = walk(&mut processes, plain);
        assert!(matches!(run.ops.last(), Some(Op::Crash { signal: 11, reason }) if reason.contains("0x8")), "{run:?}");
    }
}

#[test]
fn a_process_of_a_hundred_megabytes() {
    if traced() {
        let text = "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
            int main(void) { char *p = malloc(100 << 20); memset(p, 7, 100 << 20); int q[2]; pipe(q);\n\
            for (int i = 0; i < 3; i++) write(q[1], p + i, 1); return 0; }";
        let (_directory, path) = compile_text(text, &[]);
        let mut processes = Processes::new(setup(vec![program(&path, &[])]));
        let run = walk(&mut processes, plain);
        assert_eq!((run.trouble, run.ops.len()), (None, 5));
        // The loader runs under its own name.
        assert!(running(&path) > 0 || std::env::var_os("QUOTIENT_WITH_LOADER").is_some(), "they are found");
        drop(processes);
        assert_eq!(running(&path), 0, "nothing is left running");
    }
}

#[test]
fn memory_beyond_the_limit_is_refused() {
    if traced() {
        let text = "#include <stdlib.h>\nint main(void) { return malloc(1l << 30) != 0; }";
        let (_directory, path) = compile_text(text, &["-fno-builtin"]);
        let mut setup = setup(vec![program(&path, &[])]);
        setup.limits = Limits { memory: 1 << 29, ..setup.limits };
        let run = walk(&mut Processes::new(setup), plain);
        assert_eq!(run.ops.last(), Some(&Op::Exit { status: 0 }));
    }
}

/// The processes that are children of this one, whoever started them.
fn children() -> Vec<i32> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("a list of processes").flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        if rest.split_ascii_whitespace().nth(1) == Some(&own) {
            found.push(pid);
        }
    }
    found
}

#[test]
fn nothing_is_left_running() {
    if traced() {
        let (_directory, path) = support::compile("phil.c", &["-DN=3"]);
        let mut processes = Processes::new(setup(vec![program(&path, &[])]));
        let run = walk(&mut processes, plain);
        assert_eq!(run.trouble, None);
        let kept = processes.real_ids();
        assert!(!kept.is_empty());
        let alive = children();
        assert!(kept.iter().all(|pid| alive.contains(pid)), "the processes that are kept are there");
        drop(processes);
        let alive = children();
        assert!(kept.iter().all(|pid| !alive.contains(pid)), "no process is left");
    }
}

/// Says that this is the checker that is killed.
const VICTIM: &str = "QUOTIENT_TEST_VICTIM";

#[test]
fn nothing_is_left_running_when_the_checker_is_killed() {
    if !traced() {
        return;
    }
    if let Some(path) = std::env::var_os(VICTIM) {
        let mut processes = Processes::new(setup(vec![program("python3", &["pipes.py"])]));
        processes.start(0, 100, 0).expect("it starts");
        let ids: Vec<String> = processes.real_ids().iter().map(ToString::to_string).collect();
        std::fs::write(path, ids.join(" ")).expect("a file");
        loop {
            std::thread::park();
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("ids");
    let mut victim = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "nothing_is_left_running_when_the_checker_is_killed"])
        .env(VICTIM, &path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let ids = loop {
        match std::fs::read_to_string(&path) {
            Ok(ids) if !ids.is_empty() => break ids,
            _ => std::thread::yield_now(),
        }
    };
    let there = |pid: &str| std::path::Path::new("/proc").join(pid).join("exe").read_link().is_ok();
    assert!(ids.split(' ').all(there));
    victim.kill().expect("it is killed");
    victim.wait().expect("it ends");
    // They are killed with it; whoever adopts them reaps them.
    while ids.split(' ').any(there) {
        std::thread::yield_now();
    }
}
