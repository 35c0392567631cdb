//! Loops that wait: an execution is dropped only if everything that it can do is covered by one that is explored.
//!
//! *State* of a thread: the operation that it is about to do, what is live on its stack and in its registers
//! ([`picture`]), and the memory that it has written. A *round* is a number of its last events that can be left out
//! ([`Explorer::removal`]). There are two rules.
//!
//! 1. **It has gone round.** The thread arrives in the state that it had before its last round. Without the round the
//!    thread goes on in the same way and all others see the same, so this execution is covered: the thread waits.
//! 2. **It could have come here at once.** Told, before a round, what it was told after it, the thread arrives in the
//!    same state. So the execution without the round covers this one. For a failed exchange that is tried again, the
//!    first read is told what the exchange has read.
//!
//! To see a state that a thread had before, the execution is run again up to there; to see what a thread would do if it
//! were told something else, likewise. What has been found out is kept, by everything that the thread can know.
//! A loop to which neither rule applies is followed for a number of rounds, then for more, and so on; if there is no end
//! to that, the answer says so (SAVER, FMCAD 2021, has the first rule, decided on the code).
//!
//! What this rests on: the program is deterministic; a thread has no memory but its stack, its registers, what it
//! allocates (the global allocator is the checker's) and what its host sees; the tables of the unwinder are right, as
//! exceptions need them to be; calls keep to the calling convention of the system.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod ahead;
mod clock;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod frame;
pub(crate) mod livelock;
mod picture;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod unwind;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod variables;

use crate::call::Result;
use crate::context::Context;
use crate::memory;
use crate::native::{Callee, Changes, Host, Mark};
use picture::Picture;
use quotient_dpor::graph::{Asked, Event, Kind, LocationId, Order, Outcome, Update, When};
use quotient_dpor::{Operation, Removal, Round, Step, ViolationKind, mix};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;
use std::ptr;
use std::sync::Arc;

pub(crate) use picture::Difference;

/// A place in the code.
type Site = &'static Location<'static>;

/// A loop is looked at in each of its first rounds, then more and more rarely.
const FIRST_ROUNDS: usize = 8;
/// How many events at most are told to a thread in another order.
const MOST_TOLD: u32 = 16;
/// How many questions there may be about one execution.
const MOST_QUESTIONS: u32 = 10_000;
/// How many verdicts are kept.
const MOST_VERDICTS: usize = 1 << 18;
/// How many rounds of a loop that goes on changing something are followed at first; then so many times more.
pub(crate) const ROUNDS: u32 = 4;
pub(crate) const MORE_ROUNDS: u32 = 4;

/// What is known of a point that a thread comes to, by everything that the thread can know.
#[derive(Clone, Debug, Default)]
struct Verdict {
    /// The rounds after which the thread is in the same state as before: how many events, and whether memory was changed
    /// and changed back meanwhile.
    same: Vec<(u32, bool)>,
    /// The state is the same but for a location in the thread's own memory, which it overwrites before it reads it.
    overwrites: bool,
    /// The part of the thread's past without which it would be in the same state.
    covered: Option<Round>,
    /// What is different from the last time, if there is no such round.
    difference: Option<Difference>,
}

/// A loop that goes on changing something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undecided {
    pub site: Site,
    pub difference: Option<Difference>,
}

/// What is known about waiting loops.
#[derive(Default)]
pub(crate) struct Loops {
    verdicts: HashMap<u64, Verdict, BuildHasherDefault<Mixed>>,
    question: Option<Question>,
    /// How many questions there have been about the present execution.
    asked: u32,
    hints: Hints,
    /// How many rounds of a loop that goes on changing something are followed.
    pub rounds: u32,
    /// A loop that was not followed further.
    pub cut: Option<Undecided>,
    /// What loops go on changing, by where they are.
    differences: HashMap<usize, Difference>,
    /// The time that a thread which is told what did not happen is told that it is at least.
    pub told_time: u64,
    /// Whether what is dead on a stack is overwritten after every operation.
    pub noise: bool,
}

/// Hints that a thread waits, without any operation between them.
#[derive(Default)]
struct Hints {
    thread: u32,
    position: u32,
    count: u32,
    picture: Option<Picture>,
}

