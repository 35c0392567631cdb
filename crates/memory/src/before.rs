//! Happens-before as clocks, and what follows from it: coherence as an interval, and races.
//!
//! In RA and RC11 a read synchronises with the release sequence it reads from (C++20: a write and the read-modify-writes that
//! follow it); in SC and TSO every reads-from edge orders.

use crate::Model;
use quotient_graph::{Clock, Event, EventId, Graph, Kind, Location, LocationId, Order};

/// Adds to the clocks of an event, which are those of the event before it, what it learns from what it depends on.
#[inline]
pub fn learn_clocks(graph: &mut Graph, model: Model, id: EventId) {
    let Event { kind, order, other, .. } = *graph.event(id);
    match kind {
        Kind::Begin | Kind::Join => graph.learn(id, other, Some(Clock::Before)),
        Kind::Read if model.is_strong() => graph.learn(id, other, Some(Clock::Before)),
        Kind::Read => graph.learn(id, other, order.acquires().then_some(Clock::Released)),
        Kind::Fence if !model.is_strong() && order.acquires() => acquire_earlier_reads(graph, id),
        Kind::Write => set_released(graph, model, id),
        _ => {}
    }
}

/// An acquire fence synchronises with what the reads before it have read from.
fn acquire_earlier_reads(graph: &mut Graph, fence: EventId) {
    for position in (0..fence.position()).rev() {
        let earlier = *graph.event(EventId::new(fence.thread(), position));
        match earlier.kind {
            // This fence has collected all that was before it.
            Kind::Fence if earlier.order.acquires() => return,
            Kind::Read if earlier.order != Order::Plain => {
                graph.join(fence, Clock::Before, earlier.other, Clock::Released);
            }
            _ => {}
        }
    }
}

fn set_released(graph: &mut Graph, model: Model, id: EventId) {
    let event = graph.event(id);
    let (order, exclusive) = (event.order, event.exclusive);
    let releaser = if model.is_strong() || order.releases() {
        Some(id)
    } else if order == Order::Plain {
        None
    } else {
        last_release_fence(graph, id)
    };
    graph.begin_release(id, releaser);
    if exclusive && !model.is_strong() {
        let read = EventId::new(id.thread(), id.position() - 1);
        let source = graph.event(read).other;
        graph.join(id, Clock::Released, source, Clock::Released);
    }
}

fn last_release_fence(graph: &Graph, id: EventId) -> Option<EventId> {
    let events = &graph.threads()[id.thread() as usize].events[..id.position() as usize];
    let position = events.iter().rposition(|event| event.kind == Kind::Fence && event.order.releases())?;
    Some(EventId::new(id.thread(), position as u32))
}

/// The rank of the newest write that an access already knows of, through its own past: it must not read from, nor be
/// placed before, anything older (`irreflexive(hb ; eco?)`). `id` is the access; of its own clock only what comes from
/// the event before it counts.
#[inline]
pub fn floor(graph: &Graph, id: EventId) -> u32 {
    let location = graph.location(graph.event(id).location);
    // A write that is being placed may stand last itself.
    let others = location.writes.len() - (location.writes.last() == Some(&id)) as usize;
    floor_at(graph, id, location, others)
}

/// The [`floor`] of a read of a location that is still to be added, as event `id`.
#[inline]
pub fn floor_of_read(graph: &Graph, id: EventId, location: LocationId) -> u32 {
    let location = graph.location(location);
    floor_at(graph, id, location, location.writes.len())
}

fn floor_at(graph: &Graph, id: EventId, location: &Location, others: usize) -> u32 {
    let Some(before) = id.previous() else { return 0 };
    let clock = graph.clock(before, Clock::Before);
    let known = |event: EventId| clock[event.thread() as usize] > event.position();
    let written = location.writes.iter().rposition(|&write| known(write)).map_or(0, |index| index as u32 + 1);
    if written as usize == others {
        return written;
    }
    let read = location.reads.iter().filter(|&&read| known(read));
    read.map(|&read| graph.rank(graph.event(read).other)).fold(written, u32::max)
}

/// An access of the same location that is in a race with `id`: one of the two writes, one is not atomic, and nothing
/// orders them, whatever `id` reads. Events that are only there because `id` is tried out must not be in the graph.
#[inline]
pub fn race(graph: &Graph, id: EventId) -> Option<EventId> {
    let event = graph.event(id);
    race_at(graph, id, event.location, event.is_plain(), event.is_write())
}

/// The [`race`] of a read that is still to be added, as event `id`.
#[inline]
pub fn race_of_read(graph: &Graph, id: EventId, location: LocationId, plain: bool) -> Option<EventId> {
    race_at(graph, id, location, plain, false)
}

fn race_at(graph: &Graph, id: EventId, location: LocationId, plain: bool, writes: bool) -> Option<EventId> {
    let location = graph.location(location);
    if location.plain == 0 && !plain || location.is_private_to(id.thread()) {
        return None;
    }
    let before = id.previous().unwrap_or(id);
    let conflicts = |other: EventId| {
        other.thread() != id.thread()
            && (plain || graph.event(other).is_plain())
            && !graph.covers(before, Clock::Before, other)
    };
    let written = location.writes.iter().copied().find(|&write| conflicts(write));
    written.or_else(|| location.reads.iter().copied().find(|&read| writes && conflicts(read)))
}
