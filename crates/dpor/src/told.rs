//! Following a script: the run is told which thread goes next and how its operation happens.
//!
//! Nothing of a script is believed. Each line must be about the operation that the program asks for there, and what it says
//! must be allowed by the memory model; then the run is one that the exploration has as well. Anything else ends the run with
//! an error that names the line.

use crate::difference::describe;
use crate::explorer::{Alternative, Explorer};
use crate::forward::Read;
use crate::run::Status;
use crate::script::{Form, Line, ScriptError, parse};
use crate::violation::{Kind as ViolationKind, Violation};
use crate::{Operation, Step};
use quotient_graph::{EventId, Kind, LocationId, Order, Outcome, ThreadId, When};
use quotient_memory::{floor, floor_of_read, race, race_of_read};
use std::panic::Location as Site;

type CodeSite = &'static Site<'static>;

/// What the current run is told.
#[derive(Debug)]
pub(crate) struct Following {
    /// What is still to be done, the next line last.
    lines: Vec<Line>,
    /// How many lines there were.
    total: usize,
    /// The first operation that could happen although the script has ended.
    beyond: Option<(ThreadId, Operation, CodeSite)>,
}

impl Explorer {
    /// Makes the next run follow a script.
    ///
    /// # Errors
    ///
    /// If the text is not a script.
    pub fn follow(&mut self, text: &str) -> Result<(), ScriptError> {
        let mut lines = parse(text, self.settings.max_events as usize)?;
        lines.reverse();
        self.following = Some(Following { total: lines.len(), lines, beyond: None });
        Ok(())
    }

    fn next_line(&self) -> Option<Line> {
        self.following.as_ref()?.lines.last().copied()
    }

    /// Whether the run has done all that it was told.
    pub(crate) fn is_over(&self) -> bool {
        self.following.as_ref().is_some_and(|following| following.lines.is_empty())
    }

    /// Whether the next line is about another thread.
    #[inline]
    pub(crate) fn is_told_to_wait(&self, thread: ThreadId) -> bool {
        self.following.is_some() && self.next_line().is_some_and(|line| line.thread != thread)
    }

    /// Whether a later line is about this thread.
    pub(crate) fn is_told_to_go_on(&self, thread: ThreadId) -> bool {
        self.following.as_ref().is_some_and(|following| following.lines.iter().any(|line| line.thread == thread))
    }

    /// What the next line about this thread says of a read, if the run follows a script and there is one: whether the thread
    /// reads, and does not wait forever.
    pub fn is_told_to_read(&self, thread: ThreadId) -> Option<bool> {
        let lines = &self.following.as_ref()?.lines;
        lines.iter().rev().find(|line| line.thread == thread).map(Line::reads)
    }

    /// The location that the next line about this thread is about, if the line names a write that has happened.
    pub fn location_as_told(&self, thread: ThreadId) -> Option<LocationId> {
        let lines = &self.following.as_ref()?.lines;
        let (Form::Reads { source: write, .. } | Form::Writes { after: write }) =
            lines.iter().rev().find(|line| line.thread == thread)?.form
        else {
            return None;
        };
        let happened = write.is_real() && write.position() < self.graph.len_of(write.thread());
        happened.then(|| self.graph.event(write)).filter(|event| event.kind == Kind::Write).map(|event| event.location)
    }

    /// The thread that the next line is about; when there is none, threads that have not come to their next operation.
    pub(crate) fn next_as_told(&mut self) -> Option<ThreadId> {
        let Some(line) = self.next_line() else { return self.next_to_halt() };
        let why = match self.run.threads.get(line.thread as usize).map(|progress| progress.status) {
            Some(Status::Ready) => return Some(line.thread),
            Some(Status::Parked) => {
                self.run.threads[line.thread as usize].status = Status::Ready;
                return Some(line.thread);
            }
            None | Some(Status::Absent) => "there is no such thread",
            Some(Status::Ended) => "that thread has ended",
            Some(Status::Waiting) => "that thread waits",
            Some(Status::Blocked) => "that thread goes no further",
        };
        self.report_misfit(Misfit::Thread(why), None);
        None
    }

    /// A thread has come to its next operation, and the script has ended. It may be that the execution has, too.
    pub(crate) fn stop_at(&mut self, thread: ThreadId, operation: &Operation, site: CodeSite) -> Step {
        let goes_on = match *operation {
            Operation::Join(child) => self.has_ended(child),
            Operation::Read { location, update, when, .. } => {
                let newest = self.graph.location(location).last();
                let value = self.graph.value_of(newest, location);
                when == When::Always || update.outcome(when, value) != Outcome::Waits
            }
            _ => true,
        };
        if let Some(following) = &mut self.following
            && goes_on
        {
            following.beyond.get_or_insert((thread, *operation, site));
        }
        self.wait(thread, operation, site)
    }

