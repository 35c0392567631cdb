//! Running an execution once more, to see that the program does the same.
//!
//! Events of an execution are compared when others that come from it are explored, but its end never is, and an only
//! execution would not be compared with anything. So the first execution is repeated as it was, and the 2nd, the 4th, the
//! 8th and so on, from the first event to what every thread waits for at the end; and the first one once more when all have
//! been explored. This changes no count.

use crate::Operation;
use crate::difference::same_but_addresses;
use crate::explorer::Explorer;
use crate::run::{Progress, Run, Status};
use crate::violation::{Kind as ViolationKind, Violation};
use quotient_graph::{EventId, ThreadId};
use std::panic::Location as Site;

/// What is kept of the run that is repeated.
#[derive(Debug)]
pub(crate) struct Repeating {
    before: Run,
    keep_order: bool,
    /// Whether names may differ: what a process does only once may allocate memory, and so change the names of what is
    /// allocated later.
    first: bool,
    /// Whether they did.
    other_names: bool,
}

/// How two runs of an execution have come to their ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// By themselves.
    Whole,
    /// Both were cut short, because something was learnt about the program.
    Cut,
    /// Only one of them was.
    Uneven,
    /// The second was given up for another reason: nothing is known.
    Lost,
}

impl Explorer {
    /// Counts a run; says whether it is to be repeated.
    pub fn is_repeat_due(&mut self) -> bool {
        self.runs += 1;
        self.runs.is_power_of_two()
    }

    /// An explorer that knows nothing but the execution that has just been run, to repeat it later.
    pub fn record(&self) -> Explorer {
        let mut record = Explorer::new(self.settings.clone());
        record.graph = self.graph.clone();
        record.run = self.run.clone();
        (record.has_classes, record.has_help) = (self.has_classes, self.has_help);
        (record.keep_order, record.left_order) = (self.keep_order, self.left_order);
        record.has_exact_sites = self.has_exact_sites;
        record
    }

    /// Makes the next run repeat the one that has just ended. `first` says that it was the first run of the program.
    pub fn repeat(&mut self, first: bool) {
        let before = std::mem::take(&mut self.run);
        self.repeating = Some(Repeating { before, keep_order: self.keep_order, first, other_names: false });
        (self.replay_only, self.keep_order) = (true, true);
    }

    /// Ends the repetition: what was different is a violation now. Returns whether names have changed, so that the execution
    /// has to be recorded anew.
    pub fn end_repeat(&mut self, repetition: Repetition) -> bool {
        let Some(repeating) = self.repeating.take() else { return false };
        let now = std::mem::replace(&mut self.run, repeating.before);
        (self.replay_only, self.keep_order) = (false, repeating.keep_order);
        match self.violation.take() {
            Some(violation) if violation.kind == ViolationKind::Nondeterminism => self.violation = Some(violation),
            Some(Violation { message, site, .. }) => self.report_other_end(&message, site),
            None if repetition == Repetition::Uneven => self.report_other_end("it was cut short only once", None),
            None if repetition == Repetition::Lost || self.run.left > 0 => {}
            None if now.left > 0 => {
                let message = format!("before, there were {} more events", now.left);
                self.report_other_end(&message, None);
            }
            None if repetition == Repetition::Cut || self.run.abandoned => {}
            None => self.compare_ends(&now),
        }
        repeating.other_names
    }

    fn report_other_end(&mut self, how: &str, site: Option<&'static Site<'static>>) {
        let message = format!("{AGAIN}, it ended in another way: {how}");
        self.report(Violation { kind: ViolationKind::Nondeterminism, message, events: Vec::new(), site });
    }

    fn compare_ends(&mut self, now: &Run) {
        let ends = self.run.threads.iter().zip(&now.threads).enumerate();
        let different = ends.filter(|&(thread, (was, now))| !self.same_end(thread as ThreadId, was, now));
        let Some((thread, what, site)) = different.map(|(thread, (_, now))| (thread, say_end(now), now.site)).next()
        else {
            return;
        };
        let message = format!("{AGAIN}, thread {thread} ended in another way: now it {what}");
        let last = self.graph.len_of(thread as ThreadId).saturating_sub(1);
        let events = vec![EventId::new(thread as ThreadId, last)];
        self.report(Violation { kind: ViolationKind::Nondeterminism, message, events, site: Some(site) });
    }

    /// Whether a thread has ended in the same way as before, or waits for the same.
    fn same_end(&self, thread: ThreadId, was: &Progress, now: &Progress) -> bool {
        // Memory that no event accesses has no number of its own.
        let number =
            |operation: &Operation| operation.location().filter(|&location| !self.graph.location(location).is_unused());
        match (was.status, now.status) {
            // In a loop in which nothing happens a thread waits for itself; nobody has looked at the loop this time.
            (Status::Waiting, Status::Waiting) if was.operation == Operation::Join(thread) => {
                matches!(now.operation, Operation::Join(_) | Operation::Block(_))
            }
            // It was found to wait in a loop; nobody has looked for loops this time.
            (Status::Waiting, Status::Waiting) if matches!(was.operation, Operation::Block(_)) => true,
            (Status::Waiting | Status::Parked, Status::Waiting) => {
                same_but_addresses(&was.operation.asked(), &now.operation.asked(), true)
                    && number(&was.operation) == number(&now.operation)
                    && (std::ptr::eq(was.site, now.site) || !self.has_exact_sites)
            }
            // It was cut short.
            (Status::Ready, _) => true,
            (was, now) => was == now,
        }
    }

    /// Whether names of addresses may differ now.
    pub(crate) fn names_may_differ(&self) -> bool {
        self.repeating.as_ref().is_some_and(|repeating| repeating.first)
    }

    pub(crate) fn note_other_names(&mut self) {
        if let Some(repeating) = &mut self.repeating {
            repeating.other_names = true;
        }
    }
}

const AGAIN: &str = "the program is not deterministic: when the same execution was run again";

fn say_end(now: &Progress) -> String {
    match now.status {
        Status::Waiting => format!("goes on with {}", now.operation.name()),
        Status::Ended => "ends".to_owned(),
        Status::Blocked | Status::Parked => "waits in a loop".to_owned(),
        Status::Absent | Status::Ready => "is not there".to_owned(),
    }
}
