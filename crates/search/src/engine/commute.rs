//! A net under symmetry reduction: on a sample of states, renaming and moving commute, as they must if the model is as
//! symmetric as it was said to be. Also how large orbits are.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use quotient_canon::{Plan, Reducer};
use quotient_ir::{Group, Model};
use quotient_step::machine::Machine;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::{Choice, Control};

use super::nets::{Budget, End, Journey, journeys};
use super::sample::{ORBITS, Random};
use super::visited::arrangement;
use super::{Engine, Frontier, Visitor};
use crate::frame::Frame;
use crate::{Asymmetry, Dropped, Reduced, Represented};

/// The most steps before all members are there that are followed to see whether the beginning is symmetric.
const MOST_STEPS: usize = 20_000;
/// At least, and at most, so many renamings are tried on one state.
const RENAMINGS: (u64, u64) = (2, 24);

/// What can happen in a state, in a form that can be compared: where it leads, or what is to be told of it.
type Prospects = BTreeMap<(Option<Vec<u8>>, &'static str), Option<Choice>>;

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Fills in what symmetry reduction did, and looks at the sample of states.
    pub(super) fn examine_symmetry(&mut self, budget: &mut Budget) {
        let stored = self.visited.sizes().states;
        let model = self.expander.program.model;
        if let Some(heap) = &self.visited.heap {
            self.found.symmetry = Some(Reduced { counts: heap.counts(), ..Reduced::default() });
        }
        let Some(reducer) = &mut self.visited.reducer else { return };
        let mut reduced = Reduced { counts: reducer.counts(), ..Reduced::default() };
        let states = std::mem::take(&mut self.nets.samples.any.kept);
        let firsts = std::mem::take(&mut self.nets.samples.firsts);
        let mut renamer = Renamer { reducer, machine: &mut self.expander.machine };
        let interpreter = Interpreter { model, promises: false };
        // With another reduction, what there would be without symmetry is not known.
        let none_left_out = self.found.reduced == 0 && !self.expander.closes && !self.expander.program.resets();
        let all_moves = none_left_out && self.stack.frames.iter().all(|frame| !frame.is(Frame::PRESELECTED));
        let one_each = renamer.reducer.strategy().is_canonical() && reduced.counts.normalised == 0;
        if all_moves && one_each && begins_symmetric(&interpreter, &mut renamer) {
            reduced.represented = represented(&mut renamer, &states, stored);
        }
        let generators = generators(model);
        let mut random = Random(0xc0ffee);
        let any = states.iter().take(self.options.selfcheck);
        let mut found = None;
        let chosen: BTreeSet<&Vec<u8>> = firsts.iter().chain(any.clone()).collect();
        let wanted = budget.share(chosen.len()).clamp(RENAMINGS.0, RENAMINGS.1) as usize;
        let mut seen = BTreeSet::new();
        for (number, state) in firsts.iter().chain(any).filter(|state| seen.insert(*state)).enumerate() {
            if self.options.selfcheck == 0 || budget.is_spent() {
                break;
            }
            let renamings = renamings(&generators, number, renamer.plan(state), wanted, &mut random);
            reduced.checked += usize::from(!renamings.is_empty());
            if let Some(asymmetry) = asymmetry(&interpreter, &mut renamer, state, &renamings, budget) {
                found = Some(Dropped::Symmetry { asymmetry: Box::new(asymmetry), checked: reduced.checked });
                break;
            }
        }
        self.found.symmetry = Some(reduced);
        if let Some(dropped) = found {
            self.give_up(dropped);
        }
    }
}

/// Renamings from which all others are made: neighbours exchanged, rings turned by one and turned over.
fn generators(model: &Model) -> Vec<Vec<u8>> {
    let Some(symmetry) = &model.symmetry else { return Vec::new() };
    let members = |size: usize| (0..size).map(|member| member as u8);
    let identity: Vec<u8> = symmetry.sets.iter().flat_map(|set| members(set.size)).collect();
    let mut generators = Vec::new();
    let mut base = 0;
    for set in &symmetry.sets {
        let mut add = |change: &dyn Fn(&mut [u8])| {
            let mut images = identity.clone();
            change(&mut images[base..base + set.size]);
            generators.push(images);
        };
        match set.group {
            Group::Symmetric => (1..set.size).for_each(|at| add(&|own| own.swap(at - 1, at))),
            Group::Cyclic => add(&|own| own.rotate_left(1)),
            Group::Dihedral => {
                add(&|own| own.rotate_left(1));
                add(&<[u8]>::reverse);
            }
        }
        base += set.size;
    }
    generators.retain(|images| *images != identity);
    generators
}

