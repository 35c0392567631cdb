//! One run of the program: replaying the graph, then extending it.

use crate::difference::{is_name, is_same, may_differ, only_addresses_differ};
use crate::explorer::Explorer;
use crate::rounds::{Choices, Round};
use crate::violation::{Kind as ViolationKind, Violation};
use crate::{Operation, Step};
use quotient_graph::{Clock, Event, EventId, Graph, Kind, LocationId, OpCode, OpWords, Outcome, ThreadId, Update};
use std::ops::Range;
use std::panic::Location as Site;

/// How many choices there may be at one point: all that are left are kept.
const MOST_OPTIONS: u32 = 1 << 20;

/// Where a thread is in the current run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It does not exist.
    Absent,
    /// It can go on.
    Ready,
    /// It waits for an operation to become possible.
    Waiting,
    /// It has made a round of a loop that changes nothing, and goes on only if somebody has seen it; see `rounds`.
    Parked,
    /// It goes no further.
    Blocked,
    /// It has ended.
    Ended,
}

/// How far a thread has come in the current run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub status: Status,
    /// How many events it has had.
    pub position: u32,
    /// What it waits for, if it waits.
    pub operation: Operation,
    /// Where it waits.
    pub site: &'static Site<'static>,
    /// The round that it has made, if it is parked.
    pub round: Round,
    /// Whether it is parked because it would only repeat that.
    pub waits: bool,
    /// Where it was parked last and then let go on.
    pub let_go: u32,
}

/// The state of the current run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// Up to here, the events of the run order have been replayed.
    pub cursor: usize,
    /// How many events of the graph are still to be replayed.
    pub left: usize,
    pub threads: Vec<Progress>,
    /// The thread that made the last step.
    pub current: ThreadId,
    /// The thread that may add to the graph.
    pub turn: ThreadId,
    /// The thread of the newest event, where what is new begins when all is replayed.
    newest: ThreadId,
    pub abandoned: bool,
    /// Locations that no event of the graph accesses, the smallest last.
    pub free_locations: Vec<LocationId>,
    /// A thread that waits at a position until the others have replayed what they can.
    pub held: Option<(ThreadId, u32)>,
    /// Whether a thread is told what did not happen, to see what it would do: nothing that it does is an event.
    pub supposing: bool,
    /// Of threads that were parked, the rounds of which one may be left out.
    pub choices: Vec<(ThreadId, Choices)>,
    /// Whether each location is known to stand for some memory in this run.
    bound: Vec<bool>,
    /// Whether an operation that is the same as in the graph, and at the same place in the code, can be replayed with nothing
    /// else to be looked at: nobody compares executions, and threads need not keep to an order.
    is_simple: bool,
}

impl Run {
    /// Whether it has come to an event.
    #[inline]
    fn has_come_to(&self, id: EventId) -> bool {
        self.threads.get(id.thread() as usize).is_some_and(|progress| progress.position > id.position())
    }
}

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every thread has ended.
    Complete,
    /// Some threads spin, or what the program assumes does not hold.
    Blocked,
    /// Some threads wait forever: a violation, unless others are only blocked.
    Stuck,
    /// The execution turned out not to be one that is explored.
    Abandoned,
    /// There is a violation.
    Violation,
}

impl Explorer {
    /// Begins a run of the program. Thread 0 is its main thread.
    pub fn start(&mut self, site: &'static Site<'static>) {
        if self.graph.run_order().is_empty() {
            let main = self.graph.add_thread(EventId::INIT, 0, EventId::NONE);
            self.push(main, Event { other: EventId::INIT, ..Graph::blank(Kind::Begin, Operation::End.asked(), site) });
        }
        let run = &mut self.run;
        run.cursor = 1;
        run.left = self.graph.run_order().len() - 1;
        run.current = 0;
        run.turn = 0;
        run.newest = self.graph.newest().thread();
        // A violation that shows before the program runs: nothing need be run.
        run.abandoned = self.violation.is_some();
        run.held = None;
        run.is_simple = self.repeating.is_none() && !self.keep_order;
        run.supposing = false;
        run.choices.clear();
        for progress in &mut run.threads {
            (progress.status, progress.position, progress.let_go) = (Status::Absent, 0, 0);
        }
        self.note_spawn(0, site);
        let run = &mut self.run;
        run.free_locations.clear();
        let unused = |&location: &LocationId| self.graph.location(location).is_unused();
        run.free_locations.extend((0..self.graph.location_count() as LocationId).rev().filter(unused));
        run.bound.clear();
        run.bound.resize(self.graph.location_count(), false);
    }

