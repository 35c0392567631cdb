//! Direct simulation: a state simulates another if it can answer every edge with one that asks for no more, has its marks and
//! leads to a state that simulates the other's target. States that simulate each other are one state, and an edge is left out if
//! another edge from the same state does all it does.

use crate::clean::without_unreachable;
use crate::{Automaton, Edge};

/// Larger automata are left as they are: the table has an entry for every two states.
const MAX_STATES: usize = 600;

/// For every two states `p`, `q`, at `p * n + q`, whether `q` simulates `p`.
pub(crate) fn simulation(automaton: &Automaton) -> Vec<bool> {
    let n = automaton.states.len();
    let mut simulated = vec![true; n * n];
    let mut changed = true;
    while changed {
        changed = false;
        for p in 0..n {
            for q in 0..n {
                if p == q || !simulated[p * n + q] {
                    continue;
                }
                let answered = automaton.states[p]
                    .iter()
                    .all(|edge| automaton.states[q].iter().any(|other| better(other, edge, n, &simulated)));
                if !answered {
                    simulated[p * n + q] = false;
                    changed = true;
                }
            }
        }
    }
    simulated
}

/// Whether `other` does all that `edge` does.
fn better(other: &Edge, edge: &Edge, n: usize, simulated: &[bool]) -> bool {
    other.guard.covers(edge.guard)
        && edge.marks & !other.marks == 0
        && simulated[usize::from(edge.target) * n + usize::from(other.target)]
}

/// The automaton with one state for all states that simulate each other, and without needless edges.
pub(crate) fn quotient(automaton: &Automaton) -> Automaton {
    let n = automaton.states.len();
    if n > MAX_STATES {
        return automaton.clone();
    }
    let simulated = simulation(automaton);
    let first = |state: usize| {
        (0..n).find(|&other| simulated[state * n + other] && simulated[other * n + state]).unwrap_or(state) as u16
    };
    let states = automaton
        .states
        .iter()
        .map(|edges| {
            let mut kept: Vec<Edge> =
                edges.iter().map(|edge| Edge { target: first(usize::from(edge.target)), ..*edge }).collect();
            kept.sort_unstable();
            kept.dedup();
            let mut i = 0;
            while i < kept.len() {
                let edge = kept[i];
                let needless = kept.iter().enumerate().any(|(j, other)| {
                    j != i && better(other, &edge, n, &simulated) && (j < i || !better(&edge, other, n, &simulated))
                });
                if needless {
                    kept.remove(i);
                } else {
                    i += 1;
                }
            }
            kept
        })
        .collect();
    without_unreachable(&Automaton { states, ..*automaton }, first(0))
}
