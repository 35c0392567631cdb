//! Checkpoints of checks of C and C++ programs: what they are for, who writes them, and reading one to go on from it.

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quotient_explain::target::{check_replaceable, spare_inputs};
use quotient_native::{Checkpoints, Compiled};

use crate::args::Check;
use crate::checkpoint::{self, Checkpoint, EVERY, Hash, Identity, Kind};
use crate::output;

/// What must be the same for a check to go on: the program, the compiler, and all options but limits and the form of the answer.
fn identity(args: &Check, files: &[PathBuf], program: &Compiled) -> Identity {
    let mut all = Identity::new();
    let mut add = |name: &str, value: String| all.push((name.to_owned(), value));
    add("the version of Quotient", env!("CARGO_PKG_VERSION").to_owned());
    add("the program", files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" "));
    for file in files {
        add(&format!("the text of `{}`", file.display()), text_hash(file));
    }
    let defines = args.input.defines.iter().map(|(name, value)| format!("{name}={}", value.as_deref().unwrap_or("1")));
    add("-D", defines.collect::<Vec<_>>().join(" "));
    add("the compiler", program.compilers());
    add("what follows `--`", args.compiler_flags.join(" "));
    let options = &args.program;
    add("--symmetry", format!("{:?}", args.symmetry).to_lowercase());
    add("--memory-model", said(&options.memory_model));
    add("--max-events", said(&options.max_events));
    add("--unroll", said(&options.unroll));
    add("--jobs", options.jobs.unwrap_or(1).to_string());
    add("--leaks", said(&options.leaks));
    add("--stuck-threads", said(&options.stuck_threads));
    add("--spurious-failures", options.spurious_failures.to_string());
    add("--spurious-wakeups", options.spurious_wakeups.unwrap_or(0).to_string());
    add("--clock", said(&options.clock));
    add("--address-order", said(&options.address_order));
    add("--volatile", said(&options.volatile));
    // Headers and libraries are part of it.
    add("the compiled program", program.fingerprint().map_or_else(String::new, |hash| format!("{hash:016x}")));
    all
}

fn said<T: std::fmt::Debug>(option: &Option<T>) -> String {
    option.as_ref().map_or_else(|| "the default".to_owned(), |value| format!("{value:?}").to_lowercase())
}

fn text_hash(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap_or_default();
    let mut hash = Hash::default();
    // A hash takes everything.
    let _ = hash.write_str(&String::from_utf8_lossy(&bytes));
    hash.to_string()
}

/// Refuses what cannot be done, before anything is compiled.
pub fn refuse(args: &Check, files: &[PathBuf]) -> Result<(), String> {
    let given = args.checkpoint.is_some() || args.resume.is_some();
    if given && args.program.replay.is_some() {
        return Err("--replay runs one execution: there is nothing to save or to go on with".to_owned());
    }
    let Some(path) = &args.checkpoint else { return Ok(()) };
    check_replaceable(path).map_err(|problem| problem.to_string())?;
    spare_inputs(path, "program", files.iter().map(PathBuf::as_path)).map_err(|problem| problem.to_string())
}

/// What a check has to do with checkpoints.
#[derive(Default)]
pub struct Plan {
    /// Who writes them.
    pub write: Option<Checkpoints>,
    /// The one to go on from.
    pub resume: Option<Vec<u8>>,
    /// Whether one was written.
    pub written: Arc<AtomicBool>,
}

/// Opens the checkpoint to go on from, if there is one, and says who writes new ones.
pub fn plan(args: &Check, files: &[PathBuf], program: &Compiled) -> Result<Plan, String> {
    if args.checkpoint.is_none() && args.resume.is_none() {
        return Ok(Plan::default());
    }
    let identity = identity(args, files, program);
    let resume = args.resume.as_deref().map(|path| read(path, &identity)).transpose()?;
    let written = Arc::new(AtomicBool::new(false));
    let write = args.checkpoint.clone().map(|path| {
        let (has_failed, written) = (AtomicBool::new(false), written.clone());
        let write = move |bytes: &[u8]| match checkpoint::write(&path, Kind::Program, &identity, |file| {
            file.write_all(bytes)
        }) {
            Ok(()) => written.store(true, Ordering::Relaxed),
            Err(error) if !has_failed.swap(true, Ordering::Relaxed) => {
                output::err(&format!("warning: cannot write `{}`: {error}\n", path.display()));
            }
            Err(_) => {}
        };
        Checkpoints { every: args.checkpoint_every.unwrap_or(EVERY), write: Arc::new(write) }
    });
    Ok(Plan { write, resume, written })
}

fn read(path: &Path, identity: &Identity) -> Result<Vec<u8>, String> {
    let mut checkpoint = Checkpoint::open(path, Kind::Program, identity)?;
    let mut bytes = Vec::new();
    checkpoint.read_to_end(&mut bytes).map_err(|error| checkpoint.problem(&error))?;
    checkpoint.finish()?;
    Ok(bytes)
}
