//! Nets under the reductions: after a search, what it relied on is checked on a sample of states, with the reference
//! interpreter. What a net catches is an error of this program (or of a description that the user gave), so the reduction
//! is dropped and the search starts again.

use quotient_ir::Model;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::{Choice, Control};

use super::sample::{Choices, ORBITS, Samples};
use super::{Engine, Frontier, Visitor};
use crate::Stop;

/// From so many states on, checking must not cost much of a search's time.
const LARGE: u64 = 100_000;

/// How many states may be expanded for a search that is not large. It is a matter of a few hundredths of a second.
const SMALL_BUDGET: u64 = 4_000;

/// For a large search, one state may be expanded for so many stored ones. Expanding one with the interpreter takes as
/// long as twenty to forty steps of the search.
const STORED_PER_EXPANDED: u64 = 1_500;

/// The most states inside atomic sequences that are followed from one state, and the most when there is nothing left to
/// spend.
const MOST_INSIDE: [usize; 2] = [5_000, 200];

/// A state of usual size has so many processes.
const PROCESSES: u64 = 8;

/// How many states of usual size may still be expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(u64);

impl Budget {
    fn of(states: u64) -> Self {
        Budget(if states < LARGE { SMALL_BUDGET } else { states / STORED_PER_EXPANDED })
    }

    pub(super) fn is_spent(self) -> bool {
        self.0 == 0
    }

    /// What each of so many states may cost, apart from the state itself.
    pub(super) fn share(self, states: usize) -> u64 {
        (self.0 / states.max(1) as u64).saturating_sub(1)
    }

    /// Spends what it takes to expand a state: the more processes it has, the more it takes.
    fn spend(&mut self, state: &State) {
        let cost = (state.processes.len() as u64).div_ceil(PROCESSES).max(1);
        self.0 = self.0.saturating_sub(cost * cost);
    }
}

/// What leads from one stored state to the next, or nowhere: atomic sequences are one step, as what lies inside is not
/// stored.
#[derive(Clone, Debug)]
pub(super) struct Journey {
    /// The steps.
    pub(super) path: Vec<Choice>,
    /// Kinds of what went wrong on the way.
    pub(super) faults: Vec<&'static str>,
    /// Where it ends.
    pub(super) end: End,
    /// Whether control was lost inside an atomic sequence.
    pub(super) released: bool,
}

/// Where a journey ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// In a state that is stored.
    State(State),
    /// The last step could not be completed.
    Failed,
    /// Nothing can happen, and that is right.
    Rest,
    /// Nothing can happen, and that is wrong.
    Deadlock,
}

/// Everything that can happen in a state; `None` when that is too much to look at.
pub(super) fn journeys(interpreter: &Interpreter, state: &State, budget: &mut Budget) -> Option<Vec<Journey>> {
    let mut journeys = Vec::new();
    let start = Journey { path: Vec::new(), faults: Vec::new(), end: End::State(state.clone()), released: false };
    let mut work = vec![(start, Control::Free)];
    let mut inside = 0;
    while let Some((journey, control)) = work.pop() {
        let End::State(state) = &journey.end else { continue };
        budget.spend(state);
        inside += 1;
        if inside > MOST_INSIDE[usize::from(budget.is_spent())] {
            return None;
        }
        let mut moves = interpreter.moves(state, control);
        if let Moves::Some(outcomes) = &mut moves {
            // What goes wrong in trying what cannot be executed is found, but moves nothing.
            for outcome in outcomes.iter().filter(|outcome| outcome.blocked) {
                journeys.push(after(&journey, outcome.choice, &outcome.faults, End::Failed));
            }
            outcomes.retain(|outcome| !outcome.blocked);
            if outcomes.is_empty() {
                moves = interpreter.executable(state, control);
            }
        }
        match moves {
            Moves::Some(outcomes) => {
                for outcome in outcomes {
                    let step = |end| after(&journey, outcome.choice, &outcome.faults, end);
                    match outcome.next {
                        None => journeys.push(step(End::Failed)),
                        Some((next, Control::Free)) => journeys.push(step(End::State(next))),
                        Some((next, control)) => work.push((step(End::State(next)), control)),
                    }
                }
            }
            Moves::Release => journeys.push(Journey { released: true, ..journey }),
            Moves::End => journeys.push(Journey { end: End::Rest, ..journey }),
            Moves::Deadlock => journeys.push(Journey { end: End::Deadlock, ..journey }),
        }
    }
    Some(journeys)
}

fn after(journey: &Journey, choice: Choice, faults: &[quotient_step::Fault], end: End) -> Journey {
    Journey {
        path: [&journey.path[..], &[choice]].concat(),
        faults: journey.faults.iter().copied().chain(faults.iter().map(|fault| fault.kind.name())).collect(),
        end,
        released: false,
    }
}

/// What the nets look at: states that were met, and choices that were made. It only watches; most offers cost a comparison.
pub(super) struct Nets {
    /// With symmetry reduction, states to look at again in the end.
    pub(super) samples: Samples,
    /// With partial-order reduction, states where one process was enough.
    pub(super) choices: Choices,
}

impl Nets {
    /// For a search of a model with some reductions, of which `selfcheck` states are checked.
    pub(super) fn new(model: &Model, selfcheck: usize, symmetric: bool, reduced: bool) -> Self {
        Nets {
            samples: Samples::new(selfcheck.max(ORBITS), selfcheck > 0 && symmetric),
            choices: Choices::new(
                if reduced { selfcheck } else { 0 },
                model.proctypes.iter().map(|p| vec![false; p.states.len()]).collect(),
            ),
        }
    }
}

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Looks at what the search relied on, unless its answer does not depend on it.
    pub(crate) fn examine(&mut self) {
        let mut budget = Budget::of(self.visited.sizes().states);
        let settled = matches!(self.found.stop, Some(Stop::Violation | Stop::Time | Stop::Interrupted));
        if !settled {
            self.check_records();
        }
        if settled || self.dropped.is_some() {
            budget = Budget(0);
        }
        // Each net has its share.
        let mut half = match self.visited.is_symmetric() && self.expander.reduction.is_some() {
            true => Budget(budget.0 / 2),
            false => budget,
        };
        self.examine_order(&mut half.clone());
        if self.dropped.is_none() {
            self.examine_symmetry(&mut half);
        }
    }
}