    /// The location that an operation of `thread` is about, if it is in the graph already: then its next event says so.
    pub fn location_of_next(&self, thread: ThreadId) -> Option<LocationId> {
        if self.run.supposing {
            return None;
        }
        self.next_event(thread).filter(|event| event.is_access()).map(|event| event.location)
    }

    /// Makes a thread wait, when it has had so many events, until the others have replayed all that does not depend on it.
    /// Not if threads keep to their order.
    pub fn hold(&mut self, thread: ThreadId, position: u32) {
        self.run.held = Some((thread, position)).filter(|_| !self.keep_order);
        self.run.is_simple = false;
    }

    /// Whether only this thread has something left to replay.
    pub fn is_last_to_replay(&self, thread: ThreadId) -> bool {
        let own = self.graph.len_of(thread) - self.position(thread);
        self.run.left == own as usize
    }

    /// From now on a thread is told what did not happen; the run is given up afterwards.
    pub fn suppose(&mut self) {
        self.run.supposing = true;
    }

    /// The next event of `thread` in the graph, if it is being replayed and what it takes something from has been: then the
    /// thread can go on. So threads need not take turns as they did when the graph was made (unless they are told to), only
    /// one whose data another needs must go first.
    #[inline]
    pub fn next_event(&self, thread: ThreadId) -> Option<&Event> {
        if self.run.left == 0 {
            return None;
        }
        let position = self.position(thread);
        let event = self.graph.threads().get(thread as usize)?.events.get(position as usize)?;
        let possible = match event.kind {
            Kind::Read | Kind::Join => !event.other.is_real() || self.has_run(event.other),
            _ => true,
        };
        (possible && self.may_be_next(thread)).then_some(event)
    }

    /// Whether threads need not keep to an order, or this one is next; and it is not held back.
    #[inline]
    fn may_be_next(&self, thread: ThreadId) -> bool {
        let in_order = !self.keep_order || self.graph.run_order()[self.run.cursor].thread() == thread;
        in_order && self.run.held.is_none_or(|held| held != (thread, self.position(thread)))
    }

    /// Makes threads take turns as they did before when a graph is replayed: the program may have state that nobody sees,
    /// such as counts of references, which then changes in the same order.
    pub fn keep_order(&mut self, keep: bool) {
        self.keep_order = keep;
        self.run.is_simple = false;
    }

    /// Whether threads have ever not taken turns as they did before.
    pub fn has_left_order(&self) -> bool {
        self.left_order
    }

    /// Whether the current run has come to an event.
    #[inline]
    pub fn has_run(&self, id: EventId) -> bool {
        self.run.has_come_to(id)
    }

    /// Whether it is another thread's turn.
    #[inline]
    pub fn must_wait(&self, thread: ThreadId) -> bool {
        if self.run.left > 0 {
            self.next_event(thread).is_none()
        } else {
            // A run that is repeated only goes as far as it has come before, whatever it was told to do then.
            self.run.turn != thread || !self.replay_only && self.is_told_to_wait(thread)
        }
    }

    /// A location that nothing has accessed.
    pub fn new_location(&mut self, init: u64) -> LocationId {
        let location = self.run.free_locations.pop().unwrap_or(self.graph.location_count() as LocationId);
        self.graph.add_location(location, init);
        self.bind(location);
        location
    }

    /// Says that a location stands for some memory in this run, and what is in it before any write; addresses change from
    /// run to run. There is no other memory that it stands for: if there seems to be, a thread accesses another place than
    /// it did before.
    pub fn set_init(&mut self, thread: ThreadId, location: LocationId, init: u64) {
        if self.bind(location) {
            self.report_other_place(thread);
            return;
        }
        self.graph.set_init(location, init);
    }

