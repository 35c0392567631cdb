//! The check of a set of processes: runs them under the control of the checker, searches their interleavings, and returns the
//! answer. It follows `quotient_system` and `quotient_process`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use quotient_process::{Follow, Limits, Processes, Setup, shared_files};
use quotient_report::answer::{Answer, Violation};
use quotient_report::processes::ProcessStats;
use quotient_report::stats::{Explored, Stats};
use quotient_report::verdict::{Shortfall, StopReason, Verdict};
use quotient_system::{
    Doubt, Exploration, Fairness, Options, Program, Symmetry, System, Trouble, ViolationKind, Watch, explore, narrate,
};

use crate::observer::{Observed, Progress};
use crate::process_answer::{self, Limit, unrepeated};
use crate::process_run::SavedRun;
use crate::system_file::SystemFile;
use crate::{Error, memory};

/// Which search is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProcessMode {
    /// States are remembered.
    #[default]
    Stateful,
    /// No states are remembered: it takes little memory, and much time.
    Stateless,
    /// As in Godefroid's paper of 1999: no states are remembered, processes do not exit, and semaphores are only taken and given
    /// back.
    Paper,
}

/// Which processes may change places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProcessSymmetry {
    /// Those that the `.system` file says, if any.
    #[default]
    Declared,
    /// None.
    Off,
    /// All processes that there are when the search begins, around a ring.
    Ring,
    /// All processes that there are when the search begins.
    Full,
}

/// What is expected of whoever decides which process goes on, when livelocks are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProcessFairness {
    /// Whoever can always go on does so at some time.
    Weak,
    /// Whoever can go on again and again does so at some time.
    Strong,
}

/// How processes are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProcessFollow {
    /// With ptrace if the system allows it, otherwise with the loader.
    #[default]
    Any,
    /// With ptrace.
    Ptrace,
    /// With a loader that catches the calls of a program from within.
    Loader,
}

impl From<ProcessFollow> for Follow {
    fn from(follow: ProcessFollow) -> Self {
        match follow {
            ProcessFollow::Any => Self::Any,
            ProcessFollow::Ptrace => Self::Ptrace,
            ProcessFollow::Loader => Self::Loader,
        }
    }
}

/// A set of processes, and how it is checked.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ProcessOptions {
    /// A directory that the checker plays: processes see its files, and nothing is written to the disk
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIRECTORY"))]
    pub shared: Vec<PathBuf>,
    /// Which search is made
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = "stateful"))]
    pub mode: ProcessMode,
    /// Which processes may change places; this is checked, and dropped if it is not so
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = "declared"))]
    pub symmetry: ProcessSymmetry,
    /// The processes that are started, not their children, must exit with status 0
    #[cfg_attr(feature = "clap", arg(long))]
    pub exit_status: bool,
    /// Look for runs that go on forever in which some process never ends, services apart; the value says how fair scheduling is
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "FAIRNESS", num_args = 0..=1, require_equals = true,
        default_missing_value = "weak"))]
    pub livelock: Option<ProcessFairness>,
    /// Tell processes apart by all they were ever told, and not only by their memory
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_merge: bool,
    /// Go on after the first violation
    #[cfg_attr(feature = "clap", arg(long))]
    pub all_errors: bool,
    /// Cut runs after this many transitions
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_depth: Option<usize>,
    /// Stop after this many states
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_states: Option<u64>,
    /// Stop after this many seconds
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS"))]
    pub max_time: Option<u64>,
    /// Stop when the checker and the processes that it keeps take this much memory, such as 500M or 2G [default: three quarters of
    /// what is free]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = crate::parse::size))]
    pub max_memory: Option<u64>,
    /// Only 1: a process can be followed only by the thread that has started it
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub jobs: Option<usize>,
    /// The largest number of processes at a time [default: 64]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_processes: Option<usize>,
    /// Seconds of processor time that a process may take from one call to the next [default: 10]
    #[cfg_attr(feature = "clap", arg(long, alias = "patience", value_name = "SECONDS"))]
    pub stall_timeout: Option<u64>,
    /// How many stopped processes are kept [default: 1000]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub keep: Option<usize>,
    /// How processes are followed
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value = "any"))]
    #[serde(default)]
    pub follow: ProcessFollow,
    /// Save the run to the first violation in this file, for `quotient replay`
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    #[serde(skip)]
    pub trace: Option<PathBuf>,
    /// Whoever watches the check.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub observer: Observed,
}

/// One process that is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StartedProcess {
    /// The command and its arguments.
    pub run: Vec<String>,
    /// It may wait forever.
    pub service: bool,
    /// Variables beside the few that every process gets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

/// The processes that are started, and which of them may change places.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProcessSet {
    /// What to call it.
    pub name: String,
    /// The processes.
    pub processes: Vec<StartedProcess>,
    /// Sets of processes, by index, that may change places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symmetric: Vec<Vec<usize>>,
    /// The directory in which they start.
    pub directory: PathBuf,
}

