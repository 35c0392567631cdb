//! A component that is looked at again, pair by pair, to find the cycle that is told. It follows the search that found it: the
//! same system and automaton, and a test of which pairs belong to it.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use quotient_step::machine::Machine;

use super::LassoKind;
use super::bits::{Bits, Marks};
use super::observer::Observer;
use super::successors::{Step, Successors};
use super::system::System;

/// Whether a pair belongs to a component. It may use the machine.
pub(super) type Member<'a> = dyn FnMut(&mut Machine, &[u8], u16) -> bool + 'a;

/// A pair of the component.
struct Pair {
    state: Vec<u8>,
    node: u16,
    expanded: Option<(Rc<Vec<Arc>>, Bits)>,
    /// What is true of it, if that can be worked out; known when it is expanded.
    word: Option<u64>,
}

/// An edge between two pairs.
pub(super) struct Arc {
    pub(super) target: usize,
    pub(super) marks: Marks,
    steps: Vec<Step>,
}

/// An edge of a walk: the pair that it leaves, and its number there.
pub(super) type Hop = (usize, usize);

/// The steps of a walk's edges.
pub(super) type Way = Vec<Vec<Step>>;

/// A component, as far as it was looked at.
pub(super) struct Component<'a, 'p, 'm> {
    system: &'a mut System<'p, 'm>,
    automaton: &'a Observer<'a>,
    member: &'a mut Member<'a>,
    pairs: Vec<Pair>,
    numbers: HashMap<Vec<u8>, usize>,
    successors: Successors,
}

impl<'a, 'p, 'm> Component<'a, 'p, 'm> {
    pub(super) fn new(system: &'a mut System<'p, 'm>, automaton: &'a Observer<'a>, member: &'a mut Member<'a>) -> Self {
        let (pairs, numbers) = (Vec::new(), HashMap::new());
        Component { system, automaton, member, pairs, numbers, successors: Successors::default() }
    }

    /// Takes a first pair; gives back its number.
    pub(super) fn begin(&mut self, state: Vec<u8>, node: u16) -> usize {
        self.number(&state, node)
    }

