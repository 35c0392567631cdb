//! What to check and how, as data: each option is written once, here. With the feature `clap` the same structs are a part of
//! a command line; what is serialized is what must be the same when a search goes on from a checkpoint.

use quotient_runtime::MAX_EVENTS;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use quotient_explain::Keep;
use quotient_explain::trace_file::{Define, SavedReading};
#[cfg(feature = "clap")]
use quotient_ir::heap::MOST_CALLS;
use quotient_search::SELFCHECK;
use serde::{Deserialize, Serialize};

use crate::observer::{Observed, Observer};
#[cfg(feature = "clap")]
use crate::parse;
use crate::words::{
    AddressOrder, Algorithm, Clock, CountAs, Fair, Language, Leaks, MemoryModel, Order, Property, Reduce, Sandbox,
    Store, StuckThreads, Switch, Symmetry, Volatile,
};

/// Options for every kind of input.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Common {
    /// Macros that are defined before the first line.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub defines: Vec<Define>,
    /// Stop after this many seconds
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", value_parser = parse::seconds))]
    pub max_time: Option<Duration>,
    /// Stop when the check takes this much memory, such as 512M or 2G [default: three quarters of what the system and the
    /// limits of the process leave]
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = parse::size))]
    pub max_memory: Option<u64>,
    /// What the answer is about: `all` that the model states (safety, never claims, ltl formulas), `safety`, `none` (safety,
    /// and nothing is said of the rest), the name of a claim, `acceptance` or `progress` labels, or a formula such as
    /// '[] <> (x == 0)'. It can be given more than once [default: all]
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub property: Vec<Property>,
    /// Leave out states that differ only by names that do not matter. `auto` does so where the model has a symmetry;
    /// `require` makes it an error that it has none. The others choose how the representative of such states is found:
    /// `canonical` (what `auto` and `require` use), or the strategies of SymmSpin. Models with a heap have `none`, `heap`,
    /// `pc`, `kbots`, `kbots:K` and `canonical`. Programs have `off`,
    /// `auto` (like threads) and `ids`: also threads that differ only in an id or an index, which is checked
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_parser = parse::SymmetryParser, value_name = "STRATEGY", default_value = "auto"))]
    pub symmetry: Symmetry,
    /// Save in this file how far the search is, from time to time and when it ends before everything was seen; --resume
    /// goes on from there
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub checkpoint: Option<PathBuf>,
    /// How many seconds there are between two checkpoints at least; there are more if writing them takes long [default: 60]
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", value_parser = parse::seconds, requires = "checkpoint"))]
    pub checkpoint_every: Option<Duration>,
    /// Go on with the search that was saved in this file by --checkpoint. Limits and the form of the answer may differ; the
    /// input and all other options must be the same
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub resume: Option<PathBuf>,
    /// Who watches the check.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub observer: Observed,
}

/// How a model is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Reading {
    /// The language of the model [default: BIR for files that end in .bir, dSPIN's Promela for .dprom, else Promela]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "LANGUAGE"))]
    pub language: Option<Language>,
    /// How many records the heap of a model may have at once; one more is an error of the model [default: 255]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..)))]
    pub heap_limit: Option<u16>,
    /// How many calls of functions a thread of a model may be in at once; one more is an error of the model [default: 64]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_CALLS as i64)))]
    pub stack_limit: Option<u16>,
    /// A record that nobody refers to any more, and that was not deleted, is an error (dSPIN's Promela)
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long))]
    pub must_delete: bool,
    /// Assume that only the thread that holds a record's lock uses the record. Every access is checked (BIR)
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "clap", arg(long))]
    pub assume_locks: bool,
}

impl From<Reading> for SavedReading {
    fn from(reading: Reading) -> Self {
        let language = reading.language.map(|language| language.name().to_string());
        let Reading { heap_limit, stack_limit, must_delete, assume_locks, .. } = reading;
        SavedReading { language, heap_limit, stack_limit, must_delete, assume_locks }
    }
}

impl From<&SavedReading> for Reading {
    fn from(saved: &SavedReading) -> Self {
        let language = saved.language.as_deref().and_then(Language::by_name);
        let SavedReading { heap_limit, stack_limit, must_delete, assume_locks, .. } = *saved;
        Reading { language, heap_limit, stack_limit, must_delete, assume_locks }
    }
}

impl Reading {
    /// The language of a model in a file of this name.
    pub fn language_of(&self, path: &Path) -> Language {
        let by_name = || match path.extension().and_then(|extension| extension.to_str()) {
            Some("bir") => Language::Bir,
            Some("dprom") => Language::Dspin,
            _ => Language::Promela,
        };
        self.language.unwrap_or_else(by_name)
    }
}

