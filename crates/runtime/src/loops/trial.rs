//! Trials: a thread is told what did not happen, to see whether it comes to a state that is known (the second rule of
//! `loops`).

use super::cover::told;
use super::question::Question;
use super::snapshot::{self, Snapshot};
use super::{Instead, callees, clock};
use crate::context::Context;
use crate::native::Changes;
use quotient_dpor::graph::{LocationId, OpWords};
use quotient_dpor::{Operation, Round};

/// A thread is told other things from a position on, to see whether it comes to a state that is known.
pub(super) struct Trial {
    pub from: u32,
    pub told: Vec<Told>,
    /// How much it has been told, and the state at the beginning.
    pub next: usize,
    pub begun: Option<Snapshot>,
    /// The state: what the thread is about to do, where, and what has changed since `from`.
    pub asked: OpWords,
    pub address: usize,
    pub snapshot: Snapshot,
    pub changes: Changes,
    /// The state at `from` in the run in which it came there.
    pub before: Snapshot,
    /// What follows if it does.
    pub proves: Proof,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// The loop is one that the compiler has made two copies of.
    Copies,
    /// This part of the past can be left out.
    Covered(Round),
}

/// An operation and its answer.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub asked: OpWords,
    pub location: LocationId,
    pub address: usize,
    pub value: u64,
    pub happened: bool,
}

impl Context {
    /// What is to be tried to see whether a part of the past can be left out; `snapshot` is the present state.
    pub(super) fn trials(&self, question: &Question, snapshot: Snapshot) -> Vec<Trial> {
        let Some(cover) = &question.cover else { return Vec::new() };
        let thread = question.thread;
        let trial = |from: u32,
                     told: &[Told],
                     asked: OpWords,
                     address: usize,
                     [before, snapshot]: [Snapshot; 2],
                     changes,
                     proves| Trial {
            from,
            before,
            begun: None,
            told: told
                .iter()
                .map(|told| Told { address: self.address_at(told.asked, told.location), ..*told })
                .collect(),
            next: 0,
            asked,
            address,
            snapshot,
            changes,
            proves,
        };
        let Some(before) = &cover.first else { return Vec::new() };
        let changes = self.changes_since(before, &snapshot);
        let operation = &question.operation;
        let covered = Proof::Covered(Round { changes_memory: !changes.is_empty(), ..cover.round });
        let address = self.address_of(operation);
        let mut trials = Vec::new();
        if let Some((second, seen)) = &cover.second {
            let Some(seen) = seen else { return Vec::new() };
            if snapshot::is_same_call(before, seen) {
                return Vec::new();
            }
            let events = &self.explorer.graph().threads()[thread as usize].events;
            let event = &events[*second as usize];
            let left_out = told(&events[cover.round.start as usize..cover.round.end as usize]);
            let address = self.address(event.location);
            let nothing = Changes::default();
            trials.push(trial(
                *second,
                &left_out,
                event.asked,
                address,
                [seen.clone(), seen.clone()],
                nothing,
                Proof::Copies,
            ));
        }
        trials.push(trial(
            cover.round.start,
            &cover.told,
            operation.asked(),
            address,
            [before.clone(), snapshot],
            changes,
            covered,
        ));
        trials
    }

    /// Tells a thread what did not happen, and looks at where it arrives.
    pub(super) fn suppose(&mut self, operation: &Operation) -> Instead {
        let thread = self.current.0;
        let address = self.address_of(operation);
        let begins = self.loops.question.as_ref().and_then(|one| one.trial.as_ref()).is_some_and(|one| one.next == 0);
        let mut begun = None;
        if begins {
            if !self.explorer.is_last_to_replay(thread) {
                snapshot::tell(|| format!("thread {thread} cannot be told anything: others depend on it"));
                return self.give_up();
            }
            self.explorer.suppose();
            if let Some(host) = &self.host {
                host.watch(thread);
            }
            begun = Some(self.snapshot());
        }
        let Some(trial) = self.loops.question.as_mut().and_then(|question| question.trial.as_mut()) else {
            return self.give_up();
        };
        trial.begun = begun.or(trial.begun.take());
        if let Some(told) = trial.told.get(trial.next) {
            trial.next += 1;
            if clock::fits(told, operation.asked()) && told.address == address {
                self.loops.told_time = told.asked.first;
                return Some((told.value, told.happened));
            }
            snapshot::tell(|| format!("thread {thread} does {operation:?} instead of {:?}", told.asked));
            return self.give_up();
        }
        self.conclude_trial(operation, address)
    }

    /// The thread has been told everything, and has arrived.
    fn conclude_trial(&mut self, operation: &Operation, address: usize) -> Instead {
        let thread = self.current.0;
        let snapshot = self.snapshot();
        let Some(mut question) = self.loops.question.take() else { return self.give_up() };
        let Some(trial) = question.trial.take() else { return self.give_up() };
        let host = self.host.clone();
        let callee = callees(host.as_ref());
        let Some(begun) = &trial.begun else { return self.give_up() };
        let changes = self.changes_since(begun, &snapshot);
        let compared = snapshot::compare_runs([&trial.before, &trial.snapshot], [begun, &snapshot], &callee);
        let same = operation.asked() == trial.asked
            && address == trial.address
            && (trial.changes.leads_to_same(&changes)
                || trial.proves == Proof::Copies && changes.difference().is_none())
            && compared.is_ok();
        snapshot::tell(|| {
            let what =
                if trial.proves == Proof::Copies { "is in a copied loop" } else { "could have come here at once" };
            format!("thread {thread} at {} {what}: {same} {compared:?}", question.end)
        });
        (self.retry, self.abandoning) = (true, true);
        match trial.proves {
            Proof::Copies if same => {
                question.trial = question.next_trial.take();
                self.loops.question = Some(question);
            }
            Proof::Covered(round) if same => {
                let mut verdict = self.loops.verdicts.get(&question.key).cloned().unwrap_or_default();
                verdict.covered = Some(round);
                self.loops.decide(question.key, verdict);
            }
            _ => {}
        }
        None
    }

    /// Whether a thread is told what did not happen.
    pub(crate) fn is_supposing(&self) -> bool {
        let question = self.loops.question.as_ref();
        question.and_then(|question| question.trial.as_ref()).is_some_and(|trial| trial.next > 0)
    }

    /// A thread that was told what did not happen does something else.
    pub(crate) fn give_up(&mut self) -> Instead {
        self.loops.question = None;
        (self.retry, self.abandoning) = (true, true);
        None
    }
}
