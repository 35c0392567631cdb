//! Positions: where every element of a state stands among those that a renaming exchanges.

use std::collections::HashMap;

use quotient_ir::{Model, Position, ProctypeId, SetId, Setup, Sort, Symmetry};

use crate::infer::Inference;
use crate::sets::Sets;
use crate::start::Start;

/// The symmetry that some scalarsets give.
pub fn symmetry(model: &Model, start: &Start, inference: &Inference, sets: &Sets) -> Symmetry {
    let mut numbers = Numbers::default();
    let mut locals = Vec::new();
    let globals = slots(inference, sets, 0, &mut numbers);
    for id in 0..model.proctypes.len() {
        locals.push(slots(inference, sets, id + 1, &mut numbers));
    }
    let mut processes: Vec<Position> = Vec::new();
    for (pid, process) in start.state.processes.iter().enumerate() {
        let family = sets.families.iter().find(|f| f.proctype == process.proctype);
        let members = family.and_then(|f| f.processes.iter().find(|(p, _)| *p == pid)).map(|(_, m)| m.clone());
        processes.push(match members {
            Some(members) if !members.is_empty() => {
                Position { class: numbers.of(&format!("process {}", process.proctype)), members }
            }
            _ => Position { class: numbers.of(&format!("process {} {pid}", process.proctype)), members: Vec::new() },
        });
    }
    let channels = channels(model, start, &globals, &locals, &processes, &mut numbers);
    Symmetry { sets: sets.sets.clone(), globals, locals, channels, processes }
}

/// Numbers for classes, by what they are.
#[derive(Default)]
struct Numbers(HashMap<String, u32>);

impl Numbers {
    fn of(&mut self, what: &str) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(what.to_string()).or_insert(next)
    }
}

fn slots(inference: &Inference, sets: &Sets, component: usize, numbers: &mut Numbers) -> Vec<Position> {
    let arrays = &inference.arrays[component];
    let positions = arrays.elements.iter().map(|element| {
        let shape = &arrays.shapes[element.shape];
        let mut members: Vec<(SetId, u8)> = Vec::new();
        let mut key = format!("slot {component} {} {}", shape.variable, shape.pattern);
        for (dimension, &index) in element.indices.iter().enumerate() {
            let axis = inference.axis(component, element.shape, dimension);
            let member = sets.member(inference, axis, 0).and_then(|(set, first)| {
                let k = index as i32 - first;
                (0..sets.sets[set].size as i32).contains(&k).then_some((set, k as u8))
            });
            match member {
                Some(member) => {
                    members.push(member);
                    key.push_str(" *");
                }
                None => key.push_str(&format!(" {index}")),
            }
        }
        Position { class: numbers.of(&key), members }
    });
    positions.collect()
}

/// A channel stands where the variable that it was created with stands, in its process.
fn channels(
    model: &Model,
    start: &Start,
    globals: &[Position],
    locals: &[Vec<Position>],
    processes: &[Position],
    numbers: &mut Numbers,
) -> Vec<Position> {
    let created = |setup: &[Setup]| -> Vec<usize> {
        let slots = setup.iter().filter_map(|s| match s {
            Setup::Channel(slot, _) => Some(*slot),
            Setup::Assign(..) => None,
        });
        slots.collect()
    };
    let mut seen: HashMap<Option<usize>, usize> = HashMap::new();
    let positions = start.state.channels.iter().map(|channel| {
        let number = seen.entry(channel.owner).or_default();
        *number += 1;
        match channel.owner {
            None => {
                let slot = created(&model.setup)[*number - 1];
                let class = numbers.of(&format!("channel {}", globals[slot].class));
                Position { class, members: globals[slot].members.clone() }
            }
            Some(owner) => {
                let proctype: ProctypeId = start.state.processes[owner].proctype;
                let slot = created(&model.proctypes[proctype].setup)[*number - 1];
                let (process, local) = (&processes[owner], &locals[proctype][slot]);
                let class = numbers.of(&format!("channel {} {}", process.class, local.class));
                Position { class, members: process.members.iter().chain(&local.members).copied().collect() }
            }
        }
    });
    positions.collect()
}

/// Gives slots and message fields the sorts that their classes have.
pub fn stamp(model: &mut Model, inference: &Inference, sets: &Sets) {
    let sort = |node, old: Sort| match sets.member(inference, node, 0) {
        Some((set, first)) => Sort::Member { set: set as u8, first: first as u8 },
        None if matches!(old, Sort::Member { .. }) => Sort::Plain,
        None => old,
    };
    for slot in 0..model.globals.len() {
        let scalar = &mut model.globals[slot].scalar;
        scalar.sort = sort(inference.value(0, slot), scalar.sort);
    }
    for (id, proctype) in model.proctypes.iter_mut().enumerate() {
        for slot in 0..proctype.slots.len() {
            let scalar = &mut proctype.slots[slot].scalar;
            scalar.sort = sort(inference.value(id + 1, slot), scalar.sort);
        }
    }
    for (ty, channel) in model.channels.iter_mut().enumerate() {
        for (field, scalar) in channel.fields.iter_mut().enumerate() {
            scalar.sort = sort(inference.fields[ty][field], scalar.sort);
        }
    }
}
