//! Adding an operation to the graph: which ways there are for it to happen, and making one of them real.

use crate::explorer::{Alternative, Explorer, Frame, Pending};
use crate::violation::{Kind as ViolationKind, Violation};
use crate::{Operation, Step};
use quotient_graph::{
    Clock, Event, EventId, Graph, Kind, LocationId, OpCode, OpWords, Order, Outcome, ThreadId, Update, When,
};
use quotient_memory::{Checker, floor, floor_of_read, learn_clocks, race, race_of_read};
use std::panic::Location as Site;

/// The second half of a read-modify-write, which nobody asks for on its own.
const HALF: OpWords = OpWords::plain(OpCode::Write, 0);

/// The parts of [`Operation::Read`].
#[derive(Clone, Copy)]
pub(crate) struct Read {
    pub location: LocationId,
    pub orders: (Order, Order),
    pub update: Update,
    pub when: When,
    pub weak: bool,
}

impl Explorer {
    /// Adds an operation of `thread`; `None` means that it has to wait until something changes.
    pub(crate) fn add(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        site: &'static Site<'static>,
    ) -> Option<Step> {
        match *operation {
            Operation::Read { location, orders, update, when, weak } => {
                self.add_read(thread, Read { location, orders, update, when, weak }, operation, site)
            }
            Operation::Write { order, .. } => Some(self.add_write(thread, order, operation, site)),
            Operation::Choose(_) | Operation::Clock { .. } => {
                let options = operation.options().unwrap_or(1);
                let first = self.alternatives.len() as u32;
                let others = (1..options).rev().map(|choice| Alternative { choice, ..Alternative::PLAIN });
                self.alternatives.extend(others);
                self.push_frame(first, Some(self.pending(thread, operation, site)), true);
                self.realise(thread, operation, site, Alternative::PLAIN);
                Some(Step::Done(0, true))
            }
            _ => {
                let id = self.realise(thread, operation, site, Alternative::PLAIN);
                let event = self.graph.event(id);
                Some(Step::Done(if event.kind == Kind::Spawn { event.other.thread() as u64 } else { 0 }, true))
            }
        }
    }

    /// An operation that is to be added, in one way or another.
    fn pending(&self, thread: ThreadId, operation: &Operation, site: &'static Site<'static>) -> Pending {
        Pending { id: EventId::new(thread, self.graph.len_of(thread)), operation: *operation, site }
    }

    /// Keeps the alternatives from `first` on, if there are any, for later.
    pub(crate) fn push_frame(&mut self, first: u32, pending: Option<Pending>, stays: bool) {
        self.choose_at_random(first, stays);
        if self.alternatives.len() > first as usize {
            let length = self.graph.run_order().len() as u32;
            self.frames.push(Frame { length, depth: self.depth, first, pending });
        }
    }

    fn add_read(
        &mut self,
        thread: ThreadId,
        read: Read,
        operation: &Operation,
        site: &'static Site<'static>,
    ) -> Option<Step> {
        let newest = self.graph.location(read.location).last();
        let id = EventId::new(thread, self.graph.len_of(thread));
        let plain = read.orders.0 == Order::Plain;
        let race = race_of_read(&self.graph, id, read.location, plain);
        if race.is_some() || self.is_unpublished(id, read.location) {
            self.push_read(thread, read, site, newest, false);
            return Some(match race {
                Some(other) => self.report_race(id, other),
                None => self.report_unpublished(id),
            });
        }
        self.note_weak_publication(id, read.location);
        let oldest = floor_of_read(&self.graph, id, read.location);
        let first = self.alternatives.len() as u32;
        let newest_rank = self.graph.rank(newest);
        let mut chosen = None;
        for rank in (oldest..=newest_rank).rev() {
            if plain && rank < newest_rank || self.is_out_of_time() {
                break;
            }
            let source = self.graph.at_rank(read.location, rank);
            let value = self.graph.value_of(source, read.location);
            match read.update.outcome(read.when, value) {
                Outcome::Waits if rank == newest_rank && read.when != When::Always => {
                    // The operation is added when the newest value lets it; until then nothing is decided.
                    self.alternatives.truncate(first as usize);
                    return None;
                }
                Outcome::Waits => continue,
                Outcome::Reads => self.try_source(thread, read, site, source, newest, false, &mut chosen),
                Outcome::Writes(new) => {
                    let taker = self.graph.taken_by(source, read.location);
                    if taker.is_real() {
                        self.list_conflict(thread, read, site, (source, taker), new);
                    } else {
                        self.try_source(thread, read, site, source, newest, false, &mut chosen);
                    }
                    if read.weak {
                        self.try_source(thread, read, site, source, newest, true, &mut chosen);
                    }
                }
            }
        }
        self.push_frame(first, Some(self.pending(thread, operation, site)), chosen.is_some());
        let Some(chosen) = chosen else { return Some(self.abandon()) };
        let id = self.realise(thread, operation, site, chosen);
        self.list_revisits();
        self.check_update(self.graph.newest());
        Some(if self.run.abandoned { Step::Abandon } else { self.done(id) })
    }

