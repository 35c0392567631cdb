//! The partial SC order of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017, section 3): whether it has a cycle.
//!
//! `psc` relates pairs of events, and there may be as many as pairs. So it is not written down. Instead every event has a
//! few nodes, one for each point that a step of `psc` can be at when it comes by, and an edge leads from what comes first
//! to what comes next. From one strong event to another there is a way through these nodes exactly if `psc` relates them,
//! so a cycle of nodes is a cycle of `psc`. There are some ten edges for each event.

use crate::before::known_rank;
use crate::edges::Edges;
use quotient_graph::{Clock, Event, EventId, Graph, Kind, LocationId, Order};

/// The nodes of an event. A step of `scb` is program order, happens-before at one location, coherence, reads-before, or
/// program order, happens-before and program order with other locations between.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Node {
    /// At a strong event, where a step of `psc` ends and the next one begins. Without strong fences, `scb` begins and ends
    /// here as well.
    Strong,
    /// Between the two parts of program order: happens-before has come here.
    Between,
    /// On the way to a later access of the same location, in the thread of the first one.
    SameFirst,
    /// The same, in the thread of the later one.
    SameLater,
    /// This write, or one that is newer in coherence order.
    Newer,
    /// `scb` begins here.
    Begin,
    /// `scb` ends here.
    End,
    /// This event, or a later one in program order.
    Later,
    /// Happens-before from a strong fence has come here.
    FromFence,
    /// Happens-before from a strong fence goes on from here.
    OnFromFence,
    /// Happens-before to a strong fence comes by here.
    ToFence,
    /// Extended coherence comes to this write, those who read it, or newer ones.
    Known,
    /// Extended coherence comes to those who read this write.
    Readers,
}

/// How many nodes an event has if there are no strong fences: those from [`Node::Begin`] on are for fences.
const FEW: u32 = Node::Begin as u32;
const ALL: u32 = Node::Readers as u32 + 1;

/// Looks for cycles; keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct Psc {
    edges: Edges,
    /// The number of each thread's first event.
    offsets: Vec<u32>,
    /// How many nodes an event has.
    width: u32,
    /// The accesses of a location, those of each thread together and in program order.
    accesses: Vec<EventId>,
    /// Where those of each thread end.
    ends: Vec<usize>,
}

impl Psc {
    /// Whether the partial SC order has no cycle.
    pub(crate) fn acyclic(&mut self, graph: &Graph) -> bool {
        if graph.strong_events() < 2 {
            return true;
        }
        self.number(graph);
        for thread in 0..graph.threads().len() {
            self.follow_thread(graph, thread as u32);
        }
        for location in 0..graph.location_count() {
            self.follow_coherence(graph, location as LocationId);
            if graph.latest(location as LocationId).len() > 1 {
                self.follow_location(graph, location as LocationId);
            }
        }
        let events = self.offsets[graph.threads().len()];
        self.edges.acyclic((events * self.width) as usize)
    }

    /// How many nodes and edges have been looked at so far.
    pub(crate) fn work(&self) -> u64 {
        self.edges.work
    }

    fn number(&mut self, graph: &Graph) {
        self.edges.clear();
        self.offsets.clear();
        self.width = FEW;
        let mut next = 0;
        for thread in graph.threads() {
            self.offsets.push(next);
            next += thread.events.len() as u32;
            if thread.events.iter().any(is_strong_fence) {
                self.width = ALL;
            }
        }
        self.offsets.push(next);
    }

    fn has_fences(&self) -> bool {
        self.width == ALL
    }

    fn node(&self, id: EventId, node: Node) -> u32 {
        (self.offsets[id.thread() as usize] + id.position()) * self.width + node as u32
    }

    /// Adds an edge between nodes of events.
    fn edge(&mut self, from: (EventId, Node), to: (EventId, Node)) {
        self.edges.add(self.node(from.0, from.1), self.node(to.0, to.1));
    }

    /// Where `scb` begins at an event, if it matters.
    fn begin(&self, graph: &Graph, id: EventId) -> Option<(EventId, Node)> {
        if self.has_fences() { Some((id, Node::Begin)) } else { self.strong(graph, id) }
    }

    /// Where `scb` ends at an event, if it matters.
    fn end(&self, graph: &Graph, id: EventId) -> Option<(EventId, Node)> {
        if self.has_fences() { Some((id, Node::End)) } else { self.strong(graph, id) }
    }

