//! Counts executions, measures CPU time, and gives a check up when it has had enough.
//! A thread of its own looks at the clock: some executions never end, and none of the tools has a limit in CPU time.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::{Counts, Program, answer};

static BEGUN: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);
static WATCHING: Mutex<bool> = Mutex::new(false);

/// Runs the program once, counting. Every tool is given this.
pub fn execute(program: Program, threads: usize) {
    BEGUN.fetch_add(1, Ordering::Relaxed);
    program(threads);
    ENDED.fetch_add(1, Ordering::Relaxed);
}

pub fn counts() -> Counts {
    Counts { executions: BEGUN.load(Ordering::Relaxed), complete: ENDED.load(Ordering::Relaxed) }
}

pub fn reset() {
    BEGUN.store(0, Ordering::Relaxed);
    ENDED.store(0, Ordering::Relaxed);
}

/// User and system time of this process so far.
pub fn cpu_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a process may ask for its own times");
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
}

/// Ends the process, with an answer, when it has used more than `limit` seconds since `start`.
pub fn watch(start: f64, limit: f64) {
    set_watching(true);
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(20));
            // Held until the process is gone, so that there are not two answers.
            let watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
            let used = cpu_seconds() - start;
            if !*watching {
                return;
            }
            if used > limit {
                answer::unfinished(counts(), used);
                process::exit(0);
            }
        }
    });
}

/// The check has ended.
pub fn stop_watching() {
    set_watching(false);
}

fn set_watching(watching: bool) {
    *WATCHING.lock().unwrap_or_else(PoisonError::into_inner) = watching;
}
