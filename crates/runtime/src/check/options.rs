//! How to check, what a check has found, and what it has learnt about the program on the way.

use super::{State, Whereabouts};
use crate::failure::Failure;
use crate::loops;
use crate::native::Host;
use quotient_dpor::{Estimate, Settings, Statistics};
use std::collections::HashSet;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

/// Is told how far an exploration is.
pub type Progress = Arc<dyn Fn(&Statistics) + Send + Sync>;

/// When to stop early.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// After so many executions.
    pub executions: Option<u64>,
    /// After this time.
    pub time: Option<Duration>,
}

/// How to check.
#[derive(Clone)]
pub struct Options {
    /// What is explored.
    pub settings: Settings,
    /// When to stop early.
    pub limits: Limits,
    /// How many OS threads explore.
    pub jobs: usize,
    /// The size of a modelled thread's stack.
    pub stack_size: usize,
    /// One execution to run instead of exploring; see [`Failure::script`].
    pub replay: Option<String>,
    /// Instead of exploring, estimate the number of executions from so many random walks.
    pub walks: Option<u32>,
    /// How often each thread may be woken without a reason in an execution.
    pub spurious_wakeups: u32,
    /// Whether a panic unwinds its thread and ends only that, as in a program that is not checked; a panic that leaves
    /// `main`, or a thread that nobody joins, is still a violation.
    pub unwinds: bool,
    /// Whether blocks of memory that are allocated later have lower addresses than earlier ones. A host has its own way.
    pub descending: bool,
    /// Whether executions that are run twice have the other order the second time. What depends on it is found out.
    pub flips: bool,
    /// Whether everything on the stacks that is said to be dead is overwritten after each operation: nothing may change by that.
    pub noise: bool,
    /// How long a thread may run without a visible operation.
    pub stall_timeout: Duration,
    /// Is told now and then how far the exploration is.
    pub progress: Option<Progress>,
    /// Who keeps the memory of the program, if it is a native one; then there can be only one job.
    pub host: Option<Arc<dyn Host>>,
    /// The part to be explored, and how many there are: other processes explore the others.
    pub share: Option<(u32, u32)>,
    /// What another check has found out about the program.
    pub knowledge: Knowledge,
    /// Whether the host wants to know where the exploration is; see `keep_whereabouts` of the host.
    pub keeps_position: bool,
    /// Where another process was, to go on from there.
    pub resume: Option<Arc<Whereabouts>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            settings: Settings::default(),
            limits: Limits::default(),
            jobs: 1,
            stack_size: 256 << 10,
            replay: None,
            walks: None,
            spurious_wakeups: 0,
            unwinds: false,
            descending: false,
            flips: false,
            noise: false,
            stall_timeout: Duration::from_secs(20),
            progress: None,
            host: None,
            share: None,
            knowledge: Knowledge::default(),
            keeps_position: false,
            resume: None,
        }
    }
}

/// Why an exploration ended before it was exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// There were more executions than allowed.
    Executions,
    /// There was no time left.
    Time,
    /// Only one execution was asked for.
    Replay,
    /// A loop goes on changing something.
    Loop,
}

impl Options {
    /// How many OS threads explore.
    pub(super) fn workers(&self) -> usize {
        if self.replay.is_some() || self.walks.is_some() || self.host.is_some() { 1 } else { self.jobs.max(1) }
    }
}

/// What a check has found.
#[derive(Debug)]
pub struct Outcome {
    /// What has been explored.
    pub statistics: Statistics,
    /// What is wrong.
    pub failure: Option<Failure>,
    /// Why not everything was explored.
    pub stop: Option<Stop>,
    /// The loop that was not followed to its end, if that is why.
    pub undecided: Option<String>,
    /// What random walks say about the number of executions, if that was asked for.
    pub estimate: Option<Estimate>,
    /// What was found out about the program on the way.
    pub knowledge: Knowledge,
    /// Whether some of that was found out by this check of a part, so that all parts have to be explored again.
    pub learnt: bool,
    /// How many events, nodes and edges have been looked at to check graphs and to list revisits.
    pub work: u64,
    /// Where a thread has waited for a condition variable or to be unparked, if one has.
    pub waits_at: Option<&'static Location<'static>>,
}

impl Outcome {
    /// What is known when one execution was run: nothing about others.
    pub(super) fn of_replay(state: &State, failure: Option<Failure>, knowledge: Knowledge) -> Self {
        let stop = Some(Stop::Replay);
        Outcome {
            statistics: state.statistics,
            failure,
            stop,
            undecided: None,
            estimate: None,
            knowledge,
            learnt: false,
            work: state.work,
            waits_at: state.waits_at,
        }
    }
}

/// What has been learnt about the program, which makes the exploration begin again.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Classes of threads that were spawned alike, but turned out to be told apart by the program.
    pub distinguished: HashSet<u64>,
    /// Whether the counts of shared references are visible operations.
    pub observe_references: bool,
    /// Whether threads take turns as they did before when an execution is repeated: the program has state that Quotient does
    /// not see.
    pub keep_order: bool,
    /// Where the program does something else if later blocks have lower addresses, if it does.
    pub orders_addresses: Option<String>,
    /// Whether others get to know of memory without being ordered after all that was written there.
    pub distrusts_publication: bool,
    /// How many rounds of a loop that goes on changing something are followed.
    pub rounds: u32,
}

impl Default for Knowledge {
    fn default() -> Self {
        Knowledge {
            distinguished: HashSet::new(),
            observe_references: false,
            keep_order: false,
            orders_addresses: None,
            distrusts_publication: false,
            rounds: loops::ROUNDS,
        }
    }
}