/// What is to be found out about a point that a thread has come to.
struct Question {
    key: u64,
    thread: u32,
    /// How many events the thread has had at that point.
    end: u32,
    operation: Operation,
    /// Where the thread may have been in the same state, and the state there.
    heads: Vec<(u32, Option<Picture>)>,
    /// Whether the thread has changed, since then, a location that it overwrites next.
    overwrites: bool,
    /// What could have been left out.
    cover: Option<Cover>,
    /// What is being tried.
    trial: Option<Trial>,
    /// What is to be tried then.
    next_trial: Option<Trial>,
}

/// A part of the past that could have been left out, so that the thread comes to the same point.
struct Cover {
    /// What is left out.
    round: Round,
    /// What the thread is told instead of its events from there on.
    told: Vec<Told>,
    /// The state before.
    first: Option<Picture>,
    /// If the thread has left the loop, it must be one that the compiler has made two copies of, so that the state before
    /// cannot be compared: the operation at the beginning of the second round, and the state there.
    second: Option<(u32, Option<Picture>)>,
}

/// A thread is told other things from a position on, to see whether it comes to a state that is known.
struct Trial {
    from: u32,
    told: Vec<Told>,
    /// How much it has been told, and the state at the beginning.
    next: usize,
    begun: Option<Picture>,
    /// The state: what the thread is about to do, where, and what has changed since `from`.
    asked: Asked,
    address: usize,
    picture: Picture,
    changes: Changes,
    /// The state at `from` in the run in which it came there.
    before: Picture,
    /// What follows if it does.
    proves: Proof,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// The loop is one that the compiler has made two copies of.
    Copies,
    /// This part of the past can be left out.
    Covered(Round),
}

/// An operation and its answer.
#[derive(Clone, Copy)]
struct Told {
    asked: Asked,
    location: LocationId,
    address: usize,
    value: u64,
    happened: bool,
}

impl Question {
    /// Where the run has to be looked at first.
    fn start(&self) -> u32 {
        if let Some(trial) = &self.trial {
            return trial.from;
        }
        let heads = self.heads.iter().map(|&(position, _)| position);
        heads.chain(self.cover.as_ref().map(|cover| cover.round.start)).min().unwrap_or(self.end)
    }

    /// Whether the state is to be looked at where the thread has had so many events.
    fn looks_at(&self, position: u32) -> bool {
        let is_second = |cover: &Cover| cover.second.as_ref().is_some_and(|&(second, _)| second == position);
        let covers = |cover: &Cover| cover.round.start == position || is_second(cover);
        self.heads.iter().any(|&(head, _)| head == position) || self.cover.as_ref().is_some_and(covers)
    }
}

/// The hash of a number that is one.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mix(self.0, byte.into()));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

impl Loops {
    /// Forgets the last run. If this one repeats it there may be a question.
    pub fn reset(&mut self, repeats: bool) {
        self.hints = Hints::default();
        if !repeats {
            self.question = None;
            self.asked = 0;
        }
    }

    /// Whether a thread need not be looked at when it replays its event at this position.
    #[inline]
    pub fn is_idle(&self, thread: u32, position: u32) -> bool {
        match &self.question {
            None => true,
            Some(question) => question.thread != thread || position < question.start(),
        }
    }

    fn decide(&mut self, key: u64, verdict: Verdict) {
        if self.verdicts.len() >= MOST_VERDICTS {
            self.verdicts.clear();
        }
        self.verdicts.insert(key, verdict);
    }
}

/// What becomes of an operation that is not performed: it is answered, or the thread waits.
type Instead = Option<(u64, bool)>;

impl Context {
    /// Looks at an operation before the explorer does. `Some` is the answer.
    #[inline]
    pub(crate) fn before_step(&mut self, operation: &Operation, site: Site) -> Option<Instead> {
        if self.loops.question.is_some()
            && let Some(answer) = self.look_into_question(operation)
        {
            return Some(answer);
        }
        if !self.may_repeat(operation) {
            return None;
        }
        self.look_for_loop(operation, site)
    }