    /// What the thread is told about an access that is in the graph.
    pub(crate) fn done(&self, id: EventId) -> Step {
        let event = self.graph.event(id);
        Step::Done(event.value, event.exclusive)
    }

    /// Lists reading from `source` if the result is consistent and a representative; the first one is `chosen`.
    #[expect(clippy::too_many_arguments, reason = "one loop body, in one place")]
    fn try_source(
        &mut self,
        thread: ThreadId,
        read: Read,
        site: &'static Site<'static>,
        source: EventId,
        newest: EventId,
        spurious: bool,
        chosen: &mut Option<Alternative>,
    ) {
        let alternative = Alternative { source, choice: spurious as u32, lists: true, ..Alternative::PLAIN };
        let needs_check = source != newest && !self.needs_no_check(read.orders);
        if needs_check && chosen.is_some() && self.checks_later() {
            self.alternatives.push(Alternative { unchecked: true, ..alternative });
            return;
        }
        if needs_check || self.in_chain(thread) {
            let id = self.push_read(thread, read, site, source, spurious);
            let mut good = self.is_representative(id);
            if good && self.graph.event(id).exclusive {
                good = self.is_representative(id.next());
            }
            good = good && (!needs_check || self.is_consistent());
            self.undo(id);
            if !good {
                return;
            }
        }
        if chosen.is_none() {
            *chosen = Some(alternative);
        } else {
            self.alternatives.push(alternative);
        }
    }

    /// Whether a read of these orders leaves nothing to check but coherence.
    pub(crate) fn needs_no_check(&self, orders: (Order, Order)) -> bool {
        let strong = orders.0 == Order::SeqCst || orders.1 == Order::SeqCst;
        !strong && Checker::is_trivial(&self.graph, self.settings.model)
    }

    /// An update of the value of `source`, which another update has taken already, cannot stay, but its write of `new` may
    /// revisit the other.
    fn list_conflict(
        &mut self,
        thread: ThreadId,
        read: Read,
        site: &'static Site<'static>,
        (source, taker): (EventId, EventId),
        new: u64,
    ) {
        if self.graph.threads()[taker.thread() as usize].fixed() > taker.position() {
            return;
        }
        let id = EventId::new(thread, self.graph.len_of(thread));
        let is_simple = !self.has_classes && self.needs_no_check(read.orders);
        if is_simple && self.list_simple_conflict(id, source, taker, new) || !self.may_undo(id, source, taker) {
            return;
        }
        let limit = self.graph.event(taker).stamp;
        self.push_read(thread, read, site, source, false);
        if !self.graph.covers(id, Clock::Prefix, taker) {
            self.list_revisits_up_to(limit, Alternative { source, ..Alternative::PLAIN });
        }
        self.undo(id);
    }

    /// Lists only what [`list_conflict`](Self::list_conflict) finds, for an operation that cannot happen here.
    pub(crate) fn list_conflicts_only(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        site: &'static Site<'static>,
    ) {
        let Operation::Read { location, orders, update, when, weak } = *operation else { return };
        let read = Read { location, orders, update, when, weak };
        let newest = self.graph.location(location).last();
        let id = EventId::new(thread, self.graph.len_of(thread));
        let oldest = floor_of_read(&self.graph, id, location);
        let first = self.alternatives.len() as u32;
        for rank in oldest..self.graph.rank(newest) {
            let source = self.graph.at_rank(location, rank);
            let taker = self.graph.taken_by(source, location);
            let value = self.graph.value_of(source, location);
            if let Outcome::Writes(new) = update.outcome(when, value)
                && taker.is_real()
            {
                self.list_conflict(thread, read, site, (source, taker), new);
            }
        }
        self.push_frame(first, Some(self.pending(thread, operation, site)), true);
    }

