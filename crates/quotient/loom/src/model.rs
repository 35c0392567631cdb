//! How a program is checked: loom's settings, and what they mean to Quotient. None is ignored without saying here why it
//! is not needed.

mod checkpoint;
mod environment;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quotient::{Report, Stop};

/// Checks a program: runs `f` in every way that its threads and memory can behave.
///
/// # Panics
/// If something is wrong with the program: a thread panics, accesses race, threads wait forever, memory leaks. The
/// message shows the execution.
#[track_caller]
pub fn model<F>(f: F)
where
    F: Fn() + Sync + Send + 'static,
{
    Builder::new().check(f);
}

/// The settings of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// How many threads an execution may have. Not needed: any number is allowed up to
    /// [`MAX_THREADS`](crate::MAX_THREADS), and nothing is reserved for them.
    pub max_threads: usize,

    /// How many operations an execution may have (`LOOM_MAX_BRANCHES`), if more than Quotient's own limit of 100,000.
    ///
    /// loom needs a low limit (1,000) to notice loops that never end. Here a loop that waits is recognised, and a long
    /// execution is no mistake, so a lower limit than Quotient's would only reject programs.
    pub max_branches: usize,

    /// Stops after so many executions (`LOOM_MAX_PERMUTATIONS`). As in loom that is no failure, but it is said on standard
    /// error.
    pub max_permutations: Option<usize>,

    /// Stops after this time (`LOOM_MAX_DURATION`, in seconds). As in loom that is no failure, but it is said on standard
    /// error.
    pub max_duration: Option<Duration>,

    /// How often threads may be preempted (`LOOM_MAX_PREEMPTIONS`). Not needed: the search is exhaustive, which includes
    /// what would be explored within the bound. For a program that is too large for it, set `max_duration`.
    pub preemption_bound: Option<usize>,

    /// Where an execution is kept that has failed (`LOOM_CHECKPOINT_FILE`).
    ///
    /// A failure is written there. If there already is one, it is run first, and if it fails again the check ends. loom
    /// also writes how far the search has come, every now and then; here there is nothing to be gained from that.
    pub checkpoint_file: Option<PathBuf>,

    /// How often loom writes the file (`LOOM_CHECKPOINT_INTERVAL`). Not needed: it is written when there is a failure.
    pub checkpoint_interval: usize,

    /// Whether the search waits for a call of [`explore`](crate::explore()). Not needed: everything is explored, which
    /// includes what comes after that call.
    pub expect_explicit_explore: bool,

    /// Whether a failure shows where in the source its operations are (`LOOM_LOCATION`). Not needed: it always does.
    pub location: bool,

    /// Whether to say on standard error how many executions there are (`LOOM_LOG`, unless it is `off`, `error` or `warn`).
    pub log: bool,
}

impl Builder {
    /// The settings of the environment, or else the default ones.
    ///
    /// # Panics
    /// If one of loom's environment variables has a value that it cannot have.
    #[track_caller]
    pub fn new() -> Builder {
        environment::settings(|name| std::env::var_os(name)).unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// Sets [`checkpoint_file`](Self#structfield.checkpoint_file).
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Checks a program; see [`model`](model()).
    ///
    /// # Panics
    /// If something is wrong with the program.
    #[track_caller]
    pub fn check<F>(&self, f: F)
    where
        F: Fn() + Sync + Send + 'static,
    {
        let program = Arc::new(f);
        if let Some(file) = &self.checkpoint_file
            && let Some(execution) = checkpoint::load(file)
        {
            let program = program.clone();
            let report = self.quotient().replay(execution).run(move || program());
            // An execution that shows nothing wrong any more says nothing of the others; neither does one that is gone.
            if report.violation().is_some() {
                must_hold(&report);
            }
            checkpoint::forget(file);
        }
        let start = Instant::now();
        let report = self.quotient().run(move || program());
        if let (Some(file), Some(execution)) = (&self.checkpoint_file, report.replay()) {
            checkpoint::store(file, execution);
        }
        must_hold(&report);
        self.say(&report, start.elapsed());
    }

    /// The same settings for Quotient.
    fn quotient(&self) -> quotient::Builder {
        let mut builder = quotient::Builder::new().log(self.log).stack_size(STACK_SIZE);
        if let Some(executions) = self.max_permutations {
            builder = builder.max_executions(executions as u64);
        }
        if let Some(time) = self.max_duration {
            builder = builder.max_time(time);
        }
        let events = u32::try_from(self.max_branches).unwrap_or(u32::MAX);
        if events > MAX_EVENTS { builder.max_events(events) } else { builder }
    }

    /// Says how the check has ended, if that is wanted or if not everything was explored.
    fn say(&self, report: &Report, time: Duration) {
        let (executions, blocked, seconds) = (report.executions(), report.blocked(), time.as_secs_f64());
        let ending = match report.stop() {
            Some(Stop::Executions) => "stopped by max_permutations",
            Some(Stop::Time) => "stopped by max_duration",
            None if self.log => "completed",
            _ => return,
        };
        // Nobody is harmed if standard error is closed.
        let _ = writeln!(
            std::io::stderr(),
            "quotient-loom: {ending} in {executions} executions, {blocked} given up, {seconds:.3} s"
        );
    }
}

/// What std gives to a thread. It is only address space, unless it is used.
const STACK_SIZE: usize = 2 << 20;
/// Quotient's own limit.
const MAX_EVENTS: u32 = 100_000;

/// Panics with the report of a violation. To have been stopped is none, as in loom; but to have seen nothing is.
#[track_caller]
fn must_hold(report: &Report) {
    if report.violation().is_some() {
        panic!("{report}");
    }
    if report.executions() == 0 && report.stop().is_none() {
        panic!(
            "no execution of this program could be run to its end. Does it do something else each time it runs, because \
             of a clock, random numbers, or memory that outlives an execution?"
        );
    }
}

impl Default for Builder {
    #[track_caller]
    fn default() -> Self {
        Builder::new()
    }
}
