//! Automata with one acceptance set, on states, as a nested depth-first search needs them. A copy of a state says which set comes
//! next; the copies of a component that cannot accept are one.

use std::collections::HashMap;

use crate::clean::accepting_components;
use crate::{Automaton, Edge};

/// A Büchi automaton: a run is accepted if it goes through accepting states infinitely often. It begins in state 0, and the marks
/// of its edges mean nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// For each state whether it is accepting, and the edges that leave it.
    pub states: Vec<(bool, Vec<Edge>)>,
}

/// The Büchi automaton for the same language. `None` if it has more states than there can be.
pub fn degeneralise(automaton: &Automaton) -> Option<Buchi> {
    let (component, accepting) = accepting_components(automaton);
    let sets = automaton.sets;
    // Level `k`: the sets below `k` were met since the last accepting state. Level `sets` is accepting.
    let entered = |state: usize| if sets == 0 && accepting[component[state]] { sets } else { 0 };
    let mut numbers = HashMap::from([((0, entered(0)), 0_u16)]);
    let mut order = vec![(0, entered(0))];
    let mut states = Vec::new();
    while let Some(&(state, level)) = order.get(states.len()) {
        let mut edges = Vec::new();
        for edge in &automaton.states[state] {
            let target = usize::from(edge.target);
            let after = if component[state] != component[target] || !accepting[component[state]] || sets == 0 {
                entered(target)
            } else {
                let from = if level == sets { 0 } else { level };
                (from..sets).find(|&set| edge.marks >> set & 1 == 0).unwrap_or(sets)
            };
            let new = u16::try_from(order.len()).ok()?;
            let number = *numbers.entry((target, after)).or_insert(new);
            if number == new {
                order.push((target, after));
            }
            edges.push(Edge { target: number, marks: 0, ..*edge });
        }
        states.push((accepting[component[state]] && level == sets, edges));
    }
    Some(Buchi { states })
}
