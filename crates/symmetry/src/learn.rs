//! What else changes places when two members do: global variables outside arrays, and control states. Found by comparing
//! the code with itself, renamed; where something has no partner, one is looked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use quotient_ir::{ProctypeKind, SetId, Symmetry};

use crate::act::{Renaming, permutations};
use crate::automaton::{Partners, compare};
use crate::rules::{Guess, Rules};
use crate::sets::Sets;
use crate::verify::{Blame, Subject, blame, close, starts, well_formed};

/// What the exchange of two members moves besides.
#[derive(Clone, Debug, Default)]
struct Moved {
    globals: BTreeMap<usize, usize>,
    /// By process type and control state.
    controls: BTreeMap<(usize, usize), usize>,
}

/// The permutation that exchanges two members.
pub(crate) fn exchange(size: usize, a: usize, b: usize) -> Vec<u8> {
    let mut permutation: Vec<u8> = (0..size as u8).collect();
    permutation.swap(a, b);
    permutation
}

/// Finds what belongs to the members of a set besides what is known, such that each of them can be exchanged with the
/// first one.
pub(crate) fn learn(subject: &Subject, symmetry: &Symmetry, sets: &Sets, set: SetId) -> Result<Sets, Blame> {
    let size = sets.sets[set].size;
    let mut learned = sets.clone();
    let mut moved: Vec<Moved> = Vec::new();
    for other in 1..size {
        moved.push(exchanged(subject, symmetry, set, &exchange(size, 0, other))?);
    }
    let owner = |moved_by: &dyn Fn(&Moved) -> Option<bool>| owner(&moved, moved_by);
    let globals: BTreeSet<usize> = moved.iter().flat_map(|m| m.globals.keys().copied()).collect();
    for slot in globals {
        if let Some(member) = owner(&|m| m.globals.get(&slot).map(|&to| slot < to)) {
            let first = orbit(&moved, slot, &|m| m.globals.get(&slot).copied());
            learned.owned.insert(slot, (format!("variable {first}"), (set, member)));
        }
    }
    let controls: BTreeSet<(usize, usize)> = moved.iter().flat_map(|m| m.controls.keys().copied()).collect();
    for (id, state) in controls {
        let to = |m: &Moved| m.controls.get(&(id, state)).copied();
        if let Some(member) = owner(&|m| to(m).map(|to| state < to)) {
            let first = orbit(&moved, state, &to);
            learned.controls.insert((id, state), (format!("state {first}"), (set, member)));
        }
    }
    Ok(learned)
}

/// The least of what something changes places with: all of them have it in common, where all are exchanged with the first
/// member's.
fn orbit(moved: &[Moved], own: usize, to: &dyn Fn(&Moved) -> Option<usize>) -> usize {
    let images: Vec<usize> = moved.iter().filter_map(to).collect();
    // What belongs to the first member is moved by every exchange; the others' is moved to it.
    match images.len() == moved.len() && moved.len() > 1 {
        true => own,
        false => images.first().copied().map_or(own, |image| if moved.len() == 1 { own.min(image) } else { image }),
    }
}

/// The member that something belongs to: it is moved by exactly the exchanges of that member. Where there are only two
/// members, the lesser one is the first one's.
fn owner(moved: &[Moved], moved_by: &dyn Fn(&Moved) -> Option<bool>) -> Option<u8> {
    let by: Vec<usize> = (0..moved.len()).filter(|&at| moved_by(&moved[at]).is_some()).collect();
    match (&by[..], moved.len()) {
        ([], _) => None,
        ([0], 1) => Some(u8::from(moved_by(&moved[0]) == Some(false))),
        (by, count) if by.len() == count => Some(0),
        ([one], _) => Some(*one as u8 + 1),
        _ => None,
    }
}

/// What one exchange moves besides.
fn exchanged(subject: &Subject, symmetry: &Symmetry, set: SetId, permutation: &[u8]) -> Result<Moved, Blame> {
    let model = subject.model;
    let renaming = Renaming::new(model, symmetry, &permutations(symmetry, set, permutation));
    well_formed(subject, symmetry, &renaming)?;
    let mut ranges = subject.ranges.clone();
    close(subject, symmetry, &mut ranges, std::slice::from_ref(&renaming));
    let stays = |&slot: &usize| renaming.globals[slot] == slot && symmetry.globals[slot].position.members.is_empty();
    let free: BTreeSet<usize> = (0..model.globals.len()).filter(stays).collect();
    let guess = RefCell::new(Guess { globals: BTreeMap::new(), free });
    let mut moved = Moved::default();
    for (id, proctype) in model.proctypes.iter().enumerate() {
        if !matches!(proctype.kind, ProctypeKind::Process | ProctypeKind::Init) {
            continue;
        }
        let (state, guess) = (&subject.start.state, Some(&guess));
        let rules = Rules { model, state, ranges: &ranges, symmetry, renaming: &renaming, proctype: id, guess };
        let unread = |control: usize, scope, slot: usize| subject.dead.is_dead(id, control, scope, slot);
        let mut partners = Partners::unknown(proctype.states.len());
        compare(&rules, &starts(subject, id), &mut partners, &unread).map_err(|statement| blame(id, statement))?;
        for (state, to) in partners.to.iter().enumerate() {
            if let Some(to) = to.filter(|&to| to != state) {
                moved.controls.insert((id, state), to);
            }
        }
    }
    moved.globals = guess.into_inner().globals;
    Ok(moved)
}
