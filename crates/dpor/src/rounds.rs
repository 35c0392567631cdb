//! Rounds of a loop: events of a thread that could be left out, because the thread is in the same state before and after
//! them and nobody has seen what they did.
//!
//! Reads, failed exchanges, fences and choices can always be left out; so can a read-modify-write that writes what it
//! has read, since whoever reads from it can read from the write before it. Other writes can be left out if they stand
//! side by side in coherence order, and the last one writes what was there before the first, as long as nobody has
//! read from one of the others. That may change as other threads go on, so a thread that has made such a round is
//! *parked*: it goes on when nobody else can and somebody has seen its round, and not at all if nobody has.
//! Rounds that have seen each other, and nobody else has, can be left out together if together they leave what was there. A thread
//! may have made several rounds; of each thread that one is chosen with which most can be left out.
//! A look at the clock can be left out if no time has passed, or if the clock was past everything before.

use crate::Operation;
use crate::explorer::Explorer;
use crate::run::Status;
use quotient_graph::{Clock, Event, EventId, Kind, LocationId, OpCode, OpWords, Order, ThreadId, mix};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::ops::Range;
use std::panic::Location as Site;

/// Whether events can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// They cannot.
    No,
    /// As long as nobody sees what they have written.
    WhileUnseen,
    /// They can.
    Free,
}

/// A round of a loop that a thread has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Where its events begin.
    pub start: u32,
    /// Where they end.
    pub end: u32,
    /// Whether the thread has changed memory besides, and changed it back: then nobody may have learnt anything from it.
    pub changes_memory: bool,
    /// A location that the thread overwrites next after the round, without reading it before: either it is about to, or it
    /// does so after the read that it is about to make, whatever that gives.
    pub overwrites: Option<LocationId>,
}

impl Round {
    /// The events between two positions.
    pub fn new(start: u32, end: u32) -> Self {
        Round { start, end, changes_memory: false, overwrites: None }
    }
}

/// Blocks of memory, by the thread that has made them and how many events it had then.
#[derive(Clone, Debug, Default)]
pub struct Publication {
    /// Those in which writes were left out that were overwritten before others knew of the block.
    pub relied_on: HashSet<(ThreadId, u32)>,
    /// Those that others have accessed without being ordered after all that their maker had written there.
    pub weak: HashSet<(ThreadId, u32)>,
    /// Whether nothing is left out for this reason.
    pub distrusted: bool,
}

impl Publication {
    /// Whether something was left out that others could have seen.
    pub fn is_broken(&self) -> bool {
        !self.distrusted && !self.relied_on.is_disjoint(&self.weak)
    }

    /// Adds what another worker has seen.
    pub fn add(&mut self, other: &Publication) {
        self.relied_on.extend(&other.relied_on);
        self.weak.extend(&other.weak);
    }
}

/// The writes of a round to one location.
struct Writes {
    location: LocationId,
    first: u32,
    last: u32,
    count: u32,
    /// Whether all of them write what they have read.
    idle: bool,
}

/// Those to all locations.
type Written = SmallVec<[Writes; MOST_LOCATIONS]>;

/// Rounds of a thread, of which one may be left out.
pub type Choices = SmallVec<[Round; 2]>;

/// Threads, and something of each of them.
type OfThreads<T> = SmallVec<[(ThreadId, T); 8]>;

/// Positions at which a thread was before.
pub type Heads = SmallVec<[u32; 8]>;

/// In how many ways it is tried to choose a round of each thread.
const MOST_CHOICES: usize = 256;

/// How many locations a round may write.
const MOST_LOCATIONS: usize = 8;

/// The order is that of a read that takes over what others have released.
fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

impl Explorer {
    /// Where, not too far back, the thread was about to do the same as now, and all that it has written since is as it was
    /// before; the latest first. And whether it was about to do the same at all.
    pub fn heads(&self, thread: ThreadId, operation: &Operation, most: usize) -> (Heads, bool) {
        let (asked, place) = (operation.asked(), location_of(operation));
        if !self.may_repeat(thread, &asked, place) {
            return (Heads::new(), false);
        }
        self.heads_but_for(thread, (&asked, place), most, |_| false)
    }