    /// Removes the newest events down to and including `id`.
    pub(crate) fn undo(&mut self, id: EventId) {
        while self.graph.newest() != id {
            self.graph.pop();
        }
        self.graph.pop();
    }

    fn add_write(
        &mut self,
        thread: ThreadId,
        order: Order,
        operation: &Operation,
        site: &'static Site<'static>,
    ) -> Step {
        let Operation::Write { location, .. } = *operation else { unreachable!("called for writes") };
        let first = self.alternatives.len() as u32;
        let newest = self.graph.location(location).last();
        let newest_rank = self.graph.rank(newest);
        let last = Alternative { after: newest, ..Alternative::PLAIN };
        let id = self.realise(thread, operation, site, last);
        if let Some(other) = race(&self.graph, id) {
            return self.report_race(id, other);
        }
        if self.is_unpublished(id, location) {
            return self.report_unpublished(id);
        }
        self.note_weak_publication(id, location);
        let oldest = if order == Order::Plain { newest_rank } else { floor(&self.graph, id) };
        let mut chosen = None;
        for rank in (oldest..=newest_rank).rev() {
            // The write itself stands last while the others are tried, so ranks below are as before.
            let after = self.graph.at_rank(location, rank);
            if self.is_out_of_time() {
                break;
            }
            if self.graph.taken_by(after, location).is_real() {
                continue;
            }
            if chosen.is_some() && self.checks_later() {
                self.alternatives.push(Alternative { after, unchecked: true, ..Alternative::PLAIN });
                continue;
            }
            self.graph.place(id, after);
            let good = self.is_representative(id) && (rank == newest_rank || self.is_consistent());
            self.graph.place(id, self.last_but(location, id));
            if good {
                let alternative = Alternative { after, ..Alternative::PLAIN };
                if chosen.is_none() {
                    chosen = Some(alternative);
                } else {
                    self.alternatives.push(alternative);
                }
            }
        }
        let Some(chosen) = chosen else {
            // Its revisits are to be explored all the same.
            self.list_revisits_up_to(u32::MAX, last);
            self.graph.pop();
            self.push_frame(first, Some(self.pending(thread, operation, site)), false);
            return self.abandon();
        };
        self.graph.pop();
        self.push_frame(first, Some(self.pending(thread, operation, site)), true);
        let id = self.realise(thread, operation, site, chosen);
        self.list_revisits();
        self.done(id)
    }

    /// The last write of a location other than `write`.
    pub(crate) fn last_but(&self, location: LocationId, write: EventId) -> EventId {
        let writes = &self.graph.location(location).writes;
        writes.iter().rev().copied().find(|&other| other != write).unwrap_or(EventId::INIT)
    }

    /// Adds an operation in the way that `alternative` says. Returns its first event.
    pub(crate) fn realise(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        site: &'static Site<'static>,
        alternative: Alternative,
    ) -> EventId {
        if let Operation::Read { location, orders, update, when, weak } = *operation {
            let read = Read { location, orders, update, when, weak };
            return self.push_read(thread, read, site, alternative.source, alternative.choice == 1);
        }
        let blank = Graph::blank(Kind::Begin, operation.asked(), site);
        let event = match *operation {
            Operation::Read { .. } => unreachable!("reads have been added"),
            Operation::Write { location, order, value, .. } => {
                let event = Event { kind: Kind::Write, location, order, value, ..blank };
                let id = self.push(thread, event);
                self.graph.place(id, alternative.after);
                return id;
            }
            Operation::Spawn { class } => return self.push_spawn(thread, class, blank),
            Operation::Join(child) => {
                let end = EventId::new(child, self.graph.len_of(child) - 1);
                Event { kind: Kind::Join, other: end, ..blank }
            }
            Operation::Choose(_) | Operation::Clock { .. } => {
                Event { kind: Kind::Choose, value: alternative.choice as u64, ..blank }
            }
            Operation::Fence(order) => Event { kind: Kind::Fence, order, ..blank },
            Operation::Block(length) => Event { kind: Kind::Block, value: length as u64, ..blank },
            Operation::Primary(value) => Event { kind: Kind::Primary, value, ..blank },
            Operation::Help(value) => {
                self.has_help = true;
                Event { kind: Kind::Help, value, ..blank }
            }
            Operation::End => Event { kind: Kind::End, ..blank },
        };
        self.push(thread, event)
    }

