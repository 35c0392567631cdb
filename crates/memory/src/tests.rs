//! The linear forms of `psc` and of the floor beside the definitions, on random graphs.

use crate::matrices::Matrices;
use crate::psc::Psc;
use crate::{Checker, MemoryModel, floor, floor_of_read, learn_clocks};
use quotient_graph::{Clock, Event, EventId, Graph, Kind, LocationId, OpCode, OpWords, Order, Thread, ThreadId};
use std::panic::Location;

/// An xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % u64::from(bound)) as u32
    }

    /// An order; the graph has more strong ones if it is to be `strong`.
    fn order(&mut self, strong: bool) -> Order {
        let all = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
        if strong && self.below(4) > 0 { Order::SeqCst } else { all[self.below(5) as usize] }
    }
}

fn add(graph: &mut Graph, thread: ThreadId, event: Event) -> EventId {
    let id = graph.push(thread, event);
    learn_clocks(graph, MemoryModel::Rc11, id);
    id
}

fn blank(kind: Kind) -> Event {
    Graph::blank(kind, OpWords::plain(OpCode::Load, 0), Location::caller())
}

/// A graph with so many threads and locations that are ready for use.
fn begun(threads: u32, locations: u32) -> Graph {
    let mut graph = Graph::default();
    for location in 0..locations {
        graph.add_location(location, 0);
    }
    for _ in 0..threads {
        let thread = graph.add_thread(EventId::INIT, 0, EventId::NONE);
        add(&mut graph, thread, Event { other: EventId::INIT, ..blank(Kind::Begin) });
    }
    graph
}

fn add_read(graph: &mut Graph, thread: ThreadId, location: LocationId, order: Order, rank: u32) -> EventId {
    let other = graph.at_rank(location, rank);
    add(graph, thread, Event { location, order, other, ..blank(Kind::Read) })
}

fn add_write(graph: &mut Graph, thread: ThreadId, location: LocationId, order: Order, exclusive: bool) -> EventId {
    add(graph, thread, Event { location, order, exclusive, ..blank(Kind::Write) })
}

/// A random graph that is coherent and atomic.
fn random_graph(seed: u64, fences: bool) -> Graph {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let (threads, locations) = (2 + random.below(3), 1 + random.below(4));
    let strong = random.below(3) > 0;
    let mut graph = begun(threads, locations);
    for _ in 0..2 + random.below(40) {
        let (thread, location, order) = (random.below(threads), random.below(locations), random.order(strong));
        let next = EventId::new(thread, graph.len_of(thread));
        let oldest = floor_of_read(&graph, next, location);
        assert_eq!(oldest, slow_floor(&graph, next, location), "floor of a read, seed {seed}");
        let newest = graph.location(location).writes.len() as u32;
        // Mostly the oldest: reading what is new is never wrong.
        let rank = if random.below(3) > 0 { oldest } else { oldest + random.below(newest - oldest + 1) };
        let taken = graph.taken_by(graph.at_rank(location, rank), location).is_real();
        match random.below(if fences { 5 } else { 4 }) {
            0 | 1 => {
                add_read(&mut graph, thread, location, order, rank);
            }
            2 if !taken && random.below(3) == 0 => {
                let read = add_read(&mut graph, thread, location, order, rank);
                graph.take(read);
                let write = add_write(&mut graph, thread, location, order, true);
                graph.place(write, graph.event(read).other);
            }
            3 if !taken => {
                let after = graph.at_rank(location, rank);
                let write = add_write(&mut graph, thread, location, order, false);
                assert_eq!(floor(&graph, write), oldest, "floor of a write, seed {seed}");
                graph.place(write, after);
            }
            4 => {
                add(&mut graph, thread, Event { order, ..blank(Kind::Fence) });
            }
            _ => {}
        }
        if random.below(8) == 0 && graph.newest().position() > 0 && !graph.event(graph.newest()).exclusive {
            graph.pop();
        }
    }
    graph
}

/// The floor by its definition: the newest write that any access in the past of the event knows of.
fn slow_floor(graph: &Graph, id: EventId, location: LocationId) -> u32 {
    let Some(before) = id.previous() else { return 0 };
    let known = |event: &&EventId| graph.covers(before, Clock::Before, **event);
    let place = graph.location(location);
    let written = place.writes.iter().filter(known).map(|&write| graph.rank(write));
    let read = place.reads.iter().filter(known).map(|&read| graph.rank(graph.event(read).other));
    written.chain(read).max().unwrap_or(0)
}

#[test]
fn cycles_of_psc_are_those_of_the_definition() {
    let (mut psc, mut matrices) = (Psc::default(), Matrices::default());
    let mut counts = [0; 2];
    for seed in 1..20_000 {
        let graph = random_graph(seed, seed.is_multiple_of(2));
        let expected = matrices.acyclic(&graph);
        assert_eq!(psc.acyclic(&graph), expected, "seed {seed}: {graph:#?}");
        counts[expected as usize] += 1;
    }
    // Both answers are common, so that neither is only said by chance.
    assert!(counts.iter().all(|&count| count > 2000), "{counts:?}");
}

