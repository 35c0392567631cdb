//! The command line: every option is honoured, or rejected before anything starts. What is checked and how is said by the
//! options of `quotient_check`; here is what is only for commands.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Parser, Subcommand, ValueEnum};
use quotient_check::{Common, Define, ModelOptions, ProcessOptions, ProgramOptions, Reading};

/// Checks concurrent systems: finds runs in which something goes wrong, or shows that there are none.
#[derive(Debug, Parser)]
#[command(name = "quotient", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 nothing is wrong in any run, 1 something is, 2 usage or input error, 3 inconclusive (the \
                          check was cut short, or something was not checked: for models see --property of `check`).";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check all runs of a model, or of a C or C++ program, for errors: violated assertions and properties, deadlocks,
    /// races, misuse of memory or of channels, and the like
    #[command(after_help = EXIT_CODES)]
    Check(Box<Check>),
    /// Run a set of processes in every order of their calls, and look for deadlocks, crashes and violated assertions (Linux)
    #[command(after_help = EXIT_CODES)]
    Run(Box<Run>),
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
pub(crate) struct Check {
    #[command(flatten)]
    pub input: Input,
    /// More source files of a C or C++ program
    #[arg(value_name = "FILE")]
    pub more_files: Vec<PathBuf>,
    /// What to tell the compiler of a C or C++ program, after `--`
    #[arg(last = true, value_name = "COMPILER FLAGS")]
    pub compiler_flags: Vec<String>,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub model: ModelOptions,
    /// Show all steps of a run, however long it is
    #[arg(long)]
    pub full_trace: bool,
    /// Draw the heap at the end of the run as a graph, in this file (Graphviz)
    #[arg(long, value_name = "FILE")]
    pub heap_graph: Option<PathBuf>,
    #[command(flatten)]
    pub program: ProgramOptions,
    #[command(flatten)]
    pub output: Output,
    /// Show the verdict only
    #[arg(long, short)]
    pub quiet: bool,
}

/// `quotient run`
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// A .system file, which lists the processes
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The commands, with `:::` between them, after `--`
    #[arg(last = true, value_name = "COMMANDS")]
    pub commands: Vec<String>,
    #[command(flatten)]
    pub options: ProcessOptions,
    #[command(flatten)]
    pub output: Output,
    /// Show the verdict only
    #[arg(long, short)]
    pub quiet: bool,
}

/// The first option of a group that was given, if its value is not the default, and it is not one that is meant for others too.
pub(crate) fn given<A: Args>(matches: &ArgMatches, but: &str) -> Option<String> {
    let group = A::augment_args(clap::Command::new("group"));
    let is_given = |arg: &&clap::Arg| {
        let id = arg.get_id().as_str();
        let defaults = arg.get_default_values().iter().map(|value| value.as_os_str());
        let is_default = || matches.get_raw(id).is_some_and(|values| values.eq(defaults));
        id != but && matches.value_source(id) == Some(ValueSource::CommandLine) && !is_default()
    };
    group.get_arguments().find(is_given).and_then(clap::Arg::get_long).map(|name| format!("--{name}"))
}

/// `quotient replay`
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The saved run
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Show all steps, and not only the violation they lead to
    #[arg(long)]
    pub steps: bool,
    /// Draw the heap at the end of the run as a graph, in this file (Graphviz)
    #[arg(long, value_name = "FILE")]
    pub heap_graph: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// `quotient simulate`
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub reading: Reading,
    /// Repeat the random run with this seed [default: a new one, which is printed]
    #[arg(long, value_name = "N", conflicts_with_all = ["interactive", "along"])]
    pub seed: Option<u64>,
    /// Stop after this many steps [default: 1000; with --along, where the saved run ends]
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// Ask at every step which one to take: its number, or q to quit
    #[arg(long, conflicts_with = "along")]
    pub interactive: bool,
    /// Follow a run saved by --trace
    #[arg(long, value_name = "FILE")]
    pub along: Option<PathBuf>,
    /// Save the run in this file, for `quotient replay` and --along
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Draw the heap at the end of the run as a graph, in this file (Graphviz)
    #[arg(long, value_name = "FILE")]
    pub heap_graph: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// What to read.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// The model, in Promela, dSPIN's Promela (.dprom) or BIR (.bir); `check` takes a C or C++ program (.c, .cc, .cpp, .cxx), too
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Define a macro of the model or the program; without a value it stands for 1. In BIR, set a constant: C.N=3
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    pub defines: Vec<Define>,
}

/// How to answer.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Output {
    /// Text for people, or one JSON object on standard output and nothing else
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    /// Use colours: `auto` does so on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// A macro without a name.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a macro needs a name: write NAME or NAME=VALUE")]
struct Unnamed;

fn define(text: &str) -> Result<Define, Unnamed> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err(Unnamed);
    }
    Ok((name.to_string(), value))
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
    fn every_option_has_a_description() {
        let command = Cli::command();
        for sub in command.get_subcommands() {
            for arg in sub.get_arguments() {
                assert!(arg.get_help().is_some(), "{} {}", sub.get_name(), arg.get_id());
            }
        }
    }
}
