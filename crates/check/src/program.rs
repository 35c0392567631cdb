//! The check of a C or C++ program: compiles it, explores its executions in processes of their own, and returns the answer.
//! It follows `quotient_native`, and adds checkpoints in files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use quotient_explain::target;
use quotient_native::{Build, Compiled, Interrupted, check, compile, is_native};
use quotient_report::Answer;
use quotient_report::verdict::Verdict;

use crate::Error;
use crate::checkpoint::{Checkpoint, EVERY, Identity, Kind};
use crate::keep::{self, Checkpoints};
use crate::memory;
use crate::options::ProgramOptions;
use crate::words::{AddressOrder, Clock, Leaks, MemoryModel, Property, Sandbox, StuckThreads, Symmetry, Volatile};

/// Checks a C or C++ program, which may have several source files.
///
/// ```standalone_crate
/// use quotient_check::{Common, ProgramOptions, Verdict};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let file = directory.path().join("count.c");
/// let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n
///     static atomic_int count;
///     static void *add(void *unused) { atomic_store(&count, atomic_load(&count) + 1); return unused; }
///     int main(void) {
///         pthread_t a, b;
///         pthread_create(&a, 0, add, 0);
///         pthread_create(&b, 0, add, 0);
///         pthread_join(a, 0);
///         pthread_join(b, 0);
///         assert(count == WANTED);
///     }";
/// std::fs::write(&file, text)?;
///
/// let options = ProgramOptions::from(Common::default().define("WANTED", "2"));
/// let answer = quotient_check::program(&[file], &options)?;
/// assert_eq!(answer.verdict, Verdict::Violated);
/// assert_eq!(answer.violations[0].kind(), "assertion");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The program does not compile or cannot be run, or an option or a file cannot be used.
pub fn program(files: &[PathBuf], options: &ProgramOptions) -> Result<Answer, Error> {
    refuse(files, options)?;
    let mut answer = explore(files, options)?;
    answer.input = files.first().map_or(String::new(), |file| file.display().to_string());
    Ok(answer)
}

/// Compiles and explores, from the beginning or from a checkpoint.
fn explore(files: &[PathBuf], options: &ProgramOptions) -> Result<Answer, Error> {
    let common = &options.common;
    let mut engine = engine(options);
    let program = match compile(files, &defines(options), &options.compiler_flags, &engine)? {
        Build::Program(program) => program,
        Build::Stopped(answer) => return Ok(*answer),
    };
    if common.checkpoint.is_none() && common.resume.is_none() {
        return Ok(check(&program, &engine)?);
    }
    let identity = identity(files, options, &program);
    engine.resume = common.resume.as_deref().map(|path| read(path, &identity)).transpose()?;
    let checkpoints = Checkpoints::new(common, Kind::Program, &identity).map(Arc::new);
    engine.checkpoints = checkpoints.clone().map(|checkpoints| quotient_native::Checkpoints {
        every: common.checkpoint_every.unwrap_or(EVERY),
        write: Arc::new(move |bytes: &[u8]| checkpoints.write(|file| file.write_all(bytes))),
    });
    let mut answer = check(&program, &engine)?;
    if answer.verdict == Verdict::Inconclusive {
        answer.notes.extend(checkpoints.and_then(|checkpoints| checkpoints.advice()));
    }
    Ok(answer)
}

/// Refuses what cannot be done, before anything is compiled.
fn refuse(files: &[PathBuf], options: &ProgramOptions) -> Result<(), Error> {
    let common = &options.common;
    if !matches!(common.symmetry, Symmetry::Auto | Symmetry::Off | Symmetry::Ids) {
        return Err(Error::option("a strategy for --symmetry is for models, not for C and C++ programs"));
    }
    if !common.property.iter().all(|one| matches!(one, Property::All | Property::Safety)) {
        return Err(Error::option("--property is for models, not for C and C++ programs"));
    }
    if let Some(other) = files.iter().find(|file| !is_native(file)) {
        return Err(Error::option(format!("{} is not a C or C++ file", other.display())));
    }
    if (common.checkpoint.is_some() || common.resume.is_some()) && options.replay.is_some() {
        return Err(Error::option("--replay runs one execution: there is nothing to save or to go on with"));
    }
    if let Some(path) = &common.checkpoint {
        target::check_replaceable(path)?;
        target::spare_inputs(path, "program", files.iter().map(PathBuf::as_path))?;
    }
    Ok(())
}

