//! The user's names for what a state holds: processes, channels and values.

use quotient_ir::{ChannelType, Model, RecordKind, Scalar, Setup, Slot, Sort, Termination};
use quotient_report::trace::{ProcessName, Value};
use quotient_step::reference::{Channel, State};
use std::collections::HashMap;

/// A process by id and type, a thread by type and number; it must be alive.
pub fn process(model: &Model, state: &State, process: usize) -> ProcessName {
    let proctype = &model.proctypes[state.processes[process].started_as()];
    let is_thread = model.heap.is_some() && proctype.termination == Termination::Removed;
    let number = state.heap.numbers.of(process).filter(|_| is_thread);
    ProcessName { process, proctype: proctype.name.clone(), number }
}

/// A record by type and number: `Fork#2`. Numbers are not used again.
pub fn record(model: &Model, state: &State, name: i32) -> String {
    let ty = state.heap.records.get(&name).and_then(|record| model.heap.as_ref()?.records.get(record.ty));
    match (name, ty) {
        (0, _) => "null".to_string(),
        (_, Some(ty)) if ty.boxed => match owner(model, state, name) {
            Some(variable) => format!("&{variable}"),
            None => format!("&{}#{name}", ty.name),
        },
        (_, Some(ty)) => format!("{}#{name}", ty.name),
        (_, None) => format!("#{name}"),
    }
}

/// The variable, or the part of a record, that lives in a box.
fn owner(model: &Model, state: &State, name: i32) -> Option<String> {
    let holds = |slots: &[Slot], values: &[i32]| {
        let mut pairs = slots.iter().zip(values);
        pairs.find(|(slot, value)| slot.boxed && **value == name).map(|(slot, _)| slot.name.clone())
    };
    let local = |(id, process): (usize, &quotient_step::reference::Process)| {
        let found = process.frames().find_map(|(ty, locals)| holds(&model.proctypes[ty].slots, locals));
        found.map(|variable| format!("{}:{id}.{variable}", model.proctypes[process.started_as()].name))
    };
    let part = |(&other, found): (&i32, &quotient_step::reference::Record)| {
        let fields = &model.heap.as_ref()?.records.get(found.ty)?.fields;
        let field = holds(fields, &found.values)?;
        let of = record(model, state, other);
        Some(format!("{}.{field}", of.trim_start_matches('&')))
    };
    holds(&model.globals, &state.globals)
        .or_else(|| state.processes.iter().enumerate().find_map(local))
        .or_else(|| state.heap.records.iter().find_map(part))
}

/// What is in a box, if it holds one value, and of which kind that is.
fn content<'m>(model: &'m Model, state: &State, name: i32) -> Option<(&'m Slot, i32)> {
    let record = state.heap.records.get(&name)?;
    let ty = model.heap.as_ref()?.records.get(record.ty)?;
    let is_value = ty.boxed && ty.kind == RecordKind::Array;
    Some((ty.fields.first().filter(|_| is_value)?, *record.values.first()?))
}

/// Whether a variable is made by the tool, for a part of a statement.
pub fn is_temporary(slot: &Slot) -> bool {
    slot.name.starts_with('$')
}

/// A channel by the variable that it was made for: `q[1]`, or `P:2.q` for a local one.
pub fn channel(model: &Model, state: &State, index: usize) -> String {
    let owner = state.channels[index].owner;
    // Channels are made in the order of their declarations, so the number among its owner's tells which one it is.
    let number = state.channels[..index].iter().filter(|c| c.owner == owner).count();
    let slot = made(owned(model, state, owner).0).nth(number);
    name_of_channel(model, state, index, slot)
}

/// All channels by the variables that they were made for.
pub fn channels(model: &Model, state: &State) -> Vec<String> {
    let mut left = HashMap::new();
    let one = |(index, channel): (usize, &Channel)| {
        let slots = left.entry(channel.owner).or_insert_with(|| made(owned(model, state, channel.owner).0));
        name_of_channel(model, state, index, slots.next())
    };
    state.channels.iter().enumerate().map(one).collect()
}

/// What is done when whoever owns a channel begins, and the variables.
fn owned<'m>(model: &'m Model, state: &State, owner: Option<usize>) -> (&'m [Setup], &'m [Slot]) {
    match owner.and_then(|owner| state.processes.get(owner)) {
        Some(process) => {
            let proctype = &model.proctypes[process.proctype];
            (&proctype.setup, &proctype.slots)
        }
        None => (&model.setup, &model.globals),
    }
}

/// The variables for which channels are made.
fn made(setup: &[Setup]) -> impl Iterator<Item = usize> + '_ {
    setup.iter().filter_map(|step| match step {
        Setup::Channel(slot, _) => Some(*slot),
        Setup::Assign(..) => None,
    })
}

fn name_of_channel(model: &Model, state: &State, index: usize, slot: Option<usize>) -> String {
    let channel = &state.channels[index];
    let process = channel.owner.and_then(|owner| Some((owner, state.processes.get(owner)?)));
    let prefix = process
        .map_or_else(String::new, |(owner, process)| format!("{}:{owner}.", model.proctypes[process.proctype].name));
    match slot.and_then(|slot| owned(model, state, channel.owner).1.get(slot)) {
        Some(slot) => format!("{prefix}{}", slot.name),
        None => format!("{prefix}{}", model.channels[channel.ty].name),
    }
}

/// The value of a variable.
pub fn value(model: &Model, state: &State, slot: &Slot, value: i32) -> Value {
    if slot.boxed
        && let Some((slot, value)) = content(model, state, value)
    {
        return typed(model, state, slot.scalar, slot.mtype, value);
    }
    typed(model, state, slot.scalar, slot.mtype, value)
}

/// A message on a channel.
pub fn message(model: &Model, state: &State, ty: &ChannelType, message: &[i32]) -> Vec<Value> {
    let field = |(number, &value): (usize, &i32)| {
        let mtype = ty.mtypes.get(number).copied().flatten();
        match ty.fields.get(number) {
            Some(&scalar) => typed(model, state, scalar, mtype, value),
            None => Value::Number(value),
        }
    };
    message.iter().enumerate().map(field).collect()
}

fn typed(model: &Model, state: &State, scalar: Scalar, mtype: Option<usize>, value: i32) -> Value {
    if let Some(name) = mtype.and_then(|set| model.mtype_name(set, value)) {
        return Value::Name(name.to_string());
    }
    let index = usize::try_from(value).ok().and_then(|id| id.checked_sub(1));
    match (scalar.sort, index) {
        (Sort::Ref, _) => Value::Name(record(model, state, value)),
        (Sort::Channel, Some(index)) if index < state.channels.len() => Value::Name(channel(model, state, index)),
        _ => Value::Number(value),
    }
}
