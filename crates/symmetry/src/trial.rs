//! A trial before the search: renamings are tried on states of random runs with the reference interpreter. It knows
//! nothing of the proof, so that a mistake in a rule is found here. Nothing should ever be.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use quotient_ir::{Model, Symmetry};
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::{Control, FaultKind};

use crate::act::{Permutations, Renaming, applies, forget, generators};

/// The most steps inside atomic sequences that are followed from one state.
const MOST_STEPS: usize = 2_000;

/// How much a trial may cost: a state with so many processes is tried once for the square of their number, since each of
/// them moves, and each move makes a state.
const EFFORT: usize = 1 << 22;

/// A state whose renamed self behaves differently.
#[derive(Clone, Debug)]
pub struct Asymmetry {
    /// The state.
    pub state: State,
    /// The renaming.
    pub permutations: Permutations,
}

/// Tries the generators of a symmetry on states of random runs: `walks` runs of at most `steps` steps, each beginning
/// where the one before was `steps / 2` ago or at the start. Returns how many states were tried.
pub fn trial(model: &Model, symmetry: &Symmetry, walks: usize, steps: usize) -> Result<usize, Box<Asymmetry>> {
    let interpreter = Interpreter { model, promises: false };
    let renamings: Vec<(Permutations, Renaming)> =
        generators(symmetry).into_iter().map(|p| (p.clone(), Renaming::new(model, symmetry, &p))).collect();
    let mut random = 0x5eed_u64;
    let mut tried = 0;
    // With many processes not every renaming is tried on every state, and in the end none.
    let mut next = renamings.iter().cycle();
    let mut left = EFFORT;
    for _ in 0..walks {
        let (mut state, mut control) = (interpreter.initial().0, Control::Free);
        for _ in 0..steps {
            if control == Control::Free && applies(symmetry, &state) && !is_ending(model, symmetry, &state) {
                tried += 1;
                let cost = state.processes.len().pow(2).max(1);
                let affordable = (EFFORT / (walks * steps).max(1) / cost).max(1).min(left / cost);
                for (permutations, renaming) in next.by_ref().take(affordable.min(renamings.len())) {
                    left -= cost;
                    if !commutes(&interpreter, symmetry, renaming, &state) {
                        return Err(Box::new(Asymmetry { state, permutations: permutations.clone() }));
                    }
                }
            }
            match interpreter.moves(&state, control) {
                Moves::Some(outcomes) => {
                    let next: Vec<_> = outcomes.into_iter().filter_map(|outcome| outcome.next).collect();
                    if next.is_empty() {
                        break;
                    }
                    let at = below(&mut random, next.len());
                    (state, control) = next.into_iter().nth(at).unwrap_or((state, control));
                }
                Moves::Release => control = Control::Free,
                Moves::End | Moves::Deadlock => break,
            }
        }
    }
    Ok(tried)
}

/// Whether a process that changes places has come to its end: how it goes depends on its id, unless it stays.
fn is_ending(model: &Model, symmetry: &Symmetry, state: &State) -> bool {
    state.processes.iter().zip(&symmetry.processes).any(|(process, position)| {
        let states = &model.proctypes[process.proctype].states;
        let ends = states.get(process.control).is_some_and(|state| {
            let statements = &model.proctypes[process.proctype].statements;
            state.transitions.iter().any(|t| matches!(statements[t.statement].action, quotient_ir::Action::End))
        });
        !position.members.is_empty() && ends
    })
}

fn below(random: &mut u64, bound: usize) -> usize {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*random >> 33) as usize % bound.max(1)
}

/// Whether what can happen in a renamed state is what can happen in the state, renamed.
fn commutes(interpreter: &Interpreter, symmetry: &Symmetry, renaming: &Renaming, state: &State) -> bool {
    let model = interpreter.model;
    let renamed = renaming.act(model, symmetry, state);
    let here = prospects(interpreter, state, &|next| match applies(symmetry, next) {
        true => forget(symmetry, &renaming.act(model, symmetry, next)),
        false => forget(symmetry, next),
    });
    let there = prospects(interpreter, &renamed, &|next| forget(symmetry, next));
    match (here, there) {
        (Some(here), Some(there)) => here == there,
        // Too much to compare, on both sides or on one.
        _ => true,
    }
}

/// Something that can happen in a state.
#[derive(PartialEq, Eq, Hash)]
enum Prospect {
    Leads(State),
    Fails(Discriminant<FaultKind>),
    Ends,
    Deadlocks,
}

/// What can happen in a state; atomic sequences are one step. Nothing if that is too much.
fn prospects(interpreter: &Interpreter, state: &State, shown: &dyn Fn(&State) -> State) -> Option<HashSet<Prospect>> {
    let mut results = HashSet::new();
    let mut work = vec![(state.clone(), Control::Free)];
    let mut steps = 0;
    while let Some((state, control)) = work.pop() {
        steps += 1;
        if steps > MOST_STEPS {
            return None;
        }
        let leads = |next: &State| Prospect::Leads(shown(&interpreter.visible(next)));
        match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => {
                for outcome in outcomes {
                    results.extend(outcome.faults.iter().map(|fault| Prospect::Fails(discriminant(&fault.kind))));
                    match outcome.next {
                        Some((next, Control::Free)) => {
                            results.insert(leads(&next));
                        }
                        Some(next) => work.push(next),
                        None => {}
                    }
                }
            }
            Moves::Release => {
                results.insert(leads(&state));
            }
            Moves::End => {
                results.insert(Prospect::Ends);
            }
            Moves::Deadlock => {
                results.insert(Prospect::Deadlocks);
            }
        }
    }
    Some(results)
}
