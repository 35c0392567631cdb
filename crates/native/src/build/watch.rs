//! Compilers that run: they are stopped when a limit is passed or somebody wants the check to stop.

use crate::build::directory;
use crate::check::child::{self, Excess, excess_of_time};
use crate::options::Options;
use quotient_report::Answer;
use quotient_report::verdict::StopReason;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// How often it is looked whether to stop.
const GLANCE: Duration = Duration::from_millis(10);

/// What compilers may take together, whatever the limit on memory is: they know nothing of it, and need some.
const LEAST_MEMORY: u64 = 1 << 30;

/// The groups of processes that compile.
static RUNNING: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Starts a compiler in a group of its own, so that what it starts is stopped with it.
pub(crate) fn start(command: &mut Command) -> std::io::Result<Child> {
    if let Some(place) = directory::newest() {
        command.env("TMPDIR", place);
    }
    let child = command.process_group(0).spawn()?;
    running().push(child.id() as i32);
    Ok(child)
}

/// Waits for a compiler.
pub(crate) fn wait(child: Child) -> std::io::Result<Output> {
    let group = child.id() as i32;
    let output = child.wait_with_output();
    running().retain(|&other| other != group);
    output
}

/// Does some work that compiles, and stops all compilers when a limit is passed: then there is an answer.
pub(crate) fn over<T>(options: &Options, work: impl FnOnce() -> T) -> (T, Option<Answer>) {
    let done = AtomicBool::new(false);
    let passed = OnceLock::new();
    let result = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if let Some(excess) = excess(options) {
                    let _ = passed.set(excess);
                    stop_all();
                }
                std::thread::park_timeout(GLANCE);
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        result
    });
    (result, passed.into_inner().map(child::stopped))
}

/// The limit that has been passed, if any.
fn excess(options: &Options) -> Option<Excess> {
    excess_of_time(options, Duration::ZERO).or_else(|| {
        let most = options.max_memory?.max(LEAST_MEMORY);
        let taken: u64 = running().iter().map(|&compiler| resident(compiler)).sum();
        (taken > most).then(|| Excess {
            reason: format!("the compiler took more than {} MB of memory", most >> 20),
            stop: StopReason::MaxMemory,
        })
    })
}

/// How much memory a process and all that it has started have taken, in bytes.
fn resident(process: i32) -> u64 {
    let own = child::resident(process).unwrap_or(0);
    let started = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    own + started.split_whitespace().filter_map(|id| id.parse().ok()).map(resident).sum::<u64>()
}

/// Stops all compilers.
pub(crate) fn stop_all() {
    for &group in running().iter() {
        // SAFETY: the group was made by us, and its first process has not been waited for.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

fn running() -> MutexGuard<'static, Vec<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
