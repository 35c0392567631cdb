//! A run that does not follow the execution that it repeats: how that is seen, and how it is said.
//!
//! A thread that is replayed must ask for exactly the operations that the graph has for it, at the same places in memory and
//! in the code. If it does not, the program has state that the checker does not see, and nothing can be said about it.

use crate::explorer::Explorer;
use crate::violation::{Kind as ViolationKind, Violation};
use crate::{Operation, Step};
use quotient_graph::{Event, EventId, Kind, OpCode, OpWords, Outcome, ThreadId};
use std::ops::RangeInclusive;
use std::panic::Location as Site;

/// The highest 16 bits of names that stand for addresses, which whoever runs the program gives them.
pub const NAMES: RangeInclusive<u64> = 0xA5D7..=0xA5D8;

/// An operation that is not the one in the graph.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// What it should have been.
    pub event: EventId,
    /// What it was.
    pub operation: Operation,
    /// Where in the program.
    pub site: &'static Site<'static>,
}

impl Explorer {
    /// Says whether a thread that does the same is always at the same place in the code. It is not if places are only known
    /// roughly, as those of calls that come from a library.
    pub fn has_exact_sites(&mut self, exact: bool) {
        self.has_exact_sites = exact;
    }

    /// A place in the code, if places are compared.
    #[inline]
    pub(crate) fn compared(&self, site: &'static Site<'static>) -> Option<&'static Site<'static>> {
        self.has_exact_sites.then_some(site)
    }

    pub(crate) fn report_difference(
        &mut self,
        id: EventId,
        operation: &Operation,
        site: &'static Site<'static>,
    ) -> Step {
        self.difference = Some(Difference { event: id, operation: *operation, site });
        let was = *self.graph.event(id);
        let now = self.describe_difference(&was, operation, site);
        self.report_not_followed(id, &format!("comes to {now}"), operation.place(site))
    }

    /// Ends the execution: a thread has not come to its next event, but does something else.
    fn report_not_followed(&mut self, id: EventId, now: &str, site: Option<&'static Site<'static>>) -> Step {
        let message = format!(
            "the program is not deterministic: thread {} came to {} before, and now {now}",
            id.thread(),
            describe(self.graph.event(id).kind),
        );
        self.report(Violation { kind: ViolationKind::Nondeterminism, message, events: vec![id], site })
    }

    /// Ends the execution: a thread accesses memory for the first time, and before it was another access to memory that had
    /// been accessed.
    pub(crate) fn report_other_place(&mut self, thread: ThreadId) -> Step {
        let id = EventId::new(thread, self.position(thread));
        self.report_not_followed(id, "accesses other memory", None)
    }

    /// Whether a thread has events that the run has not come to, or the run is told that it has: then it does not end here.
    /// The events of another thread, in whose place it is, do not count.
    pub fn is_to_go_on(&self, thread: ThreadId) -> bool {
        let is_behind = self.position(thread) < self.graph.len_of(thread) && !self.is_permuted();
        is_behind || self.is_told_to_go_on(thread)
    }

    /// Ends the execution: a thread that [is to go on](Self::is_to_go_on) does something else, such as a panic.
    pub fn report_end(&mut self, thread: ThreadId, now: &str, site: Option<&'static Site<'static>>) -> Step {
        let position = self.position(thread);
        if position < self.graph.len_of(thread) {
            return self.report_not_followed(EventId::new(thread, position), now, site);
        }
        self.report_misfit_at(thread, now, site)
    }

    /// Ends the execution: a thread that waited forever in a loop asks for an operation that is not of that loop; or it asks
    /// again and again, and does not come to its next event.
    pub fn report_other_way(&mut self, thread: ThreadId, now: &str, site: Option<&'static Site<'static>>) -> Step {
        let last = self.graph.len_of(thread).saturating_sub(1);
        self.report_not_followed(EventId::new(thread, self.position(thread).min(last)), now, site)
    }

