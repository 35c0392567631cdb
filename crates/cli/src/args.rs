//! The command line: every option is honoured, or rejected here before anything starts. Exit codes are the same for
//! all commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use quotient_canon::Strategy;
pub use quotient_explain::trace_file::Define;

/// Checks concurrent systems: finds runs in which something goes wrong, or shows that there are none.
#[derive(Debug, Parser)]
#[command(name = "quotient", version, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 the model holds, 1 it is violated, 2 usage or input error, 3 inconclusive (the \
                          search was cut short, or the model has properties that were not checked: see --property).";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search all runs of a model for errors: violated assertions, invalid end states (deadlocks), array indices out
    /// of range, misuse of channels, and the like
    #[command(after_help = EXIT_CODES)]
    Check(Box<Check>),
    /// Repeat a run saved by `check --trace`, step by step, and see that it ends in the same violation
    #[command(after_help = "Exit codes: 1 the violation was reproduced (0 for a run saved by `simulate` that shows \
                            none), 2 the run does not fit the model, or the file cannot be used.")]
    Replay(Replay),
    /// Follow one run of a model: at random, by your choices, or along a saved run
    #[command(after_help = "Exit codes: 0 the run shows no violation, 1 it shows one, 2 usage or input error.")]
    Simulate(Simulate),
}

/// `quotient check`
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub input: Input,
    /// More source files of a C or C++ program
    #[arg(value_name = "FILE")]
    pub more_files: Vec<PathBuf>,
    /// What to tell the compiler of a C or C++ program, after `--`
    #[arg(last = true, value_name = "COMPILER FLAGS")]
    pub compiler_flags: Vec<String>,
    #[command(flatten)]
    pub program: Program,
    /// Leave out runs that differ only in the order of independent steps. `spin` believes all that SPIN believes, to
    /// reproduce its numbers: errors can be lost
    #[arg(long, value_enum, value_name = "ON|OFF|SPIN", default_value = "on", hide_possible_values = true)]
    pub por: Por,
    /// Search depth-first (in SPIN's order) or breadth-first (finds a shortest run to an error)
    #[arg(long, value_enum, default_value = "dfs")]
    pub order: SearchOrder,
    /// Go on after the first violation and count all of them
    #[arg(long)]
    pub all_errors: bool,
    /// Stop after storing this many states
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_states: Option<u64>,
    /// Cut runs after this many steps
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// Stop when the check takes this much memory, such as 512M or 2G [default: three quarters of what the system and the
    /// limits of the process leave]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<u64>,
    /// Which properties the answer is about: `all` that the model states. Temporal ones (never claims, ltl formulas)
    /// cannot be checked yet, so a model that has some is inconclusive unless it has a safety error. `safety` asks for
    /// safety errors only and tells which properties were not checked; `none` asks for the same and does not mention them
    #[arg(long, value_enum, default_value = "all")]
    pub property: Property,
    /// Leave out states that differ only by names that do not matter. `auto` does so where the model has a symmetry;
    /// `require` makes it an error that it has none. The others choose how the representative of such states is found:
    /// `canonical` (what `auto` and `require` use), or the strategies of SymmSpin. Programs have `off`,
    /// `auto` (like threads) and `ids`: also threads that differ only in an id or an index, which is checked
    #[arg(long, value_enum, value_name = "STRATEGY", default_value = "auto")]
    pub symmetry: Symmetry,
    /// Read from this file what is symmetric about the model
    #[arg(long, value_name = "FILE")]
    pub symmetry_file: Option<PathBuf>,
    /// Check the reductions on this many states, chosen at random, and on the first ones of every kind; a reduction that
    /// is not right is dropped, and the search starts again [default: 256]
    #[arg(long, alias = "symmetry-selfcheck", value_name = "N|OFF", value_parser = number_or_off)]
    pub selfcheck: Option<usize>,
    /// Let processes that change places under the symmetry stay when they end, so that the order in which they end does
    /// not matter. In SPIN they are removed, youngest first
    #[arg(long)]
    pub order_free_termination: bool,
    /// List the statements of each process type that are never executed
    #[arg(long)]
    pub unreached: bool,
    #[command(flatten)]
    pub output: Output,
    /// Save the run to the first violation in this file, for `quotient replay`; also shows its steps, or of a long run
    /// the first and the last thousand
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Show all steps of a run, however long it is
    #[arg(long)]
    pub full_trace: bool,
    /// Save how far the search is in this file, from time to time and when it ends before everything was seen; --resume
    /// goes on from there
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How many seconds there are between two checkpoints at least; there are more if writing them takes long [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "checkpoint")]
    pub checkpoint_every: Option<Duration>,
    /// Go on with the search that was saved in this file by --checkpoint. Limits and the form of the answer may be others;
    /// the input and all other options must be the same
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Show the verdict only
    #[arg(long, short)]
    pub quiet: bool,
}

/// `quotient replay`
#[derive(Debug, Args)]
pub struct Replay {
    /// The saved run
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Show all steps, and not only the violation they lead to
    #[arg(long)]
    pub steps: bool,
    #[command(flatten)]
    pub output: Output,
}

