//! OS threads for explorations, kept between checks: a small check takes less time than starting a thread and mapping its
//! coroutines' stacks.

use crate::threads::Strand;
use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

/// What a worker does.
type Job = Box<dyn FnOnce() -> Fate + Send>;

/// What becomes of an OS thread after a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It can do another one.
    Reusable,
    /// It has been left in a state from which it cannot go on.
    Lost,
}

/// Threads that have nothing to do.
static IDLE: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());

/// How many idle threads are kept.
const MOST_IDLE: usize = 8;
/// How many coroutines a thread keeps.
const MOST_STRANDS: usize = 64;

thread_local! {
    static STRANDS: RefCell<(usize, Vec<Strand>)> = const { RefCell::new((0, Vec::new())) };
}

/// Runs a job on an OS thread of its own.
pub(crate) fn start(job: Job) {
    let mut job = job;
    while let Some(worker) = idle().pop() {
        match worker.send(job) {
            Ok(()) => return,
            Err(returned) => job = returned.0,
        }
    }
    let builder = std::thread::Builder::new().name("quotient".to_owned());
    builder.spawn(move || work(job)).expect("an OS thread for the exploration");
}

fn work(first: Job) {
    let mut job = first;
    loop {
        if job() == Fate::Lost {
            return;
        }
        let (sender, receiver) = channel();
        {
            let mut idle = idle();
            if idle.len() >= MOST_IDLE {
                return;
            }
            idle.push(sender);
        }
        let Ok(next) = receiver.recv() else { return };
        job = next;
    }
}

fn idle() -> std::sync::MutexGuard<'static, Vec<Sender<Job>>> {
    IDLE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The coroutines that this OS thread has kept, with stacks of this size.
pub(crate) fn kept_strands(size: usize) -> Vec<Strand> {
    STRANDS.with_borrow_mut(|(kept, strands)| if *kept == size { std::mem::take(strands) } else { Vec::new() })
}

/// Keeps coroutines for the next exploration.
pub(crate) fn keep_strands(size: usize, mut strands: Vec<Strand>) {
    strands.truncate(MOST_STRANDS);
    STRANDS.set((size, strands));
}