    /// The run is over: nothing may be left to be done, and nothing may have happened that was not told.
    pub(crate) fn see_to_the_end(&mut self) {
        if self.run.abandoned || self.violation.is_some() {
            return;
        }
        if self.run.left > 0 {
            let message = format!(
                "the program is not deterministic: it ends, and before there were {} more events",
                self.run.left
            );
            let kind = ViolationKind::Nondeterminism;
            self.report(Violation { kind, message, events: Vec::new(), site: None });
            return;
        }
        let Some(following) = &self.following else { return };
        if let Some((thread, operation, site)) = following.beyond {
            let message = format!(
                "the text ends after {}, but the execution does not: thread {thread} goes on with {}",
                steps(following.total),
                operation.name()
            );
            let site = operation.place(site);
            self.report(Violation { kind: ViolationKind::Replay, message, events: Vec::new(), site });
        }
    }

    /// Ends the run: the next line does not fit.
    fn report_misfit(&mut self, why: Misfit, site: Option<CodeSite>) -> Step {
        let following = self.following.as_ref().expect("a script that is followed");
        let number = following.total - following.lines.len() + 1;
        let line = following.lines.last().map_or(String::new(), |line| format!(" (`{}`)", line.token()));
        let message = format!("step {number} of the text{line} does not fit: {why}");
        self.report(Violation { kind: ViolationKind::Replay, message, events: Vec::new(), site })
    }

    /// Ends the run: a thread does something else than its next line, which need not be the next of all, says.
    pub(crate) fn report_misfit_at(&mut self, thread: ThreadId, now: &str, site: Option<CodeSite>) -> Step {
        if let Some(following) = &mut self.following
            && let Some(own) = following.lines.iter().rposition(|line| line.thread == thread)
        {
            following.lines.truncate(own + 1);
        }
        self.report_misfit(Misfit::Now(thread, now.to_owned()), site)
    }

    /// Adds the operation that the next line is about, in the way that it says.
    pub(crate) fn add_as_told(&mut self, thread: ThreadId, operation: &Operation, site: CodeSite) -> Step {
        let Some(line) = self.next_line() else { return self.stop_at(thread, operation, site) };
        let added = match (*operation, line.form) {
            (Operation::Read { location, orders, update, when, weak }, Form::Reads { source, fails }) => {
                let read = Read { location, orders, update, when, weak };
                self.read_as_told(thread, read, site, source, fails)
            }
            (Operation::Write { location, order, .. }, Form::Writes { after }) => {
                self.write_as_told(thread, operation, (location, order), site, after)
            }
            (_, Form::Chooses(choice)) if operation.options().is_some_and(|options| choice < options) => {
                self.realise(thread, operation, site, Alternative { choice, ..Alternative::PLAIN });
                Ok(Step::Done(choice.into(), true))
            }
            (Operation::Choose(options), Form::Chooses(_)) => Err(Misfit::NoOption(options)),
            (Operation::Join(child), Form::Bare) if !self.has_ended(child) => Err(Misfit::NotEnded(thread, child)),
            (Operation::Clock { .. }, Form::Chooses(_)) => Err(Misfit::Time),
            (Operation::Read { .. } | Operation::Write { .. } | Operation::Choose(_) | Operation::Clock { .. }, _)
            | (_, Form::Reads { .. }) => Err(Misfit::other_form(thread, operation, line.form)),
            (_, Form::Writes { .. } | Form::Chooses(_)) => Err(Misfit::other_form(thread, operation, line.form)),
            (_, Form::Bare) => {
                let id = self.realise(thread, operation, site, Alternative::PLAIN);
                let event = self.graph.event(id);
                Ok(Step::Done(if event.kind == Kind::Spawn { event.other.thread().into() } else { 0 }, true))
            }
        };
        match added {
            Ok(step) => {
                if let Some(following) = &mut self.following {
                    following.lines.pop();
                }
                step
            }
            Err(why) => self.report_misfit(why, operation.place(site)),
        }
    }