    /// Whether a location stands for some memory in this run.
    pub fn is_bound(&self, location: LocationId) -> bool {
        self.run.bound.get(location as usize).is_some_and(|&bound| bound)
    }

    /// Notes that a location stands for some memory; true if that was known.
    fn bind(&mut self, location: LocationId) -> bool {
        let bound = &mut self.run.bound;
        if bound.len() <= location as usize {
            bound.resize(location as usize + 1, false);
        }
        std::mem::replace(&mut bound[location as usize], true)
    }

    /// Says which thread has made a location in this run, and how many events it had then.
    pub fn set_origin(&mut self, location: LocationId, origin: Option<(ThreadId, u32)>) {
        self.graph.set_origin(location, origin);
    }

    /// How many events `thread` has had in this run.
    #[inline]
    pub fn position(&self, thread: ThreadId) -> u32 {
        self.run.threads.get(thread as usize).map_or(0, |progress| progress.position)
    }

    /// Asks for a visible operation of `thread`.
    pub fn step(&mut self, thread: ThreadId, operation: &Operation, site: &'static Site<'static>) -> Step {
        if self.run.abandoned {
            return Step::Abandon;
        }
        if self.run.left > 0 {
            return self.step_in_graph(thread, operation, site);
        }
        if self.replay_only {
            return self.halt(thread, operation, site);
        }
        if self.run.turn != thread || self.is_told_to_wait(thread) {
            return Step::Wait;
        }
        if self.following.is_none() && self.earlier_twin(thread).is_some() {
            return Step::Wait;
        }
        if self.graph.run_order().len() >= self.settings.max_events as usize {
            return self.report_bound(thread, site);
        }
        self.spend(1);
        if self.is_out_of_time() {
            return self.abandon();
        }
        match *operation {
            Operation::Join(child) if self.following.is_none() && !self.has_ended(child) => {
                return self.wait(thread, operation, site);
            }
            Operation::Spawn { .. } if self.live_threads() >= self.settings.max_threads => {
                let message = format!("an execution has more than {} threads, the limit", self.settings.max_threads);
                return self.report_limit(message, site);
            }
            Operation::Choose(options) if options > MOST_OPTIONS => {
                let message = format!("the program chooses among {options}, and at most {MOST_OPTIONS} can be tried");
                return self.report_limit(message, site);
            }
            _ if self.is_over() => return self.stop_at(thread, operation, site),
            _ => {}
        }
        self.run.current = thread;
        let step = if self.following.is_some() {
            Some(self.add_as_told(thread, operation, site))
        } else {
            self.add(thread, operation, site)
        };
        let Some(step) = step else { return self.wait(thread, operation, site) };
        if self.leaves_path() {
            return self.abandon();
        }
        if let Step::Done(value, happened) = step {
            self.note(thread, operation, value, happened);
        }
        step
    }

    /// A step while the graph is being replayed.
    fn step_in_graph(&mut self, thread: ThreadId, operation: &Operation, site: &'static Site<'static>) -> Step {
        match self.replay(thread, operation, site) {
            Some((value, happened)) => Step::Done(value, happened),
            None if self.next_event(thread).is_none() => Step::Wait,
            None => self.report_difference(EventId::new(thread, self.position(thread)), operation, site),
        }
    }

    /// Lets a thread wait until an operation becomes possible.
    pub(crate) fn wait(&mut self, thread: ThreadId, operation: &Operation, site: &'static Site<'static>) -> Step {
        let progress = &mut self.run.threads[thread as usize];
        (progress.status, progress.operation, progress.site) = (Status::Waiting, *operation, site);
        Step::Wait
    }

    /// Whether a random walk has just chosen another way than that of the run.
    fn leaves_path(&mut self) -> bool {
        self.walk.as_mut().is_some_and(|walk| std::mem::take(&mut walk.diverted))
    }

    fn live_threads(&self) -> u32 {
        self.run.threads.iter().filter(|progress| progress.status != Status::Absent).count() as u32
    }

