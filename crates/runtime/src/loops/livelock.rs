//! Whether threads that wait in loops would do so forever, given a scheduler that is fair to all of them.

use super::clock;
use crate::context::Context;
use quotient_dpor::Operation;
use quotient_dpor::graph::{Clock, Event, EventId, Graph, Kind, LocationId, Order};
use std::ops::Range;

/// Threads that go no further, each with the round that it would repeat.
type Waiting = [(u32, Option<Range<u32>>)];

/// Whether all threads that go no further would make their last rounds again and again: whatever they read there is what
/// they would read now, and they would learn nothing from it that could change what they do.
pub(crate) fn is_for_ever(context: &Context, waiting: &Waiting) -> bool {
    let repeats = |(thread, round): &(u32, Option<Range<u32>>)| {
        round.as_ref().is_some_and(|round| repeats(context, waiting, *thread, round))
    };
    waiting.iter().all(repeats) && !wakes_somebody(context, waiting)
}

/// Whether a thread would not make its last round again, because there is none, or because another value is there now than it
/// has read.
pub(crate) fn is_out_of_date(context: &Context, thread: u32, round: Option<Range<u32>>) -> bool {
    let Some(round) = round else { return true };
    let graph = context.explorer.graph();
    let events = &graph.threads()[thread as usize].events[round.start as usize..round.end as usize];
    let mut from_others =
        events.iter().filter(|event| event.kind == Kind::Read && !is_own(event.other, thread, &round));
    from_others.any(|event| !reads_newest(graph, event))
}

/// Whether an event is in the round of a thread.
fn is_own(id: EventId, thread: u32, round: &Range<u32>) -> bool {
    id.is_real() && id.thread() == thread && round.contains(&id.position())
}

/// Whether a read has read what it would read now.
fn reads_newest(graph: &Graph, read: &Event) -> bool {
    graph.value_of(graph.location(read.location).last(), read.location) == read.value
}

/// What the threads write in their rounds to a location.
fn written<'a>(graph: &'a Graph, waiting: &'a Waiting, location: LocationId) -> impl Iterator<Item = (u32, u64)> + 'a {
    waiting.iter().flat_map(move |(thread, round)| {
        let events = &graph.threads()[*thread as usize].events;
        let round = round.clone().unwrap_or_default();
        let writes = events[round.start as usize..round.end as usize].iter();
        let here = move |event: &&Event| event.kind == Kind::Write && event.location == location;
        writes.filter(here).map(|event| (*thread, event.value))
    })
}

/// Whether somebody who waits for a value could go on in the middle of a round.
fn wakes_somebody(context: &Context, waiting: &Waiting) -> bool {
    let graph = context.explorer.graph();
    context.explorer.waiting().any(|(_, operation, _)| match operation {
        Operation::Read { location, when, .. } => written(graph, waiting, location).any(|(_, value)| when.holds(value)),
        _ => false,
    })
}

fn repeats(context: &Context, waiting: &Waiting, thread: u32, round: &Range<u32>) -> bool {
    let graph = context.explorer.graph();
    let events = &graph.threads()[thread as usize].events[round.start as usize..round.end as usize];
    if clock::may_pass(events) {
        return false;
    }
    let has_fence = events.iter().any(|event| event.kind == Kind::Fence);
    let is_own = |id: EventId| is_own(id, thread, round);
    events.iter().filter(|event| event.kind == Kind::Read && !is_own(event.other)).all(|event| {
        let location = graph.location(event.location);
        let learns = has_fence || !matches!(event.order, Order::Relaxed | Order::Release);
        let newer = &location.writes[graph.rank(event.other) as usize..];
        let is_other = |(other, value): (u32, u64)| other != thread && value != event.value;
        reads_newest(graph, event)
            && !written(graph, waiting, event.location).any(is_other)
            && newer.iter().filter(|&&write| !is_own(write)).all(|&write| {
                let round =
                    waiting.iter().find(|(other, _)| *other == write.thread()).and_then(|(_, round)| round.as_ref());
                // Whoever has written it is in a loop as well, and would write it again.
                round.is_some_and(|round| round.contains(&write.position()))
                    && !(learns && tells(context, graph, thread, write))
            })
    })
}

/// Whether a thread that reads from a write would then know of memory that it does not know of now, and that may be other
/// than it thinks.
fn tells(context: &Context, graph: &Graph, thread: u32, write: EventId) -> bool {
    let writer = write.thread();
    let last = EventId::new(thread, graph.len_of(thread) - 1);
    let known = graph.clock(last, Clock::Before).get(writer as usize).copied().unwrap_or(0);
    let events = &graph.threads()[writer as usize].events;
    // What the thread knows already may well be later.
    let Some(since) = events.get(known as usize..=write.position() as usize) else { return false };
    let releases = |event: &Event| match event.kind {
        Kind::Fence => true,
        Kind::Write => matches!(event.order, Order::Release | Order::AcqRel | Order::SeqCst),
        _ => false,
    };
    if !since.iter().any(releases) {
        return false;
    }
    match &context.host {
        Some(host) => host.has_written(writer, known, write.position()),
        None => since.iter().any(|event| event.kind == Kind::Write && (event.is_plain() || !event.exclusive)),
    }
}
