//! Symmetry between like threads: which events match, and which of several symmetric graphs is explored.
//!
//! Follows sections 2.2 and 3.2 of SPORE. Two events match if their threads run the same code and have seen the same so
//! far. Of matching events the one in the earlier thread must not come later in extended coherence order. A write ends
//! the match, unless the two threads write to different memory: both are then at the same point, each with memory that it
//! has allocated itself and has not published (publishing is a write to shared memory, which ends the match).

use crate::explorer::Explorer;
use quotient_graph::{Clock, Event, EventId, Graph, Kind, LocationId, ThreadId};

impl Explorer {
    /// Whether the thread is like another one.
    #[inline]
    pub(crate) fn in_chain(&self, thread: ThreadId) -> bool {
        self.has_classes && self.graph.threads()[thread as usize].chain != EventId::NONE
    }

    /// The chain of the thread that `spawn` creates: that of one of the same class, if between the two spawns there are only
    /// other spawns. What a spawn does is seen only by the thread that it creates, so neither of the two can tell.
    pub(crate) fn chain_of_spawn(&mut self, spawn: EventId, class: u64) -> EventId {
        if class == 0 || !self.settings.symmetry {
            return EventId::NONE;
        }
        for position in (0..spawn.position()).rev() {
            let before = self.graph.event(EventId::new(spawn.thread(), position));
            if before.kind != Kind::Spawn {
                break;
            }
            let sibling = &self.graph.threads()[before.other.thread() as usize];
            if sibling.class == class {
                self.has_classes = true;
                return sibling.chain;
            }
        }
        spawn
    }

    /// Adds matching events of earlier threads to the causal prefix of a new event.
    #[inline(always)]
    pub(crate) fn complete_prefix(&mut self, id: EventId) {
        if self.in_chain(id.thread()) {
            self.add_matches_to_prefix(id);
        }
    }

    #[inline(never)]
    fn add_matches_to_prefix(&mut self, id: EventId) {
        for other in 0..self.graph.threads().len() as ThreadId {
            if self.is_left_of(other, id.thread()) && self.matches(other, id) {
                // An update is kept or removed as a whole.
                let twin = EventId::new(other, id.position());
                let update = self.graph.event(twin).is_read() && self.graph.event(twin).exclusive;
                self.graph.join(id, Clock::Prefix, if update { twin.next() } else { twin }, Clock::Prefix);
            }
        }
    }

    /// Whether `left` is like `right` and was spawned earlier.
    pub(crate) fn is_left_of(&self, left: ThreadId, right: ThreadId) -> bool {
        let (a, b) = (&self.graph.threads()[left as usize], &self.graph.threads()[right as usize]);
        a.exists && b.exists && a.chain == b.chain && a.spawned_by.position() < b.spawned_by.position()
    }

    /// Whether `other` has an event at the position of `id` that matches it.
    fn matches(&self, other: ThreadId, id: EventId) -> bool {
        self.graph.len_of(other) > id.position() && same_past(&self.graph, other, id.thread(), id.position())
    }

    /// Plain accesses are no events. One of them is before what `thread` does now, after so many of its events; the next event
    /// of its thread is `old`. If that is so only because like threads are started or joined one after the other, and not
    /// all at once, the program tells them apart by their places: the class of these threads.
    pub fn orders_by_place(&self, old: EventId, thread: ThreadId, events: u32) -> Option<u64> {
        let last = EventId::new(thread, events.checked_sub(1)?);
        let chain = self.started_before(old, last).or_else(|| self.joined_before(old, last))?;
        let threads = self.graph.threads();
        threads.iter().find(|thread| thread.exists && thread.chain == chain).map(|thread| thread.class)
    }

    /// The chain that is only partly started between `old` and what comes after `last`, if its threads alone put the one
    /// before the other.
    fn started_before(&self, old: EventId, last: EventId) -> Option<EventId> {
        let clock = self.graph.clock(last, Clock::Before);
        let knows = |thread: ThreadId| clock.get(thread as usize).is_some_and(|&events| events > 0);
        let known = clock.get(old.thread() as usize).copied().unwrap_or(0);
        let mut found = None;
        for position in old.position()..known {
            let event = self.graph.event(EventId::new(old.thread(), position));
            if event.kind != Kind::Spawn {
                return None;
            }
            let child = event.other.thread();
            if !knows(child) {
                continue;
            }
            let chain = self.graph.threads()[child as usize].chain;
            if chain == EventId::NONE || chain.thread() != old.thread() || chain.position() >= old.position() {
                return None;
            }
            found = Some(chain);
        }
        found
    }

    /// The chain that is only partly joined by the last events of a thread up to `last`, if `old` would not be before what
    /// comes then without that.
    fn joined_before(&self, old: EventId, last: EventId) -> Option<EventId> {
        let covers = |clock: &[u32]| clock.get(old.thread() as usize).is_some_and(|&events| events > old.position());
        let threads = self.graph.threads();
        let mut found = None;
        for position in (0..=last.position()).rev() {
            let id = EventId::new(last.thread(), position);
            let event = self.graph.event(id);
            if event.kind != Kind::Join {
                return found.filter(|_| !covers(self.graph.clock(id, Clock::Before)));
            }
            let chain = threads[event.other.thread() as usize].chain;
            if chain != EventId::NONE && !self.has_ended_before(chain, last) {
                found = Some(chain);
            } else if covers(self.graph.clock(event.other, Clock::Before)) {
                return None;
            }
        }
        found
    }