impl ProcessSet {
    /// Processes from a command line: commands with `:::` between them.
    ///
    /// # Errors
    /// A command is empty, or the working directory is not known.
    pub fn of_commands(words: &[String]) -> Result<Self, Error> {
        let commands: Vec<Vec<String>> = words.split(|word| word == ":::").map(<[String]>::to_vec).collect();
        if commands.iter().any(Vec::is_empty) {
            return Err(Error::option("there is nothing to run before or after `:::`"));
        }
        let processes = commands.into_iter().map(|run| StartedProcess { run, ..StartedProcess::default() }).collect();
        Ok(Self { name: words.join(" "), processes, symmetric: Vec::new(), directory: std::env::current_dir()? })
    }

    /// Processes from a `.system` file, and the options in it, which those that are given go before.
    ///
    /// # Errors
    /// The file cannot be read, or says something that is not known.
    pub fn of_file(path: &Path, options: &ProcessOptions) -> Result<(Self, ProcessOptions), Error> {
        SystemFile::read(path)?.resolve(path, options)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let text = |process: &StartedProcess| {
            let command = Path::new(&process.run[0])
                .file_name()
                .map_or(process.run[0].clone(), |name| name.to_string_lossy().into_owned());
            let words: Vec<&str> =
                std::iter::once(command.as_str()).chain(process.run[1..].iter().map(String::as_str)).collect();
            let all = words.join(" ");
            if all.chars().count() > LONGEST_NAME { command } else { all }
        };
        let names: Vec<String> = self.processes.iter().map(text).collect();
        let several = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
        names
            .iter()
            .enumerate()
            .map(|(at, name)| if several(name) { format!("{name} #{}", at + 1) } else { name.clone() })
            .collect()
    }
}

/// Longer names of processes are cut to the command.
const LONGEST_NAME: usize = 24;
/// The largest number of processes that are started.
const MOST_STARTED: usize = 100;

/// Checks a set of processes.
///
/// # Errors
/// A process cannot be run, or an option or a file cannot be used.
pub fn processes(set: &ProcessSet, options: &ProcessOptions) -> Result<Answer, Error> {
    refuse(set, options)?;
    let (system, setup) = prepared(set, options)?;
    let started = Instant::now();
    let most_memory = options.max_memory.or_else(memory::limit);
    let mut watch = Watcher { observer: options.observer.clone(), started, options, most_memory, limit: None };
    let found = explore(&system, &mut Processes::new(setup.clone()), &search(set, options), &mut watch);
    if !found.violations.is_empty() {
        options.observer.found();
    }
    let limit = watch.limit;
    if let Some(Doubt { trouble: Trouble::Failed { what }, .. }) = found.doubts.iter().find(|doubt| failed(doubt)) {
        return Err(Error::Processes(what.clone()));
    }
    let mut answer = process_answer::answer(set, &found, limit);
    answer.stats.seconds = started.elapsed().as_secs_f64();
    answer.stats.peak_memory_bytes = memory::peak();
    for violation in
        found.violations.iter().filter(|violation| !matches!(violation.kind, ViolationKind::Nondeterminism { .. }))
    {
        let told = narrate(&system, &mut Processes::new(setup.clone()), &found.names, violation);
        if !told.shown {
            answer
                .falls_short(Shortfall::Nondeterminism, "a run that went wrong did not go wrong when it was repeated");
            continue;
        }
        let run = process_answer::run(set, &found.names, &told, &violation.kind, violation.pid);
        answer.violations.push(Violation::Processes(Box::new(run)));
        if let (Some(path), 1) = (&options.trace, answer.violations.len()) {
            SavedRun::new(set, options, &found.names, violation).write(path)?;
        }
    }
    if answer.violations.is_empty() && answer.verdict == Verdict::Violated {
        answer.verdict = Verdict::Inconclusive;
        answer.inconclusive_because = vec![Shortfall::Nondeterminism];
        answer.reason = Some(unrepeated(&found));
    }
    Ok(answer)
}

/// Repeats a saved run, and tells it.
///
/// # Errors
/// The file cannot be used, a process cannot be run, or the run does not show what it did.
pub fn replay_processes(path: &Path) -> Result<Option<Answer>, Error> {
    let Some(saved) = SavedRun::read(path)? else { return Ok(None) };
    let (set, options, names, violation) = saved.parts()?;
    refuse(&set, &options)?;
    let (system, setup) = prepared(&set, &options)?;
    let told = narrate(&system, &mut Processes::new(setup), &names, &violation);
    if !told.shown {
        return Err(Error::Processes("the run does not show the violation any more".to_string()));
    }
    let stats = Stats { explored: Explored::Processes(ProcessStats::default()), seconds: 0.0, peak_memory_bytes: 0 };
    let mut answer = Answer::new(&set.name, true, Some(StopReason::Replay), &[], stats);
    let run = process_answer::run(&set, &names, &told, &violation.kind, violation.pid);
    answer.violations.push(Violation::Processes(Box::new(run)));
    Ok(Some(answer))
}