    /// Whether the thread may be in a loop, as far as can be told at once.
    #[inline]
    fn may_repeat(&self, operation: &Operation) -> bool {
        let thread = self.current.0;
        if self.explorer.is_retracing() || self.explorer.next_event(thread).is_some() {
            return false;
        }
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let can =
            |event: &Event| matches!(event.kind, Kind::Read | Kind::Write | Kind::Fence | Kind::Choose | Kind::Help);
        events.last().is_some_and(can) && !matches!(operation, Operation::Block(_))
    }

    fn look_for_loop(&mut self, operation: &Operation, site: Site) -> Option<Instead> {
        let thread = self.current.0;
        if matches!(operation, Operation::Read { .. }) && self.explorer.is_told_to_read(thread) == Some(true) {
            return None;
        }
        let most = (self.loops.rounds as usize + 1).max(FIRST_ROUNDS + 1);
        let mut heads = match *operation {
            Operation::Read { orders, .. } if orders.0 != Order::Plain => self.explorer.heads(thread, operation, most),
            Operation::Clock { .. } => self.explorer.heads(thread, operation, most),
            _ => Vec::new(),
        };
        // A location in the thread's own memory that is not as it was, but is overwritten next.
        let mut overwrites = None;
        if heads.is_empty() && matches!(*operation, Operation::Read { orders, .. } if orders.0 != Order::Plain) {
            (heads, overwrites) = self.heads_before_store(operation, most, site);
        }
        let cover = if may_be_looked_at(heads.len()) { self.what_could_go(operation, site) } else { None };
        if heads.is_empty() && cover.is_some() {
            // That the thread has gone round comes first: only then it may do so for ever.
            heads = self.explorer.heads(thread, operation, most);
            if heads.is_empty() {
                (heads, overwrites) = self.heads_before_store(operation, most, site);
            }
        }
        if heads.is_empty() && cover.is_none() {
            return None;
        }
        if !may_be_looked_at(heads.len()) {
            return self.cut_off(heads.len(), None, site);
        }
        let end = self.explorer.graph().len_of(thread);
        let key = self.key(site);
        let Some(verdict) = self.loops.verdicts.get(&key) else {
            if self.loops.asked < MOST_QUESTIONS && memory::sees_the_heap(self.host.is_some()) {
                let heads = heads.into_iter().take(FIRST_ROUNDS).map(|position| (position, None)).collect();
                let operation = *operation;
                let overwrites = overwrites.is_some();
                let (trial, next_trial) = (None, None);
                let question = Question { key, thread, end, operation, heads, overwrites, cover, trial, next_trial };
                return Some(self.ask(question));
            }
            return self.cut_off(heads.len(), None, site);
        };
        for &(length, changes_memory) in &verdict.same {
            let round = Round { start: end - length, end, changes_memory, overwrites };
            match self.explorer.removal(thread, round) {
                Removal::No if self.explorer.stays_with_parked(thread, round) => {
                    self.explorer.park(thread, round, true, operation, site);
                    return Some(None);
                }
                Removal::No => {}
                Removal::Free => return Some(self.block(Operation::Block(length), site)),
                Removal::WhileUnseen => {
                    self.explorer.park(thread, round, true, operation, site);
                    return Some(None);
                }
            }
        }
        if let Some(round) = verdict.covered {
            let round = Round { overwrites: stored(operation), ..round };
            match self.explorer.removal(thread, round) {
                Removal::No => {}
                Removal::Free => return Some(self.block(Operation::Block(self.repeated_for_ever(round, end)), site)),
                Removal::WhileUnseen => {
                    let length = self.repeated_for_ever(round, end);
                    let round = if length > 0 { Round { start: end - length, end, ..round } } else { round };
                    self.explorer.park(thread, round, length > 0, operation, site);
                    return Some(None);
                }
            }
        }
        if verdict.same.is_empty() {
            let difference = verdict.difference.clone();
            return self.cut_off(heads.len(), difference, site);
        }
        // Others have seen all of its rounds. If they are in rounds of their own, all can be left out together.
        if let Some(&(length, changes_memory)) = verdict.same.first()
            && !self.explorer.was_let_go(thread)
        {
            let round = Round { start: end - length, end, changes_memory, overwrites };
            self.explorer.park(thread, round, true, operation, site);
            return Some(None);
        }
        // They may go on doing so.
        let rounds = self.explorer.repeats(thread, operation, most);
        self.cut_off(rounds, None, site)
    }

