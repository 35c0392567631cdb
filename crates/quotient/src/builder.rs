//! How a check is set up. Every setting has a default, a method here, and an environment variable that overrides both.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use crate::report::Report;
use crate::{Estimate, MemoryModel, connect, env};

/// Checks a program: runs `program` in every way that its threads and memory can behave.
///
/// # Panics
/// If something is wrong with the program: a thread panics, accesses race, threads wait forever, memory leaks. The
/// message shows the execution. Also if a limit stops the check before it has seen every execution.
pub fn check<F>(program: F)
where
    F: Fn() + Send + Sync + 'static,
{
    Builder::new().check(program);
}

/// The settings of a check.
///
/// Environment variables override what a program sets here, so that a check can be run in another way without
/// changing it:
///
/// | variable | method | values |
/// |---|---|---|
/// | `QUOTIENT_MODEL` | [`model`](Self::model) | `sc`, `tso`, `ra`, `rc11` |
/// | `QUOTIENT_SYMMETRY` | [`symmetry`](Self::symmetry) | `true`, `false` |
/// | `QUOTIENT_JOBS` | [`jobs`](Self::jobs) | a number from 1 |
/// | `QUOTIENT_MAX_EXECUTIONS` | [`max_executions`](Self::max_executions) | a number from 1 |
/// | `QUOTIENT_MAX_EVENTS` | [`max_events`](Self::max_events) | a number from 1 |
/// | `QUOTIENT_MAX_TIME` | [`max_time`](Self::max_time) | seconds, or with a unit: `500ms`, `30s`, `5m`, `2h` |
/// | `QUOTIENT_SPURIOUS` | [`spurious_failures`](Self::spurious_failures) | `true`, `false` |
/// | `QUOTIENT_SPURIOUS_WAKEUPS` | [`spurious_wakeups`](Self::spurious_wakeups) | a number |
/// | `QUOTIENT_UNWIND` | [`unwind`](Self::unwind) | `true`, `false` |
/// | `QUOTIENT_ADDRESS_ORDER` | [`address_order`](Self::address_order) | `auto`, `ascending`, `both` |
/// | `QUOTIENT_STACK` | [`stack_size`](Self::stack_size) | bytes, or with a unit: `512k`, `2m` |
/// | `QUOTIENT_REPLAY` | [`replay`](Self::replay) | what the report of a failure says |
/// | `QUOTIENT_REPORT` | [`report`](Self::report) | the name of a file or a directory |
/// | `QUOTIENT_LOG` | [`log`](Self::log) | `true`, `false` |
///
/// `1`, `on`, `yes` are other words for `true`, and `0`, `off`, `no` for `false`.
#[derive(Clone, Debug)]
#[must_use = "a builder checks nothing until `check` or `run` is called"]
pub struct Builder {
    pub(crate) settings: Settings,
}

/// In which order of addresses threads have the memory that they allocate. Nothing says which of two blocks has the lower
/// address, and a program may depend on it, for instance if it takes locks in the order of their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressOrder {
    /// Ascending with the numbers of threads. Executions that are run twice are run with descending addresses the second
    /// time; if one then goes another way, everything is explored in both orders.
    Auto,
    /// Ascending only.
    Ascending,
    /// Everything is explored twice: ascending, and descending.
    Both,
}

