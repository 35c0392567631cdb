//! The trees of processes: what each did after which results, as far as it is known. Follows section 1 of the design: a process is a
//! node, and runs only where an edge is missing.

use std::rc::Rc;

use rapidhash::RapidHashMap;

use crate::grow::{Arrival, Grow, Node, Printed, Signals, Stop, Trouble, Wrote};
use crate::op::{Op, Pid};
use crate::outcome::Outcome;

/// All nodes that are known.
pub struct Tree<'a> {
    grow: &'a mut dyn Grow,
    nodes: Vec<Known>,
    signals: Vec<Signals>,
    /// Programs that were started, for searches that begin again.
    starts: RapidHashMap<(usize, Pid), Rc<Edge>>,
    steps: u64,
}

struct Known {
    stop: Rc<Stop>,
    edges: RapidHashMap<Outcome, Rc<Edge>>,
}

/// What follows from a result.
#[derive(Debug)]
pub struct Edge {
    /// Where the process comes to, or why it does not.
    pub to: Result<Node, Trouble>,
    /// What it prints meanwhile.
    pub printed: Vec<Printed>,
    /// What it writes to shared segments meanwhile.
    pub wrote: Vec<Wrote>,
}

impl<'a> Tree<'a> {
    /// No nodes.
    pub fn new(grow: &'a mut dyn Grow) -> Self {
        Self { grow, nodes: Vec::new(), signals: Vec::new(), starts: RapidHashMap::default(), steps: 0 }
    }

    /// How often a process ran from one operation to the next.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operation at a node.
    #[must_use]
    pub fn op(&self, node: Node) -> &Op {
        &self.nodes[node as usize].stop.op
    }

    /// All that is known of a process at a node.
    #[must_use]
    pub fn stop(&self, node: Node) -> &Rc<Stop> {
        &self.nodes[node as usize].stop
    }

    /// What the processes at all nodes do about signals.
    pub(crate) fn signals(&self) -> &[Signals] {
        &self.signals
    }

    /// Where the process at a node is in its source.
    pub fn place(&mut self, node: Node) -> Option<crate::grow::SourceLocation> {
        self.grow.place(node)
    }

    /// Starts a program.
    pub(crate) fn start(&mut self, index: usize, pid: Pid) -> Rc<Edge> {
        if let Some(edge) = self.starts.get(&(index, pid)) {
            return Rc::clone(edge);
        }
        let step = self.grow.start(index, pid, self.next());
        let edge = Rc::new(self.keep(step));
        self.starts.insert((index, pid), Rc::clone(&edge));
        edge
    }

    /// Gives the process at a node a result.
    pub(crate) fn advance(&mut self, node: Node, outcome: Outcome) -> Rc<Edge> {
        if let Some(edge) = self.nodes[node as usize].edges.get(&outcome) {
            return Rc::clone(edge);
        }
        let step = self.grow.grow(node, &outcome, self.next());
        let edge = Rc::new(self.keep(step));
        self.nodes[node as usize].edges.insert(outcome, Rc::clone(&edge));
        edge
    }

    fn next(&self) -> Node {
        Node::try_from(self.nodes.len()).expect("as many nodes as there are numbers")
    }

    fn keep(&mut self, step: Result<crate::grow::Step, Trouble>) -> Edge {
        self.steps += 1;
        let step = match step {
            Ok(step) => step,
            Err(trouble) => return Edge { to: Err(trouble), printed: Vec::new(), wrote: Vec::new() },
        };
        let to = match step.arrival {
            Arrival::Same(node) => node,
            Arrival::Stop(stop) => {
                let node = self.next();
                self.signals.push(stop.signals);
                self.nodes.push(Known { stop: Rc::new(stop), edges: RapidHashMap::default() });
                node
            }
        };
        Edge { to: Ok(to), printed: step.printed, wrote: step.wrote }
    }
}
