//! What one process sees: its own clock, ids and descriptors are the same whenever it runs.

mod support;

use quotient_process::Processes;
use quotient_system::{Arrival, Extra, FileOp, Grow, Op, Outcome, Stop, Trouble};
use support::{compile, compile_text, plain, program, setup, traced, walk};

fn run(text: &str, flags: &[&str], outcome: impl FnMut(&Op) -> Outcome) -> support::Run {
    let (_directory, path) = compile_text(text, flags);
    let mut setup = setup(vec![program(&path, &[])]);
    setup.shared = vec!["/shared".into()];
    let mut processes = Processes::new(setup);
    walk(&mut processes, outcome)
}

#[test]
fn static_programs_run_as_well() {
    if traced() {
        let (_directory, path) = compile("phil.c", &["-static"]);
        let mut processes = Processes::new(setup(vec![program(&path, &[])]));
        let run = walk(&mut processes, plain);
        assert_eq!(run.trouble, None);
        assert_eq!(run.text(), "philosopher 1 thinks\nphilosopher 1 eats\n");
        assert_eq!(run.ops.len(), 9);
    }
}

#[test]
fn descriptors_have_the_numbers_that_the_system_gives() {
    if traced() {
        let text = "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n\
            int main(void) { int p[2], q[2]; pipe(p); int f = open(\"/dev/null\", O_RDONLY); close(p[0]); pipe(q);\n\
            int d = dup(q[0]); int e = fcntl(f, F_DUPFD, 20); dup2(q[1], 1);\n\
            fprintf(stderr, \"%d %d %d %d %d %d %d\\n\", p[0], p[1], f, q[0], q[1], d, e); close(1);\n\
            fprintf(stderr, \"%d\\n\", open(\"/shared/x\", O_RDONLY)); return 0; }";
        let run = run(text, &[], plain);
        assert_eq!(run.text(), "3 4 5 3 6 7 20\n1\n", "{run:?}");
    }
}

#[test]
fn files_outside_the_shared_directories_are_read() {
    if traced() {
        let run = run(
            "#include <stdio.h>\n#include <dirent.h>\nint main(void) { char b[8]; FILE *f = fopen(\"/proc/version\", \"r\"); \
            fgets(b, 6, f); puts(b); DIR *d = opendir(\"/dev\"); puts(readdir(d) ? \"entries\" : \"none\"); return 0; }",
            &[],
            plain,
        );
        assert_eq!(run.text(), "Linux\nentries\n", "{run:?}");
    }
}

#[test]
fn time_and_chance_are_the_same_every_time() {
    if traced() {
        let text = "#include <stdio.h>\n#include <sys/random.h>\n#include <time.h>\n#include <unistd.h>\n\
            int main(void) { unsigned r; getrandom(&r, 4, 0); printf(\"%ld %u %d %p\\n\", (long)time(0), r, getpid(), (void *)&r); return 0; }";
        let (first, second) = (run(text, &[], plain), run(text, &[], plain));
        // The programs are in different directories, and so have different environments; only the addresses may differ.
        let words = |run: &support::Run| run.text().split(' ').take(3).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&first), words(&second));
        assert_eq!(words(&first)[0], "4102444800");
    }
}

#[test]
fn every_outcome_has_its_own_edge() {
    if traced() {
        let text = "#include <unistd.h>\n#include <sys/syscall.h>\n\
            int main(void) { long x = syscall(0x5653, 5); return x * 2; }";
        let (_directory, path) = compile_text(text, &[]);
        let mut processes = Processes::new(setup(vec![program(&path, &[])]));
        processes.start(0, 100, 0).expect("it starts");
        for value in 0..=5 {
            let step = processes.grow(0, &Outcome::value(value), value as u32 + 1).expect("it goes on");
            assert!(
                matches!(step.arrival, Arrival::Stop(Stop { op: Op::Exit { status }, .. }) if i64::from(status) == value * 2)
            );
        }
    }
}