    fn read_as_told(
        &mut self,
        thread: ThreadId,
        read: Read,
        site: CodeSite,
        source: EventId,
        fails: bool,
    ) -> Result<Step, Misfit> {
        let id = EventId::new(thread, self.graph.len_of(thread));
        let newest = self.graph.location(read.location).last();
        let plain = read.orders.0 == Order::Plain;
        self.must_be_write(source, read.location)?;
        if self.graph.rank(source) < floor_of_read(&self.graph, id, read.location) || plain && source != newest {
            return Err(Misfit::KnowsNewer(thread));
        }
        let value = self.graph.value_of(source, read.location);
        let writes = match read.update.outcome(read.when, value) {
            Outcome::Waits => return Err(Misfit::OtherValue(thread, value)),
            Outcome::Reads => false,
            Outcome::Writes(_) => true,
        };
        if fails && !(writes && read.weak) {
            return Err(Misfit::NeverFails);
        }
        if writes && !fails && self.graph.taken_by(source, read.location).is_real() {
            return Err(Misfit::Replaced);
        }
        let race = race_of_read(&self.graph, id, read.location, plain);
        let unpublished = self.is_unpublished(id, read.location);
        let needs_check = source != newest && !self.needs_no_check(read.orders);
        self.push_read(thread, read, site, source, fails);
        if let Some(other) = race {
            return Ok(self.report_race(id, other));
        }
        if unpublished {
            return Ok(self.report_unpublished(id));
        }
        if needs_check && !self.checker.consistent(&self.graph, self.settings.model) {
            self.undo(id);
            return Err(self.not_allowed());
        }
        self.check_update(self.graph.newest());
        Ok(if self.run.abandoned { Step::Abandon } else { self.done(id) })
    }

    fn write_as_told(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        (location, order): (LocationId, Order),
        site: CodeSite,
        after: EventId,
    ) -> Result<Step, Misfit> {
        self.must_be_write(after, location)?;
        let newest = self.graph.location(location).last();
        let id = self.realise(thread, operation, site, Alternative { after: newest, ..Alternative::PLAIN });
        let known = self.graph.rank(after) < floor(&self.graph, id) || order == Order::Plain && after != newest;
        let taken = self.graph.taken_by(after, location).is_real();
        if known || taken {
            self.undo(id);
            return Err(if known { Misfit::KnowsLater(thread) } else { Misfit::UpdateThere(thread) });
        }
        if let Some(other) = race(&self.graph, id) {
            return Ok(self.report_race(id, other));
        }
        if self.is_unpublished(id, location) {
            return Ok(self.report_unpublished(id));
        }
        if after != newest {
            self.graph.place(id, after);
            if !self.checker.consistent(&self.graph, self.settings.model) {
                self.graph.place(id, self.last_but(location, id));
                self.undo(id);
                return Err(self.not_allowed());
            }
        }
        Ok(self.done(id))
    }

    /// There must be such a write to this location.
    fn must_be_write(&self, write: EventId, location: LocationId) -> Result<(), Misfit> {
        if write == EventId::INIT {
            return Ok(());
        }
        let name = format!("{}.{}", write.thread(), write.position());
        if self.graph.len_of(write.thread()) <= write.position() {
            return Err(Misfit::NotYet(name));
        }
        let event = self.graph.event(write);
        match event.kind {
            Kind::Write if event.location == location => Ok(()),
            Kind::Write => Err(Misfit::OtherMemory(name)),
            kind => Err(Misfit::NoWrite(name, describe(kind))),
        }
    }

    fn not_allowed(&self) -> Misfit {
        Misfit::NotAllowed(self.settings.model.name())
    }
}

/// Why a line does not fit.
#[derive(Debug, thiserror::Error)]
enum Misfit {
    /// Its thread cannot go on.
    #[error("{0}")]
    Thread(&'static str),
    #[error("thread {0} now {1}")]
    Now(ThreadId, String),
    #[error("the text has {told}, and thread {thread} comes to {comes}")]
    OtherForm { told: &'static str, thread: ThreadId, comes: &'static str },
    #[error("there are {0} to choose from")]
    NoOption(u32),
    #[error("thread {0} waits for thread {1}, which has not ended")]
    NotEnded(ThreadId, ThreadId),
    #[error("time has passed (1) or not (0)")]
    Time,
    #[error("thread {0} knows a newer value already")]
    KnowsNewer(ThreadId),
    #[error("thread {0} waits for another value than {1}")]
    OtherValue(ThreadId, u64),
    #[error("this does not fail without a reason")]
    NeverFails,
    #[error("another thread has replaced that value")]
    Replaced,
    #[error("thread {0} knows a later write already")]
    KnowsLater(ThreadId),
    #[error("thread {0} cannot write there, an update is there")]
    UpdateThere(ThreadId),
    #[error("there is no write {0} yet")]
    NotYet(String),
    #[error("{0} is a write to other memory")]
    OtherMemory(String),
    #[error("{0} is not a write, but {1}")]
    NoWrite(String, &'static str),
    #[error("the memory model ({0}) does not allow it")]
    NotAllowed(&'static str),
}

impl Misfit {
    fn other_form(thread: ThreadId, operation: &Operation, form: Form) -> Self {
        let told = match form {
            Form::Bare => "something else than an access",
            Form::Reads { .. } => "a read",
            Form::Writes { .. } => "a write",
            Form::Chooses(_) => "a choice",
        };
        Misfit::OtherForm { told, thread, comes: operation.name() }
    }
}

fn steps(number: usize) -> String {
    format!("{number} {}", if number == 1 { "step" } else { "steps" })
}
