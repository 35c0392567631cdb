//! The user's names for what a state holds: processes, channels and values.

use quotient_ir::{Model, Scalar, Setup, Slot, Sort};
use quotient_report::trace::{ProcessName, Value};
use quotient_step::reference::State;

/// A process by id and type; it must be alive.
pub fn process(model: &Model, state: &State, process: usize) -> ProcessName {
    let proctype = model.proctypes[state.processes[process].started_as()].name.clone();
    ProcessName { process, proctype }
}

/// A record by type and number: `Fork#2`. Numbers are not used again.
pub fn record(model: &Model, state: &State, name: i32) -> String {
    let ty = state.heap.records.get(&name).and_then(|record| model.heap.as_ref()?.records.get(record.ty));
    match (name, ty) {
        (0, _) => "null".to_string(),
        (_, Some(ty)) => format!("{}#{name}", ty.name),
        (_, None) => format!("#{name}"),
    }
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
    let process = owner.and_then(|owner| state.processes.get(owner));
    let (setup, slots, prefix) = match (owner, process) {
        (Some(owner), Some(process)) => {
            let proctype = &model.proctypes[process.proctype];
            (&proctype.setup, &proctype.slots, format!("{}:{owner}.", proctype.name))
        }
        _ => (&model.setup, &model.globals, String::new()),
    };
    let slot = setup.iter().filter_map(|step| match step {
        Setup::Channel(slot, _) => Some(*slot),
        Setup::Assign(..) => None,
    });
    match slot.into_iter().nth(number).and_then(|slot| slots.get(slot)) {
        Some(slot) => format!("{prefix}{}", slot.name),
        None => format!("{prefix}{}", model.channels[state.channels[index].ty].name),
    }
}

/// The value of a variable.
pub fn value(model: &Model, state: &State, slot: &Slot, value: i32) -> Value {
    typed(model, state, slot.scalar, slot.mtype, value)
}

/// A message on a channel.
pub fn message(model: &Model, state: &State, channel: usize, message: &[i32]) -> Vec<Value> {
    let ty = &model.channels[state.channels[channel].ty];
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
