//! Strong fairness inside a component: which processes are enabled again and again and never move, and what is left without
//! the pairs where they are. It follows Emerson and Lei's algorithm for Streett conditions.

use std::collections::HashSet;

use super::bits::{Bits, Marks};
use super::component::{Arc, Component, Hop, Way};

/// A strongly fair cycle with all marks in the component that a pair belongs to, and the way to it.
pub(super) fn cycle(component: &mut Component, start: usize) -> Option<(Way, Way)> {
    let mut all = vec![start];
    let mut known = HashSet::from([start]);
    let mut next = 0;
    while next < all.len() {
        let (arcs, _) = component.arcs(all[next]);
        all.extend(arcs.iter().map(|arc| arc.target).filter(|&target| known.insert(target)));
        next += 1;
    }
    let good = fair_parts(component, all).into_iter().next()?;
    let goal = *good.first()?;
    let way = match goal == start {
        true => Vec::new(),
        false => component.walk(start, &|_| true, &mut |_, arc| arc.target == goal)?,
    };
    let walk = walk(component, goal, &good)?;
    Some((component.way(&way), component.way(&walk)))
}

/// A cycle through a pair of a part with all marks, on which every process moves that is enabled in the part.
pub(super) fn walk(component: &mut Component, start: usize, part: &[usize]) -> Option<Vec<Hop>> {
    let inside: HashSet<usize> = part.iter().copied().collect();
    let able = part.iter().fold(Bits::default(), |mut able, &pair| {
        able.add(component.arcs(pair).1);
        able
    });
    let have = Marks { sets: 0, fair: able.others() };
    let moves = |_: &mut Component, arc: &Arc, process: usize| arc.marks.fair.contains(process);
    component.collect(start, have, false, &|pair| inside.contains(&pair), &moves)
}

/// The largest strongly connected parts with all marks in which every process that is enabled also moves.
pub(super) fn fair_parts(component: &mut Component, pairs: Vec<usize>) -> Vec<Vec<usize>> {
    let mut good = Vec::new();
    let mut work = vec![pairs];
    while let Some(pairs) = work.pop() {
        for part in components(component, &pairs) {
            let inside: HashSet<usize> = part.iter().copied().collect();
            let (mut sets, mut moved, mut able, mut closed) = (0, Bits::default(), Bits::default(), false);
            for &pair in &part {
                let (arcs, enabled) = component.arcs(pair);
                able.add(enabled);
                for arc in arcs.iter().filter(|arc| inside.contains(&arc.target)) {
                    closed = true;
                    sets |= arc.marks.sets;
                    moved.add(arc.marks.fair);
                }
            }
            if !closed || sets != component.all_sets() {
                continue;
            }
            let starved = able.without(moved);
            if starved.is_empty() {
                good.push(part);
                continue;
            }
            let rest: Vec<usize> = part
                .into_iter()
                .filter(|&pair| component.arcs(pair).1.numbers().all(|process| !starved.contains(process)))
                .collect();
            if !rest.is_empty() {
                work.push(rest);
            }
        }
    }
    good
}

/// The strongly connected components of the graph of some pairs (Tarjan's algorithm).
pub(super) fn components(component: &mut Component, pairs: &[usize]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let most = pairs.iter().copied().max().map_or(0, |most| most + 1);
    let mut place = vec![UNSEEN; most];
    pairs.iter().enumerate().for_each(|(at, &pair)| place[pair] = at);
    let targets: Vec<Vec<usize>> = pairs
        .iter()
        .map(|&pair| {
            let (arcs, _) = component.arcs(pair);
            let inside = |target: usize| place.get(target).copied().filter(|&at| at != UNSEEN);
            arcs.iter().filter_map(|arc| inside(arc.target)).collect()
        })
        .collect();
    let (mut order, mut low) = (vec![UNSEEN; pairs.len()], vec![0; pairs.len()]);
    let mut open = vec![false; pairs.len()];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..pairs.len() {
        if order[root] != UNSEEN {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((at, next)) = work.pop() {
            if next == 0 {
                (order[at], low[at]) = (count, count);
                count += 1;
                stack.push(at);
                open[at] = true;
            }
            match targets[at].get(next) {
                Some(&target) => {
                    work.push((at, next + 1));
                    if order[target] == UNSEEN {
                        work.push((target, 0));
                    } else if open[target] {
                        low[at] = low[at].min(order[target]);
                    }
                }
                None => {
                    if let Some(&(parent, _)) = work.last() {
                        low[parent] = low[parent].min(low[at]);
                    }
                    if low[at] == order[at] {
                        let from = stack.iter().rposition(|&other| other == at).unwrap_or(0);
                        let part: Vec<usize> = stack.drain(from..).collect();
                        part.iter().for_each(|&other| open[other] = false);
                        found.push(part.into_iter().map(|other| pairs[other]).collect());
                    }
                }
            }
        }
    }
    found
}
