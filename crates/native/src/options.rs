//! How a program is checked.

use quotient_runtime::MemoryModel;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory model.
    pub model: MemoryModel,
    /// Whether one execution stands for all that differ in the names of like threads.
    pub symmetry: bool,
    /// Whether threads with the same function and different arguments are taken to be alike, if nothing contradicts it.
    pub ids: bool,
    /// Whether a weak exchange may fail without a reason.
    pub spurious_failures: bool,
    /// How often a thread that waits to be notified may wake up without a reason.
    pub spurious_wakeups: u32,
    /// Whether time passes only by sleeping and by waiting in vain.
    pub still_clock: bool,
    /// How many events an execution may have.
    pub max_events: u32,
    /// Stop after so many executions.
    pub max_executions: Option<u64>,
    /// Stop after this time, compiling included.
    pub max_time: Option<Duration>,
    /// Since when the time counts.
    pub started: Instant,
    /// Stop when the processes that explore take more than this many bytes together.
    pub max_memory: Option<u64>,
    /// Stop when this says so.
    pub interrupted: Option<Interrupted>,
    /// Whether the program is kept from acting on the world.
    pub sandbox: bool,
    /// How long a thread may run without a visible operation.
    pub stall_timeout: Duration,
    /// What to do about memory that is never freed.
    pub leaks: Leaks,
    /// What to do about threads that wait forever when the program has ended.
    pub stuck: Stuck,
    /// How often a loop may go back to its beginning each time that it is entered; more is cut off.
    pub unroll: Option<u32>,
    /// Whether accesses to volatile variables are relaxed atomic operations.
    pub relaxed_volatile: bool,
    /// One execution to run instead of exploring.
    pub replay: Option<String>,
    /// Who writes checkpoints, if somebody does.
    pub checkpoints: Option<Checkpoints>,
    /// A checkpoint to go on from.
    pub resume: Option<Vec<u8>>,
    /// How many processes explore.
    pub jobs: u32,
    /// In which order the memory of threads is laid out.
    pub address_order: AddressOrder,
    /// Whether everything on stacks that is said to be dead is overwritten after each operation, which must change nothing.
    pub noise: bool,
}

/// Says whether a check is to stop now. It is asked again and again, by several threads.
#[derive(Clone)]
pub struct Interrupted(pub Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupted")
    }
}

/// What to do about memory that is never freed and that nothing refers to any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Leaks {
    /// Nothing.
    Ignore,
    /// Mention it.
    Warn,
    /// It is a violation.
    Error,
}

/// What to do about threads that wait forever when the program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stuck {
    /// Nothing.
    Ignore,
    /// Mention it.
    Note,
    /// It is a violation.
    Error,
}

/// In which order the memory of threads is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressOrder {
    /// Ascending; if the program depends on the order, descending as well.
    Auto,
    /// Ascending only.
    Ascending,
    /// Both, one after the other.
    Both,
}

/// Writes a checkpoint.
pub type Writer = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Who writes checkpoints, and how often.
#[derive(Clone)]
pub struct Checkpoints {
    /// How long it is from one to the next.
    pub every: Duration,
    /// Writes one; what cannot be written is told there.
    pub write: Writer,
}

impl fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoints").field("every", &self.every).finish_non_exhaustive()
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: MemoryModel::Rc11,
            symmetry: true,
            ids: false,
            spurious_failures: false,
            spurious_wakeups: 0,
            still_clock: false,
            max_events: quotient_runtime::MAX_EVENTS,
            max_executions: None,
            max_time: None,
            started: Instant::now(),
            max_memory: None,
            interrupted: None,
            sandbox: crate::is_sandbox_available(),
            stall_timeout: Duration::from_secs(10),
            leaks: Leaks::Warn,
            stuck: Stuck::Note,
            unroll: None,
            relaxed_volatile: false,
            replay: None,
            checkpoints: None,
            resume: None,
            jobs: 1,
            address_order: AddressOrder::Auto,
            noise: false,
        }
    }
}

impl Options {
    /// How much of the time is left.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.max_time.map(|most| most.saturating_sub(self.started.elapsed()))
    }

    /// How long the time has been over.
    pub(crate) fn time_over(&self) -> Duration {
        self.max_time.map_or(Duration::ZERO, |most| self.started.elapsed().saturating_sub(most))
    }

    /// Whether somebody wants the check to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.as_ref().is_some_and(|interrupted| (interrupted.0)())
    }
}