/// Ends all processes that were started: this one is about to end.
pub fn end_processes() {
    quotient_process::end_all();
}

fn failed(doubt: &Doubt) -> bool {
    matches!(doubt.trouble, Trouble::Failed { .. })
}

fn refuse(set: &ProcessSet, options: &ProcessOptions) -> Result<(), Error> {
    if set.processes.is_empty() {
        return Err(Error::option("there is nothing to run"));
    }
    if set.processes.len() > MOST_STARTED {
        return Err(Error::option(format!("at most {MOST_STARTED} processes can be started")));
    }
    if options.jobs.is_some_and(|jobs| jobs != 1) {
        return Err(Error::option(
            "--jobs can only be 1 here: a process can be followed only by the thread that has started it",
        ));
    }
    if options.livelock.is_some() && options.mode != ProcessMode::Stateful {
        return Err(Error::option(
            "--livelock needs --mode stateful: a run that goes on forever is told by a state that it comes back to",
        ));
    }
    if let Some(path) = &options.trace {
        quotient_explain::target::check_replaceable(path)?;
    }
    Ok(())
}

/// What is searched, and who runs it.
fn prepared(set: &ProcessSet, options: &ProcessOptions) -> Result<(System, Setup), Error> {
    let absolute = |path: &PathBuf| {
        let joined = set.directory.join(path);
        joined.canonicalize().unwrap_or(joined)
    };
    let shared: Vec<PathBuf> = options.shared.iter().map(absolute).collect();
    let programs = set.processes.iter().map(|process| quotient_process::Program {
        command: process.run[0].clone(),
        arguments: process.run[1..].to_vec(),
        environment: process.environment.clone(),
        directory: set.directory.clone(),
    });
    let mut setup = Setup::new(programs.collect());
    setup.merge = !options.no_merge && options.mode == ProcessMode::Stateful;
    let defaults = Limits::default();
    setup.limits = Limits { stall_timeout: options.stall_timeout.unwrap_or(defaults.stall_timeout), ..defaults };
    setup.keep = options.keep.unwrap_or(setup.keep);
    setup.follow = options.follow.into();
    setup.most_memory = options.max_memory.or_else(memory::limit);
    let files = shared_files(&shared)?;
    setup.shared = shared;
    let names = set.names();
    let program = |(process, name): (&StartedProcess, String)| Program { name, service: process.service };
    let system = System {
        programs: set.processes.iter().zip(names).map(program).collect(),
        files,
        most_processes: options.max_processes,
        exits_wait: options.mode == ProcessMode::Paper,
    };
    Ok((system, setup))
}

fn search(set: &ProcessSet, options: &ProcessOptions) -> Options {
    let base = match options.mode {
        ProcessMode::Stateful => Options::stateful(),
        ProcessMode::Stateless => Options::stateless(),
        ProcessMode::Paper => Options::paper(),
    };
    let symmetry = match options.symmetry {
        ProcessSymmetry::Declared if set.symmetric.is_empty() => Symmetry::None,
        ProcessSymmetry::Declared => Symmetry::Sets(set.symmetric.clone()),
        ProcessSymmetry::Off => Symmetry::None,
        ProcessSymmetry::Ring => Symmetry::Ring,
        ProcessSymmetry::Full => Symmetry::Full,
    };
    Options {
        symmetry,
        most_depth: options.max_depth,
        most_states: options.max_states,
        livelock: options.livelock.map(|fairness| match fairness {
            ProcessFairness::Weak => Fairness::Weak,
            ProcessFairness::Strong => Fairness::Strong,
        }),
        exit_status: options.exit_status,
        all_violations: options.all_errors,
        ..base
    }
}

/// Watches a search for the limits and for whoever watches the check.
struct Watcher<'a> {
    observer: Observed,
    started: Instant,
    options: &'a ProcessOptions,
    most_memory: Option<u64>,
    /// The limit at which it was stopped.
    limit: Option<Limit>,
}

impl Watch for Watcher<'_> {
    fn goes_on(&mut self, so_far: &Exploration) -> bool {
        let depth = so_far.longest as u64;
        let bytes = memory::now();
        let states = so_far.states.max(so_far.looked_at);
        self.observer.progress(&Progress { states, matched: 0, depth, current: depth, bytes });
        let most = self.options.max_time.map(Duration::from_secs);
        if most.is_some_and(|most| self.started.elapsed() > most) {
            self.limit = Some(Limit::Time);
        } else if self.most_memory.is_some_and(|most| bytes > most) {
            self.limit = Some(Limit::Memory);
        }
        self.limit.is_none() && !self.observer.is_interrupted()
    }
}