    /// Whether all threads of a chain have ended before an event.
    pub fn has_ended_before(&self, chain: EventId, event: EventId) -> bool {
        let threads = self.graph.threads();
        (0..threads.len() as ThreadId).filter(|&member| threads[member as usize].chain == chain).all(|member| {
            let end = EventId::new(member, self.graph.len_of(member).saturating_sub(1));
            self.graph.len_of(member) > 0
                && self.graph.event(end).kind == Kind::End
                && self.graph.covers(event, Clock::Before, end)
        })
    }

    /// Whether a thread that is like `thread`, comes first, and is at the same point, could go first.
    #[inline]
    pub(crate) fn earlier_twin(&self, thread: ThreadId) -> Option<ThreadId> {
        if self.in_chain(thread) { self.find_earlier_twin(thread) } else { None }
    }

    #[inline(never)]
    fn find_earlier_twin(&self, thread: ThreadId) -> Option<ThreadId> {
        let length = self.graph.len_of(thread);
        (0..self.graph.threads().len() as ThreadId).find(|&other| {
            self.is_left_of(other, thread)
                && self.graph.len_of(other) == length
                && self.can_go_on(other)
                && same_past(&self.graph, other, thread, length)
        })
    }

    /// Whether the graph is the one to be explored among those that differ in the names of like threads, as far as
    /// this event tells: `irreflexive(symb ; eco)`.
    #[inline]
    pub(crate) fn is_representative(&self, id: EventId) -> bool {
        !self.in_chain(id.thread()) || self.precedes_its_matches(id)
    }

    #[inline(never)]
    fn precedes_its_matches(&self, id: EventId) -> bool {
        let mine = self.graph.event(id);
        (0..self.graph.threads().len() as ThreadId).all(|other| {
            let twin = EventId::new(other, id.position());
            if self.is_left_of(other, id.thread()) {
                !self.matches(other, id) || in_order(&self.graph, self.graph.event(twin), mine)
            } else if self.is_left_of(id.thread(), other) {
                !self.matches(other, id) || in_order(&self.graph, mine, self.graph.event(twin))
            } else {
                true
            }
        })
    }
}

/// Whether an event does not come after its match in a later thread.
fn in_order(graph: &Graph, left: &Event, right: &Event) -> bool {
    if left.kind != right.kind || left.location != right.location {
        return true;
    }
    match left.kind {
        // Of two exchanges that read the same, one that fails without a reason is before one that writes.
        Kind::Read => (graph.rank(left.other), !left.spurious) <= (graph.rank(right.other), !right.spurious),
        Kind::Write => left.rank < right.rank,
        _ => true,
    }
}

/// Whether two like threads have done and seen the same before `position`.
fn same_past(graph: &Graph, left: ThreadId, right: ThreadId, position: u32) -> bool {
    let left_events = &graph.threads()[left as usize].events[..position as usize];
    let right_events = &graph.threads()[right as usize].events[..position as usize];
    let mut own = OwnMemory { threads: (left, right), pairs: Vec::new() };
    left_events.iter().zip(right_events).all(|(a, b)| own.same_step(a, b))
}

/// Memory of two like threads that corresponds, though it is not the same.
struct OwnMemory {
    threads: (ThreadId, ThreadId),
    pairs: Vec<(LocationId, LocationId)>,
}

impl OwnMemory {
    fn same_step(&mut self, left: &Event, right: &Event) -> bool {
        if left.kind != right.kind || left.order != right.order {
            return false;
        }
        match left.kind {
            Kind::Begin | Kind::Fence | Kind::End | Kind::Block => true,
            Kind::Choose | Kind::Primary | Kind::Help => left.value == right.value,
            Kind::Spawn | Kind::Join => false,
            Kind::Write => left.location != right.location && self.corresponds(left.location, right.location),
            Kind::Read => {
                left.spurious == right.spurious
                    && (left.location == right.location || self.corresponds(left.location, right.location))
                    && self.same_source(left.other, right.other)
            }
        }
    }

    fn same_source(&self, left: EventId, right: EventId) -> bool {
        left == right
            || left.is_real()
                && right.is_real()
                && left.thread() == self.threads.0
                && right.thread() == self.threads.1
                && left.position() == right.position()
    }

    /// Whether two locations have always been used for each other. Threads that run the same code and have seen the
    /// same can only differ in the memory they use if each has allocated its own.
    fn corresponds(&mut self, left: LocationId, right: LocationId) -> bool {
        if let Some(&(a, b)) = self.pairs.iter().find(|&&(a, b)| a == left || b == right) {
            return (a, b) == (left, right);
        }
        self.pairs.push((left, right));
        true
    }
}