    /// The same, if there is one location that the thread has changed since, in memory that it has made and that nobody else
    /// knows of.
    pub fn heads_but_for_own(
        &self,
        thread: ThreadId,
        operation: &Operation,
        most: usize,
    ) -> Option<(Heads, LocationId)> {
        let mut changed = None;
        let (asked, place) = (operation.asked(), location_of(operation));
        let (heads, _) = self.heads_but_for(thread, (&asked, place), most, |writes| {
            let may_be = changed.is_none_or(|location| location == writes.location);
            let is_own = may_be && self.is_unshared(thread, writes.location);
            if is_own {
                changed = Some(writes.location);
            }
            is_own
        });
        changed.filter(|_| !heads.is_empty()).map(|location| (heads, location))
    }

    /// Whether a thread that is about to do this may be in a loop: it has accessed something again, or chosen, or does so now.
    #[inline]
    pub fn may_be_in_loop(&self, thread: ThreadId, operation: &Operation) -> bool {
        if self.graph.threads()[thread as usize].may_have_gone_round() {
            return true;
        }
        match *operation {
            Operation::Read { location, .. } | Operation::Write { location, .. } => {
                self.graph.latest(location).iter().any(|access| access.thread() == thread)
            }
            _ => false,
        }
    }

    /// Whether the thread was about to do the same as now, not too far back: most operations are not repeated. Of an access it
    /// may have been longer ago.
    #[inline]
    fn may_repeat(&self, thread: ThreadId, asked: &OpWords, place: LocationId) -> bool {
        if asked.what.code.is_access() {
            return self.has_asked(thread, asked, place);
        }
        let events = self.graph.threads()[thread as usize].events.iter().rev().take(LONGEST + 1);
        events.take_while(|event| may_go(event)).any(|event| event.location == place && event.asked == *asked)
    }

    /// Whether a thread has accessed a location in this way. Only its accesses of that location are looked at.
    #[inline]
    fn has_asked(&self, thread: ThreadId, asked: &OpWords, location: LocationId) -> bool {
        let latest = self.graph.latest(location).iter().copied().find(|access| access.thread() == thread);
        let mut accesses = std::iter::successors(latest, |&access| self.graph.access_before(access)).take(LONGEST + 1);
        accesses.any(|access| self.graph.event(access).asked == *asked)
    }

    /// The same, but for writes that need not leave what was there before.
    fn heads_but_for(
        &self,
        thread: ThreadId,
        (asked, place): (&OpWords, LocationId),
        most: usize,
        mut may_change: impl FnMut(&Writes) -> bool,
    ) -> (Heads, bool) {
        let events = &self.graph.threads()[thread as usize].events;
        let mut writes = Written::new();
        let (mut heads, mut repeats) = (Heads::new(), false);
        for (back, (position, event)) in events.iter().enumerate().rev().enumerate() {
            if !may_go(event) || heads.is_empty() && back > LONGEST {
                break;
            }
            if !self.note_write(EventId::new(thread, position as u32), event, &mut writes) {
                break;
            }
            let is_half = event.kind == Kind::Write && event.exclusive;
            if event.location == place && event.asked == *asked && !is_half {
                repeats = true;
                let mut is_as_before = |writes: &Writes| {
                    writes.idle
                        || self.leaves_as_before(thread, writes)
                        || self.takes_back(thread, writes)
                        || may_change(writes)
                };
                if writes.iter().all(&mut is_as_before) {
                    heads.push(position as u32);
                    if heads.len() == most {
                        break;
                    }
                } else if back > FAR {
                    // Something is counted up; it will not come back.
                    break;
                }
            }
        }
        (heads, repeats)
    }

