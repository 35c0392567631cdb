//! Words that repeat: a beginning and a cycle. A formula is evaluated on them as it is defined, backwards and without an
//! automaton, so that this is the judge of all that uses one.

use crate::components::components;
use crate::{Automaton, Formula};

/// Whether the formula holds on the word. Letters are sets of true propositions; after the last letter comes that at
/// `loop_start`.
///
/// # Panics
///
/// There is no letter at `loop_start`.
pub fn holds(formula: &Formula, word: &[u64], loop_start: usize) -> bool {
    values(formula, word, loop_start)[0]
}

/// Whether the formula holds at each position of the word.
///
/// # Panics
///
/// There is no letter at `loop_start`.
pub fn values(formula: &Formula, word: &[u64], loop_start: usize) -> Vec<bool> {
    assert!(loop_start < word.len(), "a word that repeats has a cycle");
    let all = |value: bool| vec![value; word.len()];
    let of = |operand: &Formula| values(operand, word, loop_start);
    let both = |a: &Formula, b: &Formula, operator: fn(bool, bool) -> bool| -> Vec<bool> {
        of(a).into_iter().zip(of(b)).map(|(a, b)| operator(a, b)).collect()
    };
    // The least or greatest solution of `value[i] = now[i] || (stay[i] && value[i + 1])`.
    let fixpoint = |now: Vec<bool>, stay: Vec<bool>, start: bool| -> Vec<bool> {
        let mut value = all(start);
        // The first round finds the values at the start of the cycle, the second those of the rest.
        for _ in 0..2 {
            for i in (0..word.len()).rev() {
                let next = *value.get(i + 1).unwrap_or(&value[loop_start]);
                value[i] = now[i] || (stay[i] && next);
            }
        }
        value
    };
    match formula {
        Formula::True => all(true),
        Formula::False => all(false),
        Formula::Proposition(number) => word.iter().map(|letter| letter >> number & 1 == 1).collect(),
        Formula::Not(a) => of(a).into_iter().map(|value| !value).collect(),
        Formula::And(a, b) => both(a, b, |a, b| a && b),
        Formula::Or(a, b) => both(a, b, |a, b| a || b),
        Formula::Implies(a, b) => both(a, b, |a, b| !a || b),
        Formula::Equivalent(a, b) => both(a, b, |a, b| a == b),
        Formula::Next(a) => {
            let mut value = of(a);
            let first = value[loop_start];
            value.remove(0);
            value.push(first);
            value
        }
        Formula::Always(a) => fixpoint(all(false), of(a), true),
        Formula::Eventually(a) => fixpoint(of(a), all(true), false),
        Formula::Until(a, b) => fixpoint(of(b), of(a), false),
        Formula::WeakUntil(a, b) => fixpoint(of(b), of(a), true),
        Formula::Release(a, b) => fixpoint(both(a, b, |a, b| a && b), of(b), true),
    }
}

/// Whether the automaton accepts the word.
///
/// # Panics
///
/// There is no letter at `loop_start`.
pub fn accepts(automaton: &Automaton, word: &[u64], loop_start: usize) -> bool {
    assert!(loop_start < word.len(), "a word that repeats has a cycle");
    let node = |state: usize, position: usize| state * word.len() + position;
    let mut edges = vec![Vec::new(); automaton.states.len() * word.len()];
    let mut marked = Vec::new();
    let mut reached = vec![false; edges.len()];
    let mut waiting = vec![(0, 0)];
    reached[0] = true;
    while let Some((state, position)) = waiting.pop() {
        let after = if position + 1 < word.len() { position + 1 } else { loop_start };
        for edge in automaton.states[state].iter().filter(|edge| edge.guard.contains(word[position])) {
            let target = usize::from(edge.target);
            edges[node(state, position)].push(node(target, after));
            marked.push((node(state, position), node(target, after), edge.marks));
            if !std::mem::replace(&mut reached[node(target, after)], true) {
                waiting.push((target, after));
            }
        }
    }
    let component = components(&edges);
    let mut met = vec![None; edges.len()];
    for (from, to, marks) in marked {
        if component[from] == component[to] {
            *met[component[from]].get_or_insert(0) |= marks;
        }
    }
    met.into_iter().flatten().any(|marks| marks == automaton.all_marks())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_as_defined() {
        let (p, q) = (Formula::Proposition(0), Formula::Proposition(1));
        let word = [0b01, 0b01, 0b10, 0b00];
        assert_eq!(values(&Formula::until(p.clone(), q.clone()), &word, 3), [true, true, true, false]);
        assert_eq!(values(&Formula::until(p.clone(), q.clone()), &word, 2), [true, true, true, false]);
        assert_eq!(values(&Formula::eventually(q.clone()), &word, 2), [true, true, true, true]);
        assert_eq!(values(&Formula::next(q.clone()), &word, 2), [false, true, false, true]);
        assert_eq!(values(&Formula::next(p.clone()), &[1], 0), [true]);
        assert_eq!(values(&Formula::release(q.clone(), p.clone()), &word, 0), [false; 4]);
        assert_eq!(values(&Formula::release(q.clone(), p.clone()), &[0b01, 0b11, 0], 2), [true, true, false]);
        assert_eq!(values(&Formula::weak_until(p.clone(), q.clone()), &[0b01], 0), [true]);
        assert_eq!(values(&Formula::until(p, q), &[0b01], 0), [false]);
    }
}
