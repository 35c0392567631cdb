//! What the tests of the command line share: a directory of their own, and the binary.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory that is removed in the end.
pub(crate) struct Dir(pub PathBuf);

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Dir {
    /// A new directory with some files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let name = format!("quotient-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary directory");
        for (name, text) in files {
            fs::write(path.join(name), text).expect("a file in it");
        }
        Dir(path)
    }

    /// The command, to be run in the directory.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
        command.args(args).current_dir(&self.0).env_remove("NO_COLOR");
        command
    }

    /// Runs `quotient` in the directory.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::new(self.command(args).output().expect("the binary runs"))
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a run of the binary gave.
pub(crate) struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub(crate) fn new(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }

    /// Standard output without what differs from run to run and from machine to machine.
    pub(crate) fn masked(&self) -> String {
        let mask = |line: &str| {
            let varies = ["  memory  ", "  time  ", "  depth  "].into_iter().find(|start| line.starts_with(start));
            format!("{}\n", varies.map_or(line.to_string(), |start| format!("{start}…")))
        };
        self.stdout.lines().map(mask).collect()
    }
}

/// The models of the project.
pub(crate) fn models() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = fs::read_dir(directory).expect("the models");
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    models.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    models.sort();
    models
}

/// An assertion that fails after two steps.
pub(crate) const RACE: &str = "\
byte x;

active [2] proctype P() {
   byte mine;
   mine = x;
   x = mine + 1;
   assert(x == _pid + 1)
}
";

/// A deadlock with messages in buffers.
pub(crate) const DEADLOCK: &str = "\
mtype = { request, grant };

chan ask = [2] of { mtype, byte };
chan answer = [1] of { mtype };

active proctype Client() {
   ask!request,3;
   ask!request,4;
   answer?grant;
   answer?grant
}

active proctype Server() {
   byte n;
   ask?request,n;
   answer!grant;
   ask?grant,n
}
";

/// A rendezvous, then a wait for another that never comes.
pub(crate) const RENDEZVOUS: &str = "\
mtype = { req, ack };
chan link = [0] of { mtype, byte };
byte served;

active proctype Client() {
   link!req,7;
   link?ack,_;
   link?ack,_
}

active proctype Server() {
   byte who;
   link?req,who;
   served = who;
   link!ack,who
}
";

/// A model that holds.
pub(crate) const HOLDS: &str = "\
byte x;

active proctype P() {
   do
   :: x < 3 -> x++
   :: x == 3 -> break
   :: x > 3 -> x = 0
   od
}
";
