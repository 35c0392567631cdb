//! Positions: where every element of a state stands among those that a renaming exchanges, and what values stand for.

use std::collections::HashMap;

use quotient_ir::{Element, Model, Names, NamesId, Position, ProctypeId, SetId, Setup, Steady, Symmetry, Unread};

use crate::infer::Inference;
use crate::sets::Sets;
use crate::start::Start;

/// The symmetry that some scalarsets give, if it is one.
pub(crate) fn symmetry(model: &Model, start: &Start, inference: &Inference, sets: &Sets) -> Symmetry {
    let mut namings = Namings::default();
    let mut numbers = Numbers::default();
    let globals = slots(model, inference, sets, 0, &mut numbers, &mut namings);
    let locals: Vec<Vec<Element>> = (0..model.proctypes.len())
        .map(|id| slots(model, inference, sets, id + 1, &mut numbers, &mut namings))
        .collect();
    let mut processes: Vec<Position> = Vec::new();
    for (pid, process) in start.state.processes.iter().enumerate() {
        let family = sets.families.iter().find(|f| f.proctype == process.proctype);
        let members = family.and_then(|f| f.processes.iter().find(|(p, _)| *p == pid)).map(|(_, m)| m.clone());
        processes.push(match members {
            Some(members) if !members.is_empty() => {
                let indices: Vec<SetId> = members.iter().map(|(set, _)| *set).collect();
                Position { class: numbers.of(&format!("process {} {indices:?}", process.proctype)), members }
            }
            _ => Position { class: numbers.of(&format!("process {} {pid}", process.proctype)), members: Vec::new() },
        });
    }
    let channels = channels(model, start, &globals, &locals, &processes, &mut numbers);
    let fields = inference
        .fields
        .iter()
        .map(|fields| fields.iter().map(|&node| namings.of(sets.names(inference, node, 0))).collect::<Vec<_>>());
    let fields = fields.collect();
    Symmetry {
        sets: sets.sets.clone(),
        names: namings.0,
        globals,
        locals,
        fields,
        channels,
        processes,
        controls: controls(model, sets, &mut numbers),
        steady: steady(start),
        unread: Unread::default(),
    }
}

/// From when on states may be renamed.
pub(crate) fn steady(start: &Start) -> Option<Steady> {
    let process = start.creator?;
    let controls = start.reachable[start.state.processes[process].proctype].clone();
    Some(Steady { process, controls })
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

/// The ways of naming members, each once.
#[derive(Default)]
struct Namings(Vec<Names>);

impl Namings {
    fn of(&mut self, names: Option<Names>) -> Option<NamesId> {
        let names = names?;
        Some(self.0.iter().position(|known| *known == names).unwrap_or_else(|| {
            self.0.push(names);
            self.0.len() - 1
        }))
    }
}

/// Whether a variable can hold all values that stand for members. If not, it names none of them: what is stored in it is
/// then a number like any other.
pub(crate) fn holds(model: &Model, component: usize, slot: usize, names: &Names) -> bool {
    let scalar = match component {
        0 => model.globals[slot].scalar,
        _ => model.proctypes[component - 1].slots[slot].scalar,
    };
    names.values.iter().all(|&(value, _, _)| scalar.truncate(value) == value)
}

fn slots(
    model: &Model,
    inference: &Inference,
    sets: &Sets,
    component: usize,
    numbers: &mut Numbers,
    namings: &mut Namings,
) -> Vec<Element> {
    let arrays = &inference.arrays[component];
    let elements = arrays.elements.iter().enumerate().map(|(slot, element)| {
        let names = sets.names(inference, inference.value(component, slot), 0);
        let names = namings.of(names.filter(|names| holds(model, component, slot, names)));
        if let (0, Some((name, member))) = (component, sets.owned.get(&slot)) {
            let class = numbers.of(&format!("owned {name} {}", member.0));
            return Element { position: Position { class, members: vec![*member] }, names };
        }
        let shape = &arrays.shapes[element.shape];
        let mut members: Vec<(SetId, u8)> = Vec::new();
        let mut key = format!("slot {component} {} {}", shape.variable, shape.pattern);
        for (dimension, &index) in element.indices.iter().enumerate() {
            let axis = inference.axis(component, element.shape, dimension);
            match sets.names(inference, axis, 0).and_then(|names| names.member(index as i32)) {
                Some(member) => {
                    members.push(member);
                    key.push_str(&format!(" *{}", member.0));
                }
                None => key.push_str(&format!(" {index}")),
            }
        }
        Element { position: Position { class: numbers.of(&key), members }, names }
    });
    elements.collect()
}

fn controls(model: &Model, sets: &Sets, numbers: &mut Numbers) -> Vec<Vec<Position>> {
    let of_type = |(id, proctype): (usize, &quotient_ir::Proctype)| {
        if !sets.controls.keys().any(|(ty, _)| *ty == id) {
            return Vec::new();
        }
        let positions = (0..proctype.states.len()).map(|state| match sets.controls.get(&(id, state)) {
            Some((name, member)) => {
                Position { class: numbers.of(&format!("control {id} {name} {}", member.0)), members: vec![*member] }
            }
            None => Position { class: numbers.of(&format!("control {id} {state}")), members: Vec::new() },
        });
        positions.collect()
    };
    model.proctypes.iter().enumerate().map(of_type).collect()
}

/// A channel stands where the variable that it was created with stands, in its process.
fn channels(
    model: &Model,
    start: &Start,
    globals: &[Element],
    locals: &[Vec<Element>],
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
                let holder = &globals[created(&model.setup)[*number - 1]].position;
                let class = numbers.of(&format!("channel {}", holder.class));
                Position { class, members: holder.members.clone() }
            }
            Some(owner) => {
                let proctype: ProctypeId = start.state.processes[owner].proctype;
                let slot = created(&model.proctypes[proctype].setup)[*number - 1];
                let (process, local) = (&processes[owner], &locals[proctype][slot].position);
                let class = numbers.of(&format!("channel {} {}", process.class, local.class));
                Position { class, members: process.members.iter().chain(&local.members).copied().collect() }
            }
        }
    });
    positions.collect()
}
