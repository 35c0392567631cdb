//! Shortest violations: all pairs are looked at in the order of their distance, without reductions, and the first one is taken
//! where a run goes wrong or a cycle that counts begins. It follows breadth-first search, and is for models that have a violation.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};

use quotient_step::machine::Machine;
use quotient_step::replay::Path;

use super::bits::{Bits, Marks};
use super::component::{Component, Hop, Way};
use super::successors::{Successors, add_steps};
use super::system::System;
use super::{ClaimRequest, Fairness, Lasso, LassoKind, TICK, strong};
use crate::Progress;

/// No more places are looked at for a shortest cycle with several acceptance sets, or a fair one: pairs, each with what the cycle has
/// so far.
const MOST_PLACES: usize = 1 << 18;

/// The violation with the shortest beginning, and with a shortest cycle after it; and whether that cycle is known to be one. Lengths
/// are counted in states where everyone may move. None if there is none, or if a limit is reached or the observer asks for an end
/// first.
pub(super) fn shortest(
    mut system: System,
    asked: ClaimRequest,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> Option<(Lasso, bool)> {
    let mut first = Successors::default();
    system.initial(&mut first);
    let start = first.state(&first.list()[0]).to_vec();
    let mut everyone = |_: &mut Machine, _: &[u8], _: u16| true;
    let mut component = Component::new(&mut system, asked.automaton, &mut everyone);
    let initial = component.begin(start, asked.automaton.start);
    let mut number = initial;
    // Pairs get their numbers in the order of their distance.
    let mut prefix = None;
    while number < component.len() {
        if (number as u64).is_multiple_of(TICK) {
            let (states, bytes) = (component.len() as u64, component.bytes());
            let progress = Progress { states, matched: 0, depth: 0, current: number as u64, bytes };
            if asked.limit(states, bytes).is_some() || !observer(progress) {
                return None;
            }
        }
        component.arcs(number);
        if prefix.is_none() {
            prefix = component.goes_wrong(number).map(|kind| (number, kind));
        }
        number += 1;
    }
    let all: Vec<usize> = (0..number).collect();
    let cycle = begin_of_cycle(&mut component, &all, asked.options.fairness);
    let (at, lasso) = match (cycle, prefix) {
        (Some((at, part)), None) => (at, Some(part)),
        (Some((at, part)), Some((other, _))) if at < other => (at, Some(part)),
        (_, Some((at, _))) => (at, None),
        (None, None) => return None,
    };
    let way = match at == initial {
        true => Vec::new(),
        false => component.walk(initial, &|_| true, &mut |_, arc| arc.target == at)?,
    };
    let mut path = Path::new();
    component.way(&way).iter().for_each(|steps| add_steps(&mut path, steps));
    let Some(part) = lasso else {
        let kind = prefix.map_or(LassoKind::ClaimCompleted, |(_, kind)| kind.unwrap_or(asked.kind));
        return Some((Lasso { kind, path, loop_start: None }, true));
    };
    let (cycle, is_shortest) = cycle_at(&mut component, at, &part, asked.options.fairness)?;
    let loop_start = Some(path.len());
    cycle.iter().for_each(|steps| add_steps(&mut path, steps));
    Some((Lasso { kind: asked.kind, path, loop_start }, is_shortest))
}

/// The first pair that is in a part with cycles that count, and the part.
fn begin_of_cycle(component: &mut Component, all: &[usize], fairness: Fairness) -> Option<(usize, Vec<usize>)> {
    let mut best: Option<(usize, Vec<usize>)> = None;
    for part in strong::components(component, all) {
        let parts = match fairness {
            Fairness::Strong => strong::fair_parts(component, part),
            Fairness::None | Fairness::Weak if counts(component, &part, fairness) => vec![part],
            Fairness::None | Fairness::Weak => Vec::new(),
        };
        for part in parts {
            let first = part.iter().copied().min().unwrap_or(0);
            if best.as_ref().is_none_or(|(other, _)| first < *other) {
                best = Some((first, part));
            }
        }
    }
    best
}

/// Whether a strongly connected part has a cycle with all marks, and a weakly fair one if so asked.
fn counts(component: &mut Component, part: &[usize], fairness: Fairness) -> bool {
    let inside: HashSet<usize> = part.iter().copied().collect();
    let (mut marks, mut closed) = (Marks::default(), false);
    for &pair in part {
        let (arcs, able) = component.arcs(pair);
        marks.fair.add(able.others());
        for arc in arcs.iter().filter(|arc| inside.contains(&arc.target)) {
            closed = true;
            marks.add(arc.marks);
        }
    }
    closed && marks.sets == component.all_sets() && (fairness == Fairness::None || marks.fair == Bits::ALL)
}

/// A cycle of a part through a pair, and whether it is known to be a shortest one.
fn cycle_at(component: &mut Component, at: usize, part: &[usize], fairness: Fairness) -> Option<(Way, bool)> {
    let inside: HashSet<usize> = part.iter().copied().collect();
    let allowed = |pair: usize| inside.contains(&pair);
    if fairness == Fairness::None && component.all_sets() <= 1 {
        let walk = shortest_walk(component, at, part, &allowed)?;
        return Some((component.way(&walk), true));
    }
    if let Some(walk) = shortest_with_all(component, at, &allowed, fairness) {
        return Some((component.way(&walk), true));
    }
    let walk: Vec<Hop> = match fairness {
        Fairness::None => {
            let have = Marks { sets: 0, fair: Bits::ALL };
            component.collect(at, have, false, &allowed, &|_, _, _| true)?
        }
        Fairness::Weak => {
            let have = Marks { sets: 0, fair: component.arcs(at).1.others() };
            component.collect(at, have, true, &allowed, &Component::is_served)?
        }
        Fairness::Strong => strong::walk(component, at, part)?,
    };
    Some((component.way(&walk), false))
}

/// A pair on the way round a cycle, with what the cycle has so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    pair: usize,
    /// Acceptance sets.
    sets: u64,
    /// Processes that have moved; with weak fairness also those that could not.
    served: Bits,
    /// Processes that could move somewhere; with strong fairness only.
    able: Bits,
}

