//! Keeps the checker and its processes on one processor: handing over to a process on another one takes far longer.
//! Follows section 2 of the design of process checks.

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::unistd::Pid;

/// While it is there, this thread and the processes that it starts stay on one processor.
#[derive(Debug)]
pub(crate) struct OneProcessor {
    before: Option<CpuSet>,
}

impl OneProcessor {
    /// Stays where the thread is. Where the system does not allow it, nothing changes but speed.
    pub(crate) fn stay() -> Self {
        let this = Pid::from_raw(0);
        let stay = || {
            let before = sched_getaffinity(this)?;
            let mut only = CpuSet::new();
            only.set(sched_getcpu()?)?;
            sched_setaffinity(this, &only)?;
            nix::Result::Ok(before)
        };
        Self { before: stay().ok() }
    }
}

impl Drop for OneProcessor {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            let _ = sched_setaffinity(Pid::from_raw(0), &before);
        }
    }
}
