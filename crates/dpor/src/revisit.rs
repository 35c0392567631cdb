//! Backward revisits: a new write is read by a read that was added before it.
//!
//! A revisit keeps what was added before the read, and the causal prefix of the write; the rest goes. It takes place
//! only from the one graph in which the read and everything that goes were added maximally (TruSt, section 5.2 of the
//! paper; definition 2.1 of SPORE), so that no graph is reached twice.

use crate::Operation;
use crate::explorer::{Alternative, Explorer, Frame, Level, Pending};
use quotient_graph::{Clock, Event, EventId, Graph, Kind, LocationId, Order, Outcome, ThreadId, Update, When};
use quotient_memory::{Checker, floor};

impl Explorer {
    /// Lists the revisits of the newest event, if it is a write, to be explored after the present graph.
    pub(crate) fn list_revisits(&mut self) {
        let write = self.graph.newest();
        if !self.graph.event(write).is_write() || self.graph.event(write).is_plain() {
            return;
        }
        let first = self.alternatives.len() as u32;
        self.list_revisits_up_to(u32::MAX, Alternative::PLAIN);
        self.push_frame(first, None, true);
    }

    /// Adds the revisits of the newest event, a write, to the alternatives, each made from `template`. Reads with a
    /// stamp above `limit` stay as they are.
    pub(crate) fn list_revisits_up_to(&mut self, limit: u32, template: Alternative) {
        let write = self.graph.newest();
        let location = self.graph.event(write).location;
        let mut bound = limit;
        // Reads by decreasing stamp. When one cannot be revisited, neither can the older ones, for which it would go.
        while let Some(read) =
            self.next_candidate(write.thread(), location, bound, self.graph.clock(write, Clock::Prefix))
        {
            let stamp = self.graph.event(read).stamp;
            if !self.is_maximal_extension(read, write) {
                return;
            }
            self.list_placements(read, write, template);
            if stamp == 0 {
                return;
            }
            bound = stamp - 1;
        }
    }

    /// The youngest read of `location` with a stamp up to `bound` that a write of `thread` with this prefix could revisit.
    #[inline]
    fn next_candidate(&self, thread: ThreadId, location: LocationId, bound: u32, prefix: &[u32]) -> Option<EventId> {
        let location = self.graph.location(location);
        if location.is_private_to(thread) {
            return None;
        }
        let mut youngest = None;
        for &read in location.reads.iter().filter(|&&read| !is_in(prefix, read)) {
            let stamp = self.graph.event(read).stamp;
            if stamp <= bound && youngest.is_none_or(|(other, _)| stamp > other) {
                youngest = Some((stamp, read));
            }
        }
        youngest.map(|(_, read)| read)
    }

    /// Adds the revisits of the write of an update `id` that reads `source`, which `taker` has taken already, to the
    /// alternatives. The update is not in the graph, nor need it be if coherence is all there is to check: the update
    /// knows of nothing newer than `source`. False, with nothing added, if there is more to check.
    pub(crate) fn list_simple_conflict(&mut self, id: EventId, source: EventId, taker: EventId, value: u64) -> bool {
        let mut prefix = std::mem::take(&mut self.prefix);
        set_prefix_of_update(&self.graph, id, source, &mut prefix);
        let listed = self.list_conflict_with(id.thread(), source, taker, value, &prefix);
        self.prefix = prefix;
        listed
    }

    fn list_conflict_with(
        &mut self,
        thread: ThreadId,
        source: EventId,
        taker: EventId,
        value: u64,
        prefix: &[u32],
    ) -> bool {
        let first = self.alternatives.len();
        let location = self.graph.event(taker).location;
        let rank = self.graph.rank(source);
        let mut candidate = if is_in(prefix, taker) {
            self.next_candidate(thread, location, self.graph.event(taker).stamp, prefix)
        } else {
            Some(taker)
        };
        while let Some(read) = candidate {
            if !self.goes_without_loss(read, EventId::NONE, prefix) {
                break;
            }
            if !self.is_simple(read) {
                self.alternatives.truncate(first);
                return false;
            }
            let event = self.graph.event(read);
            let stamp = event.stamp;
            if !self.waits_for_another(read, value) && floor(&self.graph, read) <= rank {
                let alternative = Alternative { source, revisit: read, revisit_after: source, ..Alternative::PLAIN };
                let may_fail = event.is_weak() && matches!(event.outcome(value), Outcome::Writes(_));
                self.alternatives.push(alternative);
                if may_fail {
                    self.alternatives.push(Alternative { revisit_fails: true, ..alternative });
                }
            }
            candidate = stamp.checked_sub(1).and_then(|bound| self.next_candidate(thread, location, bound, prefix));
        }
        true
    }

