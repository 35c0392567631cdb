//! What is looked at again after a search under symmetry: how large orbits are, and whether renaming and moving commute,
//! as they must if the model is as symmetric as it was said to be.

use std::collections::HashSet;

use quotient_canon::{Plan, Reducer};
use quotient_step::machine::Machine;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::{Choice, Control};

use super::sample::Random;
use super::{Engine, ORBITS, arrangement};
use crate::frame::Frame;
use crate::{Asymmetry, Reduced, Represented};

/// The most steps inside atomic sequences that are followed from one state.
const MOST_STEPS: usize = 20_000;

/// What can happen in a state, in a form that can be compared: the bytes of the next state and what else there is to tell.
type Prospect = (Option<Vec<u8>>, String, Option<Choice>);

impl Engine<'_, '_, '_> {
    /// Looks at the sample of states, and fills in what symmetry reduction did.
    pub(super) fn examine_samples(&mut self) {
        let Some(reducer) = &mut self.reducer else { return };
        let mut reduced = Reduced { counts: reducer.counts(), ..Reduced::default() };
        let states = std::mem::take(&mut self.samples.states);
        let mut renamer = Renamer { reducer, machine: &mut self.machine, images: Vec::new() };
        let interpreter = Interpreter { model: self.model, promises: false };
        // With partial-order reduction, what there would be without symmetry is not known.
        let all_moves = self.found.reduced == 0 && self.frames.iter().all(|frame| !frame.is(Frame::PRESELECTED));
        let one_each = renamer.reducer.strategy().is_canonical() && reduced.counts.normalised == 0;
        if all_moves && one_each && begins_symmetric(&interpreter, &mut renamer) {
            reduced.represented = represented(&mut renamer, &states, self.visited.len() as u64);
        }
        let mut random = Random(0xc0ffee);
        for state in states.iter().cycle().take(self.options.selfcheck) {
            let Some(plan) = renamer.plan(state) else { continue };
            renamer.images = plan.random_images(|bound| random.below(bound));
            reduced.checked += 1;
            if let Err(asymmetry) = commutes(&interpreter, &mut renamer, state) {
                reduced.asymmetry = Some(*asymmetry);
                break;
            }
        }
        self.found.symmetry = Some(reduced);
    }
}

/// Renames states of any shape.
struct Renamer<'a, 'p, 'm> {
    reducer: &'a mut Reducer<'m>,
    machine: &'a mut Machine<'p, 'm>,
    images: Vec<u8>,
}

impl Renamer<'_, '_, '_> {
    fn plan(&mut self, state: &[u8]) -> Option<&Plan> {
        self.machine.load(state);
        let (shape, components) = self.machine.shape();
        self.reducer.plan(shape, || arrangement(components), state)
    }

    fn rename(&mut self, state: &[u8]) -> Vec<u8> {
        let images = std::mem::take(&mut self.images);
        let renamed = self.plan(state).map_or_else(|| state.to_vec(), |plan| plan.renamed(&images, state));
        self.images = images;
        renamed
    }

    /// Writes zero over what nobody will read in a state.
    fn forget(&mut self, state: &mut [u8]) {
        if let Some(plan) = self.plan(state) {
            plan.forget(state);
        }
    }
}

/// How many states the stored ones stand for, if the sizes of the orbits of a sample can be told.
fn represented(renamer: &mut Renamer, states: &[Vec<u8>], stored: u64) -> Option<Represented> {
    let exact = states.len() as u64 == stored;
    let sample = if exact { states } else { &states[..states.len().min(ORBITS)] };
    let mut sum = 0;
    for state in sample {
        sum += renamer.plan(state).map_or(Some(1), |plan| plan.orbit_size(state))?;
    }
    let mean = sum as f64 / sample.len().max(1) as f64;
    let states = if exact { sum } else { ((mean * stored as f64).round() as u64).max(stored) };
    Some(Represented { states, exact })
}

/// Whether every state in which all members are there for the first time is left as it is by all renamings. If so, each
/// state that differs from a reachable one by a renaming is reachable too.
fn begins_symmetric(interpreter: &Interpreter, renamer: &mut Renamer) -> bool {
    let mut work = vec![(interpreter.initial().0, Control::Free)];
    let mut seen = HashSet::new();
    let mut steps = 0;
    while let Some((state, control)) = work.pop() {
        steps += 1;
        if steps > MOST_STEPS {
            return false;
        }
        if control == Control::Free {
            let bytes = renamer.machine.encode(&interpreter.visible(&state));
            if let Some(plan) = renamer.plan(&bytes) {
                match plan.orbit_size(&bytes) {
                    Some(1) => continue,
                    _ => return false,
                }
            }
            if !seen.insert(bytes) {
                continue;
            }
        }
        match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => work.extend(outcomes.into_iter().filter_map(|outcome| outcome.next)),
            Moves::Release => work.push((state, Control::Free)),
            Moves::End | Moves::Deadlock => {}
        }
    }
    true
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

/// What can happen in a state, renamed if wanted: atomic sequences are one step, as what lies inside is not stored.
fn prospects(interpreter: &Interpreter, renamer: &mut Renamer, state: &State, rename: bool) -> Vec<Prospect> {
    let mut prospects = Vec::new();
    let mut work = vec![(state.clone(), Control::Free, None)];
    let mut steps = 0;
    while let Some((state, control, first)) = work.pop() {
        steps += 1;
        if steps > MOST_STEPS {
            // Too much to compare; the same is true of the renamed state.
            return Vec::new();
        }
        let mut arrive = |state: &State| {
            let mut bytes = renamer.machine.encode(state);
            if rename {
                bytes = renamer.rename(&bytes);
            }
            renamer.forget(&mut bytes);
            Some(bytes)
        };
        let outcomes = match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => outcomes,
            Moves::Release => {
                prospects.push((arrive(&state), String::new(), first));
                continue;
            }
            other => {
                prospects.push((None, format!("{other:?}"), first));
                continue;
            }
        };
        for outcome in outcomes {
            let first = first.or(Some(outcome.choice));
            match outcome.next {
                Some((next, Control::Free)) => prospects.push((arrive(&next), String::new(), first)),
                Some((next, control)) => work.push((next, control, first)),
                None => {}
            }
            prospects.extend(outcome.faults.iter().map(|fault| (None, format!("{:?}", fault.kind), first)));
        }
    }
    prospects
}
