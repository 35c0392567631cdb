//! What the automaton can still do in each of its components. A search can stop at once in a terminal one, and need not look for
//! cycles in a rejecting one (Bloem, Ravi & Somenzi, *Efficient decision procedures for model checking of linear time logic
//! properties*, 1999).

use crate::clean::accepting_components;
use crate::components::components;
use crate::{Automaton, Cube, cubes};

/// What cycles there are through a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No run that stays in its component is accepted.
    Rejecting,
    /// Whatever comes is accepted.
    Terminal,
    /// Every run that stays in its component is accepted.
    Weak,
    /// Some runs that stay in its component are accepted, and perhaps not all.
    Strong,
}

impl Automaton {
    /// What kind each state is of.
    pub fn kinds(&self) -> Vec<Kind> {
        let (component, accepting) = accepting_components(self);
        let terminal = self.terminal();
        let weak = self.weak(&component);
        (0..self.states.len())
            .map(|state| match component[state] {
                _ if terminal[state] => Kind::Terminal,
                number if !accepting[number] => Kind::Rejecting,
                number if weak[number] => Kind::Weak,
                _ => Kind::Strong,
            })
            .collect()
    }

    /// For each state whether it is rejecting.
    pub fn rejecting(&self) -> Vec<bool> {
        let (component, accepting) = accepting_components(self);
        component.into_iter().map(|number| !accepting[number]).collect()
    }

    /// The states that can answer every letter with an edge of all sets to a state that can do so too.
    fn terminal(&self) -> Vec<bool> {
        let mut terminal = vec![true; self.states.len()];
        loop {
            let mut changed = false;
            for (state, edges) in self.states.iter().enumerate() {
                let guards: Vec<Cube> = edges
                    .iter()
                    .filter(|edge| edge.marks == self.all_marks() && terminal[usize::from(edge.target)])
                    .map(|edge| edge.guard)
                    .collect();
                if terminal[state] && !cubes::cover_all(&guards) {
                    terminal[state] = false;
                    changed = true;
                }
            }
            if !changed {
                return terminal;
            }
        }
    }

    /// For every component whether each of its cycles has the marks of all sets: without the edges of a set there is no
    /// cycle.
    fn weak(&self, component: &[usize]) -> Vec<bool> {
        let mut weak = vec![true; self.states.len()];
        for set in 0..self.sets {
            let without: Vec<Vec<usize>> = self
                .states
                .iter()
                .enumerate()
                .map(|(state, edges)| {
                    let targets =
                        edges.iter().filter(|edge| edge.marks >> set & 1 == 0).map(|edge| usize::from(edge.target));
                    targets.filter(|&target| component[target] == component[state]).collect()
                })
                .collect();
            let inner = components(&without);
            for (state, targets) in without.iter().enumerate() {
                if targets.iter().any(|&target| inner[target] == inner[state]) {
                    weak[component[state]] = false;
                }
            }
        }
        weak
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;
    use crate::{Formula, translate};

    #[test]
    fn kinds_of_usual_formulas() {
        let p = Formula::Proposition(0);
        let eventually = translate(&Formula::eventually(p.clone())).unwrap();
        assert_eq!(eventually.kinds(), [Kind::Rejecting, Kind::Terminal]);
        let always = translate(&Formula::always(p.clone())).unwrap();
        assert_eq!(always.kinds(), [Kind::Weak]);
        let again = translate(&Formula::always(Formula::eventually(p.clone()))).unwrap();
        assert_eq!(again.kinds(), [Kind::Strong]);
        let stays = translate(&Formula::eventually(Formula::always(p))).unwrap();
        assert_eq!(stays.kinds(), [Kind::Rejecting, Kind::Weak]);
        assert_eq!(translate(&Formula::True).unwrap().kinds(), [Kind::Terminal]);
        assert_eq!(translate(&Formula::False).unwrap().kinds(), [Kind::Rejecting]);
        assert_eq!(eventually.rejecting(), [true, false]);
        assert_eq!(stays.rejecting(), [true, false]);
    }
}
