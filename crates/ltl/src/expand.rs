//! From a formula to an automaton: a state is a set of formulas that must hold from here on. What `a U b` puts off is promised
//! on the edge, and an edge is in the acceptance set of `a U b` if it does not promise it.
//!
//! On a run where the formula holds there is an accepted way: take `b` whenever it holds. So the automaton misses nothing,
//! whatever follows from other formulas and is left out of a set, and whatever edge is left out because another asks for
//! less.

use std::collections::HashMap;

use crate::automaton::all_marks;
use crate::pool::{FALSE, Id, Node, Pool};
use crate::{Automaton, Cube, Edge, TooLarge};

/// One way in which formulas can hold: what must be true now, what must hold next, what is promised.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Way {
    now: Cube,
    next: Vec<Id>,
    promised: u64,
}

impl Way {
    const FREE: Self = Self { now: Cube::TRUE, next: Vec::new(), promised: 0 };

    /// Whether it asks for nothing that `other` does not ask for.
    fn asks_less(&self, other: &Self) -> bool {
        self.now.covers(other.now)
            && self.promised & !other.promised == 0
            && self.next.iter().all(|id| other.next.binary_search(id).is_ok())
    }
}

/// What is known during a translation.
struct Expansion<'p> {
    pool: &'p mut Pool,
    ways: HashMap<Id, Vec<Way>>,
    promises: HashMap<Id, u32>,
}

/// The automaton of a formula, as large as it comes.
pub(crate) fn expand(pool: &mut Pool, root: Id) -> Result<Automaton, TooLarge> {
    let mut expansion = Expansion { pool, ways: HashMap::new(), promises: HashMap::new() };
    let Some(first) = expansion.state(vec![root]) else { return Ok(Automaton::empty()) };
    let mut numbers = HashMap::from([(first.clone(), 0_u16)]);
    let mut sets = vec![first];
    let mut states: Vec<Vec<(Cube, u16, u64)>> = Vec::new();
    while let Some(set) = sets.get(states.len()).cloned() {
        let mut ways = vec![Way::FREE];
        for part in set {
            let more = expansion.ways_of(part)?;
            ways = expansion.both(&ways, &more)?;
        }
        let mut edges = Vec::new();
        for way in ways {
            let Some(next) = expansion.state(way.next) else { continue };
            let new = u16::try_from(sets.len()).map_err(|_| TooLarge::States)?;
            let target = *numbers.entry(next.clone()).or_insert(new);
            if target == new {
                sets.push(next);
            }
            edges.push((way.now, target, way.promised));
        }
        states.push(edges);
    }
    let sets = u32::try_from(expansion.promises.len()).map_err(|_| TooLarge::Sets)?;
    let states = states
        .into_iter()
        .map(|edges| {
            let edge = |(guard, target, promised): (Cube, u16, u64)| Edge {
                guard,
                target,
                marks: all_marks(sets) & !promised,
            };
            edges.into_iter().map(edge).collect()
        })
        .collect();
    Ok(Automaton { states, sets })
}

impl Expansion<'_> {
    /// The state for these formulas: those that the others do not imply. `None` if they cannot all hold.
    fn state(&mut self, formulas: Vec<Id>) -> Option<Vec<Id>> {
        let mut parts = Vec::new();
        for formula in formulas {
            match self.pool.node(formula) {
                Node::And(inner) => parts.extend(inner.iter().copied()),
                _ => parts.push(formula),
            }
        }
        self.pool.strongest(&mut parts);
        (parts != [FALSE]).then_some(parts)
    }

    fn ways_of(&mut self, formula: Id) -> Result<Vec<Way>, TooLarge> {
        if let Some(known) = self.ways.get(&formula) {
            return Ok(known.clone());
        }
        let ways = match self.pool.node(formula).clone() {
            Node::True => vec![Way::FREE],
            Node::False => Vec::new(),
            Node::Literal(number, value) => {
                let bit = 1 << number;
                let now = if value { Cube { yes: bit, no: 0 } } else { Cube { yes: 0, no: bit } };
                vec![Way { now, ..Way::FREE }]
            }
            Node::Next(a) => vec![Way { next: vec![a], ..Way::FREE }],
            Node::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.ways_of(part)?);
                }
                pruned(all)
            }
            Node::And(parts) => {
                let mut all = vec![Way::FREE];
                for part in parts {
                    let more = self.ways_of(part)?;
                    all = self.both(&all, &more)?;
                }
                all
            }
            Node::Until(a, b) => {
                let mut all = self.ways_of(b)?;
                let promised = self.promise(formula)?;
                let stay = self.ways_of(a)?;
                all.extend(self.both(&stay, &[Way { next: vec![formula], promised, ..Way::FREE }])?);
                pruned(all)
            }
            Node::Release(a, b) => {
                let (first, second) = (self.ways_of(a)?, self.ways_of(b)?);
                let mut all = self.both(&second, &first)?;
                all.extend(self.both(&second, &[Way { next: vec![formula], ..Way::FREE }])?);
                pruned(all)
            }
        };
        self.ways.insert(formula, ways.clone());
        Ok(ways)
    }

    /// The bit of what this formula puts off.
    fn promise(&mut self, until: Id) -> Result<u64, TooLarge> {
        let new = self.promises.len() as u32;
        let number = *self.promises.entry(until).or_insert(new);
        1_u64.checked_shl(number).ok_or(TooLarge::Sets)
    }

    /// All ways in which both can hold.
    fn both(&mut self, first: &[Way], second: &[Way]) -> Result<Vec<Way>, TooLarge> {
        self.pool.spend(first.len() * second.len() + 1)?;
        let mut all = Vec::new();
        for a in first {
            for b in second {
                let Some(now) = a.now.and(b.now) else { continue };
                let mut next: Vec<Id> = a.next.iter().chain(&b.next).copied().collect();
                next.sort_unstable();
                next.dedup();
                all.push(Way { now, next, promised: a.promised | b.promised });
            }
        }
        self.pool.spend(all.len() * all.len() / 16)?;
        Ok(pruned(all))
    }
}

/// Leaves out ways that ask for more than another.
fn pruned(mut ways: Vec<Way>) -> Vec<Way> {
    let mut i = 0;
    while i < ways.len() {
        let needless = ways
            .iter()
            .enumerate()
            .any(|(j, other)| j != i && other.asks_less(&ways[i]) && (j < i || !ways[i].asks_less(other)));
        if needless {
            ways.remove(i);
        } else {
            i += 1;
        }
    }
    ways
}