    /// Whether the read and everything that a revisit of it removes were added maximally.
    fn is_maximal_extension(&self, read: EventId, write: EventId) -> bool {
        self.goes_without_loss(read, write, self.graph.clock(write, Clock::Prefix))
    }

    /// Whether an update `id` that reads `source` could revisit `taker`, which has taken that value: a necessary
    /// condition that is tested before anything is added to the graph.
    pub(crate) fn may_undo(&mut self, id: EventId, source: EventId, taker: EventId) -> bool {
        if self.in_chain(id.thread()) {
            return true;
        }
        let mut prefix = std::mem::take(&mut self.prefix);
        set_prefix_of_update(&self.graph, id, source, &mut prefix);
        let may = !is_in(&prefix, taker) && self.goes_without_loss(taker, EventId::NONE, &prefix);
        self.prefix = prefix;
        may
    }

    /// Whether the read, and what was added after it and is not in the prefix of the write, were added maximally.
    fn goes_without_loss(&self, read: EventId, write: EventId, prefix: &[u32]) -> bool {
        let since = self.graph.event(read).stamp;
        self.graph.threads().iter().enumerate().all(|(number, thread)| {
            let needed = thread.events.len().min(prefix[number] as usize);
            let going = thread.events[needed..].iter().rev().take_while(|event| event.stamp >= since);
            let mut start = thread.events.len() as u32;
            for event in going {
                start -= 1;
                if !self.was_added_maximally(EventId::new(number as u32, start), event, write, prefix) {
                    return false;
                }
            }
            // No earlier revisit may rest on what goes.
            start == thread.events.len() as u32 || start >= thread.fixed()
        })
    }

    /// Definition 2.1 for an event that goes, or is the read itself. What counts is what was there before the event,
    /// and the prefix of the revisiting write (without the write).
    #[inline]
    fn was_added_maximally(&self, id: EventId, event: &Event, write: EventId, prefix: &[u32]) -> bool {
        let counts =
            |other: EventId| other != write && (self.graph.event(other).stamp <= event.stamp || is_in(prefix, other));
        let location = || self.graph.location(event.location);
        match event.kind {
            Kind::Read => {
                let rank = self.graph.rank(event.other);
                !event.spurious
                    && (event.other == EventId::INIT || counts(event.other))
                    && !location().writes[rank as usize..].iter().any(|&newer| counts(newer))
            }
            Kind::Write => {
                let rank = event.rank;
                !location().writes[rank as usize..].iter().any(|&newer| counts(newer))
                    && !location().reads.iter().any(|&read| self.graph.event(read).other == id && counts(read))
            }
            Kind::Choose => event.value == 0,
            _ => true,
        }
    }

    /// Adds every place in coherence order that the write can have after revisiting `read`.
    fn list_placements(&mut self, read: EventId, write: EventId, template: Alternative) {
        if self.waits_for_another(read, self.graph.event(write).value) {
            return;
        }
        let location = self.graph.event(write).location;
        if self.graph.event(write).exclusive {
            let half = EventId::new(write.thread(), write.position() - 1);
            let source = self.graph.event(half).other;
            self.list_if_good(read, write, source, template);
        } else {
            for rank in 0..=self.graph.location(location).writes.len() as u32 {
                let after = self.graph.at_rank(location, rank);
                let prefix = self.graph.clock(write, Clock::Prefix);
                keep_for(&self.graph, read, prefix, !self.has_classes, &mut self.keep);
                let stays = after == EventId::INIT || self.keep[after.thread() as usize] > after.position();
                if after != write && stays {
                    self.list_if_good(read, write, after, template);
                }
            }
        }
    }

    /// Whether a plain wait would not end by reading this value: then there is nothing to revisit. (A read-modify-write
    /// that waits is revisited all the same: it gives up the value it has taken.)
    fn waits_for_another(&self, read: EventId, value: u64) -> bool {
        let event = self.graph.event(read);
        event.when() != When::Always && event.update() == Update::Load && event.outcome(value) == Outcome::Waits
    }

    fn list_if_good(&mut self, read: EventId, write: EventId, after: EventId, template: Alternative) {
        self.list_outcome(read, write, after, template);
        let event = self.graph.event(read);
        let value = self.graph.event(write).value;
        if event.is_weak() && matches!(event.outcome(value), Outcome::Writes(_)) {
            self.list_outcome(read, write, after, Alternative { revisit_fails: true, ..template });
        }
    }

