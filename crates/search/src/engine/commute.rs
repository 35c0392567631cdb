//! What is looked at again after a search under symmetry: how large orbits are, and whether renaming and moving commute,
//! as they must if the model is as symmetric as it was said to be.

use quotient_canon::{Plan, Reducer};
use quotient_step::machine::Machine;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::{Choice, Control};

use super::sample::Random;
use super::{Engine, ORBITS, arrangement};
use crate::{Asymmetry, Reduced};

/// What can happen in a state, in a form that can be compared: the bytes of the next state and what else there is to tell.
type Prospect = (Option<Vec<u8>>, String, Option<Choice>);

impl Engine<'_, '_, '_> {
    /// Looks at the sample of states, and fills in what symmetry reduction did.
    pub(super) fn examine_samples(&mut self) {
        let Some(reducer) = &mut self.reducer else { return };
        let mut reduced = Reduced { counts: reducer.counts(), ..Reduced::default() };
        let interpreter = Interpreter { model: self.model, promises: false };
        let mut random = Random(0xc0ffee);
        let states = std::mem::take(&mut self.samples.states);
        let mut sizes = 0.0;
        for (number, state) in states.iter().enumerate() {
            self.machine.load(state);
            let (shape, components) = self.machine.shape();
            let Some(plan) = reducer.plan(shape, || arrangement(components)) else {
                sizes += 1.0;
                continue;
            };
            if number < ORBITS {
                sizes += plan.orbit_size(state);
            }
            if number < self.options.selfcheck {
                let images = plan.random_images(|bound| random.below(bound));
                reduced.checked += 1;
                let mut renamer = Renamer { reducer, machine: &mut self.machine, images: &images };
                if let Err(asymmetry) = commutes(&interpreter, &mut renamer, state) {
                    reduced.asymmetry = Some(*asymmetry);
                    break;
                }
            }
        }
        reduced.orbit = sizes / states.len().clamp(1, ORBITS) as f64;
        self.found.symmetry = Some(reduced);
    }
}

/// Renames states of any shape.
struct Renamer<'a, 'p, 'm> {
    reducer: &'a mut Reducer<'m>,
    machine: &'a mut Machine<'p, 'm>,
    images: &'a [u8],
}

impl Renamer<'_, '_, '_> {
    fn plan(&mut self, state: &[u8]) -> Option<&Plan> {
        self.machine.load(state);
        let (shape, components) = self.machine.shape();
        self.reducer.plan(shape, || arrangement(components))
    }

    fn rename(&mut self, state: &[u8]) -> Vec<u8> {
        let images = self.images;
        self.plan(state).map_or_else(|| state.to_vec(), |plan| plan.renamed(images, state))
    }

    fn process(&mut self, state: &[u8], process: usize) -> usize {
        let images = self.images;
        self.plan(state).map_or(process, |plan| usize::from(plan.process_ids(images)[process]))
    }
}

/// Checks that what can happen in a renamed state is what can happen in the state, renamed.
fn commutes(interpreter: &Interpreter, renamer: &mut Renamer, state: &[u8]) -> Result<(), Box<Asymmetry>> {
    let there = renamer.rename(state);
    let (state, renamed) = (renamer.machine.decode_bytes(state), renamer.machine.decode_bytes(&there));
    let mut expected = prospects(interpreter, renamer, &state, true);
    let mut found = prospects(interpreter, renamer, &renamed, false);
    let key = |prospect: &Prospect| (prospect.0.clone(), prospect.1.clone());
    expected.sort_by_key(key);
    found.sort_by_key(key);
    let same = expected.iter().zip(&found).take_while(|(a, b)| key(a) == key(b)).count();
    let (choice, of_renamed) = match (expected.get(same), found.get(same)) {
        (None, None) => return Ok(()),
        (Some(a), Some(b)) if key(a) > key(b) => (b.2, true),
        (Some(a), _) => (a.2, false),
        (None, Some(b)) => (b.2, true),
    };
    Err(Box::new(Asymmetry { state, renamed, choice, of_renamed }))
}

/// What can happen in a state, renamed if wanted.
fn prospects(interpreter: &Interpreter, renamer: &mut Renamer, state: &State, rename: bool) -> Vec<Prospect> {
    let outcomes = match interpreter.moves(state, Control::Free) {
        Moves::Some(outcomes) => outcomes,
        other => return vec![(None, format!("{other:?}"), None)],
    };
    let mut prospects = Vec::new();
    for outcome in outcomes {
        let mut faults: Vec<String> = outcome.faults.iter().map(|fault| format!("{fault:?}")).collect();
        faults.sort();
        let Some((next, control)) = &outcome.next else {
            prospects.push((None, faults.join(" "), Some(outcome.choice)));
            continue;
        };
        let mut next = renamer.machine.encode(next);
        let mut control = match control {
            Control::Exclusive(process) => Some(*process),
            Control::Free => None,
        };
        if rename {
            control = control.map(|process| renamer.process(&next, process));
            next = renamer.rename(&next);
        }
        prospects.push((Some(next), format!("{control:?} {}", faults.join(" ")), Some(outcome.choice)));
    }
    prospects
}
