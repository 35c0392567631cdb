//! The time limit, which holds inside an execution as well. The clock is looked at once in so much work, so that looking
//! costs nothing that could be measured; what is only replayed is no work.

use crate::explorer::Explorer;
use std::time::Instant;

/// The clock is looked at once in so many steps, each of which looks at one event.
const OFTEN: usize = 4096;

/// When to stop, and how much can be done until the clock is looked at again.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    deadline: Option<Instant>,
    left: usize,
    rung: bool,
}

impl Explorer {
    /// Makes the exploration stop at a time, in the middle of an execution if need be.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.alarm = Alarm { deadline, left: OFTEN, rung: false };
    }

    /// Whether the exploration has stopped because there was no time left. Then not everything has been explored, and the
    /// current execution is of no use.
    #[inline]
    pub fn is_out_of_time(&self) -> bool {
        self.alarm.rung
    }

    /// Something has been done that takes as long as looking at so many events.
    #[inline]
    pub(crate) fn spend(&mut self, events: usize) {
        match self.alarm.left.checked_sub(events) {
            Some(left) => self.alarm.left = left,
            None => self.look_at_clock(),
        }
    }

    /// Sees whether there is time left, now.
    #[cold]
    pub fn look_at_clock(&mut self) {
        self.alarm.left = OFTEN;
        self.alarm.rung |= self.alarm.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    }
}