    fn strong(&self, graph: &Graph, id: EventId) -> Option<(EventId, Node)> {
        is_strong(graph.event(id)).then_some((id, Node::Strong))
    }

    /// `scb` goes from an event to a node.
    fn leave(&mut self, graph: &Graph, id: EventId, to: (EventId, Node)) {
        if let Some(from) = self.begin(graph, id) {
            self.edge(from, to);
        }
    }

    /// `scb` comes from a node to an event.
    fn reach(&mut self, graph: &Graph, from: (EventId, Node), id: EventId) {
        if let Some(to) = self.end(graph, id) {
            self.edge(from, to);
        }
    }

    /// Adds what begins and ends at the events of a thread, program order and happens-before.
    fn follow_thread(&mut self, graph: &Graph, thread: u32) {
        let events = &graph.threads()[thread as usize].events;
        let mut last_strong = None;
        let mut last = Neighbour::default();
        for (position, event) in events.iter().enumerate() {
            let id = EventId::new(thread, position as u32);
            self.follow_happens_before(graph, id);
            if self.has_fences() {
                self.follow_with_fences(id, event, position + 1 == events.len());
            }
            if !takes_part(event) {
                continue;
            }
            if is_strong(event) {
                if let Some(before) = last_strong.filter(|_| !self.has_fences()) {
                    self.edge((before, Node::Strong), (id, Node::Strong));
                }
                last_strong = Some(id);
            }
            if let Some(elsewhere) = last.pass(event, position as u32) {
                self.reach(graph, (EventId::new(thread, elsewhere), Node::Between), id);
            }
        }
        let mut next = Neighbour::default();
        for (position, event) in events.iter().enumerate().rev().filter(|(_, event)| takes_part(event)) {
            if let Some(elsewhere) = next.pass(event, position as u32) {
                let to = (EventId::new(thread, elsewhere), Node::Between);
                self.leave(graph, EventId::new(thread, position as u32), to);
            }
        }
    }

    /// Adds happens-before from the events just before this one: of its own thread, and of others if its clock covers
    /// more of them than the clock before.
    fn follow_happens_before(&mut self, graph: &Graph, id: EventId) {
        let previous = id.previous();
        if let Some(previous) = previous {
            self.follow_one(previous, id);
        }
        for other in 0..graph.threads().len() as u32 {
            let covered = graph.clock(id, Clock::Before)[other as usize];
            let before = previous.map_or(0, |previous| graph.clock(previous, Clock::Before)[other as usize]);
            if other != id.thread() && covered > before {
                self.follow_one(EventId::new(other, covered - 1), id);
            }
        }
    }

    fn follow_one(&mut self, from: EventId, to: EventId) {
        self.edge((from, Node::Between), (to, Node::Between));
        if self.has_fences() {
            self.edge((from, Node::OnFromFence), (to, Node::FromFence));
            self.edge((from, Node::ToFence), (to, Node::ToFence));
        }
    }

    /// Adds what an event has more to do if there are strong fences.
    fn follow_with_fences(&mut self, id: EventId, event: &Event, is_last: bool) {
        self.edge((id, Node::FromFence), (id, Node::OnFromFence));
        if !is_last {
            self.edge((id, Node::Later), (id.next(), Node::Later));
        }
        if !takes_part(event) {
            return;
        }
        if !is_last {
            self.edge((id, Node::Begin), (id.next(), Node::Later));
        }
        self.edge((id, Node::Later), (id, Node::End));
        self.edge((id, Node::End), (id, Node::ToFence));
        self.edge((id, Node::FromFence), (id, Node::Begin));
        if is_strong(event) {
            self.edge((id, Node::Strong), (id, Node::Begin));
            self.edge((id, Node::End), (id, Node::Strong));
        }
        if is_strong_fence(event) {
            self.edge((id, Node::Strong), (id, Node::OnFromFence));
            self.edge((id, Node::FromFence), (id, Node::Strong));
            self.edge((id, Node::ToFence), (id, Node::Strong));
        }
    }

