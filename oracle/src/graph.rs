//! An execution as events and relations, the form in which axioms speak of it. Events are those of RC11 (Lahav et al.,
//! PLDI 2017): a read-modify-write is two events, and every location has an initial write before all else.

use crate::execution::{Kind, Source};
use crate::program::Mode;
use crate::relation::{MOST, Relation, Set};
use crate::thread::Entry;

/// One event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// Its thread; `None` for an initial write.
    pub thread: Option<usize>,
    /// Its location; `None` for a fence.
    pub loc: Option<usize>,
    pub mode: Mode,
}

/// An execution graph.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub events: Vec<Event>,
    /// Sets of events.
    pub reads: Set,
    pub writes: Set,
    pub fences: Set,
    /// Program order, transitive; initial writes come before all other events.
    pub po: Relation,
    /// Reads-from: write to read.
    pub rf: Relation,
    /// Coherence order: a total order of the writes of each location.
    pub co: Relation,
    /// From the reading to the writing half of each read-modify-write.
    pub rmw: Relation,
    /// The event of each access: its writing half, if it has two.
    ids: Vec<Vec<usize>>,
}

impl Graph {
    /// The graph of these accesses, without a coherence order yet; `None` if there are too many events.
    pub(crate) fn new(locations: usize, threads: &[Vec<Entry>]) -> Option<Graph> {
        if locations > MOST / 2 {
            return None;
        }
        let initial = |loc| Event { thread: None, loc: Some(loc), mode: Mode::Rlx };
        let mut events: Vec<Event> = (0..locations).map(initial).collect();
        let (mut reads, mut writes, mut fences) = (0, 0, 0);
        let mut halves = Vec::new();
        let mut ids = Vec::new();
        for (thread, entries) in threads.iter().enumerate() {
            let mut own = Vec::new();
            for entry in entries {
                if events.len() + 2 > MOST {
                    return None;
                }
                let id = events.len();
                let (loc, mode, thread) = (entry.access.loc, entry.mode, Some(thread));
                match entry.access.kind {
                    Kind::Read => reads |= 1 << id,
                    Kind::Write => writes |= 1 << id,
                    Kind::Fence => fences |= 1 << id,
                    Kind::Update => {
                        reads |= 1 << id;
                        writes |= 1 << (id + 1);
                        halves.push(id);
                        events.push(Event { thread, loc, mode: mode.read_half() });
                    }
                }
                let mode = if entry.access.kind == Kind::Update { mode.write_half() } else { mode };
                own.push(events.len());
                events.push(Event { thread, loc, mode });
            }
            ids.push(own);
        }
        writes |= (1 << locations) - 1;
        let n = events.len();
        let po = Relation::new(n, |a, b| match (events[a].thread, events[b].thread) {
            (None, other) => other.is_some(),
            (one, other) => one == other && a < b,
        });
        let (mut rf, mut rmw) = (Relation::empty(n), Relation::empty(n));
        halves.iter().for_each(|&read| rmw.add(read, read + 1));
        for (entry, &id) in threads.iter().flatten().zip(ids.iter().flatten()) {
            let read = if entry.access.kind == Kind::Update { id - 1 } else { id };
            match (entry.access.rf, entry.access.loc) {
                (Some(Source::Init), Some(loc)) => rf.add(loc, read),
                (Some(Source::Write(thread, index)), _) => rf.add(ids[thread][index], read),
                _ => {}
            }
        }
        Some(Graph { events, reads, writes, fences, po, rf, co: Relation::empty(n), rmw, ids })
    }

    /// Gives each location its coherence order; the initial write comes first.
    pub(crate) fn set_co(&mut self, orders: &[Vec<(usize, usize)>]) {
        self.co = Relation::empty(self.events.len());
        for (loc, order) in orders.iter().enumerate() {
            let mut before = vec![loc];
            for &(thread, index) in order {
                let write = self.ids[thread][index];
                before.iter().for_each(|&earlier| self.co.add(earlier, write));
                before.push(write);
            }
        }
    }

    /// The events whose mode is as wanted.
    pub(crate) fn with_mode(&self, wanted: impl Fn(Mode) -> bool) -> Set {
        self.select(|event| wanted(event.mode))
    }

    /// The events that are as wanted.
    pub(crate) fn select(&self, wanted: impl Fn(&Event) -> bool) -> Set {
        let chosen = self.events.iter().enumerate().filter(|(_, event)| wanted(event));
        chosen.fold(0, |set, (id, _)| set | 1 << id)
    }

    /// All pairs of events on one location.
    pub(crate) fn same_location(&self) -> Relation {
        let loc = |a: usize| self.events[a].loc;
        Relation::new(self.events.len(), |a, b| loc(a).is_some() && loc(a) == loc(b))
    }

    /// Reads-before: `rf⁻¹ ; co \ id`.
    pub(crate) fn rb(&self) -> Relation {
        self.rf.inverse().then(&self.co).minus(&Relation::identity(self.events.len(), Set::MAX))
    }

    /// Extended coherence order: `(rf ∪ co ∪ rb)⁺`.
    pub(crate) fn eco(&self) -> Relation {
        self.rf.clone().or(&self.co).or(&self.rb()).plus()
    }
}