/// What a [`Builder`] and the environment can set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub model: MemoryModel,
    pub symmetry: bool,
    pub jobs: usize,
    pub max_executions: Option<u64>,
    pub max_events: u32,
    pub max_time: Option<Duration>,
    pub spurious_failures: bool,
    pub spurious_wakeups: u32,
    pub unwind: bool,
    pub address_order: AddressOrder,
    pub stack_size: usize,
    pub replay: Option<String>,
    pub report: Option<PathBuf>,
    pub log: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// The default settings.
    pub fn new() -> Self {
        Builder {
            settings: Settings {
                model: MemoryModel::Rc11,
                symmetry: true,
                jobs: 1,
                max_executions: None,
                max_events: quotient_runtime::MAX_EVENTS,
                max_time: None,
                spurious_failures: false,
                spurious_wakeups: 0,
                unwind: false,
                address_order: AddressOrder::Auto,
                stack_size: 256 << 10,
                replay: None,
                report: None,
                log: false,
            },
        }
    }

    /// The memory model. Default: [`MemoryModel::Rc11`], which gives Rust's orderings their meaning.
    pub fn model(mut self, model: MemoryModel) -> Self {
        self.settings.model = model;
        self
    }

    /// Whether one execution is explored for all that differ only in which of several like threads does what. Default:
    /// true. It never changes whether something is found, only how long that takes.
    pub fn symmetry(mut self, symmetry: bool) -> Self {
        self.settings.symmetry = symmetry;
        self
    }

    /// How many processors explore. Default: 1. With more, which of several violations is found first can vary.
    ///
    /// # Panics
    /// If it is 0.
    pub fn jobs(mut self, jobs: usize) -> Self {
        assert!(jobs > 0, "a check needs at least one job");
        self.settings.jobs = jobs;
        self
    }

    /// Stops after so many executions, with a failure if there are more. Default: no limit.
    pub fn max_executions(mut self, executions: u64) -> Self {
        self.settings.max_executions = Some(executions);
        self
    }

    /// How many events one execution may have. More is a violation: the program may run forever. Default: 100,000.
    pub fn max_events(mut self, events: u32) -> Self {
        self.settings.max_events = events;
        self
    }

    /// Stops after this time, in the middle of an execution if need be, with a failure if it was not enough. Default: no
    /// limit.
    pub fn max_time(mut self, time: Duration) -> Self {
        self.settings.max_time = Some(time);
        self
    }

    /// Whether `compare_exchange_weak` is also explored as failing without a reason. Default: false.
    pub fn spurious_failures(mut self, spurious: bool) -> Self {
        self.settings.spurious_failures = spurious;
        self
    }

    /// How often each thread may return from `Condvar::wait` or `thread::park` without a reason in one execution, as std
    /// allows. Default: 0. A wait in a loop, as it should be, could do so forever; once is enough to show that the loop
    /// is missing. Every wait then has two outcomes, so the number of executions can grow by a factor for each.
    pub fn spurious_wakeups(mut self, most: u32) -> Self {
        self.settings.spurious_wakeups = most;
        self
    }

    /// Whether a panic unwinds its thread and ends only that, as in a program that is not checked. Default: false, so that a
    /// panic of any thread is a violation, wherever it would have been caught; that is what one wants of assertions.
    ///
    /// With it, locks that the thread holds are poisoned, [`catch_unwind`](crate::panic::catch_unwind) catches, and `join`
    /// gives an error. It is still a violation if a panic leaves the closure that is checked, or if nobody joins a thread
    /// that has panicked.
    pub fn unwind(mut self, unwind: bool) -> Self {
        self.settings.unwind = unwind;
        self
    }

    /// In which order of addresses the threads of an execution have the memory that they allocate. Default:
    /// [`AddressOrder::Auto`]. It needs the feature `allocator`, and is about blocks of up to 4 KiB.
    pub fn address_order(mut self, order: AddressOrder) -> Self {
        self.settings.address_order = order;
        self
    }

    /// The size of each thread's stack in bytes. A thread that needs more is reported. Default: 256 KiB.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.settings.stack_size = bytes;
        self
    }

    /// Runs one execution only: the one that the report of a failure has named by this text. The answer is about this
    /// execution: if nothing is wrong with it, the check is still inconclusive, because the others were not run. If the
    /// program has changed and has no such execution, that is an error, which says where the text departs from the program
    /// ([`Report::error`]).
    pub fn replay(mut self, execution: impl Into<String>) -> Self {
        self.settings.replay = Some(execution.into());
        self
    }

    /// Also writes what was found to this file, as JSON; see [`Report::to_json`]. If it is a directory, each test gets
    /// a file of its own in it.
    pub fn report(mut self, file: impl Into<PathBuf>) -> Self {
        self.settings.report = Some(file.into());
        self
    }

    /// Whether to say on standard error how far the check is. Default: false.
    pub fn log(mut self, log: bool) -> Self {
        self.settings.log = log;
        self
    }

    /// Checks a program; see [`check`].
    ///
    /// # Panics
    /// If something is wrong with the program, if a limit stops the check early, or if an environment variable has a
    /// value that it cannot have.
    #[track_caller]
    pub fn check<F>(self, program: F)
    where
        F: Fn() + Send + Sync + 'static,
    {
        let report = self.run(program);
        if !report.holds() {
            panic!("{report}");
        }
        for warning in report.warnings() {
            // Nobody is harmed if standard error is closed.
            let _ = writeln!(std::io::stderr(), "quotient: warning: {warning}");
        }
    }

    /// Checks a program and gives what was found, without panicking about it.
    ///
    /// # Panics
    /// If an environment variable has a value that it cannot have.
    #[track_caller]
    pub fn run<F>(mut self, program: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.apply_environment();
        connect::run(self.settings, None, program)
    }

    /// Estimates how many executions a check would have, from so many random walks. See [`Estimate::error`] for how
    /// good it is; a few hundred walks often are enough to know the order of magnitude.
    ///
    /// # Panics
    /// If a walk meets a violation, or if an environment variable has a value that it cannot have.
    #[track_caller]
    pub fn estimate<F>(mut self, walks: u32, program: F) -> Estimate
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.apply_environment();
        let report = connect::run(self.settings, Some(walks), program);
        if report.violation().is_some() {
            panic!("{report}");
        }
        report.outcome.estimate.unwrap_or_default()
    }

    #[track_caller]
    fn apply_environment(&mut self) {
        if let Err(problem) = env::apply(&mut self.settings, |name| std::env::var_os(name)) {
            panic!("{problem}");
        }
    }
}
