//! Compilers that run: they are stopped when the time is over or somebody wants the check to stop.

use crate::build::directory;
use crate::check::child::stopped;
use crate::options::Options;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often it is looked whether to stop.
const GLANCE: Duration = Duration::from_millis(10);

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

/// Does some work that compiles, and stops all compilers when a limit is passed.
pub(crate) fn over<T>(options: &Options, work: impl FnOnce() -> T) -> T {
    if options.max_time.is_none() && options.interrupted.is_none() {
        return work();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if stopped(options).is_some() {
                    stop_all();
                }
                std::thread::park_timeout(GLANCE);
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        result
    })
}

fn stop_all() {
    for &group in running().iter() {
        // SAFETY: the group was made by us, and its first process has not been waited for.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

fn running() -> MutexGuard<'static, Vec<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