    /// Whether the last operation of a thread may have been one of a loop, which then has to be looked at.
    #[inline]
    pub(crate) fn may_leave_loop(&self, thread: ThreadId) -> bool {
        let events = &self.graph.threads()[thread as usize].events;
        let is_last = |event: &Event| event.kind == Kind::Read || event.kind == Kind::Write && event.exclusive;
        let Some(last) = events.last().filter(|event| is_last(event)) else { return false };
        // Most memory is accessed once.
        let read = EventId::new(thread, (events.len() - 1 - usize::from(last.exclusive)) as u32);
        if self.graph.access_before(read).is_none() {
            return false;
        }
        let before = &events[events.len().saturating_sub(8)..events.len() - 1 - usize::from(last.exclusive)];
        before.iter().any(|event| event.kind == Kind::Read && event.location == last.location)
    }

    /// How often, not too far back, the thread has done the same as now.
    pub fn repeats(&self, thread: ThreadId, operation: &Operation, most: usize) -> usize {
        let (asked, place) = (operation.asked(), location_of(operation));
        let events = self.graph.threads()[thread as usize].events.iter().rev().take_while(|event| may_go(event));
        events.filter(|event| event.asked == asked && event.location == place).take(most).count()
    }

    /// Adds a write, which is before those that were added already. False if it is to more locations than a round may write.
    fn note_write(&self, id: EventId, event: &Event, writes: &mut Written) -> bool {
        if event.kind != Kind::Write {
            return true;
        }
        let read = id.previous().filter(|_| event.exclusive).map(|read| self.graph.event(read));
        let idle = read.is_some_and(|read| read.value == event.value);
        let is_full = writes.len() == MOST_LOCATIONS;
        match writes.iter_mut().find(|writes| writes.location == event.location) {
            Some(writes) => {
                writes.first = id.position();
                writes.count += 1;
                writes.idle &= idle;
            }
            None if is_full => return false,
            None => {
                let (location, position) = (event.location, id.position());
                writes.push(Writes { location, first: position, last: position, count: 1, idle });
            }
        }
        true
    }

    /// Whether the last of these writes leaves what was there before the first, with nothing between.
    fn leaves_as_before(&self, thread: ThreadId, writes: &Writes) -> bool {
        let first = self.graph.event(EventId::new(thread, writes.first));
        let last = self.graph.event(EventId::new(thread, writes.last));
        let before = self.graph.at_rank(writes.location, first.rank - 1);
        last.rank + 1 - first.rank == writes.count && self.graph.value_of(before, writes.location) == last.value
    }

    /// Whether these writes add something and take it away again, whatever others do in between. They can be left out together
    /// with what others do so.
    fn takes_back(&self, thread: ThreadId, writes: &Writes) -> bool {
        let mut sum = 0u64;
        for position in writes.first..=writes.last {
            let id = EventId::new(thread, position);
            let event = self.graph.event(id);
            if event.kind != Kind::Write || event.location != writes.location {
                continue;
            }
            let Some(read) = id.previous().filter(|_| event.exclusive) else { return false };
            sum = sum.wrapping_add(event.value.wrapping_sub(self.graph.event(read).value));
        }
        sum == 0
    }

    /// Whether the events of a round can be left out.
    pub fn removal(&self, thread: ThreadId, round: Round) -> Removal {
        let Round { start, end, changes_memory, .. } = round;
        let events = &self.graph.threads()[thread as usize].events;
        let mut writes = Written::new();
        for position in (start..end).rev() {
            let event = &events[position as usize];
            if !may_go(event) {
                return Removal::No;
            }
            if !self.note_write(EventId::new(thread, position), event, &mut writes) {
                return Removal::No;
            }
        }
        let mut removal = Removal::Free;
        for writes in writes.iter().filter(|writes| !writes.idle || changes_memory) {
            removal = Removal::WhileUnseen;
            let overwritten = || self.is_overwritten(thread, writes, round);
            let gone = writes.idle || self.leaves_as_before(thread, writes) && self.keeps_releases(thread, writes);
            if !(gone || overwritten()) || self.is_seen(thread, writes, start..end, changes_memory) {
                return Removal::No;
            }
        }
        removal
    }

