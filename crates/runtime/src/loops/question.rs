//! Questions about a point that a thread has come to: was it in the same state before? The execution is run again to see
//! the states that it had.

use super::cover::Cover;
use super::snapshot::{self, Difference, Snapshot};
use super::trial::Trial;
use super::{FIRST_ROUNDS, Instead, Site, Verdict, callees};
use crate::context::Context;
use crate::native::Changes;
use quotient_dpor::graph::Kind;
use quotient_dpor::{Operation, ViolationKind};
use std::ptr;

/// What is to be found out about a point that a thread has come to.
pub(super) struct Question {
    pub key: u64,
    pub site: Site,
    pub thread: u32,
    /// How many events the thread has had at that point.
    pub end: u32,
    pub operation: Operation,
    /// Where the thread may have been in the same state, and the state there.
    pub heads: Vec<(u32, Option<Snapshot>)>,
    /// Whether the thread has changed, since then, a location that it overwrites next.
    pub overwrites: bool,
    /// What could have been left out.
    pub cover: Option<Cover>,
    /// What is being tried.
    pub trial: Option<Trial>,
    /// What is to be tried then.
    pub next_trial: Option<Trial>,
    /// Nobody has asked yet.
    pub foreseen: bool,
}

impl Question {
    /// Where the run has to be looked at first.
    pub(super) fn start(&self) -> u32 {
        if let Some(trial) = &self.trial {
            return trial.from;
        }
        let heads = self.heads.iter().map(|&(position, _)| position);
        heads.chain(self.cover.as_ref().map(|cover| cover.round.start)).min().unwrap_or(self.end)
    }

    /// Whether the state is to be looked at where the thread has had so many events.
    pub(super) fn looks_at(&self, position: u32) -> bool {
        let is_second = |cover: &Cover| cover.second.as_ref().is_some_and(|&(second, _)| second == position);
        let covers = |cover: &Cover| cover.round.start == position || is_second(cover);
        self.heads.iter().any(|&(head, _)| head == position) || self.cover.as_ref().is_some_and(covers)
    }
}

impl Context {
    /// The execution is run again to find something out.
    pub(super) fn ask(&mut self, question: Question) -> Instead {
        self.learn_from(&question);
        self.loops.question = Some(question);
        self.loops.asked += 1;
        (self.retry, self.abandoning) = (true, true);
        None
    }

    /// Looks at an operation of a thread about which there is a question.
    pub(super) fn look_into_question(&mut self, operation: &Operation) -> Option<Instead> {
        let thread = self.current.0;
        let position = self.explorer.position(thread);
        let question = self.loops.question.as_ref()?;
        if question.thread != thread {
            return None;
        }
        if let Some(trial) = &question.trial {
            return (position == trial.from).then(|| self.suppose(operation));
        }
        if position < question.start() || position > question.end {
            return None;
        }
        let is_here = question.looks_at(position);
        if position == question.end {
            if self.explorer.next_event(thread).is_none() && question.operation == *operation {
                return self.answer_question();
            }
            return None;
        }
        if is_here {
            self.note_head(position);
        }
        None
    }

    /// The thread is at the beginning of what may be a round.
    fn note_head(&mut self, position: u32) {
        let thread = self.current.0;
        let is_first = self.loops.question.as_ref().is_some_and(|question| question.start() == position);
        if let (Some(host), true) = (&self.host, is_first) {
            host.watch(thread);
        }
        let snapshot = self.snapshot();
        let Some(question) = &mut self.loops.question else { return };
        if let Some(cover) = &mut question.cover {
            if cover.round.start == position {
                cover.first = Some(snapshot.clone());
            }
            if let Some((second, seen)) = &mut cover.second
                && *second == position
            {
                *seen = Some(snapshot.clone());
            }
        }
        for (head, seen) in &mut question.heads {
            if *head == position && seen.is_none() {
                *seen = Some(snapshot.clone());
            }
        }
    }