    /// Whether a thread that waited in a loop before could ask for something at this place in the code, where it would go
    /// round once more.
    pub fn is_in_its_loop(&self, thread: ThreadId, site: &'static Site<'static>) -> bool {
        let Some(block) = self.next_event(thread).filter(|event| event.kind == Kind::Block) else { return true };
        if !self.has_exact_sites {
            return true;
        }
        let position = self.position(thread) as usize;
        let events = &self.graph.threads()[thread as usize].events[..position];
        let round = &events[position.saturating_sub(block.value as usize)..];
        std::ptr::eq(block.site, site) || round.iter().any(|event| std::ptr::eq(event.site, site))
    }

    /// What is different about an operation.
    fn describe_difference(&self, was: &Event, operation: &Operation, site: &'static Site<'static>) -> String {
        let asked = operation.asked();
        let location = match *operation {
            Operation::Read { location, .. } | Operation::Write { location, .. } => location,
            _ => was.location,
        };
        match *operation {
            _ if !is_of_kind(was, operation) => operation.name().to_owned(),
            _ if location != was.location => format!("{} of other memory", describe(was.kind)),
            Operation::Write { value, .. } if asked.what == was.asked.what && value != was.value => {
                other_value(was.value, value)
            }
            Operation::Join(_) => "a wait for another thread".to_owned(),
            Operation::Spawn { .. } if asked != was.asked => "the start of another thread".to_owned(),
            Operation::Choose(options) if asked != was.asked => format!("a choice among {options}"),
            Operation::Clock { .. } if asked != was.asked => "a look at the clock at another time".to_owned(),
            _ if asked.what != was.asked.what => format!("{} of another kind", describe(was.kind)),
            Operation::Read { .. } if asked != was.asked => "an update with other operands".to_owned(),
            _ if !is_at(was, self.compared(site)) => "the same at another place in the code".to_owned(),
            Operation::Read { .. } if was.other == EventId::INIT => {
                format!("a read of {} instead of {}", self.graph.location(location).init, was.value)
            }
            _ => "an operation that comes out differently".to_owned(),
        }
    }

    /// Takes over the addresses of an operation that [differs](only_addresses_differ) from the next event in them only.
    pub(crate) fn take_addresses(&mut self, thread: ThreadId, operation: &Operation) {
        let id = EventId::new(thread, self.position(thread));
        let asked = operation.asked();
        let was = *self.graph.event(id);
        let names = [(was.asked.first, asked.first), (was.asked.second, asked.second)];
        if names.iter().any(|&(was, now)| was != now && is_name(now)) {
            self.note_other_names();
        }
        let event = self.graph.event_mut(id);
        event.asked = asked;
        if let Operation::Write { value, .. } = *operation {
            event.value = value;
        }
        self.take_value(id, was.value);
    }

    /// A read gives this value now, which differs from before only in that an address does.
    pub(crate) fn take_value(&mut self, id: EventId, value: u64) {
        let event = self.graph.event_mut(id);
        if event.kind != Kind::Read {
            return;
        }
        event.value = value;
        let event = *event;
        if event.exclusive
            && let Outcome::Writes(new) = event.outcome(value)
        {
            let half = self.graph.event_mut(id.next());
            (half.value, half.asked.first) = (new, new);
        }
    }
}