    fn list_outcome(&mut self, read: EventId, write: EventId, after: EventId, template: Alternative) {
        if self.graph.event(write).exclusive && self.is_simple(read) {
            // Coherence is all there is to check, and what counts for it stays.
            if self.graph.rank(after) >= floor(&self.graph, read).max(floor(&self.graph, write)) {
                self.alternatives.push(Alternative { revisit: read, revisit_after: after, ..template });
            }
            return;
        }
        let scratch = std::mem::take(&mut self.scratch);
        let good = {
            let whole = std::mem::replace(&mut self.graph, scratch);
            let good = self.revise(&whole, read, write, after, template.revisit_fails);
            self.scratch = std::mem::replace(&mut self.graph, whole);
            good
        };
        if good {
            self.alternatives.push(Alternative { revisit: read, revisit_after: after, ..template });
        }
    }

    /// Whether nothing but coherence is to be checked when `read` is revisited by an update.
    fn is_simple(&self, read: EventId) -> bool {
        let weak = self.graph.event(read).asked.what.failure != Order::SeqCst;
        weak && !self.has_classes && Checker::is_trivial(&self.graph, self.settings.model)
    }

    /// Makes the current graph the one in which a write is read by a read that was there before it. The present one waits,
    /// if it is `needed` again, until that is exhausted. Gives the write.
    pub(crate) fn perform_revisit(&mut self, frame: Frame, alternative: Alternative, needed: bool) -> EventId {
        self.statistics.revisits += self.is_counted() as u64;
        let mut keep = std::mem::take(&mut self.keep);
        let pending = self.list_kept(frame, alternative, &mut keep);
        if needed {
            let target = self.spare.pop().unwrap_or_default();
            let whole = std::mem::replace(&mut self.graph, target);
            self.graph.restrict(&whole, &keep);
            self.levels.push(Level { graph: whole, frames: self.frames.len() });
        } else {
            self.graph.cut(&keep);
        }
        self.keep = keep;
        let write = pending.unwrap_or_else(|Pending { id, operation, site }| {
            self.realise(id.thread(), &operation, site, alternative);
            self.graph.newest()
        });
        self.graph.place(write, alternative.revisit_after);
        let outcome = self.reread(alternative.revisit, write, alternative.revisit_fails);
        self.complete(alternative.revisit, outcome);
        self.graph.fix_prefix(write);
        if self.graph.newest() != write {
            self.list_revisits();
        }
        write
    }

    /// Lists which events of each thread a revisit keeps. Gives the write if it is one of them, or what is to be added.
    fn list_kept(&mut self, frame: Frame, alternative: Alternative, keep: &mut Vec<u32>) -> Result<EventId, Pending> {
        let read = alternative.revisit;
        match frame.pending {
            Some(pending) if !self.has_classes && matches!(pending.operation, Operation::Read { .. }) => {
                set_prefix_of_update(&self.graph, pending.id, alternative.source, &mut self.prefix);
                keep_for(&self.graph, read, &self.prefix, true, keep);
                return Err(pending);
            }
            // With like threads more belongs to the prefix than what the operation takes something from.
            Some(Pending { id, operation, site }) => {
                self.go_back(frame.length);
                self.realise(id.thread(), &operation, site, alternative);
            }
            None if self.has_classes => self.go_back(frame.length),
            None => {}
        }
        let write = match frame.pending {
            Some(_) => self.graph.newest(),
            None => self.graph.run_order()[frame.length as usize - 1],
        };
        keep_for(&self.graph, read, self.graph.clock(write, Clock::Prefix), !self.has_classes, keep);
        Ok(write)
    }

    /// Makes the current graph what `whole` becomes when `write` revisits `read`, with the write placed after `after`.
    /// False if the result is inconsistent or not the representative of its orbit.
    fn revise(&mut self, whole: &Graph, read: EventId, write: EventId, after: EventId, fails: bool) -> bool {
        let mut keep = std::mem::take(&mut self.keep);
        keep_for(whole, read, whole.clock(write, Clock::Prefix), !self.has_classes, &mut keep);
        self.graph.restrict(whole, &keep);
        self.keep = keep;
        let location = whole.event(write).location;
        let last = self.graph.location(location).last();
        self.graph.place(write, if last == write { previous(&self.graph, write) } else { last });
        let lowest = floor(&self.graph, read).max(floor(&self.graph, write));
        if self.graph.rank(after) < lowest {
            return false;
        }
        let taker = self.graph.taken_by(after, location);
        if taker.is_real() && taker.next() != write && taker != read {
            return false;
        }
        self.graph.place(write, after);
        let outcome = self.reread(read, write, fails);
        let mut good = self.is_representative(read) && self.is_representative(write);
        if self.graph.event(write).exclusive {
            good = good && self.is_representative(EventId::new(write.thread(), write.position() - 1));
        }
        self.complete(read, outcome);
        good = good && (!matches!(outcome, Outcome::Writes(_)) || self.is_representative(read.next()));
        good && self.checker.consistent(&self.graph, self.settings.model)
    }

