//! Loops that wait: an execution is dropped only if everything that it can do is covered by one that is explored.
//!
//! *State* of a thread: the operation that it is about to do, what is live on its stack and in its registers
//! ([`snapshot`]), and the memory that it has written. A *round* is a number of its last events that can be left out
//! (`Explorer::removal`). There are two rules.
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
mod cover;
mod forethought;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod frame;
mod hints;
pub(crate) mod livelock;
mod question;
mod snapshot;
mod trial;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod unwind;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod variables;

use crate::context::Context;
use crate::memory;
use crate::native::{Callee, Changes, Host, Mark};
use cover::stored;
use forethought::Forethought;
use hints::Hints;
use question::Question;
use quotient_dpor::graph::{Event, Kind, LocationId, OpWords, Order};
use quotient_dpor::{Choices, Heads, Operation, Removal, Round, Step, mix};
use snapshot::Snapshot;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;
use std::ptr;
use std::sync::Arc;

pub(crate) use snapshot::Difference;

/// The code of the function that an address is in.
pub(crate) fn function_around(pc: usize) -> Option<std::ops::Range<usize>> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return unwind::look_up(pc + 1).map(|(code, _)| code);
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    None
}

/// The bytes of a frame that belong to the same variable as one, or lie between the same variables.
pub(crate) fn place_in_frame(function: usize, offset: i64) -> Option<std::ops::Range<i64>> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return variables::place(function, offset);
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    None
}

/// A place in the code.
type Site = &'static Location<'static>;

/// A loop is looked at in each of its first rounds, then more and more rarely.
const FIRST_ROUNDS: usize = 8;
/// The name of what a thread has left for who joins it, among those of blocks.
const RESULT: usize = usize::MAX;
/// How many questions there may be about one execution.
const MOST_QUESTIONS: u32 = 10_000;
/// How many verdicts are kept.
const MOST_VERDICTS: usize = 1 << 18;
/// How many rounds of a loop that goes on changing something are followed at first; then so many times more.
pub(crate) const ROUNDS: u32 = 4;
pub(crate) const MORE_ROUNDS: u32 = 4;

/// What is known of a point that a thread comes to, by everything that the thread can know.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
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
    /// What is asked after a value was read at a place in the code.
    expected: HashMap<(usize, u64), (Operation, Site), BuildHasherDefault<Mixed>>,
    /// A state that is noted in case somebody asks about it.
    forethought: Forethought,
    /// The thread that is looked at when it replays events, and from which of them on.
    looked_at: Option<(u32, u32)>,
    /// A question that was foreseen, or forethought, has disturbed the run.
    is_taken_by_surprise: bool,
    /// How many questions there have been about the present execution.
    asked: u32,
    hints: Hints,
    /// How many rounds of a loop that goes on changing something are followed.
    pub rounds: u32,
    /// A loop that was not followed further.
    pub cut: Option<Undecided>,
    /// Which places in the code are the same in the source.
    same_places: RefCell<HashMap<(usize, usize), bool, BuildHasherDefault<Mixed>>>,
    /// What loops go on changing, by where they are.
    differences: HashMap<usize, Difference>,
    /// The time that a thread which is told what did not happen is told that it is at least.
    pub told_time: u64,
    /// Whether what is dead on a stack is overwritten after every operation.
    pub noise: bool,
}

/// A map from addresses of code.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<Mixed>>;

/// The hash of a number that is one already, or of addresses.
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

    fn write_usize(&mut self, value: usize) {
        self.0 = mix(self.0, value as u64);
    }
}

impl Loops {
    /// Forgets the last run. If this one repeats it there may be a question.
    pub(crate) fn reset(&mut self, repeats: bool) {
        self.hints = Hints::default();
        if !repeats {
            self.question = None;
            self.asked = 0;
        }
    }

    /// Whether a thread need not be looked at when it replays its event at this position.
    #[inline]
    pub(crate) fn is_idle(&self, thread: u32, position: u32) -> bool {
        self.looked_at.is_none_or(|(looked_at, from)| looked_at != thread || position < from)
    }

