//! The graph itself: adding the newest event, removing it again, and copying a restricted graph.
//!
//! Events are added and removed at the end of their thread. [`Graph::run_order`] is an order in which the program can
//! be run so that every event finds what it depends on; it differs from the stamps after a revisit, when a read that
//! was added early reads from a write that was added late.

use crate::clocks::{Clock, Clocks, Width};
use crate::{Event, EventId, Kind, Location, LocationId, OpWords, Order, ThreadId};
use std::cell::RefCell;
use std::panic::Location as Site;

/// One thread of a graph.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// Its events in program order.
    pub events: Vec<Event>,
    clocks: Clocks,
    /// For every event that is an access, where the access of the same location before it is in this thread, plus one; 0
    /// if there is none.
    links: Vec<u32>,
    /// How many events are accesses of what the thread has accessed before, or choices.
    repeats: u32,
    /// Where the fences are that release.
    releases: Vec<u32>,
    /// A number for each event and all that it depends on. Of the first events: those of others are found when somebody asks.
    pasts: RefCell<Vec<u64>>,
    /// The spawn that created the thread; `INIT` for a thread that was there from the beginning.
    pub spawned_by: EventId,
    /// Whether the thread exists in this graph.
    pub exists: bool,
    /// The class that the program gave to the thread; 0 means like no other.
    pub class: u64,
    /// Threads with the same chain run the same code on the same data. It is the first spawn of the class in an unbroken
    /// sequence of spawns, or `NONE`.
    pub chain: EventId,
    fixed: u32,
}

/// An execution graph.
#[derive(Clone, Debug)]
pub struct Graph {
    threads: Vec<Thread>,
    locations: Vec<Location>,
    order: Vec<EventId>,
    width: Width,
    next_stamp: u32,
    /// How many accesses and fences are of order SeqCst.
    strong: u32,
}

impl Default for Graph {
    fn default() -> Self {
        Graph {
            threads: Vec::new(),
            locations: Vec::new(),
            order: Vec::new(),
            width: Width::of(1),
            next_stamp: 0,
            strong: 0,
        }
    }
}

impl Graph {
    /// Makes the graph empty and keeps its storage.
    pub fn clear(&mut self) {
        for thread in &mut self.threads {
            thread.clear();
        }
        self.locations.iter_mut().for_each(Location::clear);
        self.order.clear();
        self.next_stamp = 0;
        self.strong = 0;
    }

    /// The threads, by number; some may not exist.
    #[inline]
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// How many events `thread` has.
    #[inline]
    pub fn len_of(&self, thread: ThreadId) -> u32 {
        self.threads.get(thread as usize).map_or(0, |thread| thread.events.len() as u32)
    }

    /// The events in an order in which the program can be run.
    #[inline]
    pub fn run_order(&self) -> &[EventId] {
        &self.order
    }

    /// How many accesses and fences are of order SeqCst.
    #[inline]
    pub fn strong_events(&self) -> u32 {
        self.strong
    }

    /// The event that was added last.
    #[inline]
    pub fn newest(&self) -> EventId {
        self.order.last().copied().unwrap_or(EventId::NONE)
    }

    /// An event.
    #[inline]
    pub fn event(&self, id: EventId) -> &Event {
        &self.threads[id.thread() as usize].events[id.position() as usize]
    }

    /// An event, to be changed.
    #[inline]
    pub fn event_mut(&mut self, id: EventId) -> &mut Event {
        &mut self.threads[id.thread() as usize].events[id.position() as usize]
    }

