//! Resets: a step writes over what nobody will read before it is written again. States that differ there only become one.
//!
//! A variable that is dead at a control state has its neutral value in every process that is there: that holds at the
//! start, and a step that comes there writes over what was alive before it, or what it wrote itself. The neutral value
//! stands for no member of a scalarset, so that renaming leaves it as it is. And a variable is written over only if it is dead
//! together with all those that a renaming puts in its place: otherwise its neutral value could get to where it is read.

use quotient_ir::dead::{Dead, written};
use quotient_ir::{Action, Element, Position, Scope, Slot};

use super::code::Memory;
use super::program::{Program, Reset, Resets};

impl Program<'_> {
    /// The same program, whose steps write over what nobody will read.
    #[must_use]
    pub fn with_resets(mut self) -> Self {
        let model = self.model;
        let dead = Dead::new(model);
        let symmetry = model.symmetry.as_ref();
        let value = |slot: &Slot, element: Option<&Element>| match symmetry {
            Some(symmetry) => symmetry.neutral(slot.scalar, element),
            None => Some(0),
        };
        let places = symmetry.map_or(Vec::new(), |symmetry| positions(&symmetry.globals));
        let globals: Vec<Option<Reset>> = model
            .globals
            .iter()
            .enumerate()
            .map(|(slot, global)| {
                let value = value(global, symmetry.and_then(|symmetry| symmetry.globals.get(slot)))?;
                let (offset, memory) = (self.schema.globals.offsets[slot], Memory::of(global.scalar));
                let all_dead = alike(&places, slot).into_iter().all(|slot| dead.globals[slot]);
                all_dead.then_some(Reset { local: false, offset, memory, value })
            })
            .collect();
        self.resets = globals.iter().copied().flatten().collect();
        for (id, proctype) in model.bodies() {
            let elements = symmetry.and_then(|symmetry| symmetry.locals.get(id));
            let locals: Vec<Option<Reset>> = proctype
                .slots
                .iter()
                .enumerate()
                .map(|(slot, local)| {
                    let value = value(local, elements.and_then(|elements| elements.get(slot)))?;
                    let (offset, memory) = (self.schema.locals[id].offsets[slot], Memory::of(local.scalar));
                    Some(Reset { local: true, offset, memory, value })
                })
                .collect();
            let slots = elements.map_or(Vec::new(), |elements| positions(elements));
            let controls: Vec<&Position> =
                symmetry.and_then(|symmetry| symmetry.controls.get(id)).map_or(Vec::new(), |all| all.iter().collect());
            let together: Vec<Vec<usize>> = (0..locals.len()).map(|slot| alike(&slots, slot)).collect();
            let all_dead: Vec<Vec<bool>> = (0..proctype.states.len())
                .map(|control| {
                    let controls = alike(&controls, control);
                    let is_dead = |&slot: &usize| controls.iter().all(|&c| dead.is_dead(id, c, Scope::Local, slot));
                    together.iter().map(|slots| slots.iter().all(is_dead)).collect()
                })
                .collect();
            let is_dead = |control: usize, slot: usize| all_dead.get(control).is_some_and(|slots| slots[slot]);
            let dead_at = |control: usize| {
                let slots = (0..locals.len()).filter(move |&slot| is_dead(control, slot));
                slots.map(|slot| (slot, locals[slot]))
            };
            let start = dead_at(proctype.start).filter_map(|(_, reset)| reset);
            self.proctypes[id].resets = add(&mut self.resets, start);
            if model.heap.is_some() {
                let arrivals = (0..proctype.states.len())
                    .map(|control| add(&mut self.resets, dead_at(control).filter_map(|(_, reset)| reset)));
                self.proctypes[id].arrivals = arrivals.collect();
            }
            for (control, state) in proctype.states.iter().enumerate() {
                for (number, transition) in state.transitions.iter().enumerate() {
                    let action = &proctype.statements[transition.statement].action;
                    let writes = written(action);
                    // Who jumps goes on in another frame, or elsewhere in this one.
                    let own = dead_at(transition.target)
                        .filter(|_| !jumps(action))
                        .filter(|&(slot, _)| !is_dead(control, slot) || writes.contains(&(Scope::Local, slot)));
                    let shared = writes.iter().filter_map(|&(scope, slot)| match scope {
                        Scope::Global => globals[slot],
                        Scope::Local => None,
                    });
                    let resets = add(&mut self.resets, own.filter_map(|(_, reset)| reset).chain(shared));
                    let first = self.proctypes[id].states[control].first as usize;
                    self.proctypes[id].moves[first + number].resets = resets;
                }
            }
        }
        self
    }

    /// Whether steps write over anything.
    pub fn resets(&self) -> bool {
        !self.resets.is_empty()
    }

    /// The global variables that nobody reads.
    pub(super) fn unread(&self) -> Resets {
        (0, self.resets.iter().take_while(|reset| !reset.local).count() as u32)
    }
}

/// Whether an action may decide itself where its process goes on.
fn jumps(action: &Action) -> bool {
    match action {
        Action::Heap(action) => action.jumps(),
        Action::Deterministic(body) => body.actions().any(jumps),
        _ => false,
    }
}

fn positions(elements: &[Element]) -> Vec<&Position> {
    elements.iter().map(|element| &element.position).collect()
}

/// The elements that may take each other's places with one of them, and itself.
fn alike(positions: &[&Position], own: usize) -> Vec<usize> {
    match positions.get(own) {
        Some(position) if !position.members.is_empty() => {
            let same = |other: &&Position| other.class == position.class && !other.members.is_empty();
            (0..positions.len()).filter(|&other| same(&positions[other])).collect()
        }
        _ => vec![own],
    }
}

/// Adds resets; gives back where they are.
fn add(all: &mut Vec<Reset>, resets: impl Iterator<Item = Reset>) -> Resets {
    let first = all.len() as u32;
    all.extend(resets);
    (first, all.len() as u32)
}
