//! What nobody will read. States that differ there only are the same, so these fields are written over before a
//! representative is looked for, with a value that stands for no member, and are zero in the representative.
//!
//! A slot is forgotten only if every renaming takes it to one that is forgotten too, and if its field can hold a value
//! that is nobody's name. Otherwise its value counts, which is right as well: there are more representatives then.

use std::collections::{BTreeSet, HashMap};

use quotient_ir::schema::Schema;
use quotient_ir::{Element, Model, Position, Scalar, Symmetry};

use super::{Arrangement, Set, code, read};

/// The fields that nobody will read.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    globals: Vec<Field>,
    /// Where processes start whose types have such fields, with the number of the type.
    processes: Vec<(u32, usize)>,
    /// The fields of a process, by number of its type and control state.
    locals: Vec<Vec<Vec<Field>>>,
    control_bytes: usize,
    /// Some value to write over is not zero.
    pub(crate) has_neutral: bool,
}

/// A field that nobody will read.
#[derive(Clone, Copy, Debug)]
struct Field {
    at: u32,
    width: u8,
    /// A value that stands for no member.
    neutral: u32,
}

impl Unread {
    /// The fields that nobody will read in states of an arrangement; `None` if there are none.
    pub(crate) fn new(
        model: &Model,
        schema: &Schema,
        symmetry: &Symmetry,
        arrangement: &Arrangement,
        sets: &[Set],
    ) -> Option<Unread> {
        if symmetry.unread.globals.is_empty() && symmetry.unread.locals.iter().flatten().all(Vec::is_empty) {
            return None;
        }
        let generators = code::generators(sets);
        let field = |at: u32, scalar: Scalar, element: Option<&Element>| {
            let neutral = symmetry.neutral(scalar, element)? as u32;
            Some(Field { at, width: scalar.bytes() as u8, neutral })
        };

        let of_global = |slot: usize| {
            field(*schema.globals.offsets.get(slot)?, model.globals[slot].scalar, symmetry.globals.get(slot))
        };
        let positions =
            |elements: &[Element]| elements.iter().map(|element| element.position.clone()).collect::<Vec<_>>();
        let named = symmetry.unread.globals.iter().filter(|&&slot| of_global(slot).is_some()).map(|&slot| (0, slot));
        let globals = closed(named.collect(), &[], &positions(&symmetry.globals), sets, &generators);
        let globals: Vec<Field> = globals.into_iter().filter_map(|(_, slot)| of_global(slot)).collect();

        let mut locals = vec![Vec::new(); model.proctypes.len()];
        for (ty, unread) in symmetry.unread.locals.iter().enumerate().take(model.proctypes.len()) {
            let (slots, elements) =
                (&model.proctypes[ty].slots, symmetry.locals.get(ty).map_or(&[][..], Vec::as_slice));
            let of_local =
                |slot: usize| field(*schema.locals[ty].offsets.get(slot)?, slots[slot].scalar, elements.get(slot));
            let states = model.proctypes[ty].states.len();
            let by_state = unread.iter().take(states).enumerate();
            let named = by_state.flat_map(|(control, slots)| slots.iter().map(move |&slot| (control, slot)));
            let named = named.filter(|&(_, slot)| of_local(slot).is_some()).collect();
            let controls = symmetry.controls.get(ty).map_or(&[][..], Vec::as_slice);
            let kept = closed(named, controls, &positions(elements), sets, &generators);
            if !kept.is_empty() {
                locals[ty] = vec![Vec::new(); states];
            }
            for (control, slot) in kept {
                locals[ty][control].extend(of_local(slot));
            }
        }
        let processes = arrangement.processes.iter().filter(|&&(ty, _)| !locals[ty].is_empty());
        let processes: Vec<(u32, usize)> = processes.map(|&(ty, start)| (start, ty)).collect();
        if globals.is_empty() && processes.is_empty() {
            return None;
        }
        let has_neutral = globals.iter().chain(locals.iter().flatten().flatten()).any(|field| field.neutral != 0);
        Some(Unread { globals, processes, locals, control_bytes: schema.control_bytes as usize, has_neutral })
    }

    /// Writes a value that stands for no member into every field that nobody will read.
    pub(crate) fn neutralise(&self, state: &mut [u8]) {
        self.write(state, |field| field.neutral);
    }

    /// Writes zero into every field that nobody will read.
    pub(crate) fn clear(&self, state: &mut [u8]) {
        self.write(state, |_| 0);
    }

    #[inline(always)]
    fn write(&self, state: &mut [u8], value: impl Fn(&Field) -> u32) {
        let write = |start: u32, field: &Field, state: &mut [u8]| {
            let (at, width) = ((start + field.at) as usize, usize::from(field.width));
            state[at..at + width].copy_from_slice(&value(field).to_le_bytes()[..width]);
        };
        for field in &self.globals {
            write(0, field, state);
        }
        for &(start, ty) in &self.processes {
            let control = read(state, start as usize, self.control_bytes) as usize;
            for field in &self.locals[ty][control] {
                write(start, field, state);
            }
        }
    }
}

/// Those slots, by control state, that every renaming takes to one of them.
fn closed(
    mut named: BTreeSet<(usize, usize)>,
    controls: &[Position],
    slots: &[Position],
    sets: &[Set],
    generators: &[Vec<u8>],
) -> BTreeSet<(usize, usize)> {
    let targets: Vec<(Vec<_>, Vec<_>)> =
        generators.iter().map(|images| (targets(controls, sets, images), targets(slots, sets, images))).collect();
    loop {
        let target = |places: &[Option<usize>], own: usize| places.get(own).map_or(Some(own), |&place| place);
        let stays = |&(control, slot): &(usize, usize)| {
            targets.iter().all(|(controls, slots)| {
                target(controls, control).zip(target(slots, slot)).is_some_and(|place| named.contains(&place))
            })
        };
        let kept: BTreeSet<(usize, usize)> = named.iter().copied().filter(stays).collect();
        if kept.len() == named.len() {
            return kept;
        }
        named = kept;
    }
}

/// Where each element goes; `None` where there is no place for it.
fn targets(positions: &[Position], sets: &[Set], images: &[u8]) -> Vec<Option<usize>> {
    let at: HashMap<&Position, usize> = positions.iter().enumerate().map(|(own, position)| (position, own)).collect();
    let target = |(own, position): (usize, &Position)| match position.members.is_empty() {
        true => Some(own),
        false => {
            let image = |&(set, k): &(usize, u8)| Some((set, *images.get(sets.get(set)?.base + usize::from(k))?));
            let members = position.members.iter().map(image).collect::<Option<_>>()?;
            at.get(&Position { class: position.class, members }).copied()
        }
    };
    positions.iter().enumerate().map(target).collect()
}
