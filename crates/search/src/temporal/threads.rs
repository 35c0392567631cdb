//! Threads that take each other's places on the cycles of a component, where they come and go: whether each of them can be served. It
//! looks at the pairs of a complete component as they are stored.
//!
//! A node is a place in a stored pair, and an edge leads from the place of a thread before a step to its place after it. A thread is
//! served where it moves, cannot move, or ends. Those nodes from which no served one can be reached are closed under steps, and as steps
//! give different threads different places and pairs lie on cycles, under steps backwards, too: so they make up whole classes of nodes
//! that hang together, and a cycle that is fair to all exists if every class has a served node. It follows Emerson and Sistla,
//! *Utilizing symmetry when model-checking under fairness assumptions* (1997), with threads that are born and end.

use quotient_store::{Entry, Exact};

use super::bits::Bits;
use super::names::Keys;
use super::observer::Observer;
use super::successors::Successors;
use super::system::System;

/// A complete component of a model with a heap.
pub(super) struct Threads<'s, 'a, 'p, 'm> {
    pub(super) system: &'s mut System<'p, 'm>,
    pub(super) automaton: &'a Observer<'a>,
    pub(super) keys: &'s mut Keys<'a>,
    pub(super) visited: &'s Exact,
    /// Its pairs, in order.
    pub(super) live: &'s [Entry],
}

/// Which nodes hang together, and which classes have one that is served.
struct Classes {
    /// For each pair the number of its first node.
    first: Vec<usize>,
    above: Vec<usize>,
    served: Vec<bool>,
}

impl Classes {
    fn find(&mut self, mut node: usize) -> usize {
        while self.above[node] != node {
            self.above[node] = self.above[self.above[node]];
            node = self.above[node];
        }
        node
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.above[b] = a;
        self.served[a] |= self.served[b];
    }

    fn serve(&mut self, pair: usize, places: Bits) {
        let nodes = self.first[pair]..self.first[pair + 1];
        for (place, node) in nodes.enumerate() {
            if places.contains(place) {
                let class = self.find(node);
                self.served[class] = true;
            }
        }
    }
}

impl Threads<'_, '_, '_, '_> {
    /// Whether every thread can be served on cycles of the component.
    pub(super) fn are_served(mut self) -> bool {
        let mut first = vec![0];
        for number in 0..self.live.len() {
            let (state, _) = self.pair(number);
            self.system.machine().load(&state);
            first.push(first[number] + self.system.machine().processes());
        }
        let nodes = first.last().copied().unwrap_or(0);
        let mut classes = Classes { first, above: (0..nodes).collect(), served: vec![false; nodes] };
        let mut successors = Successors::default();
        for number in 0..self.live.len() {
            self.follow(number, &mut successors, &mut classes);
        }
        (0..nodes).all(|node| {
            let class = classes.find(node);
            classes.served[class]
        })
    }

    /// A pair as it is stored.
    fn pair(&self, number: usize) -> (Vec<u8>, u16) {
        self.keys.split(self.visited.state(self.live[number]))
    }

    /// Follows the steps from a pair that stay in the component.
    fn follow(&mut self, number: usize, successors: &mut Successors, classes: &mut Classes) {
        let (state, node) = self.pair(number);
        self.system.expand(&state, successors);
        let word = self.automaton.read(self.system, node, successors).unwrap_or(0);
        classes.serve(number, if successors.moved { successors.enabled.others() } else { Bits::ALL });
        let edges = &self.automaton.nodes[usize::from(node)].edges;
        let mut key = Vec::new();
        for successor in successors.list() {
            let after = successors.state(successor);
            for edge in edges.iter().filter(|edge| edge.guard.contains(word)) {
                self.keys.make(&mut key, self.system.machine(), after, edge.target);
                let target = self.visited.find(&key).and_then(|entry| self.live.binary_search(&entry).ok());
                let (Some(target), Some(heap)) = (target, &mut self.keys.heap) else { continue };
                let mut served = successor.movers;
                served.add(successor.gone.iter().map(|&gone| usize::from(gone)).collect());
                classes.serve(number, served);
                let before = classes.first[number + 1] - classes.first[number];
                for (place, &thread) in heap.order(after).iter().enumerate() {
                    let ended = successor.gone.is_some_and(|gone| thread >= gone);
                    let from = usize::from(thread) + usize::from(ended);
                    if from < before {
                        classes.unite(classes.first[number] + from, classes.first[target] + place);
                    }
                }
            }
        }
    }
}
