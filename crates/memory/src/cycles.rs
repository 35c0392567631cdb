//! Cycles through several locations: the global part of SC, TSO and RC11, and the test that symmetry needs.
//!
//! The relation is written down as a list of edges between numbered nodes, and sorted topologically.

use crate::MemoryModel;
use crate::edges::Edges;
use crate::psc::Psc;
use quotient_graph::{EventId, Graph, Kind, Order};

/// Decides consistency; keeps its storage between calls.
#[derive(Debug, Default)]
pub struct Checker {
    edges: Edges,
    offsets: Vec<u32>,
    psc: Psc,
}

impl Checker {
    /// Whether the graph, which is coherent and atomic, is consistent in `model`.
    pub fn consistent(&mut self, graph: &Graph, model: MemoryModel) -> bool {
        match model {
            MemoryModel::Ra => true,
            MemoryModel::Rc11 => self.psc.acyclic(graph),
            MemoryModel::Sc => {
                self.number(graph, 1);
                self.program_order(graph);
                self.communication(graph, 1, true, true);
                self.acyclic(graph)
            }
            MemoryModel::Tso => {
                self.number(graph, 3);
                self.store_order(graph);
                self.communication(graph, 3, false, true);
                self.acyclic(graph)
            }
        }
    }

    /// Whether every coherent and atomic graph like this one is consistent, so that nothing need be checked.
    pub fn is_trivial(graph: &Graph, model: MemoryModel) -> bool {
        model == MemoryModel::Ra || model == MemoryModel::Rc11 && graph.strong_events() < 2
    }

    /// How many nodes and edges have been looked at so far.
    #[inline]
    pub fn work(&self) -> u64 {
        self.edges.work + self.psc.work()
    }

    /// Whether program order, reads-from and coherence together have no cycle. Symmetry reduction is complete for
    /// programs of which this is true (SPORE, section 2.2.4).
    pub fn causal(&mut self, graph: &Graph) -> bool {
        self.number(graph, 1);
        self.program_order(graph);
        self.communication(graph, 1, true, false);
        self.acyclic(graph)
    }

    /// Gives every event `width` consecutive nodes.
    fn number(&mut self, graph: &Graph, width: u32) {
        self.edges.clear();
        self.offsets.clear();
        let mut next = 0;
        for thread in graph.threads() {
            self.offsets.push(next);
            next += thread.events.len() as u32 * width;
        }
        self.offsets.push(next);
    }

    fn node(&self, id: EventId, width: u32) -> u32 {
        self.offsets[id.thread() as usize] + id.position() * width
    }

    fn edge(&mut self, from: u32, to: u32) {
        self.edges.add(from, to);
    }

    fn program_order(&mut self, graph: &Graph) {
        for (number, thread) in graph.threads().iter().enumerate() {
            for (position, event) in thread.events.iter().enumerate() {
                let id = EventId::new(number as u32, position as u32);
                let node = self.node(id, 1);
                if position > 0 {
                    self.edge(node - 1, node);
                }
                if matches!(event.kind, Kind::Begin | Kind::Join) && event.other.is_real() {
                    self.edge(self.node(event.other, 1), node);
                }
            }
        }
    }

    /// Program order of TSO: everything but a write before a later read. Beside its own node an event has two for what
    /// passes by: `strong` comes from a read or a fence and orders every later event; `weak` comes from a write, orders
    /// later writes, and becomes strong at a fence.
    fn store_order(&mut self, graph: &Graph) {
        for (number, thread) in graph.threads().iter().enumerate() {
            for (position, event) in thread.events.iter().enumerate() {
                let node = self.node(EventId::new(number as u32, position as u32), 3);
                let (strong, weak) = (node + 1, node + 2);
                let (next_strong, next_weak) = (node + 4, node + 5);
                let is_last = position + 1 == thread.events.len();
                let passed_by_weak = match event.kind {
                    Kind::Read => !event.exclusive,
                    Kind::Fence => event.order != Order::SeqCst,
                    Kind::Choose | Kind::Block | Kind::Primary | Kind::Help => true,
                    _ => false,
                };
                let may_be_delayed = event.is_write() && !event.exclusive && event.order != Order::SeqCst;
                self.edge(strong, node);
                if !passed_by_weak {
                    self.edge(weak, node);
                }
                if !is_last {
                    self.edge(strong, next_strong);
                    self.edge(node, if may_be_delayed { next_weak } else { next_strong });
                    if passed_by_weak {
                        self.edge(weak, next_weak);
                    }
                }
                if matches!(event.kind, Kind::Begin | Kind::Join) && event.other.is_real() {
                    self.edge(self.node(event.other, 3), node);
                }
            }
        }
    }

    /// Reads-from, coherence and (if asked for) reads-before.
    fn communication(&mut self, graph: &Graph, width: u32, within_threads: bool, reads_before: bool) {
        for index in 0..graph.location_count() {
            let location = graph.location(index as u32);
            for pair in location.writes.windows(2) {
                self.edge(self.node(pair[0], width), self.node(pair[1], width));
            }
            for &read in &location.reads {
                let source = graph.event(read).other;
                let node = self.node(read, width);
                if source.is_real() && (within_threads || source.thread() != read.thread()) {
                    self.edge(self.node(source, width), node);
                }
                let next = graph.rank(source) as usize;
                if reads_before && let Some(&overwriting) = location.writes.get(next) {
                    // An update reads before its own write anyway.
                    self.edge(node, self.node(overwriting, width));
                }
            }
        }
    }

    fn acyclic(&mut self, graph: &Graph) -> bool {
        self.edges.acyclic(self.offsets[graph.threads().len()] as usize)
    }
}