    /// A location.
    #[inline]
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id as usize]
    }

    /// How many locations there are, used or not.
    pub fn location_count(&self) -> usize {
        self.locations.len()
    }

    /// Sets the value before any write.
    pub fn set_init(&mut self, id: LocationId, init: u64) {
        self.locations[id as usize].init = init;
    }

    /// Says who has made a location, and at which point.
    pub fn set_origin(&mut self, id: LocationId, origin: Option<(ThreadId, u32)>) {
        self.locations[id as usize].origin = origin;
    }

    /// Makes room for a location; its number may have belonged to one that is no longer used.
    pub fn add_location(&mut self, id: LocationId, init: u64) {
        if id as usize >= self.locations.len() {
            self.locations.resize_with(id as usize + 1, Location::default);
        }
        self.locations[id as usize].clear();
        self.locations[id as usize].init = init;
    }

    /// The value that a write, or `INIT`, has given to `location`.
    #[inline]
    pub fn value_of(&self, write: EventId, location: LocationId) -> u64 {
        if write == EventId::INIT { self.location(location).init } else { self.event(write).value }
    }

    /// The place of a write in coherence order: 0 for `INIT`, then 1, 2, …
    #[inline]
    pub fn rank(&self, write: EventId) -> u32 {
        if write == EventId::INIT { 0 } else { self.event(write).rank }
    }

    /// The write at a place of coherence order.
    #[inline]
    pub fn at_rank(&self, location: LocationId, rank: u32) -> EventId {
        if rank == 0 { EventId::INIT } else { self.location(location).writes[rank as usize - 1] }
    }

    /// The read-modify-write that has taken the value of a write, or `NONE`.
    #[inline]
    pub fn taken_by(&self, write: EventId, location: LocationId) -> EventId {
        if write == EventId::INIT { self.location(location).init_taken_by } else { self.event(write).taken_by }
    }

    #[inline]
    fn set_taken_by(&mut self, write: EventId, location: LocationId, reader: EventId) {
        if write == EventId::INIT {
            self.locations[location as usize].init_taken_by = reader;
        } else {
            self.event_mut(write).taken_by = reader;
        }
    }

    /// The last access of a location by each thread that accesses it, in no particular order.
    #[inline]
    pub fn latest(&self, location: LocationId) -> &[EventId] {
        &self.location(location).latest
    }

    /// The access of the same location that comes before an access in its thread.
    #[inline]
    pub fn access_before(&self, access: EventId) -> Option<EventId> {
        let link = self.threads[access.thread() as usize].links[access.position() as usize];
        (link > 0).then(|| EventId::new(access.thread(), link - 1))
    }

    /// The last fence before an event of the same thread that releases.
    pub fn release_fence_before(&self, id: EventId) -> Option<EventId> {
        let releases = self.threads[id.thread() as usize].releases.iter().rev();
        let position = releases.copied().find(|&position| position < id.position())?;
        Some(EventId::new(id.thread(), position))
    }

    /// One of the clocks of an event: entry `t` is how many events of thread `t` it covers.
    #[inline]
    pub fn clock(&self, id: EventId, clock: Clock) -> &[u32] {
        self.threads[id.thread() as usize].clocks.get(self.width, id.position(), clock)
    }

    /// Whether the clock of `id` covers `other`. `INIT` is before everything.
    #[inline]
    pub fn covers(&self, id: EventId, clock: Clock, other: EventId) -> bool {
        other == EventId::INIT || self.clock(id, clock)[other.thread() as usize] > other.position()
    }

    /// Adds to the clock of `id` what the clock `from` of `other` covers.
    #[inline]
    pub fn join(&mut self, id: EventId, into: Clock, other: EventId, from: Clock) {
        if !other.is_real() {
            return;
        }
        let (into, from) = ((id.position(), into), (other.position(), from));
        let (mine, theirs) = (id.thread() as usize, other.thread() as usize);
        match self.threads.get_disjoint_mut([mine, theirs]) {
            Ok([mine, theirs]) => mine.clocks.join(self.width, into, &theirs.clocks, from),
            Err(_) => self.threads[mine].clocks.join_own(self.width, into, from),
        }
    }

    /// Sets the clocks of `id` that follow program order to those of the event before it.
    #[inline]
    pub fn follow(&mut self, id: EventId) {
        self.threads[id.thread() as usize].clocks.follow(self.width, id.thread(), id.position());
    }

    /// Adds what `id` learns from `other`, if that is an event: its prefix, and its clock `from` for [`Clock::Before`].
    #[inline]
    pub fn learn(&mut self, id: EventId, other: EventId, from: Option<Clock>) {
        if !other.is_real() {
            return;
        }
        let (position, theirs) = (id.position(), other.position());
        match self.threads.get_disjoint_mut([id.thread() as usize, other.thread() as usize]) {
            Ok([mine, other]) => mine.clocks.learn(self.width, position, (&other.clocks, theirs), from),
            // What comes before in the same thread is in the prefix as it is.
            Err(_) => {
                if let Some(from) = from {
                    let clocks = &mut self.threads[id.thread() as usize].clocks;
                    clocks.join_own(self.width, (position, Clock::Before), (theirs, from));
                }
            }
        }
    }

    /// A number for an event and everything that it depends on: what comes before it in its thread, and what its reads read
    /// from. Values follow from where they come from, and may be addresses, which differ from run to run.
    pub fn past(&self, id: EventId) -> u64 {
        self.find_past(id).unwrap_or_else(|other| self.find_pasts(vec![id, other]))
    }

    /// The past of the first of some events, each of which depends on the one behind it.
    fn find_pasts(&self, mut wanted: Vec<EventId>) -> u64 {
        let mut found = 0;
        while let Some(&id) = wanted.last() {
            match self.find_past(id) {
                Ok(past) => {
                    found = past;
                    wanted.pop();
                }
                Err(other) => wanted.push(other),
            }
        }
        found
    }

    /// The past of an event, or an event of another thread whose past is to be found before.
    fn find_past(&self, id: EventId) -> Result<u64, EventId> {
        let thread = &self.threads[id.thread() as usize];
        let mut pasts = thread.pasts.borrow_mut();
        while pasts.len() <= id.position() as usize {
            let event = &thread.events[pasts.len()];
            let (other, how) = (event.other, how(event));
            let source = if how & TAKES == 0 || !other.is_real() {
                other.number()
            } else if other.thread() == id.thread() {
                pasts[other.position() as usize]
            } else {
                let others = self.threads[other.thread() as usize].pasts.borrow();
                *others.get(other.position() as usize).ok_or(other)?
            };
            let before = pasts.last().copied().unwrap_or(id.thread().into());
            pasts.push(mix(before, source.wrapping_add(how.wrapping_mul(0x9E37_79B9_7F4A_7C15))));
        }
        Ok(pasts[id.position() as usize])
    }

    /// An event has changed, and nothing depends on it: its [`past`](Self::past) is another one.
    pub fn forget_past(&mut self, id: EventId) {
        self.threads[id.thread() as usize].pasts.get_mut().truncate(id.position() as usize);
    }

    /// A revisit by `write` rests on what is in its prefix.
    pub fn fix_prefix(&mut self, write: EventId) {
        for thread in 0..self.threads.len() {
            let settled = self.clock(write, Clock::Prefix)[thread];
            let fixed = &mut self.threads[thread].fixed;
            *fixed = settled.max(*fixed);
        }
    }

    /// What a read that acquires from `write` learns begins with what happens before `event` of the same thread, if there is
    /// one that releases.
    #[inline]
    pub fn begin_release(&mut self, write: EventId, event: Option<EventId>) {
        let clocks = &mut self.threads[write.thread() as usize].clocks;
        match event {
            Some(event) => {
                let (into, from) = ((write.position(), Clock::Released), (event.position(), Clock::Before));
                clocks.set_own(self.width, into, from);
            }
            None => clocks.clear(self.width, write.position(), Clock::Released),
        }
    }

    /// Creates a thread under the smallest free number.
    pub fn add_thread(&mut self, spawned_by: EventId, class: u64, chain: EventId) -> ThreadId {
        let thread = self.threads.iter().position(|thread| !thread.exists).unwrap_or(self.threads.len());
        if thread == self.threads.len() {
            self.threads.push(Thread::default());
            self.widen();
        }
        let slot = &mut self.threads[thread];
        slot.clear();
        (slot.exists, slot.spawned_by, slot.class, slot.chain) = (true, spawned_by, class, chain);
        thread as ThreadId
    }

    /// Gives every clock an entry for every thread.
    fn widen(&mut self) {
        let (old, new) = (self.width, Width::of(self.threads.len()));
        if old != new {
            for thread in &mut self.threads {
                thread.clocks.widen(old, new, thread.events.len());
            }
            self.width = new;
        }
    }

    /// Adds an event at the end of `thread`, with a fresh stamp; its clocks are those of the event before. A write goes to
    /// the end of coherence order and is moved by [`Graph::place`]; a read is entered as a reader of `other`.
    #[inline]
    pub fn push(&mut self, thread: ThreadId, mut event: Event) -> EventId {
        event.stamp = self.next_stamp;
        self.next_stamp += 1;
        self.strong += (event.order == Order::SeqCst) as u32;
        let log = &mut self.threads[thread as usize];
        let id = EventId::new(thread, log.events.len() as u32);
        log.clocks.reserve(self.width, id.position());
        log.clocks.follow(self.width, thread, id.position());
        let mut link = 0;
        if event.is_access() {
            let location = &mut self.locations[event.location as usize];
            event.rank = location.enter(id, &event);
            link = location.link(id);
        } else if event.kind == Kind::Fence && event.order.releases() {
            log.releases.push(id.position());
        }
        log.repeats += is_repetition(&event, link) as u32;
        log.events.push(event);
        log.links.push(link);
        self.order.push(id);
        id
    }

    /// Marks the newest event, a read, as the first half of a read-modify-write: it takes the value it reads.
    #[inline]
    pub fn take(&mut self, read: EventId) {
        let (source, location) = (self.event(read).other, self.event(read).location);
        self.event_mut(read).exclusive = true;
        let conflicts = self.taken_by(source, location).is_real();
        self.locations[location as usize].conflicts += conflicts as u32;
        self.set_taken_by(source, location, read);
    }

    /// Moves a write in coherence order to just after `predecessor`.
    #[inline]
    pub fn place(&mut self, write: EventId, predecessor: EventId) {
        let location = self.event(write).location as usize;
        let old = self.event(write).rank as usize - 1;
        let mut new = self.rank(predecessor) as usize;
        if new > old {
            new -= 1;
        }
        if new == old {
            return;
        }
        let writes = &mut self.locations[location].writes;
        let moved = writes.remove(old);
        writes.insert(new, moved);
        self.rerank(location, old.min(new));
    }

    fn rerank(&mut self, location: usize, from: usize) {
        for index in from..self.locations[location].writes.len() {
            let write = self.locations[location].writes[index];
            self.event_mut(write).rank = index as u32 + 1;
        }
    }

    /// Removes the newest event of the run order. `taken` is the read-modify-write that had taken the value before a
    /// conflicting one did, or `NONE`.
    pub fn pop(&mut self) {
        let id = self.order.pop().expect("an event to remove");
        let log = &mut self.threads[id.thread() as usize];
        let event = log.events.pop().expect("a thread that has events");
        debug_assert_eq!(log.events.len() as u32, id.position(), "the newest event is the last of its thread");
        log.pasts.get_mut().truncate(id.position() as usize);
        self.next_stamp = self.next_stamp.min(event.stamp);
        let link = log.links.pop().expect("a thread that has events");
        log.repeats -= is_repetition(&event, link) as u32;
        self.strong -= (event.order == Order::SeqCst) as u32;
        if event.is_access() {
            let location = &mut self.locations[event.location as usize];
            location.discount(id.thread(), event.order == Order::Plain);
            location.unlink(id.thread(), link);
        }
        match event.kind {
            Kind::Read => {
                self.forget_read(id, event.location);
                if event.exclusive && self.taken_by(event.other, event.location) == id {
                    let other = self.other_taker(event.other, event.location);
                    self.set_taken_by(event.other, event.location, other);
                    self.locations[event.location as usize].conflicts -= other.is_real() as u32;
                }
            }
            Kind::Fence if event.order.releases() => {
                self.threads[id.thread() as usize].releases.pop();
            }
            Kind::Write => {
                let location = event.location as usize;
                self.locations[location].writes.remove(event.rank as usize - 1);
                self.rerank(location, event.rank as usize - 1);
            }
            Kind::Spawn => self.threads[event.other.thread() as usize].clear(),
            _ => {}
        }
    }

    /// Removes the events that are not to stay. What stays must not depend on what goes.
    pub fn retain(&mut self, stays: impl Fn(EventId) -> bool) {
        self.order.sort_by_key(|&id| !stays(id));
        while self.order.last().is_some_and(|&id| !stays(id)) {
            self.pop();
        }
        for thread in &mut self.threads {
            thread.fixed = thread.fixed.min(thread.events.len() as u32);
        }
    }

    fn forget_read(&mut self, read: EventId, location: LocationId) {
        let reads = &mut self.locations[location as usize].reads;
        let index = reads.iter().rposition(|&other| other == read).expect("a read of its location");
        reads.swap_remove(index);
    }

    /// Who else has taken the value of `write`: while two read-modify-writes conflict, there are two.
    fn other_taker(&self, write: EventId, location: LocationId) -> EventId {
        if self.location(location).conflicts == 0 {
            return EventId::NONE;
        }
        let takes = |&&read: &&EventId| self.event(read).exclusive && self.event(read).other == write;
        self.location(location).reads.iter().find(takes).copied().unwrap_or(EventId::NONE)
    }

    /// Becomes a copy of `source` with the first `keep[t]` events of every thread `t`; see [`cut`](Self::cut).
    pub fn restrict(&mut self, source: &Graph, keep: &[u32]) {
        (self.width, self.next_stamp, self.strong) = (source.width, source.next_stamp, source.strong);
        self.order.clone_from(&source.order);
        self.locations.resize_with(source.locations.len(), Location::default);
        for (mine, theirs) in self.locations.iter_mut().zip(&source.locations) {
            mine.copy(theirs);
        }
        self.threads.resize_with(source.threads.len(), Thread::default);
        for ((mine, theirs), &count) in self.threads.iter_mut().zip(&source.threads).zip(keep) {
            mine.copy(theirs, self.width, count as usize);
            let gone = theirs.gone(count as usize, &mut self.locations);
            mine.repeats -= gone.repeats;
            self.strong -= gone.strong;
        }
        self.cut_rest(keep);
    }

    /// Keeps the first `keep[t]` events of every thread `t`. Writes in between keep their order. The caller makes sure that
    /// nothing kept depends on what is not.
    pub fn cut(&mut self, keep: &[u32]) {
        for (thread, &count) in self.threads.iter_mut().zip(keep) {
            if thread.events.len() > count as usize {
                let gone = thread.gone(count as usize, &mut self.locations);
                thread.repeats -= gone.repeats;
                self.strong -= gone.strong;
                thread.events.truncate(count as usize);
                thread.pasts.get_mut().truncate(count as usize);
            }
        }
        self.cut_rest(keep);
    }

    /// Removes events that are no longer in their threads from everything else. Locations say whether they are accessed by any.
    fn cut_rest(&mut self, keep: &[u32]) {
        let kept = |id: EventId| keep[id.thread() as usize] > id.position();
        self.cut_order(keep, kept);
        for index in 0..self.locations.len() {
            if std::mem::take(&mut self.locations[index].loses) {
                self.cut_latest(index, keep);
                self.cut_location(index, kept);
            }
        }
        for (thread, &count) in self.threads.iter_mut().zip(keep) {
            thread.fixed = thread.fixed.min(count);
            // Nobody has spawned a thread that does not exist.
            thread.exists = thread.exists && (thread.spawned_by == EventId::INIT || kept(thread.spawned_by));
            if thread.links.len() > count as usize {
                thread.links.truncate(count as usize);
                while thread.releases.last().is_some_and(|&position| position >= count) {
                    thread.releases.pop();
                }
            }
        }
    }

    /// Removes events from the run order: what goes stands near its end, so it is looked for from there.
    fn cut_order(&mut self, keep: &[u32], kept: impl Fn(EventId) -> bool) {
        let mut gone = self.order.len() - keep.iter().sum::<u32>() as usize;
        let mut first = self.order.len();
        while gone > 0 {
            first -= 1;
            gone -= !kept(self.order[first]) as usize;
        }
        let mut end = first;
        for index in first..self.order.len() {
            let id = self.order[index];
            if kept(id) {
                self.order[end] = id;
                end += 1;
            }
        }
        self.order.truncate(end);
    }

    /// Goes back to the accesses that stay; the links of those that go are still there.
    fn cut_latest(&mut self, index: usize, keep: &[u32]) {
        let threads = &self.threads;
        self.locations[index].latest.retain_mut(|last| {
            let links = &threads[last.thread() as usize].links;
            let mut end = last.position() + 1;
            while end > keep[last.thread() as usize] {
                end = links[end as usize - 1];
            }
            if end > 0 {
                *last = EventId::new(last.thread(), end - 1);
            }
            end > 0
        });
    }

    fn cut_location(&mut self, index: usize, kept: impl Fn(EventId) -> bool) {
        let location = &mut self.locations[index];
        location.reads.retain(|&id| kept(id));
        location.writes.retain(|&id| kept(id));
        let accesses = location.writes.iter().chain(&location.reads);
        location.by_others = accesses.clone().filter(|id| id.thread() != location.first).count() as u32;
        if location.plain > 0 {
            let event = |id: &EventId| &self.threads[id.thread() as usize].events[id.position() as usize];
            location.plain = accesses.filter(|id| event(id).order == Order::Plain).count() as u32;
        }
        let taker = location.init_taken_by;
        if taker.is_real() && !kept(taker) {
            self.retake(EventId::INIT, index as LocationId);
        }
        for rank in 0..self.locations[index].writes.len() {
            let write = self.locations[index].writes[rank];
            let event = self.event_mut(write);
            event.rank = rank as u32 + 1;
            let taker = event.taken_by;
            if taker.is_real() && !kept(taker) {
                self.retake(write, index as LocationId);
            }
        }
    }

    /// Who has taken the value of a write is gone; another one may have taken it.
    #[inline(never)]
    fn retake(&mut self, write: EventId, location: LocationId) {
        let other = self.other_taker(write, location);
        self.set_taken_by(write, location, other);
    }

    /// Changes the order of a read: a failed exchange has another one.
    pub fn reorder(&mut self, read: EventId, order: Order) {
        let old = std::mem::replace(&mut self.event_mut(read).order, order);
        self.strong = self.strong + (order == Order::SeqCst) as u32 - (old == Order::SeqCst) as u32;
    }

    /// Makes a read that is the last event of its thread read from `write`, and run after everything else. Its stamp
    /// stays; it is no longer half of a read-modify-write; its clocks are to be set again.
    pub fn redirect(&mut self, read: EventId, write: EventId) {
        debug_assert_eq!(self.len_of(read.thread()), read.position() + 1, "nothing depends on the read");
        let (old, location) = (self.event(read).other, self.event(read).location);
        let event = self.event_mut(read);
        (event.other, event.exclusive, event.spurious) = (write, false, false);
        if self.taken_by(old, location) == read {
            let other = self.other_taker(old, location);
            self.set_taken_by(old, location, other);
        }
        self.event_mut(read).value = self.value_of(write, location);
        let index = self.order.iter().rposition(|&id| id == read).expect("a read of the graph");
        self.order.remove(index);
        self.order.push(read);
    }

    /// Removes a read that is the last event of its thread, wherever it stands in the run order.
    pub fn withdraw(&mut self, read: EventId) {
        let index = self.order.iter().rposition(|&id| id == read).expect("a read of the graph");
        self.order.remove(index);
        self.order.push(read);
        let next_stamp = self.next_stamp;
        self.pop();
        self.next_stamp = next_stamp;
    }

    /// An event of `thread` that accesses no memory.
    #[inline]
    pub fn blank(kind: Kind, asked: OpWords, site: &'static Site<'static>) -> Event {
        Event {
            kind,
            order: Order::Relaxed,
            exclusive: false,
            spurious: false,
            location: 0,
            other: EventId::NONE,
            stamp: 0,
            rank: 0,
            taken_by: EventId::NONE,
            value: 0,
            asked,
            site,
        }
    }
}