    /// Makes the last event of a thread, a read, read from a write that was added later. Gives what it does with the value.
    fn reread(&mut self, read: EventId, write: EventId, fails: bool) -> Outcome {
        self.graph.redirect(read, write);
        let event = *self.graph.event(read);
        let outcome = if fails { Outcome::Reads } else { event.outcome(event.value) };
        self.graph.event_mut(read).spurious = fails;
        let fails = matches!(outcome, Outcome::Reads) && event.update() != Update::Load;
        let order = if fails { event.asked.what.failure } else { event.asked.what.order };
        self.graph.reorder(read, order);
        self.graph.follow(read);
        self.learn_clocks(read);
        outcome
    }

    /// Adds what follows a read, or takes it back if it has to wait with this value.
    fn complete(&mut self, read: EventId, outcome: Outcome) {
        match outcome {
            Outcome::Waits => self.graph.withdraw(read),
            Outcome::Reads => {}
            Outcome::Writes(_) => self.push_write_half(read),
        }
    }
}

/// Whether an event is in a prefix.
#[inline]
fn is_in(prefix: &[u32], id: EventId) -> bool {
    prefix[id.thread() as usize] > id.position()
}

/// Sets `prefix` to what an update that reads `source`, and would be event `id`, has in its prefix, itself aside.
fn set_prefix_of_update(graph: &Graph, id: EventId, source: EventId, prefix: &mut Vec<u32>) {
    let last = id.previous().expect("a thread begins before it does anything");
    let own = graph.clock(last, Clock::Prefix);
    let other = if source.is_real() { graph.clock(source, Clock::Prefix) } else { own };
    prefix.resize(own.len(), 0);
    for ((covered, own), other) in prefix.iter_mut().zip(own).zip(other) {
        // As in clocks: entries are small.
        *covered = (*own as i32).max(*other as i32) as u32;
    }
}

/// The write before `write` in coherence order.
fn previous(graph: &Graph, write: EventId) -> EventId {
    graph.at_rank(graph.event(write).location, graph.rank(write) - 1)
}

/// Which events of each thread a revisit keeps. With `settled`, those that would only be added again are kept, too; with
/// like threads, the order in which events are added matters.
fn keep_for(graph: &Graph, read: EventId, prefix: &[u32], settled: bool, keep: &mut Vec<u32>) {
    let since = graph.event(read).stamp;
    keep.clear();
    let mut has_none = false;
    for (thread, &needed) in graph.threads().iter().zip(prefix) {
        let mut kept = thread.events.len() as u32;
        while kept > needed && thread.events[kept as usize - 1].stamp > since {
            kept -= 1;
        }
        has_none |= kept == 0;
        keep.push(kept);
    }
    debug_assert_eq!(keep[read.thread() as usize], read.position() + 1, "the read stays, and nothing after it");
    if has_none {
        keep_begun(graph, keep);
    }
    if settled {
        keep_settled(graph, read, keep);
    }
}

/// A thread that is spawned has begun.
fn keep_begun(graph: &Graph, keep: &mut [u32]) {
    for (number, thread) in graph.threads().iter().enumerate() {
        let spawn = thread.spawned_by;
        if keep[number] == 0 && thread.exists && spawn.is_real() {
            keep[number] = is_in(keep, spawn) as u32;
        }
    }
}

/// Keeps threads ending and being joined, if all that they depend on is kept: nothing else can happen there.
fn keep_settled(graph: &Graph, read: EventId, keep: &mut [u32]) {
    let mut again = true;
    while std::mem::take(&mut again) {
        for (number, thread) in graph.threads().iter().enumerate() {
            while let Some(event) = thread.events.get(keep[number] as usize)
                && number != read.thread() as usize
                && match event.kind {
                    Kind::End => true,
                    Kind::Join => keep[event.other.thread() as usize] > event.other.position(),
                    _ => false,
                }
            {
                keep[number] += 1;
                again = true;
            }
        }
    }
}