    fn decide(&mut self, key: u64, verdict: Verdict) {
        if self.verdicts.len() >= MOST_VERDICTS {
            self.verdicts.clear();
        }
        self.verdicts.insert(key, verdict);
    }
}

/// What becomes of a thread whose round is left out.
enum Left {
    /// It waits, and would repeat so many events.
    Blocked(u32),
    /// It waits as long as nobody has seen the round; whether it would repeat the round forever is known.
    Parked(Round, bool),
}

/// What becomes of an operation that is not performed: it is answered, or the thread waits.
type Instead = Option<(u64, bool)>;

impl Context {
    /// Looks at an operation before the explorer does. `Some` is the answer.
    #[inline]
    pub(crate) fn before_step(&mut self, operation: &Operation, site: Site) -> Option<Instead> {
        if self.loops.question.is_some() {
            if let Some(answer) = self.look_into_question(operation) {
                return Some(answer);
            }
        } else {
            self.note_ahead();
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
        if self.explorer.is_replay_only() || self.explorer.next_event(thread).is_some() {
            return false;
        }
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let can =
            |event: &Event| matches!(event.kind, Kind::Read | Kind::Write | Kind::Fence | Kind::Choose | Kind::Help);
        events.last().is_some_and(can)
            && !matches!(operation, Operation::Block(_))
            && self.explorer.may_be_in_loop(thread, operation)
    }

    fn look_for_loop(&mut self, operation: &Operation, site: Site) -> Option<Instead> {
        let thread = self.current.0;
        if matches!(operation, Operation::Read { .. }) && self.explorer.is_told_to_read(thread) == Some(true) {
            return None;
        }
        let most = (self.loops.rounds as usize + 1).max(FIRST_ROUNDS + 1);
        let is_read = matches!(*operation, Operation::Read { orders, .. } if orders.0 != Order::Plain);
        let comes_first = is_read || matches!(operation, Operation::Clock { .. });
        let (mut heads, mut repeats) =
            if comes_first { self.explorer.heads(thread, operation, most) } else { (Heads::new(), false) };
        let known = OnceCell::new();
        let key = || *known.get_or_init(|| self.key(thread, site));
        // A location in the thread's own memory that is not as it was, but is overwritten next.
        let mut overwrites = None;
        if heads.is_empty() && repeats && is_read {
            (heads, overwrites) = self.heads_before_store(operation, most, &key);
        }
        let mut cover = None;
        if heads.is_empty() {
            cover = Some(self.what_could_go(operation, site)?);
            // That the thread has gone round comes first: only then it may do so forever.
            if !comes_first {
                (heads, repeats) = self.explorer.heads(thread, operation, most);
            }
            if heads.is_empty() && repeats && !is_read {
                (heads, overwrites) = self.heads_before_store(operation, most, &key);
            }
        }
        if !may_be_looked_at(heads.len()) {
            return self.cut_off(heads.len(), None, site);
        }
        let end = self.explorer.graph().len_of(thread);
        let key = key();
        self.answer_at_once(key, &heads, overwrites.is_some(), operation, site);
        let Some(verdict) = self.loops.verdicts.get(&key) else {
            if self.loops.asked < MOST_QUESTIONS && memory::sees_the_heap(self.host.is_some()) {
                let heads = heads.into_iter().take(FIRST_ROUNDS).map(|position| (position, None)).collect();
                let overwrites = overwrites.is_some();
                let (trial, next_trial) = (None, None);
                let foreseen = false;
                let cover = cover.or_else(|| self.what_could_go(operation, site));
                let question = Question {
                    key,
                    site,
                    thread,
                    end,
                    operation: *operation,
                    heads,
                    overwrites,
                    cover,
                    trial,
                    next_trial,
                    foreseen,
                };
                return Some(self.ask(question));
            }
            return self.cut_off(heads.len(), None, site);
        };
        let choices = rounds_between(&verdict.same, end, overwrites);
        for &(length, changes_memory) in &verdict.same {
            let round = Round { start: end - length, end, changes_memory, overwrites };
            if let Some(left) = self.how_to_leave_out(round, length) {
                return Some(self.leave_out(left, &choices, operation, site));
            }
        }
        if let Some(&round) = choices.first() {
            if self.explorer.stays_with_parked(thread, &choices) {
                return Some(self.leave_out(Left::Parked(round, true), &choices, operation, site));
            }
            // Others have seen the last round, but an earlier one could be left out.
            for &round in choices.iter().filter(|round| round.end < end) {
                if let Some(left) = self.how_to_leave_out(round, 0) {
                    return Some(self.leave_out(left, &choices, operation, site));
                }
            }
        }
        if let Some(round) = verdict.covered {
            let round = Round { overwrites: stored(operation), ..round };
            if let Some(left) = self.how_to_leave_out(round, self.repeated_for_ever(round, end)) {
                return Some(self.leave_out(left, &[], operation, site));
            }
        }
        if verdict.same.is_empty() {
            let difference = verdict.difference.clone();
            return self.cut_off(heads.len(), difference, site);
        }
        // Others have seen all of its rounds. If they are in rounds of their own, all can be left out together.
        if let Some(&round) = choices.first()
            && !self.explorer.was_let_go(thread)
        {
            return Some(self.leave_out(Left::Parked(round, true), &choices, operation, site));
        }
        // They may go on doing so.
        let rounds = self.explorer.repeats(thread, operation, most);
        self.cut_off(rounds, None, site)
    }

    /// Where the thread was in the same state but for one location, which it overwrites next. It is in memory that the thread
    /// has allocated and that nobody else knows of, so nobody will see what was there.
    ///
    /// That covers this execution: let the location be `x`. Without the round, the thread goes on in the same way up to the
    /// store, since it does not read `x` before, and so does everybody else; from there on, the states are the same. As
    /// with other writes that are overwritten, it is noted that this relies on how others come to know of `x`.
    fn heads_before_store(
        &self,
        operation: &Operation,
        most: usize,
        key: &dyn Fn() -> u64,
    ) -> (Heads, Option<LocationId>) {
        let thread = self.current.0;
        let Some((heads, changed)) = self.explorer.heads_but_for_own(thread, operation, most) else {
            return (Heads::new(), None);
        };
        let is_read = matches!(operation, Operation::Read { .. }) && self.host.is_some();
        let overwrites = stored(operation) == Some(changed)
            || is_read
                && match self.loops.verdicts.get(&key()) {
                    Some(verdict) => verdict.overwrites,
                    None => self.stores_next(changed),
                };
        if overwrites { (heads, Some(changed)) } else { (Heads::new(), None) }
    }

    /// Whether the next operation of the current thread after the read that it is about to make, whatever that gives, is a
    /// store to a location.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn stores_next(&self, location: LocationId) -> bool {
        let callee = callees(self.host.as_ref());
        let next = ahead::next_store(self.slots[self.current.0 as usize].top, &callee);
        let own = self.address(location);
        snapshot::tell(|| format!("thread {} stores to {next:x?} next; {own:#x} has changed", self.current.0));
        next == Some(own)
    }

    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    fn stores_next(&self, _location: LocationId) -> bool {
        false
    }