    /// Whether what these writes leave is written anew after the round, in memory that the thread itself has made and that no
    /// other thread has accessed.
    fn is_overwritten(&self, thread: ThreadId, writes: &Writes, round: Round) -> bool {
        let events = &self.graph.threads()[thread as usize].events;
        let again = |event: &Event| event.kind == Kind::Write && !event.exclusive && event.location == writes.location;
        let plain = self.graph.event(EventId::new(thread, writes.last)).is_plain();
        (plain || self.is_unshared(thread, writes.location))
            && (round.overwrites == Some(writes.location) || events[round.end as usize..].iter().any(again))
    }

    /// Whether a location is in memory that the thread has made and no other thread has accessed.
    fn is_unshared(&self, thread: ThreadId, location: LocationId) -> bool {
        let location = self.graph.location(location);
        let trusts = |origin| !self.publication.distrusted && !self.publication.weak.contains(&origin);
        let is_made_here = location.origin.is_some_and(|origin| origin.0 == thread && trusts(origin));
        is_made_here && location.is_private_to(thread)
    }

    /// Whether who reads from the write before these instead of from the last one learns nothing that it did not learn
    /// from that.
    fn keeps_releases(&self, thread: ThreadId, writes: &Writes) -> bool {
        let events = &self.graph.threads()[thread as usize].events;
        let range = writes.first as usize..=writes.last as usize;
        let own = |event: &&Event| event.kind == Kind::Write && event.location == writes.location;
        let first = &events[writes.first as usize];
        let last = &events[writes.last as usize];
        if events[range].iter().filter(own).all(|event| event.exclusive) {
            return true;
        }
        let before = self.graph.at_rank(writes.location, first.rank - 1);
        if before == EventId::INIT {
            return true;
        }
        // What was released before was acquired first, and is released again.
        let read = first.exclusive.then(|| &events[writes.first as usize - 1]);
        if read.is_some_and(|read| acquires(read.order)) && releases(last.order) {
            return true;
        }
        // The same store as before, or one that nobody can learn from.
        let before = self.graph.event(before);
        before.is_plain() || last.asked == before.asked && before.order == last.order && self.follows_own(thread, first)
    }

    /// Whether the write before this one is by the same thread.
    fn follows_own(&self, thread: ThreadId, event: &Event) -> bool {
        let before = self.graph.at_rank(event.location, event.rank - 1);
        before.is_real() && before.thread() == thread
    }

    /// Whether somebody has read from one of these writes but the last; or from any, if `any`.
    fn is_seen(&self, thread: ThreadId, writes: &Writes, round: Range<u32>, any: bool) -> bool {
        let inside = |id: EventId| id.thread() == thread && round.contains(&id.position());
        self.graph.location(writes.location).reads.iter().any(|&read| {
            let source = self.graph.event(read).other;
            source.is_real() && inside(source) && !inside(read) && (any || source.position() != writes.last)
        })
    }

    /// Lets a thread that has made a round go on only when nobody else can and somebody has seen the round. The thread is
    /// about to do `operation`. Each of `choices` could be left out instead of the round.
    ///
    /// If it does not `wait`, it was only left out because another execution covers this one.
    pub fn park(
        &mut self,
        thread: ThreadId,
        (round, choices): (Round, &[Round]),
        waits: bool,
        operation: &Operation,
        site: &'static Site<'static>,
    ) {
        self.wait(thread, operation, site);
        let others = choices.iter().filter(|&&other| other != round);
        let all: Choices = std::iter::once(round).chain(others.copied()).collect();
        for &round in all.iter().filter(|round| !waits || round.overwrites.is_some()) {
            self.note_reliance(thread, round);
        }
        self.run.choices.retain(|&(other, _)| other != thread);
        self.run.choices.push((thread, all));
        let progress = &mut self.run.threads[thread as usize];
        progress.status = Status::Parked;
        (progress.round, progress.waits) = (round, waits);
    }

