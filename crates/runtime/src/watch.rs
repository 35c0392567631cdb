//! Watches over an exploration from another OS thread: whether the program goes on, whether there is time left, and how
//! far it is.

use crate::check::{Control, Stop};
use crate::failure::Failure;
use crate::overflow::{self, Overflow};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// How often somebody looks.
const INTERVAL: Duration = Duration::from_millis(200);

/// How long a program that runs without a visible operation may overstay the time limit. Everything else looks at the
/// clock itself.
const GRACE: Duration = Duration::from_secs(1);

/// Signs of life of one worker.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    /// Changes with every visible operation.
    pub beats: AtomicU64,
    /// Where the last one was.
    pub site: AtomicPtr<Location<'static>>,
    /// Whether the program runs, not the engine.
    running: AtomicBool,
    /// Whether a thread has used up its stack.
    pub overflow: Overflow,
}

impl Pulse {
    /// The program goes on.
    #[inline]
    pub(crate) fn run(&self) {
        self.running.store(true, Ordering::Relaxed);
    }

    /// The engine goes on.
    #[inline]
    pub(crate) fn rest(&self) {
        self.running.store(false, Ordering::Relaxed);
    }
}

/// A worker, and since when the program has been running there without a visible operation.
struct Watched {
    pulse: Arc<Pulse>,
    beat: u64,
    since: Instant,
}

impl Watched {
    /// For how long the program has been running without a visible operation. What the engine does is not counted.
    fn silence(&mut self) -> Duration {
        let beat = self.pulse.beats.load(Ordering::Relaxed);
        if beat != self.beat || !self.pulse.running.load(Ordering::Relaxed) {
            (self.beat, self.since) = (beat, Instant::now());
        }
        self.since.elapsed()
    }
}

/// Waits for the workers, watching that they move. An OS thread in which the program never comes back is left behind.
pub(crate) fn watch(control: &Control) {
    let mut all: Vec<Watched> = Vec::new();
    let mut state = control.state();
    while state.working > 0 {
        let waited = control.changed.wait_timeout(state, INTERVAL);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if state.working == 0 {
            return;
        }
        follow(&mut all, &state.pulses);
        for worker in &mut all {
            if let Some(failure) = overflow::report(&worker.pulse, control.options.stack_size) {
                state.failure = Some(failure);
                return control.stop.store(true, Ordering::Relaxed);
            }
            let silence = worker.silence();
            if silence > control.options.stall_timeout {
                state.failure = Some(stalled(control, &worker.pulse));
                return control.stop.store(true, Ordering::Relaxed);
            }
            let is_late = control.deadline.is_some_and(|deadline| Instant::now() > deadline + GRACE);
            if is_late && silence > GRACE {
                state.stop = Some(Stop::Time);
                state.statistics.complete = control.executions.load(Ordering::Relaxed);
                return control.stop.store(true, Ordering::Relaxed);
            }
        }
        if let Some(progress) = &control.options.progress {
            let mut statistics = state.statistics;
            statistics.complete = control.executions.load(Ordering::Relaxed);
            progress(&statistics);
        }
    }
}

/// Watches these workers from now on.
fn follow(all: &mut Vec<Watched>, pulses: &[Arc<Pulse>]) {
    all.retain(|worker| pulses.iter().any(|pulse| Arc::ptr_eq(pulse, &worker.pulse)));
    for pulse in pulses {
        if !all.iter().any(|worker| Arc::ptr_eq(pulse, &worker.pulse)) {
            all.push(Watched { pulse: pulse.clone(), beat: 0, since: Instant::now() });
        }
    }
}

/// A thread runs on without ever asking for anything. It cannot be stopped.
fn stalled(control: &Control, pulse: &Pulse) -> Failure {
    // SAFETY: the pointer is null, or was made from a reference to a static location.
    let site = unsafe { pulse.site.load(Ordering::Relaxed).as_ref() };
    let message = format!(
        "a thread has run for {} s without a visible operation; it may never end",
        control.options.stall_timeout.as_secs()
    );
    Failure::without_execution(message, site)
}