#[test]
fn cutting_a_graph_keeps_its_links() {
    for seed in 1..2000 {
        let graph = random_graph(seed, true);
        // Threads that read from each other may not be cut anywhere, so only the last thread is.
        let Some(last) = graph.run_order().last().copied() else { continue };
        let mut keep: Vec<u32> = (0..graph.threads().len() as u32).map(|thread| graph.len_of(thread)).collect();
        if graph.event(last).exclusive || last.position() == 0 {
            continue;
        }
        keep[last.thread() as usize] -= 1;
        let mut cut = Graph::default();
        cut.restrict(&graph, &keep);
        let mut popped = graph.clone();
        popped.pop();
        assert_eq!(cut.strong_events(), popped.strong_events(), "seed {seed}");
        let mut shortened = graph.clone();
        shortened.cut(&keep);
        assert_eq!(shortened.strong_events(), popped.strong_events(), "seed {seed}");
        let gone_round =
            |graph: &Graph| -> Vec<bool> { graph.threads().iter().map(Thread::may_have_gone_round).collect() };
        assert_eq!(gone_round(&cut), gone_round(&popped), "seed {seed}");
        assert_eq!(gone_round(&shortened), gone_round(&popped), "seed {seed}");
        for location in 0..graph.location_count() as LocationId {
            let sorted = |graph: &Graph| {
                let mut latest = graph.latest(location).to_vec();
                latest.sort();
                latest
            };
            assert_eq!(sorted(&cut), sorted(&popped), "seed {seed}");
            for &access in
                graph.latest(location).iter().filter(|access| keep[access.thread() as usize] > access.position())
            {
                assert_eq!(cut.access_before(access), popped.access_before(access), "seed {seed}");
            }
        }
    }
}

/// The pasts of all events, as they are known.
fn pasts(graph: &Graph) -> Vec<u64> {
    let ids = graph.run_order().iter();
    ids.map(|&id| graph.past(id)).collect()
}

/// The same, found anew.
fn pasts_found_anew(graph: &Graph) -> Vec<u64> {
    let mut anew = graph.clone();
    for thread in 0..graph.threads().len() as ThreadId {
        anew.forget_past(EventId::new(thread, 0));
    }
    pasts(&anew)
}

#[test]
fn pasts_are_those_of_the_events_that_there_are() {
    let mut differences = 0;
    for seed in 1..2000 {
        let mut graph = random_graph(seed, true);
        let before = pasts(&graph);
        assert_eq!(before, pasts_found_anew(&graph), "seed {seed}");
        let Some(last) = graph.run_order().last().copied() else { continue };
        let event = *graph.event(last);
        if event.exclusive || last.position() == 0 {
            continue;
        }
        // What is known of an event that goes is not taken for that of the next one at its place.
        if seed % 2 == 0 {
            graph.pop();
        } else {
            let keep = (0..graph.threads().len() as ThreadId)
                .map(|thread| graph.len_of(thread) - u32::from(thread == last.thread()));
            let keep: Vec<u32> = keep.collect();
            graph.cut(&keep);
        }
        add(&mut graph, last.thread(), blank(Kind::Block));
        assert_eq!(pasts(&graph), pasts_found_anew(&graph), "seed {seed}");
        graph.pop();
        // Nor is what is known of a read that reads from another write.
        if event.kind == Kind::Read && event.other != EventId::INIT {
            let rank = graph.rank(event.other);
            let read = add_read(&mut graph, last.thread(), event.location, event.order, rank);
            assert_eq!(pasts(&graph), before, "seed {seed}");
            graph.redirect(read, EventId::INIT);
            graph.forget_past(read);
            assert_eq!(pasts(&graph), pasts_found_anew(&graph), "seed {seed}");
            differences += u32::from(pasts(&graph) != before);
        }
    }
    assert!(differences > 50, "{differences}");
}

/// How many nodes and edges are looked at to check a graph of two threads, one with `count` operations.
fn work(count: u32, operation: impl Fn(&mut Graph, u32)) -> u64 {
    let mut graph = begun(2, 3);
    for index in 0..count {
        operation(&mut graph, index);
    }
    add_write(&mut graph, 0, 2, Order::SeqCst, false);
    add_write(&mut graph, 1, 2, Order::SeqCst, false);
    add_read(&mut graph, 1, 2, Order::SeqCst, 2);
    let mut checker = Checker::default();
    assert!(checker.consistent(&graph, MemoryModel::Rc11));
    checker.work()
}

/// Adds an operation to a graph, the so-manyeth.
type Operation = fn(&mut Graph, u32);

#[test]
fn the_work_grows_with_the_length() {
    let store: Operation = |graph, _| {
        add_write(graph, 0, 0, Order::SeqCst, false);
    };
    let mix: Operation = |graph, index| {
        if index.is_multiple_of(2) {
            add_write(graph, 0, 0, Order::SeqCst, false);
        } else {
            add_read(graph, 0, 1, Order::SeqCst, 0);
        }
    };
    let fence: Operation = |graph, _| {
        add(graph, 0, Event { order: Order::SeqCst, ..blank(Kind::Fence) });
    };
    for operation in [store, mix, fence] {
        let works: Vec<u64> = [1000, 2000, 3000].map(|count| work(count, operation)).to_vec();
        assert_eq!(works[1] - works[0], works[2] - works[1], "a line: {works:?}");
        assert!(works[0] < 40_000, "at most 40 nodes and edges for an operation: {works:?}");
    }
}
