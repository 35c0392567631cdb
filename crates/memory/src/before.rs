//! Happens-before as clocks, and what follows from it: coherence as an interval, and races.
//!
//! In RA and RC11 a read synchronises with the release sequence it reads from (C++20: a write and the read-modify-writes that
//! follow it); in SC and TSO every reads-from edge orders.

use crate::MemoryModel;
use quotient_graph::{Clock, Event, EventId, Graph, Kind, LocationId, Order};

/// Adds to the clocks of an event, which are those of the event before it, what it learns from what it depends on.
#[inline]
pub fn learn_clocks(graph: &mut Graph, model: MemoryModel, id: EventId) {
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

fn set_released(graph: &mut Graph, model: MemoryModel, id: EventId) {
    let event = graph.event(id);
    let (order, exclusive) = (event.order, event.exclusive);
    let releaser = if model.is_strong() || order.releases() {
        Some(id)
    } else if order == Order::Plain {
        None
    } else {
        graph.release_fence_before(id)
    };
    graph.begin_release(id, releaser);
    if exclusive && !model.is_strong() {
        let read = EventId::new(id.thread(), id.position() - 1);
        let source = graph.event(read).other;
        graph.join(id, Clock::Released, source, Clock::Released);
    }
}

/// The rank of the newest write that an access already knows of, through its own past: it must not read from, nor be
/// placed before, anything older (`irreflexive(hb ; eco?)`). `id` is the access; of its own clock only what comes from
/// the event before it counts.
#[inline]
pub fn floor(graph: &Graph, id: EventId) -> u32 {
    let location = graph.event(id).location;
    let writes = &graph.location(location).writes;
    // A write that is being placed may stand last itself.
    let others = writes.len() - (writes.last() == Some(&id)) as usize;
    floor_at(graph, id, location, others)
}

/// The [`floor`] of a read of a location that is still to be added, as event `id`.
#[inline]
pub fn floor_of_read(graph: &Graph, id: EventId, location: LocationId) -> u32 {
    floor_at(graph, id, location, graph.location(location).writes.len())
}

fn floor_at(graph: &Graph, id: EventId, location: LocationId, others: usize) -> u32 {
    let Some(before) = id.previous() else { return 0 };
    let clock = graph.clock(before, Clock::Before);
    let known = |event: EventId| clock[event.thread() as usize] > event.position();
    if others > 0 && known(graph.at_rank(location, others as u32)) {
        return others as u32;
    }
    // What a thread has seen of a location never gets older, so of each thread the last access that is known tells most.
    let last_known = |&last: &EventId| {
        if clock[last.thread() as usize] == 0 {
            return None;
        }
        let is_own = last.thread() == id.thread() && last.position() >= id.position();
        let mut access = if is_own { graph.access_before(id) } else { Some(last) };
        while let Some(unknown) = access.filter(|&access| !known(access)) {
            access = graph.access_before(unknown);
        }
        access.map(|access| known_rank(graph, graph.event(access)))
    };
    graph.latest(location).iter().filter_map(last_known).max().unwrap_or(0)
}

/// The rank of a write, or of the write that a read reads.
pub(crate) fn known_rank(graph: &Graph, access: &Event) -> u32 {
    if access.is_write() { access.rank } else { graph.rank(access.other) }
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

fn race_at(graph: &Graph, id: EventId, number: LocationId, plain: bool, writes: bool) -> Option<EventId> {
    let location = graph.location(number);
    if location.plain == 0 && !plain || location.is_private_to(id.thread()) {
        return None;
    }
    let before = id.previous().unwrap_or(id);
    let conflicts = |other: EventId| {
        other.thread() != id.thread()
            && (plain || graph.event(other).is_plain())
            && !graph.covers(before, Clock::Before, other)
    };
    let is_found = |&last: &EventId| {
        let unordered =
            |&access: &EventId| access.thread() != id.thread() && !graph.covers(before, Clock::Before, access);
        let accesses = std::iter::successors(Some(last).filter(unordered), |&access| {
            graph.access_before(access).filter(unordered)
        });
        accesses.into_iter().any(|access| (writes || graph.event(access).is_write()) && conflicts(access))
    };
    if !graph.latest(number).iter().any(is_found) {
        return None;
    }
    // The one that is reported is the first in coherence order.
    let written = location.writes.iter().copied().find(|&write| conflicts(write));
    written.or_else(|| location.reads.iter().copied().find(|&read| writes && conflicts(read)))
}
