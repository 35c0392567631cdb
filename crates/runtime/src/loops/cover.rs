//! What of the past of a thread could be left out so that it comes to the same point all the same. Whether it does is tried,
//! see `trial`.

use super::snapshot::Snapshot;
use super::trial::Told;
use super::{Site, clock};
use crate::context::Context;
use quotient_dpor::graph::{Event, EventId, Kind, LocationId, Order, Outcome, Update, When};
use quotient_dpor::{Operation, Removal, Round};
use std::ptr;

/// How many events at most are told to a thread in another order.
const MOST_TOLD: u32 = 16;

/// A part of the past that could have been left out, so that the thread comes to the same point.
pub(super) struct Cover {
    /// What is left out.
    pub round: Round,
    /// What the thread is told instead of its events from there on.
    pub told: Vec<Told>,
    /// The state before.
    pub first: Option<Snapshot>,
    /// If the thread has left the loop, it must be one that the compiler has made two copies of, so that the state before
    /// cannot be compared: the operation at the beginning of the second round, and the state there.
    pub second: Option<(u32, Option<Snapshot>)>,
}

impl Context {
    /// What of the thread's past could be left out so that it comes here all the same, and what it would have to be told.
    pub(super) fn what_could_go(&self, operation: &Operation, site: Site) -> Option<Cover> {
        // All of these are about something that the thread has done again.
        if !self.explorer.graph().threads()[self.current.0 as usize].may_have_gone_round() {
            return None;
        }
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
        let graph = self.explorer.graph();
        let events = &graph.threads()[thread as usize].events;
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
            // Most memory is accessed for the first time.
            if !is_look && graph.access_before(EventId::new(thread, second as u32)).is_none() {
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
            let looks = (if is_look { from } else { second }..second).rev().filter(|&other| same(&events[other]));
            // Of an access, only those of the same location are looked at.
            let link = |&access: &EventId| graph.access_before(access);
            let accesses = std::iter::successors(link(&EventId::new(thread, second as u32)).filter(|_| !is_look), link);
            let accesses = accesses.map(|access| access.position() as usize).take_while(|&other| other >= from);
            let mut before = looks.chain(accesses.filter(|&other| same(&events[other])));
            let Some(first) = before.next() else { continue };
            if end - second > second - first || before.count() >= MOST_TOLD as usize {
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
    pub(super) fn is_same_place(&self, one: Site, other: Site) -> bool {
        if ptr::eq(one, other) {
            return true;
        }
        let Some(host) = &self.host else {
            return (one.file(), one.line(), one.column()) == (other.file(), other.line(), other.column());
        };
        // The host reads debug information for it, which takes long.
        let pair = (ptr::from_ref(one).addr(), ptr::from_ref(other).addr());
        *self.loops.same_places.borrow_mut().entry(pair).or_insert_with(|| {
            let place = host.place_of(one);
            place.is_some() && host.place_of(other) == place
        })
    }
}

/// The operations of some events, and what they gave.
pub(super) fn told(events: &[Event]) -> Vec<Told> {
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

/// The location that an operation overwrites.
pub(super) fn stored(operation: &Operation) -> Option<LocationId> {
    match *operation {
        Operation::Write { location, frees: false, .. } => Some(location),
        _ => None,
    }
}

/// Whether a read orders no more than another.
fn is_weaker(one: Order, other: Order) -> bool {
    one != Order::Plain && (one == other || one == Order::Relaxed || one == Order::Acquire && other == Order::SeqCst)
}