/// So many renamings to try on one state: one of the generators in turn, and random ones. Generators alone are not enough:
/// what is stored is one state of each orbit, and a neighbour may look the same where one further away does not.
fn renamings(
    generators: &[Vec<u8>],
    number: usize,
    plan: Option<&Plan>,
    wanted: usize,
    random: &mut Random,
) -> BTreeSet<Vec<u8>> {
    let (Some(plan), false) = (plan, generators.is_empty()) else { return BTreeSet::new() };
    let mut renamings = BTreeSet::from([generators[number % generators.len()].clone()]);
    for _ in 0..2 * wanted {
        if renamings.len() >= wanted {
            break;
        }
        let images = plan.random_images(|bound| random.below(bound));
        let mut base = 0;
        let moves = plan.sizes().any(|size| {
            base += size;
            images[base - size..base].iter().enumerate().any(|(member, &image)| member != usize::from(image))
        });
        if moves {
            renamings.insert(images);
        }
    }
    renamings
}

/// Renames states of any shape.
struct Renamer<'a, 'p, 'm> {
    reducer: &'a mut Reducer<'m>,
    machine: &'a mut Machine<'p, 'm>,
}

impl Renamer<'_, '_, '_> {
    fn plan(&mut self, state: &[u8]) -> Option<&Plan> {
        self.machine.load(state);
        let (shape, components) = self.machine.shape();
        self.reducer.plan(shape, || arrangement(components), state)
    }

    fn rename(&mut self, images: &[u8], state: &[u8]) -> Vec<u8> {
        self.plan(state).map_or_else(|| state.to_vec(), |plan| plan.renamed(images, state))
    }

    /// The bytes of a state that tell it apart, renamed if wanted.
    fn seen(&mut self, state: &State, images: Option<&[u8]>) -> Vec<u8> {
        let mut bytes = self.machine.encode(state);
        if let Some(images) = images {
            bytes = self.rename(images, &bytes);
        }
        self.forget(&mut bytes);
        bytes.split_off(self.machine.program().schema.hidden as usize)
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

/// Looks for a renaming after which something else can happen than before, with names changed.
fn asymmetry(
    interpreter: &Interpreter,
    renamer: &mut Renamer,
    state: &[u8],
    renamings: &BTreeSet<Vec<u8>>,
    budget: &mut Budget,
) -> Option<Asymmetry> {
    let here = renamer.machine.decode_bytes(state);
    let moves = journeys(interpreter, &here, budget)?;
    for images in renamings {
        let there = renamer.rename(images, state);
        let renamed = renamer.machine.decode_bytes(&there);
        let Some(renamed_moves) = journeys(interpreter, &renamed, budget) else { continue };
        let expected = prospects(renamer, &moves, Some(images));
        let found = prospects(renamer, &renamed_moves, None);
        let missing =
            expected.iter().find(|(prospect, _)| !found.contains_key(*prospect)).map(|(_, choice)| (choice, false));
        let extra =
            || found.iter().find(|(prospect, _)| !expected.contains_key(*prospect)).map(|(_, choice)| (choice, true));
        if let Some((&choice, of_renamed)) = missing.or_else(extra) {
            return Some(Asymmetry { state: here, renamed, choice, of_renamed });
        }
    }
    None
}

fn prospects(renamer: &mut Renamer, journeys: &[Journey], images: Option<&[u8]>) -> Prospects {
    let mut prospects = Prospects::new();
    for journey in journeys {
        let choice = journey.path.first().copied();
        let (at, what) = match &journey.end {
            End::State(state) => (Some(renamer.seen(state, images)), ""),
            End::Failed => (None, "failed"),
            End::Rest => (None, "end"),
            End::Deadlock => (None, "deadlock"),
        };
        prospects.entry((at, what)).or_insert(choice);
        for fault in &journey.faults {
            prospects.entry((None, fault)).or_insert(choice);
        }
    }
    prospects
}
