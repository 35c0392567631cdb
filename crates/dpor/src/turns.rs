//! Which thread goes next.

use crate::explorer::Explorer;
use crate::run::{Run, Status};
use quotient_graph::ThreadId;

impl Explorer {
    /// The thread that goes next; `None` when the run is over.
    pub fn next_thread(&mut self) -> Option<ThreadId> {
        if self.run.abandoned {
            return None;
        }
        if self.run.left > 0 {
            if let Some(thread) = self.next_but_held() {
                return Some(thread);
            }
            let Run { cursor, threads, .. } = &mut self.run;
            let next = self.graph.run_order()[*cursor..].iter().position(|id| {
                threads.get(id.thread() as usize).is_none_or(|progress| progress.position <= id.position())
            });
            *cursor += next.expect("an event that is still to be replayed");
            return Some(self.graph.run_order()[*cursor].thread());
        }
        self.run.turn = if self.replay_only {
            self.next_to_halt()?
        } else if self.following.is_some() {
            self.next_as_told()?
        } else {
            let current = self.run.current;
            let thread = if self.can_go_on(current) { Some(current) } else { self.first_to_go_on() };
            let thread = thread.or_else(|| self.first_seen())?;
            self.earlier_twin(thread).unwrap_or(thread)
        };
        Some(self.run.turn)
    }

    /// A thread other than the one that is held back that can replay something. If there is none, none is held back any more.
    fn next_but_held(&mut self) -> Option<ThreadId> {
        let (held, _) = self.run.held?;
        let next = self.first_to_replay(held);
        // What comes before the position is replayed, too.
        let next = next.or_else(|| self.next_event(held).map(|_| held));
        if next.is_none() {
            self.run.held = None;
        }
        next
    }

    /// The first thread, other than this one, that can replay something.
    fn first_to_replay(&self, except: ThreadId) -> Option<ThreadId> {
        let all = self.run.threads.iter().zip(self.graph.threads()).enumerate();
        let mut left = all.filter(|(_, (progress, thread))| (progress.position as usize) < thread.events.len());
        let first = left.find(|&(number, (progress, _))| {
            let number = number as ThreadId;
            number != except && progress.status != Status::Absent && self.next_event(number).is_some()
        });
        first.map(|(number, _)| number as ThreadId)
    }

    fn first_to_go_on(&self) -> Option<ThreadId> {
        let alive = self.run.threads.iter().enumerate().filter(|(_, progress)| progress.status != Status::Ended);
        alive.map(|(thread, _)| thread as ThreadId).find(|&thread| self.can_go_on(thread))
    }
}