    /// The thread has arrived where a question was asked; the states before its rounds are known.
    fn answer_question(&mut self) -> Option<Instead> {
        let snapshot = self.snapshot();
        let mut question = self.loops.question.take()?;
        let (thread, end) = (question.thread, question.end);
        let host = self.host.clone();
        let callee = callees(host.as_ref());
        let mut verdict = Verdict { overwrites: question.overwrites, ..Verdict::default() };
        for (head, seen) in &question.heads {
            let Some(seen) = seen else { continue };
            let written = host.as_ref().map_or_else(Changes::default, |host| host.changes(thread, seen.mark));
            let memory = written.difference().map_or(Ok(()), |address| Err(Difference::Memory(address)));
            match snapshot::compare(seen, &snapshot, &callee).and(memory) {
                Ok(()) => verdict.same.push((end - head, self.has_changed(thread, *head, end, &written))),
                Err(difference) => {
                    verdict.difference.get_or_insert(difference);
                }
            }
        }
        snapshot::tell(|| {
            let heads: Vec<u32> = question.heads.iter().map(|&(head, _)| head).collect();
            format!("thread {thread} at {end}, heads {heads:?}: {verdict:?}")
        });
        if !verdict.same.is_empty() {
            self.expect_again(thread, end, &question.operation, question.site);
        } else if question.foreseen {
            // It is asked in full.
            if let Some(host) = &host {
                host.unwatch();
            }
            return None;
        }
        let trials = if verdict.same.is_empty() { self.trials(&question, snapshot) } else { Vec::new() };
        self.loops.decide(question.key, verdict);
        let mut trials = trials.into_iter();
        question.trial = trials.next();
        question.next_trial = trials.next();
        if question.trial.is_some() {
            return Some(self.ask(question));
        }
        if let Some(host) = &host {
            host.unwatch();
        }
        None
    }

    /// Whether a thread has changed memory in a round that others might look at. Nobody can tell that it has written what was
    /// there all the time.
    pub(super) fn has_changed(&self, thread: u32, start: u32, end: u32, written: &Changes) -> bool {
        let events = &self.explorer.graph().threads()[thread as usize].events[start as usize..end as usize];
        written.meanwhile || events.iter().any(|event| event.kind == Kind::Write && event.is_plain())
    }

    /// Whether the run that has just ended was to find something out, and the program has done something else in it: threads
    /// did not take turns as before, and it has state that nobody sees. Then nothing is known of the loop.
    pub(crate) fn question_is_in_vain(&mut self) -> bool {
        let kind = self.explorer.violation().map(|violation| violation.kind);
        if kind != Some(ViolationKind::Nondeterminism) {
            return false;
        }
        let Some(question) = self.loops.question.take() else { return self.forethought_is_in_vain() };
        if question.foreseen {
            self.loops.is_taken_by_surprise = true;
        } else {
            self.loops.decide(question.key, Verdict::default());
        }
        self.explorer.clear_violation();
        (self.culprit, self.retry) = (None, false);
        true
    }

    /// Remembers that a thread asks this after the last value that it has read.
    pub(super) fn expect_again(&mut self, thread: u32, end: u32, operation: &Operation, site: Site) {
        let events = &self.explorer.graph().threads()[thread as usize].events;
        if let Some(read) = events.get(end as usize - 1).filter(|event| event.kind == Kind::Read) {
            let point = (ptr::from_ref(read.site).addr(), read.value);
            self.loops.expected.insert(point, (*operation, site));
        }
    }

    /// A question that will be asked in the run that is about to begin, most likely: its last event is a read, and after
    /// the same value others have asked. To answer it in this run saves another one.
    fn foresee(&self) -> Option<Question> {
        let explorer = &self.explorer;
        let last = *explorer.graph().run_order().last()?;
        let read = explorer.graph().event(last);
        let (thread, end) = (last.thread(), last.position() + 1);
        if read.kind != Kind::Read || explorer.is_replay_only() || end != explorer.graph().len_of(thread) {
            return None;
        }
        let &(operation, site) = self.loops.expected.get(&(ptr::from_ref(read.site).addr(), read.value))?;
        let key = self.key(thread, site);
        if self.loops.verdicts.contains_key(&key) {
            return None;
        }
        let (heads, _) = explorer.heads(thread, &operation, FIRST_ROUNDS);
        if heads.is_empty() || heads.len() == FIRST_ROUNDS {
            return None;
        }
        let heads = heads.into_iter().map(|position| (position, None)).collect();
        let (cover, trial, next_trial) = (None, None, None);
        let (overwrites, foreseen) = (false, true);
        Some(Question { key, site, thread, end, operation, heads, overwrites, cover, trial, next_trial, foreseen })
    }

    /// Has the run that is about to begin hold a thread back where it is to be looked at.
    pub(crate) fn prepare_for_question(&mut self) {
        let may_foresee = !std::mem::take(&mut self.loops.is_taken_by_surprise);
        if self.loops.question.is_none() && may_foresee && !self.loops.expected.is_empty() {
            self.loops.question = self.foresee();
        }
        let ahead = self.think_ahead(may_foresee && self.loops.question.is_none());
        let asked = self.loops.question.as_ref().map(|question| (question.thread, question.start()));
        self.loops.looked_at = asked.or(ahead);
        if let Some((thread, position)) = self.loops.looked_at {
            self.explorer.hold(thread, position);
        }
    }
}