    /// Adds coherence and reads-before: from an access to every write that is newer than what it knows. With fences, adds
    /// extended coherence, which leads to those who read these writes as well.
    fn follow_coherence(&mut self, graph: &Graph, location: LocationId) {
        let location = graph.location(location);
        for (rank, &write) in location.writes.iter().enumerate() {
            let next = location.writes.get(rank + 1);
            self.reach(graph, (write, Node::Newer), write);
            if let Some(&next) = next {
                self.edge((write, Node::Newer), (next, Node::Newer));
            }
            if self.has_fences() {
                self.edge((write, Node::Known), (write, Node::ToFence));
                self.edge((write, Node::Known), (write, Node::Readers));
                self.edge((write, Node::FromFence), (write, Node::Readers));
                if let Some(&next) = next {
                    self.edge((write, Node::Known), (next, Node::Known));
                }
            }
        }
        for &access in location.writes.iter().chain(&location.reads) {
            let event = graph.event(access);
            if let Some(&newer) = location.writes.get(known_rank(graph, event) as usize) {
                self.leave(graph, access, (newer, Node::Newer));
                if self.has_fences() {
                    self.edge((access, Node::FromFence), (newer, Node::Known));
                }
            }
            if self.has_fences() && event.is_read() && event.other.is_real() {
                self.edge((event.other, Node::Readers), (access, Node::ToFence));
            }
        }
    }

    /// Adds happens-before between accesses of one location by different threads. (Within a thread it is program order.)
    fn follow_location(&mut self, graph: &Graph, location: LocationId) {
        self.list_accesses(graph, location);
        let mut start = 0;
        for thread in 0..self.ends.len() {
            for index in start..self.ends[thread] {
                let access = self.accesses[index];
                self.leave(graph, access, (access, Node::SameFirst));
                self.reach(graph, (access, Node::SameLater), access);
                if index > start {
                    let before = self.accesses[index - 1];
                    self.edge((before, Node::SameFirst), (access, Node::SameFirst));
                    self.edge((before, Node::SameLater), (access, Node::SameLater));
                }
            }
            let mut others = 0;
            for other in 0..self.ends.len() {
                if other != thread {
                    self.follow_pair(graph, others..self.ends[other], start..self.ends[thread]);
                }
                others = self.ends[other];
            }
            start = self.ends[thread];
        }
    }

    /// Adds happens-before from accesses of one thread to those of another.
    fn follow_pair(&mut self, graph: &Graph, from: std::ops::Range<usize>, to: std::ops::Range<usize>) {
        let thread = self.accesses[from.start].thread() as usize;
        let mut covered = from.start;
        for index in to {
            let later = self.accesses[index];
            let before = covered;
            let end = graph.clock(later, Clock::Before)[thread];
            while covered < from.end && self.accesses[covered].position() < end {
                covered += 1;
            }
            if covered > before {
                self.edge((self.accesses[covered - 1], Node::SameFirst), (later, Node::SameLater));
            }
        }
    }

    fn list_accesses(&mut self, graph: &Graph, location: LocationId) {
        self.accesses.clear();
        self.ends.clear();
        for &last in graph.latest(location) {
            let start = self.accesses.len();
            self.accesses.extend(std::iter::successors(Some(last), |&access| graph.access_before(access)));
            self.accesses[start..].reverse();
            self.ends.push(self.accesses.len());
        }
    }
}

/// Which event beside another one in program order is not an access of the same location.
#[derive(Default)]
struct Neighbour {
    /// The event passed last: where it accesses memory, if it does.
    last: Option<(u32, Option<LocationId>)>,
    /// The one that was passed before it and is elsewhere.
    elsewhere: Option<u32>,
}

impl Neighbour {
    /// Passes an event; gives the nearest one passed before that is elsewhere.
    fn pass(&mut self, event: &Event, position: u32) -> Option<u32> {
        let place = event.is_access().then_some(event.location);
        if let Some((last, at)) = self.last
            && (place.is_none() || at != place)
        {
            self.elsewhere = Some(last);
        }
        self.last = Some((position, place));
        self.elsewhere
    }
}

/// Accesses and fences; nothing else takes part, but for the happens-before that it passes on.
fn takes_part(event: &Event) -> bool {
    event.is_access() || event.kind == Kind::Fence
}

fn is_strong(event: &Event) -> bool {
    event.order == Order::SeqCst && takes_part(event)
}

fn is_strong_fence(event: &Event) -> bool {
    event.order == Order::SeqCst && event.kind == Kind::Fence
}