fn defines(options: &ProgramOptions) -> Vec<String> {
    let define = |(name, value): &(String, Option<String>)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    };
    options.common.defines.iter().map(define).collect()
}

/// What must be the same for a check to go on: the program, the compiler, and all options but limits and the form of the answer.
fn identity(files: &[PathBuf], options: &ProgramOptions, program: &Compiled) -> Identity {
    let text = |file: &PathBuf| keep::hash(String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()));
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" ");
    let symmetry = match options.common.symmetry {
        Symmetry::Off => "off",
        Symmetry::Ids => "ids",
        _ => "auto",
    };
    let first = vec![
        ("the program", names),
        ("-D", keep::defines(&options.common.defines)),
        ("the compiler", program.compilers()),
        ("what follows `--`", options.compiler_flags.join(" ")),
        ("--symmetry", symmetry.to_string()),
    ];
    let mut all = keep::identity(options, first);
    all.extend(files.iter().map(|file| (format!("the text of `{}`", file.display()), text(file))));
    // Headers and libraries are part of it.
    let compiled = program.fingerprint().map_or_else(String::new, |hash| format!("{hash:016x}"));
    all.push(("the compiled program".to_string(), compiled));
    all
}

fn read(path: &Path, identity: &Identity) -> Result<Vec<u8>, Error> {
    let mut checkpoint = Checkpoint::open(path, Kind::Program, identity)?;
    let mut bytes = Vec::new();
    checkpoint.read_to_end(&mut bytes).map_err(|error| checkpoint.problem(error))?;
    checkpoint.finish()?;
    Ok(bytes)
}

fn engine(options: &ProgramOptions) -> quotient_native::Options {
    let common = &options.common;
    let defaults = quotient_native::Options::default();
    let observer = common.observer.clone();
    quotient_native::Options {
        model: match options.memory_model {
            MemoryModel::Sc => quotient_runtime::MemoryModel::Sc,
            MemoryModel::Tso => quotient_runtime::MemoryModel::Tso,
            MemoryModel::Ra => quotient_runtime::MemoryModel::Ra,
            MemoryModel::Rc11 => quotient_runtime::MemoryModel::Rc11,
        },
        symmetry: common.symmetry != Symmetry::Off,
        ids: common.symmetry == Symmetry::Ids,
        spurious_failures: options.spurious_failures,
        spurious_wakeups: options.spurious_wakeups,
        still_clock: options.clock == Clock::Still,
        max_events: options.max_events,
        max_executions: options.max_executions,
        max_time: common.max_time,
        started: Instant::now(),
        max_memory: common.max_memory.or_else(memory::limit),
        interrupted: Some(Interrupted(Arc::new(move || observer.is_interrupted()))),
        sandbox: options.sandbox != Sandbox::Off && defaults.sandbox,
        leaks: match options.leaks {
            Leaks::Off => quotient_native::Leaks::Ignore,
            Leaks::Warn => quotient_native::Leaks::Warn,
            Leaks::Error => quotient_native::Leaks::Error,
        },
        stuck: match options.stuck_threads {
            StuckThreads::Off => quotient_native::Stuck::Ignore,
            StuckThreads::Note => quotient_native::Stuck::Note,
            StuckThreads::Error => quotient_native::Stuck::Error,
        },
        unroll: options.unroll,
        jobs: options.jobs,
        address_order: match options.address_order {
            AddressOrder::Auto => quotient_native::AddressOrder::Auto,
            AddressOrder::Ascending => quotient_native::AddressOrder::Ascending,
            AddressOrder::Both => quotient_native::AddressOrder::Both,
        },
        relaxed_volatile: options.volatile == Volatile::Relaxed,
        stall_timeout: options.stall_timeout.unwrap_or(defaults.stall_timeout),
        replay: options.replay.clone(),
        checkpoints: None,
        resume: None,
        noise: std::env::var_os("QUOTIENT_NOISE").is_some(),
    }
}
