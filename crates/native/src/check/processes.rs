//! Several processes that explore at the same time.

use crate::problem::Problem;
use crate::check::Part;
use crate::check::child::Child;
use crate::check::keep::{Keeper, JobProgress};
use crate::options::Options;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Waits for all processes, or until one has found something; then the others are stopped.
pub(crate) fn wait_for(
    children: Vec<Child>,
    options: &Options,
    keeper: Option<&Keeper<'_>>,
) -> Result<Vec<Part>, Problem> {
    let running: Mutex<Vec<i32>> = Mutex::new(children.iter().map(|child| child.process).collect());
    let running = || running.lock().unwrap_or_else(PoisonError::into_inner);
    let settled = AtomicBool::new(false);
    let finish = |child: Child| {
        let (process, index) = (child.process, child.index);
        let result = child.finish(options, keeper, || running().retain(|&other| other != process));
        if settled.load(Ordering::Relaxed) {
            return None;
        }
        if result.as_ref().map_or(true, Part::is_decisive) && !settled.swap(true, Ordering::Relaxed) {
            for &process in running().iter() {
                // SAFETY: the process is our child, and has not been waited for.
                unsafe { libc::kill(process, libc::SIGKILL) };
            }
        }
        if let (Some(keeper), Ok(part)) = (keeper, &result)
            && part.is_done()
        {
            keeper.set(index, JobProgress::End(Box::new(part.clone())));
        }
        Some(result)
    };
    std::thread::scope(|scope| {
        let waiting: Vec<_> = children.into_iter().map(|child| scope.spawn(|| finish(child))).collect();
        waiting.into_iter().filter_map(|thread| thread.join().expect("waiting does not panic")).collect()
    })
}
