//! The objects of the checker against those of the system: the same random calls give the same values, bytes and errors.
//! `QUOTIENT_CALLS=2000` makes as many sequences of every kind; without it there are a few.

mod support;

use quotient_process::Processes;
use quotient_system::{
    Arrival, Grow, Node, Options, Outcome, Pid, Program, StartContent, StartFile, Step, System, Trouble, Unwatched,
    explore,
};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use support::{compile, program, setup, traced};

/// How many sequences one process makes.
const BATCH: usize = 20;

fn sequences() -> usize {
    std::env::var("QUOTIENT_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(2 * BATCH)
}

/// Passes everything on and keeps what is printed.
struct Listener {
    processes: Processes,
    text: Vec<u8>,
}

impl Listener {
    fn hear(&mut self, step: Result<Step, Trouble>) -> Result<Step, Trouble> {
        let step = step?;
        assert!(matches!(step.arrival, Arrival::Stop(_)));
        step.printed.iter().for_each(|printed| self.text.extend(&printed.bytes));
        Ok(step)
    }
}

impl Grow for Listener {
    fn start(&mut self, index: usize, pid: Pid, to: Node) -> Result<Step, Trouble> {
        let step = self.processes.start(index, pid, to);
        self.hear(step)
    }

    fn grow(&mut self, from: Node, outcome: &Outcome, to: Node) -> Result<Step, Trouble> {
        let step = self.processes.grow(from, outcome, to);
        self.hear(step)
    }
}

/// Makes the same calls on both.
fn compare(kind: &str) {
    if !traced() {
        return;
    }
    let (_made, path) = compile("calls/calls.c", &["-Wno-unused-result"]);
    let temporary = tempfile::tempdir().expect("a directory");
    let directory = temporary.path().canonicalize().expect("a directory");
    let mut unsupported = 0;
    for first in (0..sequences()).step_by(BATCH) {
        // What is not supported ends a process. Then each sequence has one of its own, and is compared as far as it goes.
        if !agree(&path, kind, first..first + BATCH, &directory) {
            let alone = |seed: &usize| !agree(&path, kind, *seed..seed + 1, &directory);
            unsupported += (first..first + BATCH).filter(alone).count();
        }
    }
    assert!(unsupported * 20 <= sequences(), "{unsupported} sequences of {kind} have something that is not supported");
}

/// That all lines of these sequences agree, as far as the checker supports what they do. Whether it supports all of it.
fn agree(path: &str, kind: &str, seeds: std::ops::Range<usize>, directory: &Path) -> bool {
    let words = [kind.to_owned(), seeds.start.to_string(), seeds.end.to_string(), directory.display().to_string()];
    let real = Command::new(path).args(&words).output().expect("it runs");
    assert!(real.status.success());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut setup = setup(vec![program(path, &words)]);
    setup.shared = vec![directory.to_owned()];
    (setup.keep, setup.twice) = (8, 0);
    let file = StartFile {
        path: directory.as_os_str().as_bytes().to_vec(),
        content: StartContent::Directory,
        mode: 0o700,
        written: None,
    };
    let system = System { programs: vec![Program::default()], files: vec![file], ..System::default() };
    let mut listener = Listener { processes: Processes::new(setup), text: Vec::new() };
    let found = explore(&system, &mut listener, &Options::plain(true), &mut Unwatched);
    assert_eq!(found.violations, []);
    let supported = match found.doubts.as_slice() {
        [] => true,
        [doubt] if matches!(doubt.trouble, Trouble::Unsupported { .. }) => false,
        doubts => panic!("{kind}, {seeds:?}: {doubts:?}"),
    };
    let (real, played) = (String::from_utf8_lossy(&real.stdout), String::from_utf8_lossy(&listener.text));
    // A process that ends early may have printed half a line.
    let whole = if supported { &played[..] } else { played.rsplit_once('\n').map_or("", |(whole, _)| whole) };
    let mut seed = "";
    for (number, (real, played)) in real.lines().zip(whole.lines()).enumerate() {
        assert_eq!(real, played, "{kind}, {seed}, line {number}: the system on the left, the checker on the right");
        seed = if real.starts_with("seed") { real } else { seed };
    }
    let (all, met) = (real.lines().count(), whole.lines().count());
    assert!(!supported || all == met, "{kind}, {seeds:?}: {met} of {all} lines, {:?}", whole.lines().last());
    supported
}

macro_rules! kinds {
    ($($kind:ident)*) => { $(#[test] fn $kind() { compare(stringify!($kind)); })* };
}

kinds! { pipes eventfds semaphores messages queues pairs sockets datagrams epolls files locks ranges signals segments }