impl Thread {
    /// How many of its events an earlier revisit rests on, so that no later one may undo them.
    #[inline]
    pub fn fixed(&self) -> u32 {
        self.fixed
    }

    /// Whether it has accessed something more than once, or chosen: only then can it have made a round of a loop.
    #[inline]
    pub fn may_have_gone_round(&self) -> bool {
        let all = || self.events.iter().zip(&self.links);
        let repeats = || all().filter(|&(event, &link)| is_repetition(event, link)).count();
        debug_assert_eq!(self.repeats as usize, repeats(), "events and links that come and go are counted");
        self.repeats > 0
    }

    /// Becomes a copy of another thread with its first `count` events.
    fn copy(&mut self, other: &Thread, width: Width, count: usize) {
        self.events.clear();
        self.events.extend_from_slice(&other.events[..count]);
        self.clocks.copy(width, &other.clocks, count);
        self.links.clone_from(&other.links);
        self.releases.clone_from(&other.releases);
        let (pasts, others) = (self.pasts.get_mut(), other.pasts.borrow());
        pasts.clear();
        pasts.extend_from_slice(&others[..others.len().min(count)]);
        (self.exists, self.spawned_by) = (other.exists, other.spawned_by);
        (self.class, self.chain, self.fixed) = (other.class, other.chain, other.fixed);
        self.repeats = other.repeats;
    }