    /// Keeps track of which threads exist, wait and have ended.
    #[inline]
    fn note(&mut self, thread: ThreadId, operation: &Operation, value: u64, happened: bool) {
        let progress = &mut self.run.threads[thread as usize];
        progress.position += 1;
        progress.status = Status::Ready;
        match *operation {
            Operation::Read { update, .. } => progress.position += (happened && update != Update::Load) as u32,
            Operation::Spawn { .. } => {
                let site = progress.site;
                self.note_spawn(value as usize, site);
            }
            Operation::End => progress.status = Status::Ended,
            Operation::Block(_) => progress.status = Status::Blocked,
            _ => {}
        }
    }

    #[inline]
    fn note_spawn(&mut self, child: usize, site: &'static Site<'static>) {
        let threads = &mut self.run.threads;
        if threads.len() <= child {
            let round = Round::new(0, 0);
            let absent = Progress {
                status: Status::Absent,
                position: 0,
                operation: Operation::End,
                site,
                round,
                waits: false,
                let_go: 0,
            };
            threads.resize(child + 1, absent);
        }
        (threads[child].status, threads[child].position) = (Status::Ready, 1);
    }

    /// Answers an operation from the graph: the value, and whether an exchange has happened. `None` if the graph has no
    /// answer, or the thread cannot go on yet, or it was another operation before.
    #[inline]
    pub fn replay(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        site: &'static Site<'static>,
    ) -> Option<(u64, bool)> {
        let event = self.next_event(thread)?;
        if !is_same(event, operation, self.compared(site), !self.replay_only || self.repeating.is_some()) {
            if self.repeating.is_none()
                || !only_addresses_differ(event, operation, self.compared(site), self.names_may_differ())
            {
                return None;
            }
            self.take_addresses(thread, operation);
        }
        let id = EventId::new(thread, self.position(thread));
        let event = self.graph.event(id);
        let (mut value, mut happened, mut events) = (event.value, true, 1);
        match *operation {
            Operation::Read { location, update, when, .. } => {
                happened = event.exclusive;
                value = self.graph.value_of(event.other, location);
                if value != event.value {
                    // An address without a name, which may differ in every run.
                    let is_renamed = is_name(value) && is_name(event.value);
                    if event.other == EventId::INIT && !may_differ(event.value, value, self.names_may_differ()) {
                        return None;
                    }
                    let outcome = update.outcome(when, value);
                    let writes = matches!(outcome, Outcome::Writes(_)) && !event.spurious;
                    if writes != event.exclusive || outcome == Outcome::Waits {
                        return None;
                    }
                    self.take_value(id, value);
                    if is_renamed {
                        self.note_other_names();
                    }
                }
                events += happened as usize;
            }
            Operation::Primary(value) | Operation::Help(value) => {
                self.graph.event_mut(id).value = value;
            }
            Operation::Spawn { .. } => (value, events) = (event.other.thread() as u64, 2),
            _ => {}
        }
        self.note(thread, operation, value, happened);
        self.replayed(thread, events);
        Some((value, happened))
    }

    /// Like [`replay`](Self::replay), for an operation that is exactly the one of the graph; or one that can happen in no
    /// other way than now, so that the thread need not wait for its turn.
    #[inline(always)]
    pub fn replay_asked(
        &mut self,
        thread: ThreadId,
        location: LocationId,
        asked: &OpWords,
        site: &'static Site<'static>,
    ) -> Option<(u64, bool)> {
        let (run, graph) = (&mut self.run, &self.graph);
        let position = run.threads[thread as usize].position;
        let Some(event) = graph.threads()[thread as usize].events.get(position as usize) else {
            return self.end_at_once(thread, asked, site);
        };
        if event.asked != *asked || event.location != location {
            return None;
        }
        if !(run.is_simple && std::ptr::eq(event.site, site)) {
            let same_place = std::ptr::eq(event.site, site) || !self.has_exact_sites;
            let in_turn = !self.keep_order || graph.run_order()[run.cursor].thread() == thread;
            if !same_place || self.repeating.is_some() || !in_turn || run.held == Some((thread, position)) {
                return None;
            }
        }
        let (mut value, mut happened, mut events, mut others) = (event.value, true, 1, 0);
        match event.kind {
            Kind::Read => {
                // The initial value may be an address without a name, which differs in every run.
                let other = event.other;
                let is_there =
                    if other.is_real() { run.has_come_to(other) } else { graph.location(location).init == value };
                if !is_there {
                    return None;
                }
                happened = event.exclusive;
                events += happened as u32;
            }
            Kind::Join if !run.has_come_to(event.other) => return None,
            Kind::Write | Kind::Fence | Kind::Choose | Kind::Join => {}
            Kind::Spawn => {
                value = event.other.thread() as u64;
                self.note_spawn(value as usize, site);
                others = 1;
            }
            Kind::End => run.threads[thread as usize].status = Status::Ended,
            Kind::Begin | Kind::Block | Kind::Primary | Kind::Help => return None,
        }
        self.run.threads[thread as usize].position = position + events;
        self.replayed(thread, events as usize + others);
        Some((value, happened))
    }

