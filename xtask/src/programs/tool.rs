//! The tools, each a binary of the workspace `benches/programs`, and one check with one of them.
//! A binary prints one line of JSON; whatever else happens is a failure.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::cell::Cell;
use crate::process::{Scratch, run_limited};

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Quotient without symmetry reduction.
    Plain,
    /// Quotient with symmetry reduction.
    Symmetric,
    /// loom.
    Loom,
    /// shuttle's depth-first search.
    Shuttle,
    /// TraceForge.
    TraceForge,
}

impl Tool {
    /// How many there are.
    pub const COUNT: usize = 5;
    /// All of them, in the order of the table.
    pub const ALL: [Tool; Tool::COUNT] = [Tool::Plain, Tool::Symmetric, Tool::Loom, Tool::Shuttle, Tool::TraceForge];

    /// The heading of its column.
    pub fn title(self) -> &'static str {
        match self {
            Tool::Plain => "Quotient, symmetry off",
            Tool::Symmetric => "Quotient, symmetry on",
            Tool::Loom => "loom 0.7.2",
            Tool::Shuttle => "shuttle 0.9.9, DFS",
            Tool::TraceForge => "traceforge 0.2.1",
        }
    }

    fn binary(self) -> &'static str {
        match self {
            Tool::Plain | Tool::Symmetric => "with-quotient",
            Tool::Loom => "with-loom",
            Tool::Shuttle => "with-shuttle",
            Tool::TraceForge => "with-traceforge",
        }
    }
}

/// What a binary is asked for; times in seconds of CPU time.
pub struct Request {
    /// The name of the program.
    pub program: &'static str,
    /// How many threads it has besides the main one.
    pub threads: usize,
    /// When the check is given up.
    pub limit: f64,
    /// For how long it is repeated.
    pub repeat: f64,
}

/// The binaries.
pub struct Tools {
    directory: PathBuf,
}

impl Tools {
    /// Builds all binaries, in a directory of their own inside the target directory of this program.
    pub fn build() -> Result<Self, String> {
        Tools::build_with(&["--workspace"])
    }

    /// Builds only what one tool needs.
    pub fn build_one(tool: Tool) -> Result<Self, String> {
        Tools::build_with(&["--bin", tool.binary()])
    }

    fn build_with(what: &[&str]) -> Result<Self, String> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/programs/Cargo.toml");
        let xtask = std::env::current_exe().map_err(|e| e.to_string())?;
        let target = xtask.ancestors().nth(2).ok_or("this program is not in a target directory")?.join("programs");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--release"]).args(what).arg("--manifest-path").arg(manifest);
        cargo.arg("--target-dir").arg(&target);
        let status = cargo.status().map_err(|e| format!("cargo: {e}"))?;
        if !status.success() {
            return Err("the programs of benches/programs do not build".to_string());
        }
        Ok(Tools { directory: target.join("release") })
    }

    /// Checks a program with a tool.
    pub fn check(&self, tool: Tool, request: &Request) -> Cell {
        self.answer(tool, request).and_then(|line| Cell::read(&line)).unwrap_or_else(Cell::Failed)
    }

    fn answer(&self, tool: Tool, request: &Request) -> Result<String, String> {
        let scratch = Scratch::new().map_err(|e| e.to_string())?;
        let mut command = Command::new(self.directory.join(tool.binary()));
        // Without the environment, since it can change what a tool does.
        command.env_clear().arg(request.program);
        command.args([request.threads.to_string(), request.limit.to_string(), request.repeat.to_string()]);
        if tool == Tool::Symmetric {
            command.arg("symmetry");
        }
        // A binary that hangs uses no CPU time, so its own limit does not end it.
        let timeout = Duration::from_secs_f64(30.0 * (request.limit + request.repeat) + 60.0);
        let outcome = run_limited(&mut command, scratch.path(), timeout).map_err(|e| e.to_string())?;
        if outcome.timed_out {
            return Err(format!("it hangs: no answer after {} s", timeout.as_secs()));
        }
        if outcome.code != Some(0) {
            let message: Vec<&str> = outcome.stderr.lines().filter(|line| !line.trim().is_empty()).take(2).collect();
            return Err(if message.is_empty() { format!("{:?}", outcome.code) } else { message.join(" ") });
        }
        let line = outcome.stdout.lines().rev().find(|line| line.starts_with('{'));
        line.map(str::to_string).ok_or_else(|| format!("no answer: {}", outcome.text()))
    }
}