/// Whether an operation, at this place in the code if places are compared, is the one that an event of the graph stands for.
/// `strict` is false for a thread in another's place.
pub(crate) fn is_same(event: &Event, operation: &Operation, site: Option<&Site<'_>>, strict: bool) -> bool {
    if !is_of_kind(event, operation) {
        return false;
    }
    let same = match *operation {
        Operation::Read { location, .. } => event.location == location && event.asked == operation.asked(),
        Operation::Write { location, value, .. } => {
            event.location == location && event.asked.what == operation.asked().what && event.value == value
        }
        Operation::Fence(order) => event.order == order,
        Operation::Choose(options) if strict => event.asked == operation.asked() && event.value < options as u64,
        Operation::Choose(options) => event.asked.what.code == OpCode::Choose && event.value < options as u64,
        Operation::Clock { .. } if strict => event.asked == operation.asked(),
        Operation::Clock { .. } => event.asked.what.code == OpCode::Clock,
        Operation::Spawn { .. } => !strict || event.asked == operation.asked(),
        Operation::Join(child) => event.other.thread() == child,
        // A loop that waits may be recognised at another place in it.
        Operation::Block(_) => return true,
        // The number may stand for addresses, which change from run to run.
        Operation::Primary(_) | Operation::Help(_) | Operation::End => true,
    };
    same && (!strict || is_at(event, site))
}

/// Whether an event is at this place in the code, if places are compared.
fn is_at(event: &Event, site: Option<&Site<'_>>) -> bool {
    site.is_none_or(|site| std::ptr::eq(event.site, site))
}

fn is_of_kind(event: &Event, operation: &Operation) -> bool {
    let kind = match operation {
        Operation::Read { .. } => Kind::Read,
        Operation::Write { .. } => Kind::Write,
        Operation::Fence(_) => Kind::Fence,
        Operation::Choose(_) | Operation::Clock { .. } => Kind::Choose,
        Operation::Spawn { .. } => Kind::Spawn,
        Operation::Join(_) => Kind::Join,
        Operation::Block(_) => Kind::Block,
        Operation::Primary(_) => Kind::Primary,
        Operation::Help(_) => Kind::Help,
        Operation::End => Kind::End,
    };
    event.kind == kind
}

/// Whether an access is the one of the graph but for addresses, which change from run to run; `names` says whether those may
/// differ that have names.
pub(crate) fn only_addresses_differ(
    event: &Event,
    operation: &Operation,
    site: Option<&Site<'_>>,
    names: bool,
) -> bool {
    let (Operation::Read { location, .. } | Operation::Write { location, .. }) = *operation else { return false };
    is_of_kind(event, operation)
        && event.location == location
        && is_at(event, site)
        && same_but_addresses(&event.asked, &operation.asked(), names)
}

/// Whether two operations differ in addresses only.
pub(crate) fn same_but_addresses(was: &OpWords, now: &OpWords, names: bool) -> bool {
    let alike = |was, now| was == now || may_differ(was, now, names);
    was.what == now.what && alike(was.first, now.first) && alike(was.second, now.second)
}

/// Whether two values look like addresses of the same thing in two runs.
pub(crate) fn may_differ(was: u64, now: u64, names: bool) -> bool {
    are_addresses(was, now) || names && is_name(was) && is_name(now)
}

/// Whether two values look like addresses without a name, with equal marks in their highest bits.
fn are_addresses(was: u64, now: u64) -> bool {
    let is_address = |value: u64| (1 << 32..1 << 48).contains(&(value & 0xFFFF_FFFF_FFFF)) && !is_name(value);
    is_address(was) && is_address(now) && was >> 48 == now >> 48
}

pub(crate) fn is_name(value: u64) -> bool {
    NAMES.contains(&(value >> 48))
}

/// What an event is, in words.
pub(crate) fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::Begin => "its beginning",
        Kind::Spawn => "the start of a thread",
        Kind::End => "its end",
        Kind::Join => "a wait for a thread",
        Kind::Read => "a read",
        Kind::Write => "a write",
        Kind::Fence => "a fence",
        Kind::Choose => "a choice",
        Kind::Block => "a wait forever",
        Kind::Primary => "the beginning of a primary operation",
        Kind::Help => "help",
    }
}

/// Says that another value is written than before, and what that may come from.
fn other_value(was: u64, now: u64) -> String {
    let hint = if are_addresses(was, now) {
        "; these look like addresses, and it takes the library's feature `allocator` to compare those"
    } else {
        ""
    };
    format!("a write of {now} instead of {was}{hint}")
}