    /// How many of the thread's last events, after a round that could have been left out, it would repeat for ever; 0 if that
    /// is not known.
    fn repeated_for_ever(&self, round: Round, end: u32) -> u32 {
        let events = &self.explorer.graph().threads()[self.current.0 as usize].events;
        let length = round.end - round.start;
        let last = &events[(end - length) as usize..end as usize];
        if clock::is_past_everything(last) { length } else { 0 }
    }

    /// A loop that goes on changing something is not followed for ever.
    fn cut_off(&mut self, rounds: usize, difference: Option<Difference>, site: Site) -> Option<Instead> {
        let known = &mut self.loops.differences;
        if let Some(difference) = difference {
            known.insert(ptr::from_ref(site).addr(), difference);
        }
        if rounds <= self.loops.rounds as usize {
            return None;
        }
        let difference = known.get(&ptr::from_ref(site).addr()).cloned();
        self.loops.cut.get_or_insert(Undecided { site, difference });
        Some(self.block(Operation::Block(0), site))
    }

    fn block(&mut self, operation: Operation, site: Site) -> Instead {
        if let Step::Abandon = self.explorer.step(self.current.0, &operation, site) {
            self.abandoning = true;
        }
        None
    }

    /// A number for the point that a thread has come to.
    fn key(&self, site: Site) -> u64 {
        let thread = self.current.0;
        mix(mix(self.explorer.past_of(thread), u64::from(thread)), ptr::from_ref(site).addr() as u64)
    }

    /// Where the thread was in the same state but for one location, which it overwrites next. It is in memory that the thread
    /// has allocated and that nobody else knows of, so nobody will see what was there.
    ///
    /// That covers this execution: let the location be `x`. Without the round, the thread goes on in the same way up to the
    /// store, since it does not read `x` before, and so does everybody else; from there on, the states are the same. As
    /// with other writes that are overwritten, it is noted that this relies on how others come to know of `x`.
    fn heads_before_store(&self, operation: &Operation, most: usize, site: Site) -> (Vec<u32>, Option<LocationId>) {
        let thread = self.current.0;
        let Some((heads, changed)) = self.explorer.heads_but_for_own(thread, operation, most) else {
            return (Vec::new(), None);
        };
        let is_read = matches!(operation, Operation::Read { .. }) && self.host.is_some();
        let overwrites = stored(operation) == Some(changed)
            || is_read
                && match self.loops.verdicts.get(&self.key(site)) {
                    Some(verdict) => verdict.overwrites,
                    None => self.stores_next(changed),
                };
        if overwrites { (heads, Some(changed)) } else { (Vec::new(), None) }
    }