#[test]
fn a_process_that_is_not_kept_is_run_again() {
    if traced() {
        let text = "#include <unistd.h>\n#include <sys/syscall.h>\n\
            int main(void) { long s = 0; for (int i = 0; i < 5; i++) s = s * 2 + syscall(0x5653, 1); return s; }";
        let (_directory, path) = compile_text(text, &[]);
        let mut setup = setup(vec![program(&path, &[])]);
        (setup.keep, setup.twice) = (1, 0);
        let mut processes = Processes::new(setup);
        processes.start(0, 100, 0).expect("it starts");
        let (mut nodes, mut next) = (vec![0], 1);
        for depth in 0..5 {
            let mut below = Vec::new();
            for from in nodes {
                for value in 0..2 {
                    let step = processes.grow(from, &Outcome::value(value), next).expect("it goes on");
                    let Arrival::Stop(stop) = step.arrival else { panic!("{step:?}") };
                    let index = below.len() as i32;
                    let wanted = if depth == 4 { Op::Exit { status: index } } else { Op::Toss { most: 1 } };
                    assert_eq!(stop.op, wanted);
                    below.push(next);
                    next += 1;
                }
            }
            nodes = below;
        }
        assert!(processes.counts().repeated > 0 && processes.counts().evicted > 0);
        assert_eq!(processes.counts().kept, 1);
    }
}

#[test]
fn a_script_in_python() {
    if traced() {
        let mut processes = Processes::new(setup(vec![program("/usr/bin/python3", &["pipes.py"])]));
        let run = walk(&mut processes, |op| match op {
            Op::Read { .. } => Outcome::bytes(Vec::new()),
            other => plain(other),
        });
        assert_eq!(run.trouble, None);
        assert!(run.ops.contains(&Op::Assert { holds: false }), "{run:?}");
    }
}

#[test]
fn a_shell_finds_its_lock() {
    if traced() {
        let text = "if [ -e /shared/lock ]; then echo there; else echo free; fi";
        let mut setup = setup(vec![program("dash", &["-c", text])]);
        setup.shared = vec!["/shared".into()];
        let mut processes = Processes::new(setup);
        let missing = walk(&mut processes, |op| match op {
            Op::File(FileOp::Stat { .. } | FileOp::Access { .. }) => Outcome::error(libc::ENOENT),
            other => plain(other),
        });
        assert_eq!((missing.trouble.clone(), missing.text().as_str()), (None, "free\n"), "{missing:?}");
    }
}

#[test]
fn a_handler_runs_and_the_call_is_interrupted_or_made_again() {
    if traced() {
        let text = "#include <errno.h>\n#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n\
            static void on(int s, siginfo_t *i, void *c) { dprintf(2, \"%d from %d;\", s, i->si_pid); }\n\
            int main(void) { struct sigaction a = {.sa_sigaction = on, .sa_flags = SA_SIGINFO FLAGS};\n\
            sigaction(SIGUSR1, &a, 0); sigset_t s, o; sigemptyset(&s); sigaddset(&s, SIGUSR1);\n\
            int p[2]; pipe(p); char b; int r = read(p[0], &b, 1); dprintf(2, \"%d %d;\", r, r < 0 ? errno : 0);\n\
            sigprocmask(SIG_BLOCK, &s, &o); r = sigsuspend(&o); dprintf(2, \"%d %d;\", r, errno); return 0; }";
        let deliver = || {
            let mut sent = 0;
            move |op: &Op| match op {
                Op::Read { .. } if sent == 1 => Outcome::bytes(vec![1]),
                Op::Read { .. } | Op::Pause { .. } => {
                    sent += 1;
                    Outcome {
                        signals: vec![(libc::SIGUSR1, 7)],
                        ..Outcome::with(0, Extra::Delivered { interrupted: true })
                    }
                }
                other => plain(other),
            }
        };
        let interrupted = run(text, &["-DFLAGS="], deliver());
        assert_eq!(interrupted.text(), "10 from 7;-1 4;10 from 7;-1 4;", "{interrupted:?}");
        let restarted = run(text, &["-DFLAGS=|SA_RESTART"], deliver());
        assert_eq!(restarted.text(), "10 from 7;1 0;10 from 7;-1 4;", "{restarted:?}");
    }
}