    /// Adds the end of a thread, or the wait for one that has ended. It can happen in no other way than now, so the thread
    /// need not wait for its turn.
    #[inline]
    fn end_at_once(&mut self, thread: ThreadId, asked: &OpWords, site: &'static Site<'static>) -> Option<(u64, bool)> {
        let (kind, other, status) = match asked.what.code {
            OpCode::End => (Kind::End, EventId::NONE, Status::Ended),
            OpCode::Join => (Kind::Join, self.end_of(asked.first as usize)?, Status::Ready),
            _ => return None,
        };
        let in_turn = self.run.left == 0 && self.run.turn == thread;
        if self.has_classes || self.keep_order && !in_turn || !self.may_end_at_once() || self.may_leave_loop(thread) {
            return None;
        }
        if in_turn {
            self.run.current = thread;
        } else {
            // What the program does after a join then comes earlier than it does next time; after an end there is nothing.
            self.left_order |= kind == Kind::Join;
        }
        let id = self.graph.push(thread, Event { other, ..Graph::blank(kind, *asked, site) });
        if kind == Kind::Join {
            self.graph.learn(id, other, Some(Clock::Before));
        }
        let progress = &mut self.run.threads[thread as usize];
        progress.position += 1;
        progress.status = status;
        Some((0, true))
    }

    /// The end of a thread, if it has come.
    #[inline]
    fn end_of(&self, thread: usize) -> Option<EventId> {
        let progress = self.run.threads.get(thread).filter(|progress| progress.status == Status::Ended)?;
        Some(EventId::new(thread as ThreadId, progress.position - 1))
    }

    /// Whether the run simply goes on: nobody says how, and nothing ends it.
    #[inline]
    fn may_end_at_once(&self) -> bool {
        let in_bounds = self.graph.run_order().len() < self.settings.max_events as usize;
        in_bounds && !self.run.abandoned && !self.replay_only && self.following.is_none()
    }

    /// So many events have been replayed.
    #[inline(always)]
    fn replayed(&mut self, thread: ThreadId, events: usize) {
        self.run.left -= events;
        if !self.left_order {
            self.keep_to_order(thread, events);
        }
        if self.run.left == 0 {
            self.run.current = self.run.newest;
            self.run.turn = self.run.newest;
        }
    }

    /// Notes whether the threads have kept to their order so far.
    fn keep_to_order(&mut self, thread: ThreadId, events: usize) {
        if self.graph.run_order()[self.run.cursor].thread() == thread {
            self.run.cursor += events;
        } else {
            self.left_order = true;
        }
    }

    #[inline]
    pub(crate) fn has_ended(&self, thread: ThreadId) -> bool {
        self.run.threads[thread as usize].status == Status::Ended
    }

    /// Whether a thread could make a step now.
    #[inline]
    pub(crate) fn can_go_on(&self, thread: ThreadId) -> bool {
        let Some(progress) = self.run.threads.get(thread as usize) else { return false };
        match (progress.status, &progress.operation) {
            (Status::Ready, _) => true,
            (Status::Waiting, &Operation::Join(child)) => self.has_ended(child),
            (Status::Waiting, &Operation::Read { location, when, .. }) => {
                let newest = self.graph.location(location).last();
                when.holds(self.graph.value_of(newest, location))
            }
            _ => false,
        }
    }

    /// The execution that has just ended, with threads that wait, is one that is meant to end like this.
    pub fn count_as_complete(&mut self) {
        let counted = self.is_counted() as u64;
        self.statistics.blocked -= counted;
        self.statistics.complete += counted;
    }

