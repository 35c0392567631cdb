//! Programs from Debian that nobody here has written, each with a property: what holds is searched to the end, what does not is
//! found. All of them run as they are.

mod support;

use quotient_process::{Processes, shared_files};
use quotient_system::{Exploration, Options, Program, System, Unwatched, ViolationKind, explore};
use std::path::Path;
use std::process::Command;
use support::{compile, program, setup, traced};

/// Searches scripts in the directory of the examples that share a directory.
fn search(commands: &[&[&str]], shared: &Path) -> Exploration {
    let (directory, path) = compile("vs.c", &[]);
    std::fs::rename(path, directory.path().join("vs")).expect("a command");
    let path = format!("{}:/usr/bin:/bin", directory.path().display());
    let mut setup = setup(Vec::new());
    for words in commands {
        let mut program = program(words[0], &words[1..]);
        program.environment.push(("PATH".to_owned(), path.clone()));
        setup.programs.push(program);
    }
    (setup.shared, setup.merge) = (vec![shared.to_owned()], true);
    let programs = vec![Program::default(); setup.programs.len()];
    let files = shared_files(&setup.shared).expect("the shared directory");
    let system = System { programs, files, ..System::default() };
    let mut processes = Processes::new(setup);
    let options = Options { all_violations: true, ..Options::stateful() };
    let found = explore(&system, &mut processes, &options, &mut Unwatched);
    assert_eq!((found.stopped, found.doubts.as_slice()), (None, [].as_slice()));
    found
}

/// That nothing goes wrong in any order.
fn holds(commands: &[&[&str]], shared: &Path) {
    let found = search(commands, shared);
    assert_eq!(found.violations, []);
    assert!(found.paths > 1, "there is more than one order");
}

/// That an assertion fails in some order.
fn fails(commands: &[&[&str]], shared: &Path) {
    let found = search(commands, shared);
    assert!(!found.violations.is_empty());
    assert!(found.violations.iter().all(|violation| violation.kind == ViolationKind::Assertion));
}

/// A directory with a path in letters.
fn directory() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().canonicalize().expect("a path").to_str().expect("letters").to_owned();
    (directory, path)
}

fn run(command: &str, arguments: &[&str], directory: &str) {
    let status = Command::new(command).args(arguments).current_dir(directory).status().expect("it runs");
    assert!(status.success());
}

#[test]
fn a_fresh_lock_of_lockfile_progs_is_a_lock() {
    if traced() {
        let (_kept, path) = directory();
        holds(&[&["dash", "lockfile.sh", &path], &["dash", "lockfile.sh", &path]], Path::new(&path));
    }
}

/// Two processes find a lock whose owner is dead. Both remove it, and the second removes the new lock of the first.
#[test]
fn a_stale_lock_of_lockfile_progs_is_taken_twice() {
    if traced() {
        let (_kept, path) = directory();
        std::fs::write(Path::new(&path).join("f.lock"), "9999\n").expect("a lock");
        fails(&[&["dash", "lockfile.sh", &path], &["dash", "lockfile.sh", &path]], Path::new(&path));
    }
}

fn database(path: &str) {
    run("sqlite3", &["t", "create table t(x); insert into t values(0);"], path);
}

#[test]
fn sqlite_loses_no_update() {
    if traced() {
        let (_kept, path) = directory();
        database(&path);
        holds(&[&["dash", "sqlite.sh", &path]], Path::new(&path));
    }
}

#[test]
fn a_value_that_is_read_and_written_in_two_steps_is_lost() {
    if traced() {
        let (_kept, path) = directory();
        database(&path);
        fails(&[&["dash", "sqlite_lost.sh", &path]], Path::new(&path));
    }
}

#[test]
fn git_loses_no_file_of_its_index() {
    if traced() {
        let (_kept, path) = directory();
        run("git", &["init", "--quiet", "--initial-branch", "main", "."], &path);
        for name in ["a", "b", "c"] {
            std::fs::write(Path::new(&path).join(name), name).expect("a file");
        }
        run("git", &["add", "a"], &path);
        std::fs::remove_dir_all(Path::new(&path).join(".git/hooks")).expect("no hooks");
        holds(&[&["dash", "git.sh", &path]], Path::new(&path));
    }
}

#[test]
fn make_runs_as_many_jobs_as_it_may() {
    if traced() {
        let shared = Path::new("/shared");
        let one = search(&[&["make", "-s", "-j1", "-f", "Makefile", "D=/shared"]], shared);
        assert_eq!(one.violations, []);
        fails(&[&["make", "-s", "-j2", "-f", "Makefile", "D=/shared"]], shared);
    }
}

#[test]
fn xargs_runs_as_many_commands_as_it_may() {
    if traced() {
        let shared = Path::new("/shared");
        holds(&[&["dash", "xargs.sh", "1"]], shared);
        fails(&[&["dash", "xargs.sh", "2"]], shared);
    }
}

#[test]
fn a_lock_in_perl() {
    if traced() {
        holds(&[&["perl", "flock.pl"], &["perl", "flock.pl"]], Path::new("/shared"));
    }
}

/// It is linked statically: nothing could be loaded into it.
#[test]
fn the_shell_of_busybox() {
    if traced() {
        let shared = Path::new("/shared");
        holds(&[&["busybox", "sh", "lock_good.sh"], &["busybox", "sh", "lock_good.sh"]], shared);
        fails(&[&["busybox", "sh", "lock_bad.sh"], &["busybox", "sh", "lock_bad.sh"]], shared);
    }
}
