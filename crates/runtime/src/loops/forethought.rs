//! States that are noted in case somebody asks about them: then the execution need not be run again for that.
//!
//! Most questions are about a thread whose newest event, when the run begins, is a read that has been given another value: it
//! goes on, comes back to where it was before, and is asked about. Where this has happened after a value, the state is
//! noted beforehand in other runs that begin with this value, at the same distance from the newest event. As for a question,
//! the thread is held there until the others have replayed all that does not depend on it.

use super::question::Question;
use super::snapshot::{self, Snapshot};
use super::{Mixed, Site, Verdict, callees};
use crate::context::Context;
use crate::memory;
use crate::native::Changes;
use quotient_dpor::graph::{Event, Kind};
use quotient_dpor::{Explorer, Operation};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ptr;

/// A state is noted as long as at least one in so many is asked for.
const MOST_IN_VAIN: u32 = 12;

/// What is known of states that may be asked for.
#[derive(Default)]
pub(super) struct Forethought {
    /// Where questions come from: after a value was read at a place in the code.
    points: HashMap<(usize, u64), Point, BuildHasherDefault<Mixed>>,
    /// The newest event when the run began: a read by this thread, its position, and the point that it is.
    begins: Option<(u32, u32, (usize, u64))>,
    /// The state that is to be noted in this run, or has been.
    noted: Option<Noted>,
    /// Whether a thread has been held in this run so that its state can be noted.
    holds: bool,
}

/// A point that questions come from.
#[derive(Default)]
struct Point {
    /// How many events before the newest one the state was that was asked for.
    back: u32,
    /// How often it has been noted, and how often that was of use.
    noted: u32,
    used: u32,
}

/// The state of a thread at a position.
struct Noted {
    thread: u32,
    position: u32,
    snapshot: Option<Snapshot>,
}

/// The newest event, if it is a read.
fn newest_read(explorer: &Explorer) -> Option<(u32, u32, (usize, u64))> {
    let last = *explorer.graph().run_order().last()?;
    let event: &Event = explorer.graph().event(last);
    let is_last = last.position() + 1 == explorer.graph().len_of(last.thread());
    (event.kind == Kind::Read && is_last && !explorer.is_replay_only())
        .then(|| (last.thread(), last.position(), (ptr::from_ref(event.site).addr(), event.value)))
}

impl Context {
    /// Says which thread is to be looked at in the run that is about to begin, and where.
    pub(super) fn think_ahead(&mut self, may: bool) -> Option<(u32, u32)> {
        let forethought = &mut self.loops.forethought;
        (forethought.noted, forethought.holds) = (None, false);
        forethought.begins = if may { newest_read(&self.explorer) } else { None };
        let (thread, newest, point) = forethought.begins?;
        let point = forethought.points.get_mut(&point)?;
        let position = newest.checked_sub(point.back).filter(|&position| position > 0)?;
        if point.noted > MOST_IN_VAIN * (point.used + 1) {
            return None;
        }
        point.noted += 1;
        forethought.holds = true;
        forethought.noted = Some(Noted { thread, position, snapshot: None });
        Some((thread, position))
    }

    /// Notes the state of the current thread, if that is where it may be asked for.
    #[inline]
    pub(super) fn note_ahead(&mut self) {
        let thread = self.current.0;
        let Some(noted) = &self.loops.forethought.noted else { return };
        if noted.thread == thread && noted.snapshot.is_none() && noted.position == self.explorer.position(thread) {
            self.note_ahead_now(thread);
        }
    }

    #[inline(never)]
    fn note_ahead_now(&mut self, thread: u32) {
        if let Some(host) = &self.host {
            host.watch(thread);
        }
        let snapshot = self.snapshot();
        self.loops.looked_at = None;
        if let Some(noted) = &mut self.loops.forethought.noted {
            noted.snapshot = Some(snapshot);
        }
    }

    /// A thread is let run: what is noted of another one is of no use any more.
    #[inline]
    pub(crate) fn forget_noted_unless(&mut self, thread: u32) {
        let noted = &mut self.loops.forethought.noted;
        if noted.as_ref().is_some_and(|noted| noted.thread != thread && noted.snapshot.is_some()) {
            *noted = None;
        }
    }

    /// Nothing that was noted is of use any more.
    pub(super) fn forget_noted(&mut self) {
        self.loops.forethought.noted = None;
    }

    /// Finds out whether the current thread is in the same state as before its only round, if that state has been noted. If it
    /// is not, more than that is to be asked.
    pub(super) fn answer_at_once(
        &mut self,
        key: u64,
        heads: &[u32],
        overwrites: bool,
        operation: &Operation,
        site: Site,
    ) {
        let thread = self.current.0;
        let is_noted = |noted: &Noted| noted.thread == thread && *heads == [noted.position];
        let is_new = self.loops.forethought.noted.as_ref().is_some_and(is_noted)
            && !self.loops.verdicts.contains_key(&key)
            && memory::sees_the_heap(self.host.is_some());
        if !is_new {
            return;
        }
        let noted = self.loops.forethought.noted.take();
        let Some(seen) = noted.and_then(|noted| noted.snapshot) else { return };
        let host = self.host.clone();
        let callee = callees(host.as_ref());
        let written = host.as_ref().map_or_else(Changes::default, |host| host.changes(thread, seen.mark));
        let same = written.difference().is_none() && snapshot::compare(&seen, &self.snapshot(), &callee).is_ok();
        if let Some(host) = &host {
            host.unwatch();
        }
        if !same {
            return;
        }
        let (head, end) = (heads[0], self.explorer.graph().len_of(thread));
        snapshot::tell(|| format!("thread {thread} at {end} is as it was at {head}, which was noted"));
        if let Some((.., point)) = self.loops.forethought.begins
            && let Some(point) = self.loops.forethought.points.get_mut(&point)
        {
            point.used += 1;
        }
        let round = (end - head, self.has_changed(thread, head, end, &written));
        self.expect_again(thread, end, operation, site);
        self.loops.decide(key, Verdict { same: vec![round], overwrites, ..Verdict::default() });
    }

    /// A question is asked that could have been answered at once, had a state been noted.
    pub(super) fn learn_from(&mut self, question: &Question) {
        let forethought = &mut self.loops.forethought;
        if let Some((thread, newest, point)) = forethought.begins.take()
            && let [(head, None)] = question.heads[..]
            && thread == question.thread
            && head <= newest
        {
            let point = forethought.points.entry(point).or_default();
            if point.used == 0 {
                point.back = newest - head;
            }
        }
    }

    /// Whether a run in which a state was noted has become another one by that.
    pub(super) fn forethought_is_in_vain(&mut self) -> bool {
        let is_disturbed = self.loops.forethought.holds;
        if is_disturbed {
            self.loops.forethought = Forethought::default();
            self.loops.is_taken_by_surprise = true;
            self.explorer.clear_violation();
            (self.culprit, self.retry) = (None, false);
        }
        is_disturbed
    }
}