/// How to check a model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ModelOptions {
    /// What is the same for every kind of input.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub common: Common,
    /// How the model is read.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub reading: Reading,
    /// Leave out runs that differ only in the order of independent steps, local steps in between, and values that nobody
    /// will read. `spin` searches as SPIN does: in its order, with its partial-order reduction as far as that is right
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            alias = "por",
            value_enum,
            value_name = "FULL|SPIN|OFF",
            default_value_t,
            hide_possible_values = true
        )
    )]
    pub reduce: Reduce,
    /// In a model with a heap: take making a record for a step that nobody else can notice, since the names of records do not
    /// matter. `off` is for comparing the reduction with those of other tools
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, value_name = "ON|OFF", default_value_t, hide_possible_values = true)
    )]
    pub symmetric_independence: Switch,
    /// Mention records that nobody refers to any more and that were not deleted: they are looked for after the search (dSPIN's Promela)
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub mention_leaks: bool,
    /// Whose states are counted. `spin` believes all that SPIN believes, to have the counts of its verifier without its
    /// optimisations (`spin -o1 -o2 -o3 -a`). `spin-default` does all that SPIN does by default as well: it resets dead
    /// variables, merges statements and hides variables that are never read. With both the reduction is SPIN's, or off.
    /// Errors can be lost, so the answer is never HOLDS
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHOSE", default_value_t))]
    pub count_as: CountAs,
    /// Search depth-first (in SPIN's order) or breadth-first (finds a shortest run to an error)
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub order: Order,
    /// How visited states are kept: whole (`exact`), or as trees that share equal parts (`tree`), which takes a fraction of
    /// the memory and more time. `auto` keeps them whole. What is found is the same
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW", default_value_t))]
    pub store: Store,
    /// Look only at runs in which no process is passed over forever: one that can move from some time on without a
    /// break (weak), or again and again (strong). It is for temporal properties [default without a value: weak]
    #[serde(skip)]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_enum, value_name = "WEAK|STRONG", num_args = 0..=1, require_equals = true,
            default_missing_value = "weak", hide_possible_values = true)
    )]
    pub fair: Option<Fair>,
    /// With --fair: only processes of these types must get their turn, given with commas or more than once
    /// [default: all]
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TYPE", value_delimiter = ','))]
    pub fair_to: Vec<String>,
    /// Where a temporal property is violated, say whether it holds with --fair. That takes more searches
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub explain: bool,
    /// How cycles are looked for where a property is temporal: by strongly connected components, or by SPIN's nested
    /// depth-first search, without reductions, and with its counts for `never` claims and labels (formulas are translated
    /// otherwise than by SPIN)
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub algorithm: Algorithm,
    /// Go on after the first violation and count all of them. Of a temporal property one is found, but with --algorithm ndfs
    #[cfg_attr(feature = "clap", arg(long))]
    pub all_errors: bool,
    /// Stop after storing this many states
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub max_states: Option<u64>,
    /// Cut runs after this many steps
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_depth: Option<u64>,
    /// Read from this file what is symmetric about the model
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub symmetry_file: Option<PathBuf>,
    /// Check the reductions on this many states, chosen at random, and on the first ones of every kind; a reduction that
    /// is not right is dropped, and the search starts again
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            alias = "symmetry-selfcheck",
            value_name = "N|OFF",
            value_parser = parse::number_or_off,
            default_value_t = SELFCHECK
        )
    )]
    pub selfcheck: usize,
    /// Let processes that change places under the symmetry stay when they end, so that the order in which they end does
    /// not matter. In SPIN they are removed, youngest first
    #[cfg_attr(feature = "clap", arg(long))]
    pub order_free_termination: bool,
    /// List the statements of each process type that are never executed
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub unreached: bool,
    /// Save the run to the first violation in this file, for `quotient replay`; also shows its steps, or of a long run
    /// the first and the last thousand
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub trace: Option<PathBuf>,
    /// Which violations are told, and how much of their runs.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub told: Told,
}

