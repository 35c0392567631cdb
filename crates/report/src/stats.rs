//! How big a search was and what its reductions saved. Counts of models are SPIN's: transitions are stored states plus states
//! met again.

use serde::{Deserialize, Serialize};

use crate::processes::ProcessStats;

/// The size of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// What was explored.
    #[serde(flatten)]
    pub explored: Explored,
    /// How long the search took.
    pub seconds: f64,
    /// The most memory the process had at any time; 0 where that is not known, as for programs.
    pub peak_memory_bytes: u64,
}

/// What was explored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Explored {
    /// States of a model.
    Model(Box<ModelStats>),
    /// Executions of a program.
    Program(ProgramStats),
    /// States of a set of processes.
    Processes(ProcessStats),
}

/// The size of the check of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramStats {
    /// Executions that ran to their end.
    pub executions: u64,
    /// Executions that were given up because a thread could not go on.
    pub blocked: u64,
    /// Events of all executions.
    pub events: u64,
    /// Backward revisits.
    pub revisits: u64,
    /// The most events an execution has had.
    pub longest: u64,
    /// Whether threads that were started alike turned out to be told apart.
    pub distinguished: bool,
    /// How many times an execution was run again to see that threads are alike.
    pub likeness_runs: u64,
}

/// The size of the search of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelStats {
    /// States stored.
    pub states: u64,
    /// States met again.
    pub matched: u64,
    /// Stored plus met again.
    pub transitions: u64,
    /// The longest run, in steps.
    pub depth: u64,
    /// Errors, counted as by `pan -c0`.
    pub errors: u64,
    /// Whose states these are, if not those of the model as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_as: Option<String>,
    /// How visited states were kept: `exact` or `tree`.
    #[serde(default)]
    pub store: String,
    /// Bytes of the visited set for each stored state.
    pub bytes_per_state: f64,
    /// Bytes of it that tell the states, without what finds them, for each stored state.
    #[serde(default)]
    pub payload_per_state: f64,
    /// With symmetry reduction: states met whose representative need not be the only one of its orbit, because the search
    /// for it took too long. They cost states, and never a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised_states: Option<u64>,
    /// What symmetry reduction did.
    pub symmetry: Symmetry,
    /// What partial-order reduction did.
    pub por: PartialOrder,
    /// Reductions that turned out not to be right; the search was started again without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Dropped>,
}

/// A reduction that turned out not to be right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// Which one: `symmetry` or `partial-order`.
    pub reduction: String,
    /// What showed that, in one line.
    pub message: String,
}

/// What symmetry reduction did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Symmetry {
    /// The strategy; `off` for none.
    pub strategy: String,
    /// Why there is none although one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it did, when there is one.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveSymmetry>,
}

/// What a strategy did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActiveSymmetry {
    /// Whether every orbit was stored once. If not, the number of states depends on the order of the search.
    pub canonical: bool,
    /// What was renamed.
    pub sets: Vec<Scalarset>,
    /// Where its names occur, a line for each set, if the tool has found them itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// How many renamings there are.
    pub group_size: f64,
    /// Orbits stored; more than there are when the strategy is not canonical.
    pub orbits: u64,
    /// How many states they stand for, if all were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub represented_states: Option<u64>,
    /// About how many states they stand for, if a sample was counted. Neither is there when it cannot be told: with a
    /// strategy that is not canonical, with partial-order reduction, with too many renamings to try them all, or if not
    /// all states that differ from reachable ones by a renaming need be reachable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_states: Option<u64>,
    /// How often a representative was looked for.
    pub representatives: u64,
    /// The part of the time that this took, estimated from a sample.
    pub time_share: f64,
    /// On how many states renaming and moving were checked to commute.
    pub checked_states: u64,
}

/// A set whose members differ by name only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scalarset {
    /// Its name.
    pub name: String,
    /// How many members it has.
    pub size: usize,
    /// Which renamings there are: `symmetric`, `cyclic` or `dihedral`.
    pub group: String,
}

/// What partial-order reduction did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartialOrder {
    /// Whether it was asked for.
    pub requested: bool,
    /// Whether it was applied.
    pub active: bool,
    /// Why it was not applied although it was asked for.
    pub reason: Option<String>,
    /// States at which the moves of one process were enough.
    pub reduced_states: u64,
    /// Local steps without a choice that were taken at once, so that the state before them was not stored.
    #[serde(default)]
    pub skipped_steps: u64,
}

impl Stats {
    /// The size of the search of a model, if it was one.
    pub fn model(&self) -> Option<&ModelStats> {
        match &self.explored {
            Explored::Model(stats) => Some(stats),
            Explored::Program(_) | Explored::Processes(_) => None,
        }
    }

    /// The size of the search of a set of processes, if it was one.
    pub fn processes(&self) -> Option<&ProcessStats> {
        match &self.explored {
            Explored::Processes(stats) => Some(stats),
            Explored::Model(_) | Explored::Program(_) => None,
        }
    }

    /// The size of the check of a program; nothing, if it was something else.
    pub fn program(&self) -> ProgramStats {
        match &self.explored {
            Explored::Model(_) | Explored::Processes(_) => ProgramStats::default(),
            Explored::Program(stats) => *stats,
        }
    }

    /// Adds what was explored of the same program at the same time.
    pub fn add_beside(&mut self, other: &Stats) {
        self.explored = Explored::Program(self.program().with(other.program()));
        self.seconds = self.seconds.max(other.seconds);
        self.peak_memory_bytes += other.peak_memory_bytes;
    }

    /// Adds what was explored of the same program before.
    pub fn add_before(&mut self, other: &Stats) {
        self.explored = Explored::Program(self.program().with(other.program()));
        self.seconds += other.seconds;
        self.peak_memory_bytes = self.peak_memory_bytes.max(other.peak_memory_bytes);
    }
}

impl From<ProgramStats> for Stats {
    fn from(stats: ProgramStats) -> Self {
        Stats { explored: Explored::Program(stats), seconds: 0.0, peak_memory_bytes: 0 }
    }
}

impl ProgramStats {
    /// The sum of two explorations of one program.
    #[must_use]
    pub fn with(self, other: ProgramStats) -> ProgramStats {
        ProgramStats {
            executions: self.executions + other.executions,
            blocked: self.blocked + other.blocked,
            events: self.events + other.events,
            revisits: self.revisits + other.revisits,
            longest: self.longest.max(other.longest),
            distinguished: self.distinguished | other.distinguished,
            likeness_runs: self.likeness_runs + other.likeness_runs,
        }
    }
}