    /// The number of a pair. With symmetry reduction, too, pairs with other names are others here, so that a cycle closes.
    fn number(&mut self, state: &[u8], node: u16) -> usize {
        let mut key = state[self.system.expander.program.schema.hidden as usize..].to_vec();
        key.extend_from_slice(&node.to_le_bytes());
        let next = self.pairs.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.pairs.push(Pair { state: state.to_vec(), node, expanded: None, word: None });
        }
        number
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        // A state is there twice, and its edges are about as long.
        let each = self.pairs.last().map_or(0, |pair| 3 * pair.state.len()) + size_of::<Pair>() + 64;
        (self.pairs.len() * each) as u64
    }

    /// The marks of all acceptance sets.
    pub(super) fn all_sets(&self) -> u64 {
        self.automaton.all_sets()
    }

    /// The edges that leave a pair and stay in the component, and the processes that can move there.
    pub(super) fn arcs(&mut self, pair: usize) -> (Rc<Vec<Arc>>, Bits) {
        if let Some(known) = &self.pairs[pair].expanded {
            return known.clone();
        }
        let (state, node) = (self.pairs[pair].state.clone(), self.pairs[pair].node);
        let records = std::mem::replace(&mut self.system.records, true);
        let mut successors = std::mem::take(&mut self.successors);
        self.system.expand(&state, &mut successors);
        self.system.records = records;
        let known = self.automaton.read(self.system, node, &successors).ok();
        let word = known.unwrap_or(0);
        let mut arcs = Vec::new();
        let edges = &self.automaton.nodes[usize::from(node)].edges;
        let mut add = |state: &[u8], movers: Bits, steps: &[Step]| {
            for edge in edges.iter().filter(|edge| edge.guard.contains(word)) {
                if (self.member)(self.system.machine(), state, edge.target) {
                    let target = self.number(state, edge.target);
                    let marks = Marks { sets: edge.marks, fair: movers };
                    arcs.push(Arc { target, marks, steps: steps.to_vec() });
                }
            }
        };
        for successor in successors.list() {
            add(successors.state(successor), successor.served(), successors.steps(successor));
        }
        if !successors.moved {
            add(&state, Bits::ALL, &[]);
        }
        let expanded = (Rc::new(arcs), successors.enabled);
        (self.pairs[pair].expanded, self.pairs[pair].word) = (Some(expanded.clone()), known);
        self.successors = successors;
        expanded
    }

    /// A shortest walk from a pair through pairs that are allowed, up to an edge that is looked for.
    pub(super) fn walk(
        &mut self,
        from: usize,
        allowed: &dyn Fn(usize) -> bool,
        goal: &mut dyn FnMut(&mut Self, &Arc) -> bool,
    ) -> Option<Vec<Hop>> {
        let mut before: HashMap<usize, Option<Hop>> = HashMap::from([(from, None)]);
        let mut queue = VecDeque::from([from]);
        while let Some(pair) = queue.pop_front() {
            let (arcs, _) = self.arcs(pair);
            for (number, arc) in arcs.iter().enumerate() {
                if !allowed(arc.target) {
                    continue;
                }
                if goal(self, arc) {
                    let mut walk = vec![(pair, number)];
                    let mut at = pair;
                    while let Some(&Some(hop)) = before.get(&at) {
                        walk.push(hop);
                        at = hop.0;
                    }
                    walk.reverse();
                    return Some(walk);
                }
                if let std::collections::hash_map::Entry::Vacant(place) = before.entry(arc.target) {
                    place.insert(Some((pair, number)));
                    queue.push_back(arc.target);
                }
            }
        }
        None
    }

    /// A cycle through a pair with all marks; `weak` says whether it must be weakly fair.
    pub(super) fn cycle(&mut self, start: usize, weak: bool) -> Option<(Way, Way)> {
        let able = self.arcs(start).1;
        let have = Marks { sets: 0, fair: if weak { able.others() } else { Bits::ALL } };
        let walk = self.collect(start, have, weak, &|_| true, &Self::is_served)?;
        Some((Vec::new(), self.way(&walk)))
    }

    /// Whether a process moves with an edge, or cannot move after it.
    pub(super) fn is_served(&mut self, arc: &Arc, process: usize) -> bool {
        arc.marks.fair.contains(process) || !self.arcs(arc.target).1.contains(process)
    }

    /// How many pairs were met.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether every run through a pair violates the claim; the inner option is none for a formula.
    pub(super) fn goes_wrong(&mut self, pair: usize) -> Option<Option<LassoKind>> {
        self.arcs(pair);
        let Pair { node, word, .. } = &self.pairs[pair];
        self.automaton.verdict(*node, (*word)?)
    }

    /// A walk from a pair back to it that has what is missing: the automaton's marks, and what is asked for each process.
    pub(super) fn collect(
        &mut self,
        start: usize,
        mut have: Marks,
        weak: bool,
        allowed: &dyn Fn(usize) -> bool,
        serves: &dyn Fn(&mut Self, &Arc, usize) -> bool,
    ) -> Option<Vec<Hop>> {
        let mut walk: Vec<Hop> = Vec::new();
        let mut at = start;
        let all = self.all_sets();
        loop {
            let set = all & !have.sets;
            let process = have.fair.others().numbers().next();
            let part = match (set, process) {
                (0, None) => break,
                (0, Some(process)) => self.walk(at, allowed, &mut |component, arc| serves(component, arc, process))?,
                (set, _) => self.walk(at, allowed, &mut |_, arc| arc.marks.sets & set != 0)?,
            };
            if set == 0
                && let Some(process) = process
            {
                have.fair.insert(process);
            }
            at = self.go(&mut walk, &mut have, part, weak).unwrap_or(at);
        }
        if at != start || walk.is_empty() {
            let back = self.walk(at, allowed, &mut |_, arc| arc.target == start)?;
            self.go(&mut walk, &mut have, back, weak);
        }
        Some(walk)
    }

    /// Goes on with a walk; gives back where it ends.
    fn go(&mut self, walk: &mut Vec<Hop>, have: &mut Marks, part: Vec<Hop>, weak: bool) -> Option<usize> {
        let mut end = None;
        for (pair, number) in part {
            let arcs = self.arcs(pair).0;
            let arc = &arcs[number];
            have.add(arc.marks);
            if weak {
                have.fair.add(self.arcs(arc.target).1.others());
            }
            walk.push((pair, number));
            end = Some(arc.target);
        }
        end
    }

    /// The steps of a walk.
    pub(super) fn way(&mut self, walk: &[Hop]) -> Way {
        walk.iter().map(|&(pair, number)| self.arcs(pair).0[number].steps.clone()).collect()
    }
}