    /// Whether the next operation of the current thread after the read that it is about to make, whatever that gives, is a
    /// store to a location.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn stores_next(&self, location: LocationId) -> bool {
        let callee = callees(self.host.as_ref());
        let next = ahead::next_store(self.slots[self.current.0 as usize].top, &callee);
        let own = self.address(location);
        picture::tell(|| format!("thread {} stores to {next:x?} next; {own:#x} has changed", self.current.0));
        next == Some(own)
    }

    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    fn stores_next(&self, _location: LocationId) -> bool {
        false
    }

    /// The execution is run again to find something out.
    fn ask(&mut self, question: Question) -> Instead {
        self.loops.question = Some(question);
        self.loops.asked += 1;
        (self.retry, self.abandoning) = (true, true);
        None
    }

    /// What of the thread's past could be left out so that it comes here all the same, and what it would have to be told.
    fn what_could_go(&self, operation: &Operation, site: Site) -> Option<Cover> {
        let other = || self.copied_exchange().or_else(|| self.repeated_read(operation, site));
        self.failed_exchange(operation).or_else(other)
    }

    /// An exchange has failed and is tried again: the read before it could have read the value at once.
    fn failed_exchange(&self, operation: &Operation) -> Option<Cover> {
        let Operation::Read { location, update: Update::Exchange { .. }, when: When::Always, .. } = *operation else {
            return None;
        };
        let end = self.explorer.graph().len_of(self.current.0);
        self.failed_exchange_before(end, location)
    }

    /// The same, if the compiler has made a copy of the first attempt: then the thread is at another place in the code, and
    /// the two ways come together only after the second attempt, which is over now.
    fn copied_exchange(&self) -> Option<Cover> {
        let events = &self.explorer.graph().threads()[self.current.0 as usize].events;
        let halves = 1 + usize::from(events.last().is_some_and(|event| event.kind == Kind::Write && event.exclusive));
        let second = events.len().checked_sub(halves)?;
        let (again, before) = (&events[second], events[..second].last()?);
        let is_exchange = |event: &Event| event.kind == Kind::Read && matches!(event.update(), Update::Exchange { .. });
        let is_copy = is_exchange(again)
            && is_exchange(before)
            && !ptr::eq(again.site, before.site)
            && self.is_same_place(again.site, before.site);
        let mut cover = self.failed_exchange_before(second as u32, again.location).filter(|_| is_copy)?;
        cover.told.extend(told(&events[second..]));
        Some(cover)
    }

    /// What could have gone when the last of so many events is an exchange that has failed.
    fn failed_exchange_before(&self, end: u32, location: LocationId) -> Option<Cover> {
        let thread = self.current.0;
        let events = &self.explorer.graph().threads()[thread as usize].events[..end as usize];
        let (last, before) = events.split_last()?;
        let is_read = |event: &Event| {
            event.kind == Kind::Read && !event.exclusive && event.location == location && event.when() == When::Always
        };
        if !is_read(last) || last.spurious || !matches!(last.update(), Update::Exchange { .. }) {
            return None;
        }
        let from = before.len().saturating_sub(MOST_TOLD as usize);
        let first = from + before[from..].iter().rposition(is_read)?;
        let told = &events[first];
        let fits = told.outcome(last.value) == Outcome::Reads && is_weaker(told.order, last.order);
        let round = Round::new(first as u32, end);
        if !fits || self.explorer.removal(thread, round) == Removal::No {
            return None;
        }
        let told = Told {
            asked: told.asked,
            location,
            address: 0,
            value: last.value,
            happened: told.update() == Update::Load,
        };
        Some(Cover { round, told: vec![told], first: None, second: None })
    }

    /// The thread has read again what it had read before: it could have read the second time only.
    ///
    /// The thread is either about to do what it did in the round before; or it has left the loop, and then the two rounds
    /// must have been in two copies of the code.
    fn repeated_read(&self, operation: &Operation, site: Site) -> Option<Cover> {
        let thread = self.current.0;
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let end = events.len();
        for second in (end.saturating_sub(MOST_TOLD as usize)..end).rev() {
            let event = &events[second];
            if !matches!(event.kind, Kind::Read | Kind::Write | Kind::Fence | Kind::Choose | Kind::Help) {
                return None;
            }
            let is_look = clock::is_look(event);
            if !is_look && (event.kind != Kind::Read || event.order == Order::Plain) {
                continue;
            }
            let same = |other: &Event| {
                (if is_look {
                    clock::is_look(other)
                } else {
                    other.kind == Kind::Read && other.location == event.location && other.asked == event.asked
                }) && self.is_same_place(other.site, event.site)
            };
            let from = second.saturating_sub(4 * MOST_TOLD as usize);
            let Some(first) = events[from..second].iter().rposition(same).map(|first| from + first) else { continue };
            let rounds = events[from..second].iter().filter(|event| same(event)).count();
            if end - second > second - first || rounds > MOST_TOLD as usize {
                return None;
            }
            let round = Round { overwrites: stored(operation), ..Round::new(first as u32, second as u32) };
            if self.explorer.removal(thread, round) == Removal::No {
                continue;
            }
            let then = events[first..second].get(end - second);
            let code = operation.asked().what.code;
            let goes_on = then.is_some_and(|then| then.asked.what.code == code && self.is_same_place(then.site, site));
            let second = (!goes_on).then_some((second as u32, None));
            return Some(Cover { round, told: told(&events[round.end as usize..]), first: None, second });
        }
        None
    }

    /// Whether two places in the code are the same in the source: compilers make copies.
    fn is_same_place(&self, one: Site, other: Site) -> bool {
        let place = |site: Site| match &self.host {
            Some(host) => host.place_of(site),
            None => Some((site.file().to_owned(), site.line(), site.column())),
        };
        ptr::eq(one, other) || place(one).is_some_and(|one| place(other) == Some(one))
    }

    /// Looks at an operation of a thread about which there is a question.
    fn look_into_question(&mut self, operation: &Operation) -> Option<Instead> {
        let thread = self.current.0;
        let position = self.explorer.position(thread);
        let question = self.loops.question.as_ref()?;
        if question.thread != thread {
            return None;
        }
        if let Some(trial) = &question.trial {
            return (position == trial.from).then(|| self.suppose(operation));
        }
        if position < question.start() || position > question.end {
            return None;
        }
        let is_here = question.looks_at(position);
        if position == question.end {
            if self.explorer.next_event(thread).is_none() && question.operation == *operation {
                return self.answer_question();
            }
            return None;
        }
        if is_here {
            self.note_head(position);
        }
        None
    }

    /// The thread is at the beginning of what may be a round.
    fn note_head(&mut self, position: u32) {
        let thread = self.current.0;
        let is_first = self.loops.question.as_ref().is_some_and(|question| question.start() == position);
        if let (Some(host), true) = (&self.host, is_first) {
            host.watch(thread);
        }
        let picture = self.picture();
        let Some(question) = &mut self.loops.question else { return };
        if let Some(cover) = &mut question.cover {
            if cover.round.start == position {
                cover.first = Some(picture.clone());
            }
            if let Some((second, seen)) = &mut cover.second
                && *second == position
            {
                *seen = Some(picture.clone());
            }
        }
        for (head, seen) in &mut question.heads {
            if *head == position && seen.is_none() {
                *seen = Some(picture.clone());
            }
        }
    }

    /// The thread has arrived where a question was asked; the states before its rounds are known.
    fn answer_question(&mut self) -> Option<Instead> {
        let picture = self.picture();
        let mut question = self.loops.question.take()?;
        let (thread, end) = (question.thread, question.end);
        let host = self.host.clone();
        let callee = callees(host.as_ref());
        let mut verdict = Verdict { overwrites: question.overwrites, ..Verdict::default() };
        for (head, seen) in &question.heads {
            let Some(seen) = seen else { continue };
            let written = host.as_ref().map_or_else(Changes::default, |host| host.changes(thread, seen.mark));
            let memory = written.difference().map_or(Ok(()), |address| Err(Difference::Memory(address)));
            match picture::compare(seen, &picture, &callee).and(memory) {
                Ok(()) => verdict.same.push((end - head, self.has_changed(thread, *head, end, &written))),
                Err(difference) => {
                    verdict.difference.get_or_insert(difference);
                }
            }
        }
        picture::tell(|| {
            let heads: Vec<u32> = question.heads.iter().map(|&(head, _)| head).collect();
            format!("thread {thread} at {end}, heads {heads:?}: {verdict:?}")
        });
        let trials = if verdict.same.is_empty() { self.trials(&question, picture) } else { Vec::new() };
        self.loops.decide(question.key, verdict);
        let mut trials = trials.into_iter();
        question.trial = trials.next();
        question.next_trial = trials.next();
        if question.trial.is_some() {
            return Some(self.ask(question));
        }
        if let Some(host) = &host {
            host.unwatch();
        }
        None
    }

    /// What is to be tried to see whether a part of the past can be left out; `picture` is the present state.
    fn trials(&self, question: &Question, picture: Picture) -> Vec<Trial> {
        let Some(cover) = &question.cover else { return Vec::new() };
        let thread = question.thread;
        let trial = |from: u32,
                     told: &[Told],
                     asked: Asked,
                     address: usize,
                     [before, picture]: [Picture; 2],
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
            picture,
            changes,
            proves,
        };
        let Some(before) = &cover.first else { return Vec::new() };
        let changes = self.changes_since(before, &picture);
        let operation = &question.operation;
        let covered = Proof::Covered(Round { changes_memory: !changes.is_empty(), ..cover.round });
        let address = self.address_of(operation);
        let mut trials = Vec::new();
        if let Some((second, seen)) = &cover.second {
            let Some(seen) = seen else { return Vec::new() };
            if picture::is_same_call(before, seen) {
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
            [before.clone(), picture],
            changes,
            covered,
        ));
        trials
    }

    /// Whether a thread has changed memory in a round that others might look at.
    fn has_changed(&self, thread: u32, start: u32, end: u32, written: &Changes) -> bool {
        let events = &self.explorer.graph().threads()[thread as usize].events[start as usize..end as usize];
        !written.is_empty() || events.iter().any(|event| event.kind == Kind::Write && event.is_plain())
    }

    /// Tells a thread what did not happen, and looks at where it arrives.
    fn suppose(&mut self, operation: &Operation) -> Instead {
        let thread = self.current.0;
        let address = self.address_of(operation);
        let begins = self.loops.question.as_ref().and_then(|one| one.trial.as_ref()).is_some_and(|one| one.next == 0);
        let mut begun = None;
        if begins {
            if !self.explorer.is_last_to_replay(thread) {
                picture::tell(|| format!("thread {thread} cannot be told anything: others depend on it"));
                return self.give_up();
            }
            self.explorer.suppose();
            if let Some(host) = &self.host {
                host.watch(thread);
            }
            begun = Some(self.picture());
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
            picture::tell(|| format!("thread {thread} does {operation:?} instead of {:?}", told.asked));
            return self.give_up();
        }
        self.conclude_trial(operation, address)
    }

    /// The thread has been told everything, and has arrived.
    fn conclude_trial(&mut self, operation: &Operation, address: usize) -> Instead {
        let thread = self.current.0;
        let picture = self.picture();
        let Some(mut question) = self.loops.question.take() else { return self.give_up() };
        let Some(trial) = question.trial.take() else { return self.give_up() };
        let host = self.host.clone();
        let callee = callees(host.as_ref());
        let Some(begun) = &trial.begun else { return self.give_up() };
        let changes = self.changes_since(begun, &picture);
        let compared = picture::compare_runs([&trial.before, &trial.picture], [begun, &picture], &callee);
        let same = operation.asked() == trial.asked
            && address == trial.address
            && (trial.changes.leads_to_same(&changes)
                || trial.proves == Proof::Copies && changes.difference().is_none())
            && compared.is_ok();
        picture::tell(|| {
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

    /// Whether the run that has just ended was to find something out, and the program has done something else in it: threads
    /// did not take turns as before, and it has state that nobody sees. Then nothing is known of the loop.
    pub(crate) fn question_is_in_vain(&mut self) -> bool {
        let kind = self.explorer.violation().map(|violation| violation.kind);
        if kind != Some(ViolationKind::Nondeterminism) {
            return false;
        }
        let Some(question) = self.loops.question.take() else { return false };
        self.loops.decide(question.key, Verdict::default());
        self.explorer.clear_violation();
        (self.culprit, self.retry) = (None, false);
        true
    }

    /// Has the run that is about to begin hold a thread back where it is to be looked at.
    pub(crate) fn prepare_for_question(&mut self) {
        if let Some(question) = &self.loops.question {
            self.explorer.hold(question.thread, question.start());
        }
    }

    /// The state of the current thread.
    fn picture(&self) -> Picture {
        let slot = &self.slots[self.current.0 as usize];
        let places = self.bound_places();
        let blocks = if self.host.is_some() { Vec::new() } else { memory::contents(&places) };
        let mark = self.host.as_ref().map_or_else(Mark::default, |host| host.mark(self.current.0));
        picture::take((slot.top, slot.base), blocks, &places, mark)
    }

    /// What the current thread has done to memory since an earlier state in this run.
    fn changes_since(&self, before: &Picture, now: &Picture) -> Changes {
        match &self.host {
            Some(host) => host.changes(self.current.0, before.mark),
            None => picture::changes(before, now),
        }
    }

    /// Where the place of an operation is in memory; 0 if it has none.
    fn address_of(&self, operation: &Operation) -> usize {
        match *operation {
            Operation::Read { location, .. } | Operation::Write { location, .. } => self.address(location),
            _ => 0,
        }
    }

    fn address_at(&self, asked: Asked, location: LocationId) -> usize {
        self.address_of(&Operation::of(&asked, location))
    }

    fn address(&self, location: LocationId) -> usize {
        match &self.host {
            Some(host) => host.address_of(location),
            None => memory::unaddressed(self.address_bound_to(location) as u64) as usize,
        }
    }
}

/// The operations of some events, and what they gave.
fn told(events: &[Event]) -> Vec<Told> {
    // The second half of an update is none of its own.
    let is_operation = |event: &&Event| event.kind != Kind::Write || !event.exclusive;
    let operations = events.iter().filter(is_operation);
    operations
        .map(|event| Told {
            asked: event.asked,
            location: event.location,
            address: 0,
            value: if matches!(event.kind, Kind::Read | Kind::Choose) { event.value } else { 0 },
            happened: event.kind != Kind::Read || event.exclusive || event.update() == Update::Load,
        })
        .collect()
}

/// What functions do with addresses that they are given, as far as a host knows.
fn callees(host: Option<&Arc<dyn Host>>) -> impl Fn(usize) -> Callee + '_ {
    move |address| host.map_or(Callee::Unknown, |host| host.callee(address))
}

/// Whether a loop is looked at after so many rounds.
fn may_be_looked_at(rounds: usize) -> bool {
    rounds <= FIRST_ROUNDS || rounds.is_power_of_two()
}

/// The location that an operation overwrites.
fn stored(operation: &Operation) -> Option<LocationId> {
    match *operation {
        Operation::Write { location, frees: false, .. } => Some(location),
        _ => None,
    }
}

/// Whether a read orders no more than another.
fn is_weaker(one: Order, other: Order) -> bool {
    one != Order::Plain && (one == other || one == Order::Relaxed || one == Order::Acquire && other == Order::SeqCst)
}

impl Context {
    /// A thread says that it waits in a loop. That changes nothing, unless nothing else happens in the loop.
    pub(crate) fn may_go_on(&mut self, site: Site) -> Result {
        let thread = self.current.0;
        if self.abandoning {
            if self.in_program && !self.is_unwinding() {
                return Result::Leave;
            }
            let goes_on = self.may_spin_on() || !self.in_program;
            return if goes_on { Result::Happened } else { Result::Wait };
        }
        if self.is_supposing() {
            return Result::Happened;
        }
        let position = self.explorer.position(thread);
        let hints = &mut self.loops.hints;
        if (hints.thread, hints.position) != (thread, position) {
            *hints = Hints { thread, position, count: 0, picture: None };
        }
        hints.count += 1;
        if !hints.count.is_power_of_two() || hints.count < 4 {
            let seen = hints.picture.take();
            return if seen.is_some_and(|seen| self.is_unchanged_since(&seen)) {
                self.stays(site)
            } else {
                Result::Happened
            };
        }
        if let Some(host) = &self.host {
            host.watch(thread);
        }
        let picture = self.picture();
        self.loops.hints.picture = Some(picture);
        Result::Happened
    }

    /// Whether the current thread is in the same state as before, with nothing but hints since.
    fn is_unchanged_since(&self, seen: &Picture) -> bool {
        let host = self.host.clone();
        let callee = callees(host.as_ref());
        let thread = self.current.0;
        let written = host.as_ref().map_or_else(Changes::default, |host| host.changes(thread, seen.mark));
        written.difference().is_none() && picture::compare(seen, &self.picture(), &callee).is_ok()
    }

    /// The thread goes round a loop in which nothing happens.
    fn stays(&mut self, site: Site) -> Result {
        let thread = self.current.0;
        if self.explorer.is_retracing() {
            self.explorer.halt(thread, &Operation::Block(0), site);
            return Result::Wait;
        }
        if self.explorer.must_wait(thread) {
            // Others come first; then it is seen again.
            self.loops.hints = Hints::default();
            return Result::Wait;
        }
        if self.host.is_some() {
            // It may be that the program ends all the same, and the thread with it.
            self.slots[thread as usize].why = "in a loop in which nothing happens";
            self.explorer.step(thread, &Operation::Join(thread), site);
            return Result::Wait;
        }
        let message = format!(
            "thread {thread} spins for ever: its loop does nothing that the checker sees, so nothing can end it"
        );
        self.violate_at(ViolationKind::Livelock, message, Some(site));
        Result::Leave
    }

    /// After an operation of a native program: what is said to be dead is overwritten, if that is wanted.
    pub(crate) fn make_noise(&self) {
        let slot = &self.slots[self.current.0 as usize];
        let callee = callees(self.host.as_ref());
        picture::scramble((slot.top, slot.base), &callee);
    }
}
