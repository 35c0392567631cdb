//! Loops in which nothing happens but that a thread says that it waits. The thread waits forever if it is in the same state as
//! before.

use super::snapshot::{self, Snapshot};
use super::{Site, callees};
use crate::call::Reply;
use crate::context::Context;
use crate::native::Changes;
use quotient_dpor::{Operation, ViolationKind};
use std::panic::Location;

/// Hints that a thread waits, without any operation between them.
#[derive(Default)]
pub(super) struct Hints {
    pub thread: u32,
    pub position: u32,
    pub count: u32,
    pub snapshot: Option<Snapshot>,
}

impl Context {
    /// The current thread says that it waits in a loop.
    pub(crate) fn spins(&mut self, site: &'static Location<'static>) -> Reply {
        self.see_progress(self.current);
        self.pulse.rest();
        let result = self.may_go_on(site);
        self.pulse.run();
        result
    }

    /// The current thread waited in a loop forever before, and asks for something at this place in the code. True if that is
    /// not a place in the loop: the execution is over.
    pub(crate) fn leaves_its_loop(&mut self, site: &'static Location<'static>) -> bool {
        let thread = self.current.0;
        let leaves = !self.explorer.is_permuted() && !self.explorer.is_in_its_loop(thread, site);
        if leaves {
            self.explorer.report_other_way(thread, "goes on", Some(site));
            self.abandoning = true;
        }
        leaves
    }

    /// A thread says that it waits in a loop. That changes nothing, unless nothing else happens in the loop.
    pub(crate) fn may_go_on(&mut self, site: Site) -> Reply {
        let thread = self.current.0;
        if self.abandoning {
            if self.in_program && !self.is_unwinding() {
                return Reply::Leave;
            }
            let goes_on = self.may_spin_on() || !self.in_program;
            return if goes_on { Reply::Happened } else { Reply::Wait };
        }
        if self.is_supposing() {
            return Reply::Happened;
        }
        let position = self.explorer.position(thread);
        let hints = &mut self.loops.hints;
        if (hints.thread, hints.position) != (thread, position) {
            *hints = Hints { thread, position, count: 0, snapshot: None };
        }
        hints.count += 1;
        if !hints.count.is_power_of_two() || hints.count < 4 {
            let seen = hints.snapshot.take();
            return if seen.is_some_and(|seen| self.is_unchanged_since(&seen)) {
                self.stays(site)
            } else {
                Reply::Happened
            };
        }
        if let Some(host) = &self.host {
            host.watch(thread);
        }
        self.forget_noted();
        let snapshot = self.snapshot();
        self.loops.hints.snapshot = Some(snapshot);
        Reply::Happened
    }

    /// Whether the current thread is in the same state as before, with nothing but hints since.
    fn is_unchanged_since(&self, seen: &Snapshot) -> bool {
        let host = self.host.clone();
        let callee = callees(host.as_ref());
        let thread = self.current.0;
        let written = host.as_ref().map_or_else(Changes::default, |host| host.changes(thread, seen.mark));
        written.difference().is_none() && snapshot::compare(seen, &self.snapshot(), &callee).is_ok()
    }

    /// The thread goes round a loop in which nothing happens.
    fn stays(&mut self, site: Site) -> Reply {
        let thread = self.current.0;
        if self.explorer.is_replay_only() {
            self.explorer.halt(thread, &Operation::Block(0), site);
            return Reply::Wait;
        }
        if self.explorer.must_wait(thread) {
            // Others come first; then it is seen again.
            self.loops.hints = Hints::default();
            return Reply::Wait;
        }
        if self.host.is_some() {
            // It may be that the program ends all the same, and the thread with it.
            self.slots[thread as usize].why = "in a loop in which nothing happens";
            self.explorer.step(thread, &Operation::Join(thread), site);
            return Reply::Wait;
        }
        let message = format!(
            "thread {thread} spins forever: its loop does nothing that the checker sees, so nothing can end it"
        );
        self.violate_at(ViolationKind::Livelock, message, Some(site));
        Reply::Leave
    }
}
