//! Programs that know nothing of the checker, each with what is true of it: scripts, locks, and philosophers who never stop.

#[path = "support/deaf.rs"]
mod deaf;
mod support;

use deaf::Deaf;
use quotient_process::{Counts, Processes, Setup, shared_files};
use quotient_system::{
    Exploration, Grow, Options, Program, StartContent, StartFile, System, Trouble, Unwatched, ViolationKind, explore,
};
use support::{compile, program, setup, traced};

fn search(setup: Setup, options: &Options) -> (Exploration, Counts) {
    let system = system(&setup);
    let mut processes = Processes::new(setup);
    let found = complete(&system, &mut processes, options);
    (found, processes.counts())
}

/// The same, with processes that do not hear of their children's ends.
fn search_deaf(setup: Setup, options: &Options) -> (Exploration, Counts) {
    let system = system(&setup);
    let mut processes = Deaf::new(Processes::new(setup));
    let found = complete(&system, &mut processes, options);
    let counts = processes.inner.counts();
    (found, Counts { steps: counts.steps - processes.changes, ..counts })
}

fn system(setup: &Setup) -> System {
    let names = setup.programs.iter().map(|program| program.command.clone());
    let programs = names.map(|name| Program { name, service: false }).collect();
    let files = shared_files(&setup.shared).expect("the shared directories");
    System { programs, files, ..System::default() }
}

/// A search that leaves nothing out.
fn complete(system: &System, grow: &mut dyn Grow, options: &Options) -> Exploration {
    let options = Options { all_violations: true, ..options.clone() };
    let found = explore(system, grow, &options, &mut Unwatched);
    assert_eq!((found.stopped, found.doubts.as_slice()), (None, [].as_slice()));
    found
}

#[test]
fn philosophers_who_never_stop_have_finitely_many_states() {
    if traced() {
        for (n, (states, transitions)) in (2..).zip([(8, 10), (26, 51), (80, 212), (242, 805), (728, 2_910)]) {
            let (_directory, path) = compile("phil_loop.c", &[&format!("-DN={n}")]);
            let mut setup = setup(vec![program(&path, &[])]);
            setup.merge = true;
            let (found, counts) = search(setup, &Options::plain(true));
            assert_eq!((found.states, found.transitions), (states, transitions), "{n} philosophers");
            assert_eq!(found.deadlocks, 1);
            assert_eq!(counts.merged, n as u64);
        }
    }
}

#[test]
fn a_python_script_expects_an_order_that_nobody_promises() {
    if traced() {
        // The whole graph; and what is tried out makes most orders needless.
        let searches = [(Options::plain(true), 156), (Options::stateless(), 91), (Options::stateful(), 91)];
        for (options, transitions) in searches {
            let setup = setup(vec![program("/usr/bin/python3", &["pipes.py"])]);
            let (found, counts) = search(setup, &options);
            assert_eq!(found.transitions, transitions, "{options:?}");
            // The design's program took 32 steps. In 7 more, Python changes what becomes of signals, which nobody sends.
            assert_eq!(counts.steps, 32 + 7);
            assert!(found.violations.iter().any(|violation| violation.kind == ViolationKind::Assertion));
            assert_eq!(found.deadlocks, 0);
        }
    }
}

/// Shell scripts that share a directory. The command for assertions is where they look for commands.
fn scripts(commands: &[&[&str]]) -> (tempfile::TempDir, Setup) {
    let (directory, path) = compile("vs.c", &[]);
    let own = directory.path().join("vs");
    std::fs::rename(path, own).expect("a command");
    let path = format!("{}:/usr/bin:/bin", directory.path().display());
    let mut programs = Vec::new();
    for words in commands {
        let mut program = program(words[0], &words[1..]);
        program.environment.push(("PATH".to_owned(), path.clone()));
        programs.push(program);
    }
    let mut setup = setup(programs);
    setup.shared = vec!["/shared".into()];
    (directory, setup)
}

#[test]
fn a_shell_script_with_a_race() {
    if traced() {
        let (_directory, mut setup) = scripts(&[&["dash", "lock_bad.sh"], &["dash", "lock_bad.sh"]]);
        setup.merge = true;
        let (found, _) = search(setup, &Options::stateful());
        assert!(found.violations.iter().all(|violation| violation.kind == ViolationKind::Assertion));
        assert!(!found.violations.is_empty());
    }
}

#[test]
fn a_shell_script_with_a_lock() {
    if traced() {
        let (_directory, mut setup) = scripts(&[&["dash", "lock_good.sh"], &["dash", "lock_good.sh"]]);
        setup.merge = true;
        let (found, _) = search(setup, &Options::stateful());
        assert_eq!((found.violations.as_slice(), found.deadlocks), ([].as_slice(), 0));
    }
}