    /// What goes when only its first `count` events stay. The locations that lose an access are told so.
    fn gone(&self, count: usize, locations: &mut [Location]) -> Gone {
        let mut gone = Gone { repeats: 0, strong: 0 };
        for (event, &link) in self.events[count..].iter().zip(&self.links[count..]) {
            gone.repeats += is_repetition(event, link) as u32;
            gone.strong += (event.order == Order::SeqCst) as u32;
            if event.is_access() {
                locations[event.location as usize].loses = true;
            }
        }
        gone
    }

    fn clear(&mut self) {
        self.events.clear();
        self.pasts.get_mut().clear();
        self.links.clear();
        self.repeats = 0;
        self.releases.clear();
        self.fixed = 0;
        self.spawned_by = EventId::NONE;
        self.exists = false;
        self.class = 0;
        self.chain = EventId::NONE;
    }
}

/// What of a thread goes: how many repetitions, and how many events of order SeqCst.
struct Gone {
    repeats: u32,
    strong: u32,
}

/// Whether an event is an access of what the thread has accessed before, as its link says, or a choice.
#[inline]
fn is_repetition(event: &Event, link: u32) -> bool {
    link > 0 || event.kind == Kind::Choose
}

/// In [`how`]: whether what the event takes is that of another event, with its past.
const TAKES: u64 = 1 << 7;

/// How an event happens, as far as the threads can know: its kind, whether it is the second half of an update (whether a read
/// is half of one is said by the other half), whether it fails without a reason, and what was chosen.
#[inline]
fn how(event: &Event) -> u64 {
    let takes = matches!(event.kind, Kind::Read | Kind::Join | Kind::Begin);
    let half = event.exclusive && event.kind == Kind::Write;
    let choice = if event.kind == Kind::Choose { event.value } else { 0 };
    let takes = if takes { TAKES } else { 0 };
    choice << 8 | takes | (event.kind as u64) << 2 | u64::from(half) << 1 | u64::from(event.spurious)
}

/// A number that depends on all bits of both.
#[inline]
pub fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state.rotate_left(29) ^ word ^ 0x2545_F491_4F6C_DD1D) * 0x9E37_79B9_7F4A_7C15;
    product as u64 ^ (product >> 64) as u64
}

impl Default for EventId {
    fn default() -> Self {
        EventId::NONE
    }
}