#[test]
fn equal_processes_become_one_node() {
    if traced() {
        let (_directory, path) = compile("phil_loop.c", &[]);
        let mut setup = setup(vec![program(&path, &[])]);
        setup.merge = true;
        let mut processes = Processes::new(setup);
        let run = walk(&mut processes, plain);
        assert_eq!(run.trouble, None);
        // Three calls before the fork, the fork, and four operations: then everything is as it was.
        assert_eq!(run.ops.len(), 8, "{run:?}");
        assert_eq!(processes.counts().merged, 1);
    }
}

#[test]
fn a_stop_has_a_line_of_the_source() {
    if traced() {
        let text = "#include <unistd.h>\n\nstatic void work(int fd) {\n    write(fd, \"x\", 1);\n}\n\n\
            int main(void) {\n    int p[2];\n    pipe(p);\n    work(p[1]);\n    *(volatile int *)0 = 1;\n    return 0;\n}\n";
        for flags in [["-O0", "-pie"], ["-O0", "-static"]] {
            let (_directory, path) = compile_text(text, &flags);
            let mut processes = Processes::new(setup(vec![program(&path, &[])]));
            let run = walk(&mut processes, plain);
            assert!(matches!(run.ops.as_slice(), [Op::Pipe { .. }, Op::Write { .. }, Op::Crash { .. }]), "{run:?}");
            let lines: Vec<_> =
                (0..3).map(|node| processes.place(node).map(|place| (place.line, place.function))).collect();
            let known = |line, function: &str| Some((line, Some(function.to_owned())));
            assert_eq!(lines, [known(9, "main"), known(4, "work"), known(11, "main")], "{flags:?}");
        }
    }
}

/// Goes on as the child of every fork.
fn as_child(op: &Op) -> Outcome {
    match op {
        Op::Fork { .. } => Outcome::with(0, Extra::Child { pid: 101, parent: 100 }),
        other => plain(other),
    }
}