/// The design's first program counted 350 states, 620 transitions and 56 steps: it knew no signals and no `vfork`, and told
/// states apart by processes that had ended and been waited for. Without the last it counts the same as here.
#[test]
fn the_lock_without_signals_to_parents_has_the_states_of_the_design() {
    if traced() {
        let (_directory, setup) = scripts(&[&["dash", "lock_good.sh"], &["dash", "lock_good.sh"]]);
        let (found, counts) = search_deaf(setup, &Options::plain(true));
        assert_eq!((found.states, found.transitions), (316, 588));
        // The two starts were steps as well.
        assert_eq!(counts.steps + 2, 56);
        assert_eq!(found.violations, []);
    }
}

/// The design's first program counted 324 states and 549 transitions, and 367 transitions without a memory of states. It knew files by
/// their paths only. Here a file has a number that tells who made it: a state in which k processes have opened the lock file, and any of
/// them may have made it, counts k times. Of the 324 states these are 1, 33, 156 and 134 for k from 0 to 3, which makes 748, and 3, 96,
/// 324 and 126 transitions begin there, which makes 1,125. With a file that is there before, the counts are the design's.
#[test]
fn scripts_under_flock() {
    if traced() {
        let count = |there: bool, options: &Options| {
            let (_directory, setup) = scripts(&[["flock", "/shared/LOCK", "dash", "critical.sh"].as_slice(); 3]);
            let mut system = system(&setup);
            if there {
                let content = StartContent::File(Vec::new());
                system.files.push(StartFile { path: b"/shared/LOCK".to_vec(), content, mode: 0o644, written: None });
            }
            let mut processes = Deaf::new(Processes::new(setup));
            let found = complete(&system, &mut processes, options);
            assert_eq!((found.violations.as_slice(), found.deadlocks), ([].as_slice(), 0));
            // The three starts were no steps.
            (found.states, found.transitions, processes.inner.counts().steps - processes.changes)
        };
        assert_eq!(count(true, &Options::plain(true)), (324, 549, 57));
        assert_eq!(count(true, &Options::stateless()).1, 367);
        assert_eq!(count(false, &Options::plain(true)), (748, 1_125, 57));
    }
}

#[test]
fn a_fork_bomb_is_stopped() {
    if traced() {
        let (_directory, path) = support::compile_text("#include <unistd.h>\nint main(void) { for (;;) fork(); }", &[]);
        let setup = setup(vec![program(&path, &[])]);
        let system = System { programs: vec![Program::default()], ..System::default() };
        let mut processes = Processes::new(setup);
        let found = explore(&system, &mut processes, &Options::stateful(), &mut Unwatched);
        assert!(found.doubts.iter().any(|doubt| matches!(doubt.trouble, Trouble::Limit { .. })), "{:?}", found.doubts);
        assert!(processes.counts().kept <= 2_000);
        drop(processes);
        assert_eq!(support::running(&path), 0, "nothing is left running");
    }
}

#[test]
fn keeping_few_processes_changes_no_count() {
    if traced() {
        let all = |keep| {
            let (_directory, mut setup) = scripts(&[&["dash", "lock_good.sh"], &["dash", "lock_good.sh"]]);
            (setup.keep, setup.twice) = (keep, 0);
            let (found, counts) = search_deaf(setup, &Options::stateful());
            (found.states, found.transitions, found.paths, counts.steps, counts.repeated > 0)
        };
        let (states, transitions, paths, steps, repeated) = all(8);
        assert!(repeated);
        assert_eq!(all(1000), (states, transitions, paths, steps, false));
    }
}

/// A process that writes to all of its memory in every round.
const LARGE: &str = "#include <string.h>\n#include <unistd.h>\nstatic char memory[10 << 20];\nint main(void) { int ends[2]; \
                     pipe(ends); for (int i = 1; i < 60; i++) { memset(memory, i, sizeof memory); write(ends[1], memory, 1); \
                     read(ends[0], memory, 1); } return 0; }";

#[test]
fn stopped_processes_are_ended_when_they_take_too_much_memory() {
    if traced() {
        let (_directory, path) = support::compile_text(LARGE, &[]);
        let counts = |most_memory| {
            let mut setup = setup(vec![program(&path, &[]), program("true", &[])]);
            (setup.most_memory, setup.twice) = (most_memory, 0);
            let (found, counts) = search(setup, &Options::stateful());
            (found.states, counts.steps, counts.evicted)
        };
        let (states, steps, evicted) = counts(Some(300 << 20));
        assert!(evicted > 0);
        assert_eq!(counts(None), (states, steps, 0));
    }
}