    /// Notes blocks of memory in which a write is left out because the same thread has overwritten it before it has let
    /// others know of the block. Others must then come to know of all that it has written there, see
    /// [`note_weak_publication`](Self::note_weak_publication).
    fn note_reliance(&mut self, thread: ThreadId, round: Round) {
        for position in round.start..round.end {
            let event = self.graph.event(EventId::new(thread, position));
            if event.kind == Kind::Write
                && !event.is_plain()
                && let Some(origin) = self.graph.location(event.location).origin
                && origin.0 == thread
            {
                self.publication.relied_on.insert(origin);
            }
        }
    }

    /// Notes an access to memory that another thread has made, if the access is not ordered after what that thread has
    /// written there.
    pub(crate) fn note_weak_publication(&mut self, id: EventId, location: LocationId) {
        let Some(origin) = self.graph.location(location).origin else { return };
        if origin.0 == id.thread() {
            return;
        }
        let before = id.previous().unwrap_or(id);
        let is_maker = |write: &&EventId| write.thread() == origin.0;
        let last = self.graph.location(location).writes.iter().rev().find(is_maker);
        if last.is_some_and(|&write| !self.graph.covers(before, Clock::Before, write)) {
            self.publication.weak.insert(origin);
        }
    }

    /// A parked thread whose round has been seen goes on.
    pub(crate) fn first_seen(&mut self) -> Option<ThreadId> {
        if self.run.choices.is_empty() {
            return None;
        }
        let thread = self.parked_and_seen()?;
        let progress = &mut self.run.threads[thread as usize];
        progress.status = Status::Ready;
        progress.let_go = progress.position;
        Some(thread)
    }

    /// The first of the threads that are parked whose round cannot be left out any more.
    fn parked_and_seen(&self) -> Option<ThreadId> {
        let parked: OfThreads<_> = self.parked().collect();
        if parked.is_empty() {
            return None;
        }
        let stay = self.stay_together(&parked);
        parked.iter().map(|&(thread, _)| thread).find(|thread| !stay.contains(thread))
    }

    /// Whether the thread was parked here already, and then let go on.
    pub fn was_let_go(&self, thread: ThreadId) -> bool {
        let progress = &self.run.threads[thread as usize];
        progress.let_go == progress.position
    }