/// A shortest walk from a pair back to it through pairs that are allowed, with all acceptance sets, and fair if so asked. It goes
/// through the product of the pairs with what a cycle can have so far, breadth-first. None if that is too large.
fn shortest_with_all(
    component: &mut Component,
    at: usize,
    allowed: &dyn Fn(usize) -> bool,
    fairness: Fairness,
) -> Option<Vec<Hop>> {
    let all = component.all_sets();
    let able = component.arcs(at).1;
    let first = match fairness {
        Fairness::None => Place { pair: at, sets: 0, served: Bits::ALL, able: Bits::default() },
        Fairness::Weak => Place { pair: at, sets: 0, served: able.others(), able: Bits::default() },
        Fairness::Strong => Place { pair: at, sets: 0, served: Bits::default(), able },
    };
    let is_complete = |place: &Place| {
        let fair = match fairness {
            Fairness::None | Fairness::Weak => place.served == Bits::ALL,
            Fairness::Strong => place.able.without(place.served).is_empty(),
        };
        fair && place.sets & all == all
    };
    // Each place with the one before it, and the edge between them.
    let mut places: Vec<(Place, usize, Hop)> = vec![(first, 0, (at, 0))];
    let mut known = HashSet::from([first]);
    let mut next = 0;
    while next < places.len() && places.len() <= MOST_PLACES {
        let here = places[next].0;
        let (arcs, _) = component.arcs(here.pair);
        for (number, arc) in arcs.iter().enumerate().filter(|(_, arc)| allowed(arc.target)) {
            let mut there = Place { pair: arc.target, sets: here.sets | arc.marks.sets, ..here };
            there.served.add(arc.marks.fair);
            let able = component.arcs(arc.target).1;
            match fairness {
                Fairness::None => {}
                Fairness::Weak => there.served.add(able.others()),
                Fairness::Strong => there.able.add(able),
            }
            let hop = (here.pair, number);
            if there.pair == at && is_complete(&there) {
                let mut walk = vec![hop];
                let mut back = next;
                while back != 0 {
                    walk.push(places[back].2);
                    back = places[back].1;
                }
                walk.reverse();
                return Some(walk);
            }
            if known.insert(there) {
                places.push((there, next, hop));
            }
        }
        next += 1;
    }
    None
}

/// A shortest walk through a part from a pair back to it, with an edge that has all marks.
fn shortest_walk(
    component: &mut Component,
    at: usize,
    part: &[usize],
    allowed: &dyn Fn(usize) -> bool,
) -> Option<Vec<Hop>> {
    let (mut onward, mut backward): (Edges, Edges) = Default::default();
    for &pair in part {
        for arc in component.arcs(pair).0.iter().filter(|arc| allowed(arc.target)) {
            onward.entry(pair).or_default().push(arc.target);
            backward.entry(arc.target).or_default().push(pair);
        }
    }
    let (from_here, to_here) = (distances(at, &onward), distances(at, &backward));
    let sets = component.all_sets();
    let mut best: Option<(usize, Hop, usize)> = None;
    for &pair in part {
        for (number, arc) in component.arcs(pair).0.iter().enumerate().filter(|(_, arc)| arc.marks.sets & sets == sets)
        {
            let (Some(there), Some(back)) = (from_here.get(&pair), to_here.get(&arc.target)) else { continue };
            if best.is_none_or(|(length, ..)| there + back < length) {
                best = Some((there + back, (pair, number), arc.target));
            }
        }
    }
    let (_, hop, target) = best?;
    let mut walk = match hop.0 == at {
        true => Vec::new(),
        false => component.walk(at, allowed, &mut |_, arc| arc.target == hop.0)?,
    };
    walk.push(hop);
    if target != at {
        walk.extend(component.walk(target, allowed, &mut |_, arc| arc.target == at)?);
    }
    Some(walk)
}

/// By pair, where edges lead.
type Edges = HashMap<usize, Vec<usize>>;

/// How many edges it takes to come to each pair.
fn distances(from: usize, edges: &Edges) -> HashMap<usize, usize> {
    let mut found = HashMap::from([(from, 0)]);
    let mut queue = VecDeque::from([from]);
    while let Some(pair) = queue.pop_front() {
        let next = found[&pair] + 1;
        for &target in edges.get(&pair).into_iter().flatten() {
            if let Entry::Vacant(place) = found.entry(target) {
                place.insert(next);
                queue.push_back(target);
            }
        }
    }
    found
}
