//! A net under partial-order reduction: on a sample of states where the moves of one process were enough, they commute
//! with each move that was left out. Follows the definition of independence: neither disables the other, both orders lead
//! to the same state, and nothing goes wrong in one order only.

use std::collections::BTreeMap;

use quotient_step::Choice;
use quotient_step::reference::{Interpreter, State};

use super::nets::{Budget, End, Journey, journeys};
use super::{Engine, Frontier, Visitor};
use crate::{Disorder, Dropped};

/// Moves by the steps they are made of.
type Moves<'j> = BTreeMap<Vec<Step>, &'j Journey>;

/// A step, as it is compared: process, transition, and partner.
type Step = (usize, usize, Option<(usize, usize)>);

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Looks at the sample of states where one process was enough.
    pub(super) fn examine_order(&mut self, budget: &mut Budget) {
        // Where a promise was broken, that is what was reported, and nothing is said about what was left out.
        if self.expander.reduction.is_none() || self.options.trust || self.broken || self.options.selfcheck == 0 {
            return;
        }
        let interpreter = Interpreter { model: self.expander.program.model, promises: false };
        let firsts = std::mem::take(&mut self.nets.choices.firsts);
        let any = std::mem::take(&mut self.nets.choices.any.kept);
        for (bytes, process) in firsts.into_iter().chain(any) {
            if budget.is_spent() {
                break;
            }
            let state = self.expander.machine.decode_bytes(&bytes);
            self.found.order_checked += 1;
            if let Some(other) = dependent(&interpreter, &state, process, budget) {
                return self.give_up(Dropped::Order(Disorder::Step { state: Box::new(state), process, other }));
            }
        }
    }
}

/// A move of another process that does not commute with those of the chosen one.
fn dependent(interpreter: &Interpreter, state: &State, chosen: usize, budget: &mut Budget) -> Option<Choice> {
    let all = journeys(interpreter, state, budget)?;
    if let Some(meets) = all.iter().flat_map(|j| j.path.first()).find(|c| c.partner.is_some_and(|(p, _)| p == chosen)) {
        return Some(*meets);
    }
    let own = of(&all, |process| process == chosen);
    let others = of(&all, |process| process != chosen);
    // What the others can do after each of the chosen one's moves.
    let mut later = Vec::new();
    for journey in own.values() {
        later.push(match &journey.end {
            End::State(after) => Some(journeys(interpreter, after, budget)?),
            End::Failed | End::Rest | End::Deadlock => None,
        });
    }
    for (path, other) in &others {
        let choice = other.path[0];
        for (journey, after) in own.values().zip(&later) {
            let Some(after) = after else { continue };
            if both_count(state, journey, other) {
                continue;
            }
            // The other one can still do it, with the same faults.
            let Some(same) = of(after, |process| process != chosen).get(path).copied() else { return Some(choice) };
            if same.faults != other.faults {
                return Some(choice);
            }
        }
        let End::State(after) = &other.end else { continue };
        let then = journeys(interpreter, after, budget)?;
        let then = of(&then, |process| process == chosen);
        if own.values().any(|journey| both_count(state, journey, other)) {
            continue;
        }
        // A sequence that is blocked on the way may go further, or not so far: that is no difference.
        let cut = |moves: &Moves| moves.values().any(|journey| journey.released);
        if cut(&own) || cut(&then) {
            continue;
        }
        if !own.keys().eq(then.keys()) {
            return Some(choice);
        }
        for ((journey, before), second) in own.values().zip(&later).zip(then.values()) {
            if journey.faults != second.faults {
                return Some(choice);
            }
            let (Some(before), End::State(second)) = (before, &second.end) else { continue };
            let before = of(before, |process| process != chosen);
            match before.get(path).map(|journey| &journey.end) {
                Some(End::State(first)) if interpreter.visible(first) == interpreter.visible(second) => {}
                _ => return Some(choice),
            }
        }
    }
    None
}

/// Moves that begin with a step of some processes.
fn of(journeys: &[Journey], wanted: impl Fn(usize) -> bool) -> Moves<'_> {
    let begins = |journey: &&Journey| journey.path.first().is_some_and(|choice| wanted(choice.process));
    let step = |choice: &Choice| (choice.process, choice.transition, choice.partner);
    journeys.iter().filter(begins).map(|journey| (journey.path.iter().map(step).collect(), journey)).collect()
}

/// Whether both moves change the number of processes: then ids may differ, which nobody can tell.
fn both_count(state: &State, a: &Journey, b: &Journey) -> bool {
    let counts = |journey: &Journey| match &journey.end {
        End::State(after) => after.processes.len() != state.processes.len(),
        End::Failed | End::Rest | End::Deadlock => false,
    };
    counts(a) && counts(b)
}
