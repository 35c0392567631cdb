//! Whether a property cannot count steps: it is the same when a state of a run is repeated or a repetition left out. Partial-order
//! reduction needs that. The check of formulas follows Michaud & Duret-Lutz, *Practical stutter-invariance checks for
//! ω-regular languages*, 2015.

use std::collections::{BTreeSet, HashMap};

use crate::clean::{accepting_components, clean};
use crate::simulate::simulation;
use crate::{Automaton, Cube, Edge, Formula, translate};

/// With more propositions nothing is shown: every set of them is a letter.
const MAX_LETTERS: usize = 10;
/// The largest product that is looked at.
const MAX_EDGES: usize = 1_000_000;

/// Whether the formula was shown not to count steps. A formula without `X` never does.
///
/// Two runs that differ in repetitions only become the same when all repetitions are left out. So the formula counts
/// steps if and only if some word can be got in that way from a run that satisfies it, and from one that does not.
pub fn invariant(formula: &Formula) -> bool {
    if !formula.has_next() {
        return true;
    }
    let numbers: Vec<usize> = formula.propositions().into_iter().collect();
    if numbers.len() > MAX_LETTERS {
        return false;
    }
    let dense = formula.renumbered(&mut |old| numbers.binary_search(&old).unwrap_or(0));
    let (Ok(yes), Ok(no)) = (translate(&dense), translate(&dense.negated())) else { return false };
    let letters = 1_u64 << numbers.len();
    let mut budget = MAX_EDGES;
    let (Some(yes), Some(no)) = (shortened(&yes, letters, &mut budget), shortened(&no, letters, &mut budget)) else {
        return false;
    };
    disjoint(&yes, &no, &mut budget)
}

/// An automaton with an edge for every letter, by state and letter.
struct Letters {
    edges: Vec<Vec<Vec<(u16, u64)>>>,
    sets: u32,
}

/// The automaton that can also read one letter where the given one reads it several times.
fn shortened(automaton: &Automaton, letters: u64, budget: &mut usize) -> Option<Letters> {
    let mut edges = Vec::new();
    for state in 0..automaton.states.len() {
        let mut by_letter = Vec::new();
        for letter in 0..letters {
            let mut reached = BTreeSet::new();
            let mut waiting = vec![(state as u16, 0)];
            while let Some((from, marks)) = waiting.pop() {
                for edge in automaton.states[usize::from(from)].iter().filter(|edge| edge.guard.contains(letter)) {
                    let to = (edge.target, marks | edge.marks);
                    if reached.insert(to) {
                        *budget = budget.checked_sub(1)?;
                        waiting.push(to);
                    }
                }
            }
            by_letter.push(reached.into_iter().collect());
        }
        edges.push(by_letter);
    }
    Some(Letters { edges, sets: automaton.sets })
}

/// Whether no word is accepted by both. `false` if that is too much work.
fn disjoint(a: &Letters, b: &Letters, budget: &mut usize) -> bool {
    let sets = a.sets + b.sets;
    if sets > 64 {
        return false;
    }
    let mut numbers = HashMap::from([((0_u16, 0_u16), 0_u16)]);
    let mut order = vec![(0, 0)];
    let mut states = Vec::new();
    while let Some(&(p, q)) = order.get(states.len()) {
        let mut edges = BTreeSet::new();
        for (left, right) in a.edges[usize::from(p)].iter().zip(&b.edges[usize::from(q)]) {
            for &(p, first) in left {
                for &(q, second) in right {
                    let Some(rest) = budget.checked_sub(1) else { return false };
                    *budget = rest;
                    let Ok(new) = u16::try_from(order.len()) else { return false };
                    let target = *numbers.entry((p, q)).or_insert(new);
                    if target == new {
                        order.push((p, q));
                    }
                    let marks = first | second.checked_shl(a.sets).unwrap_or(0);
                    edges.insert(Edge { guard: Cube::TRUE, target, marks });
                }
            }
        }
        states.push(edges.into_iter().collect());
    }
    let (_, accepting) = accepting_components(&Automaton { states, sets });
    !accepting.contains(&true)
}

/// Whether an automaton was shown not to count steps. There are automata that do not count and are not shown not to.
///
/// Two edges with the same letter, one after the other, can be replaced by one of them; and every edge by two with its letter.
/// Targets may be states that simulate those that they stand for, and marks may be more. An edge that
/// leaves its component may stand for any marks, since a run takes only so many of them.
pub fn claim_invariant(automaton: &Automaton) -> bool {
    let automaton = &clean(automaton.clone());
    let guards = automaton.states.iter().flatten();
    let used = guards.fold(0, |used, edge| used | edge.guard.yes | edge.guard.no);
    if used.count_ones() as usize > MAX_LETTERS {
        return false;
    }
    let n = automaton.states.len();
    let simulated = simulation(automaton);
    let (component, _) = accepting_components(automaton);
    let leaves = |q: u16, edge: &Edge| component[usize::from(q)] != component[usize::from(edge.target)];
    let read =
        |q: u16, letter: u64| automaton.states[usize::from(q)].iter().filter(move |edge| edge.guard.contains(letter));
    let does = |q: u16, letter: u64, target: u16, marks: u64| {
        read(q, letter).any(|edge| {
            (marks & !edge.marks == 0 || leaves(q, edge))
                && simulated[usize::from(target) * n + usize::from(edge.target)]
        })
    };
    let joins = |q: u16, letter: u64, edge: &Edge| {
        read(edge.target, letter).all(|second| does(q, letter, second.target, edge.marks | second.marks))
    };
    let splits = |q: u16, letter: u64, edge: &Edge| {
        read(q, letter).any(|first| {
            let missing = if leaves(q, first) { 0 } else { edge.marks & !first.marks };
            does(first.target, letter, edge.target, missing)
        })
    };
    // All sets of the propositions that the automaton reads.
    let mut letter = 0_u64;
    loop {
        for q in 0..n as u16 {
            if !read(q, letter).all(|edge| joins(q, letter, edge) && splits(q, letter, edge)) {
                return false;
            }
        }
        letter = letter.wrapping_sub(used) & used;
        if letter == 0 {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p() -> Formula {
        Formula::Proposition(3)
    }

    fn q() -> Formula {
        Formula::Proposition(5)
    }

    #[test]
    fn formulas_that_count_are_told_from_those_that_do_not() {
        assert!(!invariant(&Formula::next(p())));
        assert!(!invariant(&Formula::always(Formula::implies(p(), Formula::next(q())))));
        // A change from p to q, whenever it comes.
        let change = Formula::and(p(), Formula::next(Formula::and(p().negated(), q())));
        assert!(invariant(&Formula::eventually(change)));
        assert!(invariant(&Formula::next(Formula::always(Formula::eventually(p())))));
        assert!(!invariant(&Formula::or(p(), Formula::next(p()).negated())));
        assert!(invariant(&Formula::until(p(), q())));
    }

    #[test]
    fn automata_that_count_are_refused() {
        let of = |formula: &Formula| claim_invariant(&translate(formula).unwrap());
        assert!(of(&Formula::eventually(p())));
        assert!(of(&Formula::always(p())));
        assert!(of(&Formula::until(p(), q())));
        assert!(!of(&Formula::next(p())));
        assert!(!of(&Formula::next(Formula::next(p()))));
    }
}
