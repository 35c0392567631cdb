//! Shortest violations: all pairs are looked at in the order of their distance, without reductions, and the first one is taken
//! where a run goes wrong or a cycle that counts begins. It follows breadth-first search, and is for models that have a violation.

use quotient_step::machine::Machine;
use quotient_step::replay::Path;

use super::bits::{Bits, Marks};
use super::component::{Component, Hop, Way};
use super::successors::{Successors, add_steps};
use super::system::System;
use super::{ClaimRequest, Fairness, Lasso, LassoKind, strong};

/// The violation with the shortest beginning, and with a shortest cycle after it if the automaton has one acceptance set and all
/// runs count. Lengths are counted in states where everyone may move. None if there are more pairs than allowed, or none.
pub(super) fn shortest(mut system: System, asked: ClaimRequest, most: u64) -> Option<Lasso> {
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
        if number as u64 > most {
            return None;
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
        return Some(Lasso { kind, path, loop_start: None });
    };
    let cycle = cycle_at(&mut component, at, &part, asked.options.fairness)?;
    let loop_start = Some(path.len());
    cycle.iter().for_each(|steps| add_steps(&mut path, steps));
    Some(Lasso { kind: asked.kind, path, loop_start })
}

/// The first pair that is in a part with cycles that count, and the part.
fn begin_of_cycle(component: &mut Component, all: &[usize], fairness: Fairness) -> Option<(usize, Vec<usize>)> {
    let mut best: Option<(usize, Vec<usize>)> = None;
    for part in strong::components(component, all) {
        let part = match fairness {
            Fairness::Strong => strong::fair_part(component, part),
            Fairness::None | Fairness::Weak => counts(component, &part, fairness).then_some(part),
        };
        let Some(part) = part else { continue };
        let first = part.iter().copied().min().unwrap_or(0);
        if best.as_ref().is_none_or(|(other, _)| first < *other) {
            best = Some((first, part));
        }
    }
    best
}

/// Whether a strongly connected part has a cycle with all marks, and a weakly fair one if so asked.
fn counts(component: &mut Component, part: &[usize], fairness: Fairness) -> bool {
    let inside: std::collections::HashSet<usize> = part.iter().copied().collect();
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

/// A cycle of a part through a pair.
fn cycle_at(component: &mut Component, at: usize, part: &[usize], fairness: Fairness) -> Option<Way> {
    let inside: std::collections::HashSet<usize> = part.iter().copied().collect();
    let allowed = |pair: usize| inside.contains(&pair);
    let walk: Vec<Hop> = match fairness {
        Fairness::None if component.all_sets() <= 1 => {
            let mut best: Option<Vec<Hop>> = None;
            let mut marked = Vec::new();
            for &pair in part {
                let (arcs, _) = component.arcs(pair);
                let sets = component.all_sets();
                let good =
                    arcs.iter().enumerate().filter(|(_, arc)| allowed(arc.target) && arc.marks.sets & sets == sets);
                marked.extend(good.map(|(number, arc)| (pair, number, arc.target)));
            }
            for (pair, number, target) in marked {
                let mut walk = match pair == at {
                    true => Vec::new(),
                    false => component.walk(at, &allowed, &mut |_, arc| arc.target == pair)?,
                };
                walk.push((pair, number));
                if best.as_ref().is_some_and(|best| best.len() <= walk.len()) {
                    continue;
                }
                if target != at {
                    walk.extend(component.walk(target, &allowed, &mut |_, arc| arc.target == at)?);
                }
                if best.as_ref().is_none_or(|best| walk.len() < best.len()) {
                    best = Some(walk);
                }
            }
            best?
        }
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
    Some(component.way(&walk))
}
