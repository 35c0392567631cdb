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
        let prefix = self.graph.clock(write, Clock::Prefix);
        list_candidates(&self.graph, write.thread(), location, limit, prefix, &mut self.candidates);
        if self.candidates.is_empty() {
            return;
        }
        let candidates = std::mem::take(&mut self.candidates);
        let lowest = floor(&self.graph, write);
        let mut highest = self.graph.location(location).writes.len() as u32;
        self.going.begin(&self.graph);
        // When one cannot be revisited, neither can the older ones, for which it would go.
        for &(stamp, read) in &candidates {
            let prefix = self.graph.clock(write, Clock::Prefix);
            if self.is_out_of_time() || !self.going.extend(&self.graph, stamp, write, prefix) {
                break;
            }
            self.list_placements(read, write, (lowest, &mut highest), template);
        }
        self.candidates = candidates;
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
        let Event { location, stamp, .. } = *self.graph.event(taker);
        let rank = self.graph.rank(source);
        list_candidates(&self.graph, thread, location, stamp, prefix, &mut self.candidates);
        let candidates = std::mem::take(&mut self.candidates);
        self.going.begin(&self.graph);
        let mut simple = true;
        for &(stamp, read) in &candidates {
            if !self.going.extend(&self.graph, stamp, EventId::NONE, prefix) {
                break;
            }
            if !self.is_simple(read) {
                self.alternatives.truncate(first);
                simple = false;
                break;
            }
            let event = self.graph.event(read);
            if !self.waits_for_another(read, value) && floor(&self.graph, read) <= rank {
                let alternative = Alternative { source, revisit: read, revisit_after: source, ..Alternative::PLAIN };
                let may_fail = event.is_weak() && matches!(event.outcome(value), Outcome::Writes(_));
                self.alternatives.push(alternative);
                if may_fail {
                    self.alternatives.push(Alternative { revisit_fails: true, ..alternative });
                }
            }
        }
        self.candidates = candidates;
        simple
    }

    /// Whether an update `id` that reads `source` could revisit `taker`, which has taken that value: a necessary
    /// condition that is tested before anything is added to the graph.
    pub(crate) fn may_undo(&mut self, id: EventId, source: EventId, taker: EventId) -> bool {
        if self.in_chain(id.thread()) {
            return true;
        }
        let mut prefix = std::mem::take(&mut self.prefix);
        set_prefix_of_update(&self.graph, id, source, &mut prefix);
        self.going.begin(&self.graph);
        let since = self.graph.event(taker).stamp;
        let may = !is_in(&prefix, taker) && self.going.extend(&self.graph, since, EventId::NONE, &prefix);
        self.prefix = prefix;
        may
    }

    /// Adds every place in coherence order that the write can have after revisiting `read`, for which everything goes that
    /// `going` says. The write knows of the write with rank `lowest`, and above `highest` nothing stays.
    fn list_placements(
        &mut self,
        read: EventId,
        write: EventId,
        (lowest, highest): (u32, &mut u32),
        template: Alternative,
    ) {
        keep_without(&self.graph, read, self.going.starts(), !self.has_classes, &mut self.keep);
        let location = self.graph.event(write).location;
        let goes = |after: EventId| after == write || !is_in(&self.keep, after);
        while *highest > 0 && goes(self.graph.at_rank(location, *highest)) {
            *highest -= 1;
        }
        if self.waits_for_another(read, self.graph.event(write).value) {
            return;
        }
        let lowest = lowest.max(floor(&self.graph, read));
        if self.graph.event(write).exclusive {
            let half = EventId::new(write.thread(), write.position() - 1);
            let source = self.graph.event(half).other;
            if self.graph.rank(source) >= lowest {
                self.list_if_good(read, write, source, template);
            }
            return;
        }
        for rank in lowest..=*highest {
            let after = self.graph.at_rank(location, rank);
            if after == EventId::INIT || after != write && is_in(&self.keep, after) {
                self.list_if_good(read, write, after, template);
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
        // Coherence has been checked on the whole graph: what counts for it stays.
        if self.graph.event(write).exclusive && self.is_simple(read) {
            self.alternatives.push(Alternative { revisit: read, revisit_after: after, ..template });
            return;
        }
        if self.checks_later() {
            let taker = self.graph.taken_by(after, self.graph.event(write).location);
            let stays = taker.is_real() && is_in(&self.keep, taker);
            if !stays || taker.next() == write || taker == read {
                let unchecked = true;
                self.alternatives.push(Alternative { revisit: read, revisit_after: after, unchecked, ..template });
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
    /// if it is `needed` again, until that is exhausted. Returns the write, or `None` if the graph is not consistent.
    pub(crate) fn perform_revisit(&mut self, frame: Frame, alternative: Alternative, needed: bool) -> Option<EventId> {
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
        if alternative.unchecked && !self.is_consistent() {
            return None;
        }
        self.statistics.revisits += self.is_counted() as u64;
        self.graph.fix_prefix(write);
        if self.graph.newest() != write {
            self.list_revisits();
        }
        Some(write)
    }

    /// Lists which events of each thread a revisit keeps. Returns the write if it is one of them, or what is to be added.
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
        good && self.is_consistent()
    }

    /// Makes the last event of a thread, a read, read from a write that was added later. Returns what it does with the value.
    fn reread(&mut self, read: EventId, write: EventId, fails: bool) -> Outcome {
        self.graph.redirect(read, write);
        let event = *self.graph.event(read);
        let outcome = if fails { Outcome::Reads } else { event.outcome(event.value) };
        self.graph.event_mut(read).spurious = fails;
        let fails = matches!(outcome, Outcome::Reads) && event.update() != Update::Load;
        let order = if fails { event.asked.what.failure } else { event.asked.what.order };
        self.graph.reorder(read, order);
        self.graph.forget_past(read);
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
    for (thread, &needed) in graph.threads().iter().zip(prefix) {
        let mut kept = thread.events.len() as u32;
        while kept > needed && thread.events[kept as usize - 1].stamp > since {
            kept -= 1;
        }
        keep.push(kept);
    }
    keep_more(graph, read, settled, keep);
}

/// Like [`keep_for`], if it is known where what goes begins in each thread, the read included.
fn keep_without(graph: &Graph, read: EventId, starts: &[u32], settled: bool, keep: &mut Vec<u32>) {
    keep.clear();
    keep.extend_from_slice(starts);
    keep[read.thread() as usize] += 1;
    keep_more(graph, read, settled, keep);
}

/// Keeps what depends on nothing that goes.
fn keep_more(graph: &Graph, read: EventId, settled: bool, keep: &mut [u32]) {
    debug_assert_eq!(keep[read.thread() as usize], read.position() + 1, "the read stays, and nothing after it");
    if keep.contains(&0) {
        keep_begun(graph, keep);
    }
    if settled {
        keep_settled(graph, read, keep);
    }
}

/// Lists the reads of `location` with a stamp up to `limit` that a write of `thread` with this prefix could revisit, the
/// youngest first.
fn list_candidates(
    graph: &Graph,
    thread: ThreadId,
    location: LocationId,
    limit: u32,
    prefix: &[u32],
    candidates: &mut Vec<(u32, EventId)>,
) {
    candidates.clear();
    for &last in graph.latest(location).iter().filter(|last| last.thread() != thread) {
        let mut access = Some(last);
        while let Some(free) = access.filter(|&access| !is_in(prefix, access)) {
            let event = graph.event(free);
            if event.is_read() && event.stamp <= limit {
                candidates.push((event.stamp, free));
            }
            access = graph.access_before(free);
        }
    }
    candidates.sort_unstable_by(|one, other| other.cmp(one));
    debug_assert!(candidates.is_sorted_by(|one, other| one.0 > other.0), "no two events were added at once");
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
        let mut waits = false;
        // Most threads are joined by those that were there before.
        for (number, thread) in graph.threads().iter().enumerate().rev() {
            while let Some(event) = thread.events.get(keep[number] as usize)
                && number != read.thread() as usize
            {
                match event.kind {
                    // Who has waited for this may be kept now.
                    Kind::End => again |= waits,
                    Kind::Join if keep[event.other.thread() as usize] > event.other.position() => {}
                    Kind::Join => {
                        waits = true;
                        break;
                    }
                    _ => break,
                }
                keep[number] += 1;
            }
        }
    }
}