    /// The threads that are parked, each with the rounds of which one may be left out.
    fn parked(&self) -> impl Iterator<Item = (ThreadId, &[Round])> + '_ {
        let is_parked = |thread: ThreadId| self.run.threads[thread as usize].status == Status::Parked;
        let mut parked: SmallVec<[_; 8]> = self.run.choices.iter().filter(|&&(thread, _)| is_parked(thread)).collect();
        parked.sort_by_key(|&&(thread, _)| thread);
        parked.into_iter().map(|(thread, choices)| (*thread, &choices[..]))
    }

    /// Whether one of these rounds of a thread can be left out together with those of threads that are parked: only they have
    /// seen it.
    pub fn stays_with_parked(&self, thread: ThreadId, choices: &[Round]) -> bool {
        let together: OfThreads<_> =
            self.parked().filter(|&(other, _)| other != thread).chain([(thread, choices)]).collect();
        together.len() > 1 && self.stay_together(&together).contains(&thread)
    }

    /// The threads, of these, of which a round can be left out, if the best is chosen of each.
    fn stay_together(&self, threads: &[(ThreadId, &[Round])]) -> SmallVec<[ThreadId; 8]> {
        let mut best = SmallVec::new();
        for number in 0..MOST_CHOICES {
            let mut rest = number;
            let chosen = threads.iter().map(|&(thread, choices)| {
                let round = choices[rest % choices.len()];
                rest /= choices.len();
                (thread, round)
            });
            let chosen = chosen.collect();
            if rest > 0 {
                break;
            }
            let stay = self.leave_out_together(chosen);
            if stay.len() > best.len() {
                best = stay.into_iter().map(|(thread, _)| thread).collect();
            }
            if best.len() == threads.len() {
                break;
            }
        }
        best
    }

    /// Of these rounds, those that can be left out together.
    fn leave_out_together(&self, mut rounds: OfThreads<Round>) -> OfThreads<Round> {
        loop {
            let is_seen = |&(thread, round): &(ThreadId, Round)| {
                self.removal(thread, round) == Removal::No && !self.is_among(thread, round, &rounds)
            };
            let Some(seen) = rounds.iter().position(is_seen) else { return rounds };
            rounds.remove(seen);
        }
    }

    /// Whether what a round has written was seen only in the others of these rounds, and all together leave it as it was.
    fn is_among(&self, thread: ThreadId, round: Round, rounds: &[(ThreadId, Round)]) -> bool {
        let events = &self.graph.threads()[thread as usize].events;
        let own = &events[round.start as usize..round.end as usize];
        if round.changes_memory || !own.iter().all(may_go) {
            return false;
        }
        let inside = |id: EventId| {
            let has = |&(thread, round): &(ThreadId, Round)| {
                id.thread() == thread && (round.start..round.end).contains(&id.position())
            };
            id.is_real() && rounds.iter().any(has)
        };
        let written = own.iter().filter(|event| event.kind == Kind::Write);
        written.map(|event| event.location).all(|place| {
            let location = self.graph.location(place);
            let ranks =
                || location.writes.iter().enumerate().filter(|&(_, &write)| inside(write)).map(|(rank, _)| rank);
            let (Some(first), Some(last)) = (ranks().min(), ranks().max()) else { return true };
            let before = if first == 0 { EventId::INIT } else { location.writes[first - 1] };
            let ends = self.graph.event(location.writes[last]);
            let begins = location.writes[first];
            let read = begins.previous().map(|read| self.graph.event(read));
            // As with a lock: what was released before is acquired first, and released at last.
            let begins_well = self.graph.event(begins).exclusive && read.is_some_and(|read| acquires(read.order));
            let seen_outside = location.reads.iter().any(|&read| {
                let source = self.graph.event(read).other;
                inside(source) && !inside(read) && source != location.writes[last]
            });
            last + 1 - first == ranks().count()
                && self.graph.value_of(before, place) == ends.value
                && (before == EventId::INIT || begins_well && releases(ends.order))
                && !seen_outside
        })
    }

    /// A number for everything that a thread can know: its events and those that they depend on. Values follow from where
    /// they come from, and may be addresses, which differ from run to run.
    pub fn past_of(&self, thread: ThreadId) -> u64 {
        let length = self.graph.len_of(thread);
        let last = EventId::new(thread, length - 1);
        if !self.has_classes {
            return self.graph.past(last);
        }
        // Of like threads, those that come first count as well.
        let prefix = self.graph.clock(last, Clock::Prefix);
        let mut past = u64::from(length);
        for (number, thread_events) in self.graph.threads().iter().enumerate() {
            let known = prefix.get(number).map_or(0, |&known| known as usize).min(thread_events.events.len());
            let known = if number == thread as usize { length as usize } else { known };
            past = mix(past, known as u64);
            for event in &thread_events.events[..known] {
                let source = u64::from(event.other.thread()) << 32 | u64::from(event.other.position());
                let how = (event.kind as u64) << 2 | u64::from(event.exclusive) << 1 | u64::from(event.spurious);
                past = mix(past, source << 8 | how);
                if event.kind == Kind::Choose {
                    past = mix(past, event.value);
                }
            }
        }
        past
    }
}

/// A round has at most so many events.
const LONGEST: usize = 256;
/// If what is written has not come back after so many events, it is not waited for any longer.
const FAR: usize = 64;

/// Whether an event can be part of a round at all.
fn may_go(event: &Event) -> bool {
    match event.kind {
        Kind::Read | Kind::Fence | Kind::Help => true,
        // That a long time passes may be just what the thread waits for, until it is past everything.
        Kind::Choose => event.asked.what.code != OpCode::Clock || event.value == 0 || event.asked.what.weak,
        Kind::Write => !event.frees(),
        Kind::Begin | Kind::End | Kind::Spawn | Kind::Join | Kind::Block | Kind::Primary => false,
    }
}

/// The location of an access; 0 for anything else, as in events.
fn location_of(operation: &Operation) -> LocationId {
    match *operation {
        Operation::Read { location, .. } | Operation::Write { location, .. } => location,
        _ => 0,
    }
}