    /// Ends a run: counts it, and says what it was.
    pub fn finish(&mut self) -> Ending {
        self.see_to_the_end();
        let events = self.graph.run_order().len() as u64;
        let counted = self.is_counted() as u64;
        self.statistics.longest = self.statistics.longest.max(events);
        self.statistics.events += events * counted;
        if self.violation.is_some() {
            return Ending::Violation;
        }
        if self.run.abandoned {
            return Ending::Abandoned;
        }
        if self.has_classes && !self.checker.causal(&self.graph) {
            self.statistics.cyclic += 1;
        }
        let mut statuses = self.run.threads.iter().map(|progress| progress.status);
        if statuses.clone().all(|status| matches!(status, Status::Ended | Status::Absent)) {
            self.statistics.complete += counted;
            return Ending::Complete;
        }
        self.statistics.blocked += counted;
        let blocked = statuses.any(|status| matches!(status, Status::Blocked | Status::Parked));
        self.list_conflicts_of_waiting();
        if self.leaves_path() {
            self.statistics.blocked -= counted;
            return Ending::Abandoned;
        }
        if blocked { Ending::Blocked } else { Ending::Stuck }
    }

    /// A waiting operation that will never become possible here may still come before one that has happened.
    fn list_conflicts_of_waiting(&mut self) {
        for thread in 0..self.run.threads.len() {
            let Progress { status, operation, site, .. } = self.run.threads[thread];
            if status == Status::Waiting
                && matches!(operation, Operation::Read { update, .. } if update != Update::Load)
            {
                self.list_conflicts_only(thread as ThreadId, &operation, site);
            }
        }
    }

    /// The threads that wait, and for what.
    pub fn waiting(&self) -> impl Iterator<Item = (ThreadId, Operation, &'static Site<'static>)> + '_ {
        let all = self.run.threads.iter().enumerate();
        all.filter(|(_, progress)| progress.status == Status::Waiting)
            .map(|(thread, progress)| (thread as ThreadId, progress.operation, progress.site))
    }

    /// Whether a thread goes no further.
    pub fn is_blocked(&self, thread: ThreadId) -> bool {
        self.run.threads[thread as usize].status == Status::Blocked
    }

    /// The threads that go no further, each with its last round; none if something else keeps it from going on.
    pub fn blocked(&self) -> impl Iterator<Item = (ThreadId, Option<Range<u32>>)> + '_ {
        self.run.threads.iter().enumerate().filter_map(|(thread, progress)| {
            let thread = thread as ThreadId;
            match progress.status {
                Status::Parked => {
                    let Round { start, end, .. } = progress.round;
                    Some((thread, progress.waits.then_some(start..end)))
                }
                Status::Blocked => {
                    let end = self.graph.len_of(thread) - 1;
                    let length = self.graph.event(EventId::new(thread, end)).value as u32;
                    Some((thread, (length > 0).then(|| end - length..end)))
                }
                _ => None,
            }
        })
    }

    /// Where a parked thread is about to go on.
    pub fn parked_at(&self, thread: ThreadId) -> Option<&'static Site<'static>> {
        let progress = self.run.threads.get(thread as usize)?;
        (progress.status == Status::Parked).then_some(progress.site)
    }

    /// Removes what the current run has not come to yet.
    pub fn forget_unrun(&mut self) {
        let threads = &self.run.threads;
        let has_run = |id: EventId| threads.get(id.thread() as usize).is_some_and(|at| at.position > id.position());
        self.graph.retain(has_run);
    }

    fn report_bound(&mut self, thread: ThreadId, site: &'static Site<'static>) -> Step {
        let message = format!(
            "an execution has more than {} events, the limit; thread {thread} may run forever",
            self.settings.max_events
        );
        self.report(Violation { kind: ViolationKind::Bound, message, events: Vec::new(), site: Some(site) })
    }

    fn report_limit(&mut self, message: String, site: &'static Site<'static>) -> Step {
        self.report(Violation { kind: ViolationKind::Bound, message, events: Vec::new(), site: Some(site) })
    }
}