/// `quotient simulate`
#[derive(Debug, Args)]
pub struct Simulate {
    #[command(flatten)]
    pub input: Input,
    /// Repeat the random run with this seed [default: a new one, which is printed]
    #[arg(long, value_name = "N", conflicts_with_all = ["interactive", "along"])]
    pub seed: Option<u64>,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: usize,
    /// Ask at every step which one to take: its number, or q to quit
    #[arg(long, conflicts_with = "along")]
    pub interactive: bool,
    /// Follow a run saved by --trace
    #[arg(long, value_name = "FILE")]
    pub along: Option<PathBuf>,
    /// Save the run in this file, for `quotient replay` and --along
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// What is only for C and C++ programs.
#[derive(Debug, Args)]
pub struct Program {
    /// The memory model of a program [default: rc11]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub memory_model: Option<MemoryModel>,
    /// Stop after this many executions of a program
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// How many events one execution of a program may have [default: 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_events: Option<u32>,
    /// Let a loop of a program go back to its beginning only so often each time that it is entered; what is cut off makes
    /// the answer inconclusive
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unroll: Option<u32>,
    /// Explore a program with this many processes; the counts are the same [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub jobs: Option<u32>,
    /// What to do about memory that a program never frees [default: warn]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub leaks: Option<Leaks>,
    /// What to do about threads of a program that wait for ever when it ends [default: note]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub stuck_threads: Option<Stuck>,
    /// How many seconds a thread of a program may run without a visible operation [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub patience: Option<Duration>,
    /// Let weak compare-and-exchange operations of a program fail without a reason
    #[arg(long)]
    pub spurious_failures: bool,
    /// How often a thread of a program that waits to be notified may wake up without a reason [default: 0]
    #[arg(long, value_name = "N")]
    pub spurious_wakeups: Option<u32>,
    /// Whether time may pass when a program looks at the clock, or only when it sleeps [default: free]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub clock: Option<Clock>,
    /// In which order of addresses the threads of a program have their memory: ascending, and descending as well if the
    /// program depends on it; ascending only; or both [default: auto]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub address_order: Option<AddressOrder>,

    /// What accesses to volatile variables of a program are to other threads [default: plain]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub volatile: Option<Volatile>,
    /// Run the one execution of a program that a report has named
    #[arg(long, value_name = "EXECUTION")]
    pub replay: Option<String>,
    /// Whether a program is kept from acting on files, the network and other processes. With `off`, whatever it does is done
    /// for real, many times [default: on]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub sandbox: Option<Sandbox>,
}

/// Whether a program is kept from acting on the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sandbox {
    On,
    Off,
}

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemoryModel {
    Sc,
    Tso,
    Ra,
    Rc11,
}

/// In which order of addresses threads have their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AddressOrder {
    /// Ascending, and descending as well if the program depends on it.
    Auto,
    /// Ascending only.
    Ascending,
    /// Both, one after the other.
    Both,
}

/// What accesses to volatile variables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Volatile {
    /// As C says: they race.
    Plain,
    /// Relaxed atomic operations, as kernels and older libraries mean them.
    Relaxed,
}

/// What to do about threads that wait for ever at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stuck {
    Off,
    Note,
    Error,
}

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Clock {
    /// Only by sleeping and by waiting in vain.
    Still,
    /// At every look at the clock.
    Free,
}

/// What to do about memory that is never freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Leaks {
    Off,
    Warn,
    Error,
}

/// What to read.
#[derive(Debug, Args)]
pub struct Input {
    /// The Promela model, or a C or C++ program (.c, .cc, .cpp, .cxx)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Define a macro before the first line of the model; without a value it stands for 1
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    pub defines: Vec<Define>,
}

/// How to answer.
#[derive(Clone, Copy, Debug, Args)]
pub struct Output {
    /// Text for people, or one JSON object on standard output and nothing else
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    /// Use colours: `auto` does so on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// Partial-order reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Por {
    On,
    Off,
    /// Believing what SPIN believes.
    Spin,
}

/// In which order to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchOrder {
    Dfs,
    Bfs,
}

/// Which properties the answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Property {
    All,
    Safety,
    None,
}

/// Whether and how to use symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Symmetry {
    #[value(alias = "on")]
    Auto,
    Off,
    Ids,
    Require,
    Canonical,
    Full,
    Segmented,
    PcSegmented,
    Sorted,
    PcSorted,
}

impl Symmetry {
    /// The strategy asked for, if any.
    pub fn strategy(self) -> Option<Strategy> {
        Some(match self {
            Symmetry::Off | Symmetry::Ids => return None,
            Symmetry::Auto | Symmetry::Require | Symmetry::Canonical => Strategy::Canonical,
            Symmetry::Full => Strategy::Full,
            Symmetry::Segmented => Strategy::Segmented,
            Symmetry::PcSegmented => Strategy::PcSegmented,
            Symmetry::Sorted => Strategy::Sorted,
            Symmetry::PcSorted => Strategy::PcSorted,
        })
    }
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Human,
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

fn define(text: &str) -> Result<Define, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("a macro needs a name: write NAME or NAME=VALUE".to_string());
    }
    Ok((name.to_string(), value))
}

fn number_or_off(text: &str) -> Result<usize, String> {
    match text {
        "off" => Ok(0),
        _ => text.parse().map_err(|_| "not a number, and not `off`".to_string()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("the time must be more than zero".to_string()),
    }
}

/// A size in bytes, with an optional binary unit: `1000`, `64K`, `512M`, `2G`, `1.5G`, `1T`, also `512MB` and `512MiB`.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let shift = match unit.trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("not a size: write a number of bytes, or a number with K, M, G or T".to_string()),
    };
    let number: f64 = digits.parse().map_err(|_| "not a size: write 512M or 2G, say".to_string())?;
    let bytes = number * (1u64 << shift) as f64;
    if !bytes.is_finite() || bytes < 1.0 || bytes >= u64::MAX as f64 {
        return Err("the size must be at least one byte".to_string());
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("64k"), Ok(64 << 10));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("2T"), Ok(2 << 40));
        for bad in ["", "M", "0", "-1", "1X", "1e400", "inf"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_option_has_a_description() {
        let command = Cli::command();
        for sub in command.get_subcommands() {
            for arg in sub.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {}", sub.get_name(), arg.get_id());
            }
        }
    }
}