    /// What becomes of the thread if a round is left out, and if that can be done. `repeated` of its last events it would
    /// repeat forever; 0 if that is not known.
    fn how_to_leave_out(&self, round: Round, repeated: u32) -> Option<Left> {
        let thread = self.current.0;
        match self.explorer.removal(thread, round) {
            Removal::No => None,
            Removal::Free => Some(Left::Blocked(repeated)),
            Removal::WhileUnseen if repeated > 0 => {
                let end = self.explorer.graph().len_of(thread);
                Some(Left::Parked(Round { start: end - repeated, end, ..round }, true))
            }
            Removal::WhileUnseen => Some(Left::Parked(round, false)),
        }
    }

    /// A round is left out: the thread goes no further. Each of `choices` could be left out instead.
    fn leave_out(&mut self, left: Left, choices: &[Round], operation: &Operation, site: Site) -> Instead {
        match left {
            Left::Blocked(repeated) => self.block(Operation::Block(repeated), site),
            Left::Parked(round, waits) => {
                self.explorer.park(self.current.0, (round, choices), waits, operation, site);
                None
            }
        }
    }

    /// How many of the thread's last events, after a round that could have been left out, it would repeat forever; 0 if that
    /// is not known.
    fn repeated_for_ever(&self, round: Round, end: u32) -> u32 {
        let events = &self.explorer.graph().threads()[self.current.0 as usize].events;
        let length = round.end - round.start;
        let last = &events[(end - length) as usize..end as usize];
        if clock::is_past_everything(last) { length } else { 0 }
    }