    /// Adds a read and, if it goes on to write, its write half.
    pub(crate) fn push_read(
        &mut self,
        thread: ThreadId,
        read: Read,
        site: &'static Site<'static>,
        source: EventId,
        spurious: bool,
    ) -> EventId {
        let Read { location, orders, update, when, weak } = read;
        let value = self.graph.value_of(source, location);
        let writes = !spurious && matches!(update.outcome(when, value), Outcome::Writes(_));
        let order = if writes || update == Update::Load { orders.0 } else { orders.1 };
        let blank = Graph::blank(Kind::Read, OpWords::read(orders, update, when, weak), site);
        let event = Event { order, location, other: source, value, spurious, ..blank };
        let id = self.push(thread, event);
        if writes {
            self.push_write_half(id);
        }
        id
    }

    /// Adds the write half of an update whose read half is the newest event.
    pub(crate) fn push_write_half(&mut self, read: EventId) {
        let event = *self.graph.event(read);
        let Outcome::Writes(value) = event.outcome(event.value) else {
            unreachable!("the read half of an update that happens")
        };
        self.graph.take(read);
        let blank = Graph::blank(Kind::Write, OpWords { first: value, ..HALF }, event.site);
        let order = event.asked.what.order;
        let half = Event { order, location: event.location, value, exclusive: true, ..blank };
        let write = self.push(read.thread(), half);
        self.graph.place(write, event.other);
    }

    pub(crate) fn push_spawn(&mut self, thread: ThreadId, class: u64, blank: Event) -> EventId {
        let id = self.push(thread, Event { kind: Kind::Spawn, ..blank });
        let chain = self.chain_of_spawn(id, class);
        let child = self.graph.add_thread(id, class, chain);
        let begin = EventId::new(child, 0);
        self.graph.event_mut(id).other = begin;
        self.graph.forget_past(id);
        self.push(child, Event { kind: Kind::Begin, other: id, ..blank });
        id
    }

    /// Adds an event and computes its clocks.
    #[inline]
    pub(crate) fn push(&mut self, thread: ThreadId, event: Event) -> EventId {
        let id = self.graph.push(thread, event);
        self.learn_clocks(id);
        id
    }

    /// Computes all clocks of an event from what it depends on; program order has been followed.
    #[inline]
    pub(crate) fn learn_clocks(&mut self, id: EventId) {
        learn_clocks(&mut self.graph, self.settings.model, id);
        self.complete_prefix(id);
    }

    /// Whether an access is to memory that another thread has made, and that nothing orders after its making.
    pub(crate) fn is_unpublished(&self, id: EventId, location: LocationId) -> bool {
        let Some((maker, position)) = self.graph.location(location).origin.filter(|_| self.checks_publication) else {
            return false;
        };
        let before = id.previous().unwrap_or(id);
        maker != id.thread() && self.graph.clock(before, Clock::Before)[maker as usize] <= position
    }

    pub(crate) fn report_unpublished(&mut self, id: EventId) -> Step {
        let event = self.graph.event(id);
        let maker = self.graph.location(event.location).origin.map_or(0, |(maker, _)| maker);
        let message = format!(
            "data race: thread {} accesses memory that thread {maker} has initialised, and nothing orders the two",
            id.thread()
        );
        let site = Some(event.site);
        self.report(Violation { kind: ViolationKind::Race, message, events: vec![id], site })
    }

    pub(crate) fn report_race(&mut self, id: EventId, other: EventId) -> Step {
        let (late, early) = (self.graph.event(id), self.graph.event(other));
        let describe = |event: &Event| match (event.kind, event.order, event.frees()) {
            (_, _, true) => "freeing it",
            (Kind::Write, Order::Plain, _) => "a plain write",
            (Kind::Write, ..) => "an atomic write",
            (_, Order::Plain, _) => "a plain read",
            _ => "an atomic read",
        };
        let message = format!(
            "data race: {} by thread {} and {} by thread {} are not ordered",
            describe(late),
            id.thread(),
            describe(early),
            other.thread()
        );
        let site = Some(late.site);
        self.report(Violation { kind: ViolationKind::Race, message, events: vec![other, id], site })
    }

    /// Ends the execution with a violation.
    pub fn report(&mut self, violation: Violation) -> Step {
        if self.violation.is_none() {
            self.violation = Some(violation);
        }
        self.abandon()
    }

    /// Ends the execution.
    pub(crate) fn abandon(&mut self) -> Step {
        self.run.abandoned = true;
        Step::Abandon
    }
}
