//! A net under symmetry reduction: on a sample of states, renaming and moving commute, as they must if the model is as
//! symmetric as it was said to be. Also how large orbits are.

use std::collections::{BTreeMap, BTreeSet};

use quotient_canon::{Plan, Reducer};
use quotient_ir::{Group, Model};
use quotient_step::Choice;
use quotient_step::machine::Machine;
use quotient_step::reference::{Interpreter, State};

use super::nets::{Budget, End, Journey, journeys};
use super::sample::Random;
use super::{Engine, ORBITS, arrangement};
use crate::{Asymmetry, Dropped, Reduced};

/// At least, and at most, so many renamings are tried on one state.
const RENAMINGS: (u64, u64) = (2, 24);

/// What can happen in a state, in a form that can be compared: where it leads, or what is to be told of it.
type Prospects = BTreeMap<(Option<Vec<u8>>, &'static str), Option<Choice>>;

impl Engine<'_, '_, '_> {
    /// Fills in what symmetry reduction did, and looks at the sample of states.
    pub(super) fn examine_symmetry(&mut self, budget: &mut Budget) {
        let Some(reducer) = &mut self.reducer else { return };
        let mut reduced = Reduced { counts: reducer.counts(), ..Reduced::default() };
        let states = std::mem::take(&mut self.samples.any.kept);
        let firsts = std::mem::take(&mut self.samples.firsts);
        let mut renamer = Renamer { reducer, machine: &mut self.machine };
        let sizes = states.iter().take(ORBITS).map(|state| match renamer.plan(state) {
            Some(plan) => plan.orbit_size(state),
            None => 1.0,
        });
        reduced.orbit = sizes.sum::<f64>() / states.len().clamp(1, ORBITS) as f64;
        let interpreter = Interpreter { model: self.model, promises: false };
        let generators = generators(self.model);
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
        self.reducer.plan(shape, || arrangement(components))
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
        bytes.split_off(self.machine.program().schema.hidden as usize)
    }
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
