//! What tests of real processes share: compiles programs, and walks along one run with outcomes that a test chooses.

#![allow(dead_code)]

use quotient_process::{Follow, Processes, Program, Setup};
use quotient_system::{Arrival, Extra, Grow, Node, Op, Outcome, Printed, Step, Trouble};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says that tests which need tracing may be left out.
const WITHOUT: &str = "QUOTIENT_WITHOUT_TRACING";

/// Whether processes can be traced here. Tests fail if not, unless a variable of the environment says that they may be left out.
pub(crate) fn traced() -> bool {
    let mut processes = Processes::new(setup(vec![program("true", &[])]));
    match processes.start(0, 100, 0) {
        Ok(_) => true,
        Err(_) if std::env::var_os(WITHOUT).is_some() => false,
        Err(trouble) => panic!("processes cannot be traced here ({trouble:?}); {WITHOUT}=1 leaves these tests out"),
    }
}

/// Says that all processes are followed with the loader, not with ptrace.
const LOADER: &str = "QUOTIENT_WITH_LOADER";

/// These programs, with the usual settings.
pub(crate) fn setup(programs: Vec<Program>) -> Setup {
    let follow = if std::env::var_os(LOADER).is_some() { Follow::Loader } else { Follow::Ptrace };
    Setup { follow, ..Setup::new(programs) }
}

/// A command with its arguments, in the directory of the examples.
pub(crate) fn program(command: &str, arguments: &[&str]) -> Program {
    Program {
        command: command.to_owned(),
        arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
        environment: Vec::new(),
        directory: programs(),
    }
}

/// The directory of the example programs.
pub(crate) fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../programs/processes")
        .canonicalize()
        .expect("the examples are there")
}

/// Compiles a C program from the examples.
pub(crate) fn compile(name: &str, flags: &[&str]) -> (tempfile::TempDir, String) {
    compile_file(&programs().join(name), flags)
}

/// Compiles a C program from its text.
pub(crate) fn compile_text(text: &str, flags: &[&str]) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("program.c");
    std::fs::write(&source, text).expect("a file");
    let (made, path) = compile_file(&source, flags);
    (made, path)
}

fn compile_file(source: &Path, flags: &[&str]) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("program");
    let include = programs();
    let status = Command::new("gcc")
        .args(["-O1", "-g", "-I"])
        .arg(include)
        .args(flags)
        .arg("-o")
        .arg(&path)
        .arg(source)
        .status()
        .expect("gcc runs");
    assert!(status.success(), "{} does not compile", source.display());
    let path = path.to_str().expect("a path in letters").to_owned();
    (directory, path)
}

/// How many processes run a program, whoever has started them.
pub(crate) fn running(path: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("a list of processes").flatten();
    let programs = processes.filter_map(|entry| entry.path().join("exe").read_link().ok());
    programs.filter(|program| program == Path::new(path)).count()
}

/// One run of a process on its own.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// What it did.
    pub(crate) ops: Vec<Op>,
    /// What it printed.
    pub(crate) printed: Vec<Printed>,
    /// Why it did not go on.
    pub(crate) trouble: Option<Trouble>,
}

impl Run {
    /// What was printed, as text.
    pub(crate) fn text(&self) -> String {
        self.printed.iter().map(|printed| String::from_utf8_lossy(&printed.bytes).into_owned()).collect()
    }
}

/// Outcomes for a process that is alone: everything works at once and says nothing.
pub(crate) fn plain(op: &Op) -> Outcome {
    match op {
        Op::Fork { .. } => Outcome::value(101),
        Op::Write { bytes, .. } => Outcome::value(bytes.len() as i64),
        Op::Wait { .. } => Outcome::with(101, Extra::Status(0)),
        _ => Outcome::value(0),
    }
}

/// Runs the first program to its end or to trouble.
pub(crate) fn walk(processes: &mut Processes, mut outcome: impl FnMut(&Op) -> Outcome) -> Run {
    let mut run = Run::default();
    let mut node: Node = 0;
    let mut step = processes.start(0, 100, 0);
    loop {
        match step {
            Err(trouble) => {
                run.trouble = Some(trouble);
                return run;
            }
            Ok(Step { arrival, printed, .. }) => {
                run.printed.extend(printed);
                let Arrival::Stop(stop) = arrival else { return run };
                run.ops.push(stop.op.clone());
                if matches!(stop.op, Op::Exit { .. } | Op::Crash { .. }) {
                    return run;
                }
                let to = node + 1;
                step = processes.grow(node, &outcome(&stop.op), to);
                node = to;
            }
        }
    }
}
