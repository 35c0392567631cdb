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

/// Runs two pieces of a shell script at once, after a beginning and before something that must succeed then; nothing if a program
/// is not there.
fn at_once(needed: &[&str], [begin, one, other, end]: [&str; 4]) -> Option<Exploration> {
    let there = |name: &&str| Command::new("which").arg(name).output().is_ok_and(|output| output.status.success());
    if !traced() || !needed.iter().all(there) {
        return None;
    }
    let text = format!(
        "cd /shared\n{begin}\n{{ {one}; }} & one=$!\n{{ {other}; }} & other=$!\nwait $one; one=$?; wait $other; other=$?\n\
         {{ {end}; }} || vs fail\n"
    );
    let (_kept, path) = directory();
    let script = Path::new(&path).join("script.sh");
    std::fs::write(&script, text).expect("a script");
    Some(search(&[&["dash", script.to_str().expect("letters")]], Path::new("/shared")))
}

fn never(needed: &[&str], parts: [&str; 4]) {
    let Some(found) = at_once(needed, parts) else { return };
    assert_eq!(found.violations, []);
    assert!(found.paths > 1, "there is more than one order");
}

fn may_go_wrong(needed: &[&str], parts: [&str; 4]) {
    let Some(found) = at_once(needed, parts) else { return };
    assert!(!found.violations.is_empty());
    assert!(found.violations.iter().all(|violation| violation.kind == ViolationKind::Assertion));
}

/// Enters the part that only one may be in.
const CRITICAL: &str = "{ mkdir critical || vs fail; rmdir critical; }";

/// Two processes find a lock whose owner is dead. Both remove it, and the second removes the new lock of the first.
#[test]
fn a_stale_lock_of_dotlockfile_is_taken_twice() {
    let one = format!("dotlockfile -p -r 0 -l lock && {CRITICAL} && dotlockfile -u lock; true");
    may_go_wrong(&["dotlockfile"], ["echo 9999 > lock", &one, &one, "true"]);
    never(&["dotlockfile"], ["true", &one, &one, "true"]);
}

/// The same with a lock that is too old.
#[test]
fn an_old_lock_of_procmail_is_taken_twice() {
    let one = format!("lockfile -r 0 -l 10 -s 0 lock && {CRITICAL} && rm -f lock; true");
    may_go_wrong(&["lockfile"], ["echo old > lock; touch -d 2000-01-01 lock", &one, &one, "true"]);
    never(&["lockfile"], ["true", &one, &one, "true"]);
}

#[test]
fn two_programs_that_write_one_file_anew() {
    let both = "test $one$other != 00 || { grep -q A f && grep -q B f; }";
    // Each reads, and writes what it has read.
    may_go_wrong(&["sed"], ["echo ab > f", "sed -i s/a/A/ f", "sed -i s/b/B/ f", both]);
    may_go_wrong(&["ar"], ["ar rc f 2> /dev/null; touch A B", "ar q f A", "ar q f B", both]);
    // One line in one call, at the end of the file.
    never(&["tee"], ["true", "echo A | tee -a f > /dev/null", "echo B | tee -a f > /dev/null", both]);
}

#[test]
fn two_programs_that_make_one_file() {
    let both = "test $one$other = 00";
    // It removes what is there, and then there is something again.
    may_go_wrong(&["install"], ["touch a b", "install a c", "install b c", both]);
    never(&["mkdir"], ["true", "mkdir -p a/b", "mkdir -p a/b", both]);
    never(&["ln"], ["true", "ln -sf a c", "ln -sf b c", both]);
    never(&["mv"], ["echo A > a; echo B > b", "mv -n a c", "mv -n b c", "cat * > all; grep -q A all && grep -q B all"]);
}