/// How to check a C or C++ program.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ProgramOptions {
    /// What is the same for every kind of input.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub common: Common,
    /// What to tell the compiler besides.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub compiler_flags: Vec<String>,
    /// The memory model of a program
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "MODEL", default_value_t))]
    pub memory_model: MemoryModel,
    /// Stop after this many executions of a program
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub max_executions: Option<u64>,
    /// How many events one execution of a program may have
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = MAX_EVENTS))]
    pub max_events: u32,
    /// Let a loop of a program go back to its beginning only so often each time that it is entered; what is cut off makes
    /// the answer inconclusive
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..)))]
    pub unroll: Option<u32>,
    /// Explore a program with this many processes; the counts are the same
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256), default_value_t = 1))]
    pub jobs: u32,
    /// What to do about memory that a program never frees
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHAT", default_value_t))]
    pub leaks: Leaks,
    /// What to do about threads of a program that wait forever when it ends
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHAT", default_value_t))]
    pub stuck_threads: StuckThreads,
    /// How many seconds a thread of a program may run without a visible operation [default: 10]
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, alias = "patience", value_name = "SECONDS", value_parser = parse::seconds))]
    pub stall_timeout: Option<Duration>,
    /// Let weak compare-and-exchange operations of a program fail without a reason
    #[cfg_attr(feature = "clap", arg(long))]
    pub spurious_failures: bool,
    /// How often a thread of a program that waits to be notified may wake up without a reason
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 0))]
    pub spurious_wakeups: u32,
    /// Whether time may pass when a program looks at the clock, or only when it sleeps
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHAT", default_value_t))]
    pub clock: Clock,
    /// In which order of addresses the threads of a program have their memory: ascending, and descending as well if the
    /// program depends on it; ascending only; or both
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "ORDER", default_value_t))]
    pub address_order: AddressOrder,
    /// How other threads see a program's accesses to volatile variables
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHAT", default_value_t))]
    pub volatile: Volatile,
    /// Run the one execution of a program that a report has named
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "EXECUTION"))]
    pub replay: Option<String>,
    /// Whether a program is kept from acting on files, the network and other processes. With `off`, whatever it does is done
    /// for real, many times
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHAT", default_value_t))]
    pub sandbox: Sandbox,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions {
            common: Common::default(),
            reading: Reading::default(),
            reduce: Reduce::default(),
            symmetric_independence: Switch::default(),
            mention_leaks: false,
            count_as: CountAs::default(),
            order: Order::default(),
            store: Store::default(),
            fair: None,
            fair_to: Vec::new(),
            explain: false,
            algorithm: Algorithm::default(),
            all_errors: false,
            max_states: None,
            max_depth: None,
            symmetry_file: None,
            selfcheck: SELFCHECK,
            order_free_termination: false,
            unreached: false,
            trace: None,
            told: Told::default(),
        }
    }
}

impl Default for ProgramOptions {
    fn default() -> Self {
        ProgramOptions {
            common: Common::default(),
            compiler_flags: Vec::new(),
            memory_model: MemoryModel::default(),
            max_executions: None,
            max_events: MAX_EVENTS,
            unroll: None,
            jobs: 1,
            leaks: Leaks::default(),
            stuck_threads: StuckThreads::default(),
            stall_timeout: None,
            spurious_failures: false,
            spurious_wakeups: 0,
            clock: Clock::default(),
            address_order: AddressOrder::default(),
            volatile: Volatile::default(),
            replay: None,
            sandbox: Sandbox::default(),
        }
    }
}

impl Common {
    /// Defines a macro.
    #[must_use]
    pub fn define(mut self, name: &str, value: &str) -> Self {
        self.defines.push((name.to_string(), Some(value.to_string())));
        self
    }

    /// Lets somebody watch the check.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Observed(observer);
        self
    }
}

impl From<Common> for ModelOptions {
    fn from(common: Common) -> Self {
        ModelOptions { common, ..ModelOptions::default() }
    }
}

impl From<Common> for ProgramOptions {
    fn from(common: Common) -> Self {
        ProgramOptions { common, ..ProgramOptions::default() }
    }
}

/// Which violations of a model are told, and how much of their runs. What is left out is counted in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// How many violations.
    pub most: usize,
    /// How much of the runs of the first few.
    pub first: Keep,
    /// How much of the runs of the others.
    pub others: Keep,
}

impl Default for Told {
    /// All violations; the runs of a few with many steps.
    fn default() -> Self {
        Told { most: usize::MAX, first: Keep::MANY, others: Keep::FEW }
    }
}

impl Told {
    /// The first violation only.
    pub fn first(keep: Keep) -> Self {
        Told { most: 1, first: keep, others: keep }
    }

    /// All violations with all their steps.
    pub fn everything() -> Self {
        Told { most: usize::MAX, first: Keep::ALL, others: Keep::ALL }
    }
}
