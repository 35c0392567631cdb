//! A net under partial-order reduction: on a sample of states where the moves of one process were enough, they commute
//! with each move that was left out. Follows the definition of independence: neither disables the other, both orders lead
//! to the same state, and nothing goes wrong in one order only.

use std::collections::BTreeMap;

use quotient_step::machine::Machine;
use quotient_step::reference::{Interpreter, State};
use quotient_step::{Choice, FaultKind};

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
        let model = self.expander.program.model;
        let interpreter = Interpreter { model, promises: false };
        // States with a heap are compared up to the names of records.
        let mut machine = model.heap.as_ref().map(|_| Machine::new(self.expander.program, false));
        let mut same = |a: &State, b: &State| match &mut machine {
            Some(machine) => machine.encode(a) == machine.encode(b),
            None => interpreter.visible(a) == interpreter.visible(b),
        };
        let firsts = std::mem::take(&mut self.nets.choices.firsts);
        let any = std::mem::take(&mut self.nets.choices.any.kept);
        for (bytes, process) in firsts.into_iter().chain(any) {
            if budget.is_spent() {
                break;
            }
            let state = self.expander.machine.decode_bytes(&bytes);
            self.found.order_checked += 1;
            if let Some(other) = dependent(&interpreter, &state, process, budget, &mut same) {
                return self.give_up(Dropped::Order(Disorder::Step { state: Box::new(state), process, other }));
            }
        }
    }
}

/// A move of another process that does not commute with those of the chosen one.
fn dependent(
    interpreter: &Interpreter,
    state: &State,
    chosen: usize,
    budget: &mut Budget,
    same_state: &mut dyn FnMut(&State, &State) -> bool,
) -> Option<Choice> {
    let all = journeys(interpreter, state, budget)?;
    let threads = interpreter.model.heap.is_some().then_some(state.processes.len());
    if let Some(meets) = all.iter().flat_map(|j| j.path.first()).find(|c| c.partner.is_some_and(|(p, _)| p == chosen)) {
        return Some(*meets);
    }
    let own = of(&all, |process| process == chosen, None);
    let others = of(&all, |process| process != chosen, None);
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
            let gone = gone(threads, journey, chosen);
            let Some(same) = of(after, |process| process != chosen, gone).get(path).copied() else {
                return Some(choice);
            };
            if !same_faults(same, other) {
                return Some(choice);
            }
        }
        let End::State(after) = &other.end else { continue };
        let then = journeys(interpreter, after, budget)?;
        let then = of(&then, |process| process == chosen, gone(threads, other, choice.process));
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
            if !same_faults(journey, second) {
                return Some(choice);
            }
            let (Some(before), End::State(second)) = (before, &second.end) else { continue };
            let before = of(before, |process| process != chosen, gone(threads, journey, chosen));
            match before.get(path).map(|journey| &journey.end) {
                Some(End::State(first)) if same_state(first, second) => {}
                _ => return Some(choice),
            }
        }
    }
    None
}

/// Moves that begin with a step of some processes. Those after one that is gone have another number now, and are known by the
/// one that they had.
fn of(journeys: &[Journey], wanted: impl Fn(usize) -> bool, gone: Option<usize>) -> Moves<'_> {
    let before = |process: usize| process + usize::from(gone.is_some_and(|gone| process >= gone));
    let begins = |journey: &&Journey| journey.path.first().is_some_and(|choice| wanted(before(choice.process)));
    let step = |choice: &Choice| (before(choice.process), choice.transition, choice.partner);
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

/// The process that a move of a model with a heap, which has so many threads before it, takes away.
fn gone(threads: Option<usize>, journey: &Journey, mover: usize) -> Option<usize> {
    let End::State(after) = &journey.end else { return None };
    threads.is_some_and(|threads| after.processes.len() < threads).then_some(mover)
}

/// Whether the same goes wrong. Which of two steps loses a record depends on their order.
fn same_faults(a: &Journey, b: &Journey) -> bool {
    let leak = FaultKind::Leak.name();
    let faults = |journey: &Journey| journey.faults.iter().copied().filter(|&fault| fault != leak).collect::<Vec<_>>();
    faults(a) == faults(b)
}
