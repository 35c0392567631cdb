//! A naive search on the reference interpreter: depth-first, no reduction, a set of whole states. It exists to hold
//! the engine and the machine to the meaning of a model.

use std::collections::HashSet;

use quotient_ir::Model;
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, State};

/// What a naive search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States stored.
    pub states: u64,
    /// States met again.
    pub matched: u64,
    /// Violations.
    pub errors: u64,
}

/// Explores everything; `None` when there are more states than `limit`.
pub fn explore(model: &Model, limit: u64) -> Option<Counts> {
    let interpreter = Interpreter { model, promises: false };
    let (initial, faults) = interpreter.initial();
    let mut counts = Counts { errors: faults.len() as u64, ..Counts::default() };
    let mut visited: HashSet<State> = HashSet::new();
    let mut work = vec![(initial, Control::Free)];
    while let Some((state, control)) = work.pop() {
        if control == Control::Free {
            if !visited.insert(interpreter.visible(&state)) {
                counts.matched += 1;
                continue;
            }
            counts.states += 1;
            if counts.states > limit {
                return None;
            }
        }
        if let Moves::Some(outcomes) = interpreter.moves(&state, control) {
            counts.errors += outcomes.iter().map(|outcome| outcome.faults.len() as u64).sum::<u64>();
        }
        match interpreter.executable(&state, control) {
            Moves::Some(outcomes) => work.extend(outcomes.into_iter().filter_map(|outcome| outcome.next)),
            Moves::Release => work.push((state, Control::Free)),
            Moves::End => {}
            Moves::Deadlock => counts.errors += 1,
        }
    }
    Some(counts)
}
