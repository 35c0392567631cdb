//! Runs the program until every execution is explored, or something is found.
//!
//! The exploration has an OS thread of its own (or several): a program that panics while it unwinds leaves that thread
//! in a state from which it cannot go on, and then the exploration moves to another one.

mod options;
mod resume;
mod work;

use crate::context::checking;
use crate::failure::Failure;
use crate::loops::{self, Difference, Undecided};
use crate::watch::Pulse;
use crate::{hook, overflow};
use quotient_dpor::{Estimate, Publication, Settings, Statistics, Task, ViolationKind};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub use options::{Knowledge, Limits, Options, Outcome, Progress, Stop};
pub use resume::Whereabouts;
pub(crate) use work::run_once;

/// The program to be checked.
type Program = Arc<dyn Fn() + Send + Sync>;

/// What the workers share.
pub(crate) struct Control {
    program: Program,
    pub(crate) options: Options,
    pub(crate) deadline: Option<Instant>,
    state: Mutex<State>,
    pub(crate) changed: Condvar,
    pub(crate) stop: AtomicBool,
    idle_workers: AtomicU64,
    pub(crate) executions: AtomicU64,
    pub(crate) seed: Knowledge,
}

impl Control {
    /// What is explored. Threads that can be told by the order of addresses are not alike.
    fn settings(&self) -> Settings {
        let mut settings = self.options.settings.clone();
        settings.symmetry &= self.seed.orders_addresses.is_none();
        settings
    }

    /// Where the exploration is to go on, if not at the beginning.
    fn resumed(&self) -> Option<&Whereabouts> {
        self.options.resume.as_deref()
    }

    /// Whether a loop was not followed further.
    fn has_cut(&self, state: &State) -> bool {
        state.cut.is_some() || self.resumed().is_some_and(|resumed| resumed.undecided.is_some())
    }

    /// What the workers have found. One that has died has left it as it should be.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
pub(crate) struct State {
    tasks: Vec<Task>,
    pub(crate) working: usize,
    pub(crate) statistics: Statistics,
    pub(crate) failure: Option<Failure>,
    pub(crate) stop: Option<Stop>,
    /// Of every worker that works.
    pub(crate) pulses: Vec<Arc<Pulse>>,
    estimate: Option<Estimate>,
    learnt: Option<Knowledge>,
    /// What memory threads let others know of.
    publication: Publication,
    /// A loop that was not followed further.
    cut: Option<Undecided>,
    /// Where a thread has waited for a condition variable, if one has.
    waits_at: Option<&'static Location<'static>>,
    work: u64,
}

impl State {
    /// A worker has come to its end.
    fn forget(&mut self, pulse: &Arc<Pulse>) {
        self.pulses.retain(|other| !Arc::ptr_eq(other, pulse));
    }
}

/// Checks a program.
///
/// # Panics
///
/// If it is called from a program that is being checked.
pub fn check(options: Options, program: Program) -> Outcome {
    assert!(!checking(), "a check inside a check: the inner one would have to be explored again in every execution");
    hook::install();
    if options.host.is_none() {
        overflow::install();
    }
    let deadline = options.limits.time.map(|time| Instant::now() + time);
    let mut knowledge = options.knowledge.clone();
    let mut misfit: Option<Failure> = None;
    let mut endless: Option<Undecided> = None;
    // Only the first exploration goes on where another one was.
    let mut resume = options.resume.clone();
    if let Some(resume) = &resume {
        knowledge = resume.knowledge.clone();
    }
    loop {
        let control = Arc::new(Control {
            program: program.clone(),
            options: Options { resume: resume.take(), ..options.clone() },
            deadline,
            state: Mutex::default(),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            idle_workers: AtomicU64::new(0),
            executions: AtomicU64::new(0),
            seed: knowledge.clone(),
        });
        work::explore(&control);
        let mut state = control.state();
        let learnt = state.learnt.take().or_else(|| learn_at_the_end(&control, &state));
        let is_new = learnt.is_some();
        knowledge = learnt.unwrap_or(knowledge);
        let is_settled = |failure: &Failure| failure.violation.kind == ViolationKind::Nondeterminism;
        endless = state.cut.clone().or(endless);
        if is_new && options.share.is_none() && !state.failure.as_ref().is_some_and(is_settled) {
            continue;
        }
        let mut failure = state.failure.take();
        if let (Some(failure), Some(endless)) = (&mut failure, &endless)
            && failure.violation.kind == ViolationKind::Bound
        {
            let message = &failure.violation.message;
            failure.violation.message = format!("{}: {message}", describe(&options, endless));
        }
        if options.replay.is_some() {
            let is_misfit = |failure: &Failure| failure.violation.kind == ViolationKind::Replay;
            match (failure.as_ref().filter(|&failure| is_misfit(failure)), misfit.take()) {
                // It may be an execution in which the counts of references are visible operations.
                (Some(_), None) if options.host.is_none() && !knowledge.observe_references => {
                    misfit = failure;
                    knowledge.observe_references = true;
                    continue;
                }
                (Some(_), Some(first)) => return Outcome::of_replay(&state, Some(first), knowledge),
                _ => return Outcome::of_replay(&state, failure, knowledge),
            }
        }
        return Outcome {
            statistics: state.statistics,
            failure,
            stop: state.stop.or(if control.has_cut(&state) { Some(Stop::Loop) } else { None }),
            undecided: state
                .cut
                .as_ref()
                .map(|cut| describe(&options, cut))
                .or_else(|| control.resumed().and_then(|resumed| resumed.undecided.clone())),
            estimate: state.estimate,
            knowledge,
            work: state.work,
            waits_at: state.waits_at,
            learnt: is_new,
        };
    }
}

/// More events than this in an exploration that has followed loops for many rounds: then they are not followed further.
const MANY_EVENTS: u64 = 2_000_000;
const MANY_ROUNDS: u32 = 16;

/// What has been learnt only by the whole exploration.
fn learn_at_the_end(control: &Control, state: &State) -> Option<Knowledge> {
    let seed = &control.seed;
    if state.failure.is_some() || state.stop.is_some() || control.options.replay.is_some() {
        return None;
    }
    if state.publication.is_broken() && !seed.distrusts_publication {
        return Some(Knowledge { distrusts_publication: true, ..seed.clone() });
    }
    let too_much = seed.rounds >= MANY_ROUNDS && state.statistics.events > MANY_EVENTS;
    let rounds = seed.rounds.saturating_mul(loops::MORE_ROUNDS);
    let in_vain = control.options.walks.is_some();
    (control.has_cut(state) && !too_much && !in_vain).then(|| Knowledge { rounds, ..seed.clone() })
}

/// Says which loop goes on forever, and what it changes.
fn describe(options: &Options, cut: &Undecided) -> String {
    let place = match options.host.as_ref().and_then(|host| host.place_of(cut.site)) {
        Some((file, line, _)) => format!("{file}:{line}"),
        None => format!("{}:{}", cut.site.file(), cut.site.line()),
    };
    let named = |address: &Option<usize>| {
        let host = options.host.as_ref()?;
        Some(host.describe_memory((*address)?))
    };
    let what = match &cut.difference {
        Some(difference) => match (difference.name(), difference) {
            (Some(name), _) => format!("`{name}`"),
            (None, Difference::Memory(address)) => {
                named(address).unwrap_or_else(|| "something in the memory of the program".to_owned())
            }
            (None, _) => "one of its variables".to_owned(),
        },
        None => "what others see".to_owned(),
    };
    format!("the loop at {place} changes {what} in every round")
}