fn detail(trouble: Option<Trouble>) -> String {
    match trouble {
        Some(Trouble::Unsupported { detail, .. }) => detail,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_position_that_is_shared_with_the_parent_is_refused() {
    if traced() {
        let text = "#include <fcntl.h>\n#include <unistd.h>\n\
            int main(void) { int f = open(\"/etc/passwd\", O_RDONLY); char b[9]; read(f, b, 9); fork(); read(f, b, 9); return 0; }";
        assert_eq!(run(text, &[], plain).trouble, None);
        assert!(detail(run(text, &[], as_child).trouble).starts_with("a file that the process has from its parent"));
    }
}

#[test]
fn a_program_that_cannot_be_spawned_is_not_passed_over() {
    if traced() {
        let text = "#include <spawn.h>\n#include <stddef.h>\nextern char **environ;\n\
            int main(void) { char *a[] = {\"x\", NULL}; pid_t p; return posix_spawn(&p, \"/nowhere\", NULL, NULL, a, environ) == 0; }";
        assert!(detail(run(text, &[], as_child).trouble).contains("could not be run"));
    }
}

#[test]
fn registers_are_as_the_program_left_them() {
    if traced() {
        // The call reads a private file, for which another call with more arguments is made.
        let text = "#include <fcntl.h>\n#include <unistd.h>\n\
            int main(void) { int f = open(\"/etc/passwd\", O_RDONLY); char b[9]; long n = 0, x;\n\
            register long d asm(\"r10\") = 4711, e asm(\"r8\") = 12, g asm(\"r9\") = 13;\n\
            asm volatile(\"syscall\" : \"=a\"(n), \"+r\"(d), \"+r\"(e), \"+r\"(g) : \"a\"(0), \"D\"((long)f), \"S\"(b), \"d\"(9l) : \"rcx\", \"r11\", \"memory\");\n\
            x = n == 9 && d == 4711 && e == 12 && g == 13; return x ? 7 : 1; }";
        let run = run(text, &[], plain);
        assert_eq!(run.ops.last(), Some(&Op::Exit { status: 7 }), "{run:?}");
    }
}

/// How many operations a program makes before it cannot be told from what it was.
fn until_same(text: &str) -> usize {
    let (_directory, path) = compile_text(text, &["-O1"]);
    let mut setup = setup(vec![program(&path, &[])]);
    setup.merge = true;
    let mut processes = Processes::new(setup);
    let run = walk(&mut processes, plain);
    assert_eq!(run.trouble, None);
    run.ops.len()
}

#[test]
fn processes_that_differ_anywhere_are_not_one() {
    if traced() {
        let wrap = |keep: &str, count: &str| {
            format!(
                "#include <stdlib.h>\n#include <sched.h>\n#include <unistd.h>\n#include <sys/syscall.h>\nstatic volatile int global;\n\
                int main(void) {{ volatile int *heap = calloc(1, 4); volatile int stack = 0; {keep}\n\
                (void)heap; (void)stack; for (int i = 0; i < 6; i++) {{ asm volatile(\"\" : \"+r\"(i)); {count}; }} return 0; }}"
            )
        };
        let call = "syscall(SYS_sched_yield)";
        for place in ["global++", "(*heap)++", "stack++"] {
            let text = wrap("", &format!("{place}; i = 0; if ({}) break; {call}", place.replace("++", " == 5")));
            assert_eq!(until_same(&text), 5, "{place}");
        }
        // The same without a counter is soon as it was before; nothing else would end it.
        assert!(until_same(&wrap("", &format!("i = 0; {call}"))) < 6);
        // A counter in a vector register, which no call changes.
        let vector = "long n = 0; asm volatile(\"pxor %%xmm7, %%xmm7\" ::: \"xmm7\");";
        let count = "long one = 1; asm volatile(\"movq %1, %%xmm6; paddq %%xmm6, %%xmm7; movq %%xmm7, %0; pxor %%xmm6, %%xmm6\" : \"=r\"(n) : \"r\"(one) : \"xmm6\", \"xmm7\"); \
            if (n == 6) break; n = 0; i = 0; long v = 24; asm volatile(\"syscall\" : \"+a\"(v) :: \"rcx\", \"r11\", \"memory\")";
        assert_eq!(until_same(&wrap(vector, count)), 6);
    }
}

#[test]
fn the_random_bytes_of_a_new_program_are_not_random() {
    if traced() {
        let text = "#include <stdio.h>\n#include <sys/auxv.h>\nint main(void) { printf(\"%.16s\", (char *)getauxval(AT_RANDOM)); return 0; }";
        assert_eq!(run(text, &[], plain).text(), "quotient is here");
    }
}

#[test]
fn a_long_history_is_run_again_within_the_limits() {
    if traced() {
        let text = "#include <sched.h>\n\
            int main(void) { for (int i = 0; i < 130; i++) { for (volatile int k = 0; k < 20000000; k++); sched_yield(); } return 0; }";
        let (_directory, path) = compile_text(text, &[]);
        let mut setup = setup(vec![program(&path, &[])]);
        (setup.keep, setup.twice, setup.limits.stall_timeout) = (1, 0, 1);
        let mut processes = Processes::new(setup);
        let run = walk(&mut processes, plain);
        assert_eq!(run.trouble, None);
        // Back to the start, and through all of it.
        assert!(processes.grow(1, &Outcome::value(0), 200).is_ok());
        assert!(processes.grow(129, &Outcome::value(0), 201).is_ok());
        assert!(processes.counts().repeated > 100);
    }
}