    /// A loop that goes on changing something is not followed forever.
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
    fn key(&self, thread: u32, site: Site) -> u64 {
        mix(mix(self.explorer.past_of(thread), u64::from(thread)), ptr::from_ref(site).addr() as u64)
    }

    /// The state of the current thread.
    fn snapshot(&self) -> Snapshot {
        let slot = &self.slots[self.current.0 as usize];
        let places = self.bound_places();
        let mut blocks = if self.host.is_some() { Vec::new() } else { memory::contents(&places) };
        if !slot.result.is_empty() {
            blocks.push((RESULT, slot.result.iter().map(|&word| memory::unaddressed(word)).collect()));
        }
        let mark = self.host.as_ref().map_or_else(Mark::default, |host| host.mark(self.current.0));
        snapshot::take((slot.top, slot.base), blocks, &places, mark)
    }

    /// What the current thread has done to memory since an earlier state in this run.
    fn changes_since(&self, before: &Snapshot, now: &Snapshot) -> Changes {
        match &self.host {
            Some(host) => host.changes(self.current.0, before.mark),
            None => snapshot::changes(before, now),
        }
    }

    /// Where the place of an operation is in memory; 0 if it has none.
    fn address_of(&self, operation: &Operation) -> usize {
        match *operation {
            Operation::Read { location, .. } | Operation::Write { location, .. } => self.address(location),
            _ => 0,
        }
    }

    fn address_at(&self, asked: OpWords, location: LocationId) -> usize {
        self.address_of(&Operation::of(&asked, location))
    }

    fn address(&self, location: LocationId) -> usize {
        match &self.host {
            Some(host) => host.address_of(location),
            None => memory::unaddressed(self.address_bound_to(location) as u64) as usize,
        }
    }

    /// After an operation: what is said to be dead is overwritten.
    pub(crate) fn make_noise(&self) {
        let slot = &self.slots[self.current.0 as usize];
        let callee = callees(self.host.as_ref());
        snapshot::scramble((slot.top, slot.base), &callee);
    }
}

/// What functions do with addresses that they are given, as far as a host knows.
fn callees(host: Option<&Arc<dyn Host>>) -> impl Fn(usize) -> Callee + '_ {
    move |address| host.map_or(Callee::Unknown, |host| host.callee(address))
}

/// The rounds between any two points at which the state was the same, the last of which is `end`: first the last round, then those
/// up to `end` that are longer, then the others. `same` says how long the rounds up to `end` are.
fn rounds_between(same: &[(u32, bool)], end: u32, overwrites: Option<LocationId>) -> Choices {
    let changes_memory = same.iter().any(|&(_, changes_memory)| changes_memory);
    let up_to_end =
        same.iter().map(|&(length, changes_memory)| Round { start: end - length, end, changes_memory, overwrites });
    let mut rounds: Choices = up_to_end.collect();
    // What is overwritten after the last round need not be after others.
    for (number, &(length, _)) in same.iter().enumerate().filter(|_| overwrites.is_none()) {
        let longer = same[number + 1..].iter().filter(|&&(longer, _)| longer > length);
        rounds.extend(longer.map(|&(longer, _)| Round { changes_memory, ..Round::new(end - longer, end - length) }));
    }
    rounds
}

/// Whether a loop is looked at after so many rounds.
fn may_be_looked_at(rounds: usize) -> bool {
    rounds <= FIRST_ROUNDS || rounds.is_power_of_two()
}
