//! A naive search on the reference interpreter, and keys by brute force: the least of all ways to write a state, over all
//! orders of its threads and all names of its records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quotient_ir::{Model, RecordKind, Slot, Sort};
use quotient_step::Control;
use quotient_step::reference::{Holder, Interpreter, Moves, State};

/// Which renamings are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Renamings {
    pub(crate) threads: bool,
    pub(crate) records: bool,
    /// The order of what is in unordered values means nothing.
    pub(crate) entries: bool,
    /// Members of declared scalarsets differ by name only.
    pub(crate) members: bool,
}

/// What a naive search finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    /// States at which nothing can happen and something should.
    pub(crate) deadlocks: u64,
    /// Kinds of what went wrong.
    pub(crate) faults: BTreeSet<&'static str>,
}

/// All orders of so many things.
fn orders(number: usize) -> Vec<Vec<usize>> {
    match number.checked_sub(1) {
        None => vec![Vec::new()],
        Some(last) => orders(last)
            .into_iter()
            .flat_map(|order| {
                (0..=order.len()).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, last);
                    order
                })
            })
            .collect(),
    }
}

/// Writes a state with its threads in an order, and its records by new names.
fn write(model: &Model, state: &State, order: &[usize], names: &BTreeMap<i32, i32>, sorts: bool) -> Vec<i32> {
    let heap = model.heap.as_ref().expect("the model has a heap");
    let name = |sort: Sort, value: i32| if sort == Sort::Ref { names.get(&value).copied().unwrap_or(0) } else { value };
    let place = |process: usize| order.iter().position(|&other| other == process).map_or(-1, |at| at as i32);
    let mut out: Vec<i32> =
        model.globals.iter().zip(&state.globals).map(|(slot, &value)| name(slot.scalar.sort, value)).collect();
    for channel in &state.channels {
        out.push(channel.messages.len() as i32);
        let fields = &model.channels[channel.ty].fields;
        for message in &channel.messages {
            out.extend(fields.iter().zip(message).map(|(scalar, &value)| name(scalar.sort, value)));
        }
    }
    out.push(order.len() as i32);
    for &process in order {
        let process = &state.processes[process];
        out.push(process.callers.len() as i32);
        let callers = process.callers.iter().map(|c| (c.proctype, c.control, &c.locals));
        for (ty, control, locals) in callers.chain([(process.proctype, process.control, &process.locals)]) {
            out.extend([ty as i32, control as i32]);
            let slots = model.proctypes[ty].slots.iter().zip(locals);
            out.extend(slots.map(|(slot, &value)| name(slot.scalar.sort, value)));
        }
    }
    let mut by_name: Vec<(i32, i32)> = names.iter().map(|(&old, &new)| (new, old)).collect();
    by_name.sort_unstable();
    for (_, old) in by_name {
        let record = &state.heap.records[&old];
        if record.deleted {
            out.push(-1);
            continue;
        }
        let ty = &heap.records[record.ty];
        out.extend([record.ty as i32, i32::from(record.depth), record.values.len() as i32]);
        out.push(match record.holder {
            Holder::Nobody => -1,
            Holder::Ended => -2,
            Holder::Process(process) => place(process),
        });
        out.push(record.thread.map_or(-1, place));
        let values = record.values.iter().enumerate();
        let values: Vec<i32> = values.map(|(index, &value)| name(ty.slot(index).scalar.sort, value)).collect();
        match ty.kind {
            RecordKind::Value(kind) if kind.unordered && sorts => {
                let (head, width) = ty.shape();
                let mut entries: Vec<&[i32]> = values[head..].chunks(width).collect();
                entries.sort_unstable();
                out.extend_from_slice(&values[..head]);
                out.extend(entries.concat());
            }
            _ => out.extend(values),
        }
    }
    out
}

/// All ways to rename the members of the declared scalarsets: the images of each set.
fn member_renamings(model: &Model) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for set in &model.declared.sets {
        let images = orders(set.size);
        all = all
            .into_iter()
            .flat_map(|before| images.iter().map(move |next| [&before[..], std::slice::from_ref(next)].concat()))
            .collect();
    }
    all
}

/// A state with its members renamed.
fn with_members_renamed(model: &Model, state: &State, images: &[Vec<usize>]) -> State {
    let value = |sort: Sort, value: i32| match sort {
        Sort::Member { set } => {
            let image = usize::try_from(value).ok().and_then(|value| images[usize::from(set)].get(value));
            image.map_or(value, |&image| image as i32)
        }
        _ => value,
    };
    let variables = |owner: Option<usize>, slots: &[Slot], old: &[i32]| {
        let mut new = vec![0; old.len()];
        for (number, (slot, &content)) in slots.iter().zip(old).enumerate() {
            let axes = model.declared.axes.iter().filter(|axis| axis.proctype == owner && axis.slot == number);
            let mut name = slot.name.clone();
            for axis in axes {
                name = with_index(&name, axis.dimension, |index| images[axis.set][index]);
            }
            let to = slots.iter().position(|other| other.name == name).expect("the renamed element is there");
            new[to] = value(slot.scalar.sort, content);
        }
        new
    };
    let message = |ty: usize, message: &[i32]| -> Vec<i32> {
        let fields = &model.channels[ty].fields;
        message.iter().zip(fields).map(|(&content, field)| value(field.sort, content)).collect()
    };
    let mut renamed = state.clone();
    renamed.globals = variables(None, &model.globals, &state.globals);
    for channel in &mut renamed.channels {
        let ty = channel.ty;
        channel.messages.iter_mut().for_each(|one| *one = message(ty, one));
    }
    for process in &mut renamed.processes {
        process.locals = variables(Some(process.proctype), &model.proctypes[process.proctype].slots, &process.locals);
        for caller in &mut process.callers {
            caller.locals = variables(Some(caller.proctype), &model.proctypes[caller.proctype].slots, &caller.locals);
        }
    }
    let types = model.heap.iter().flat_map(|heap| &heap.records).collect::<Vec<_>>();
    for record in renamed.heap.records.values_mut().filter(|record| !record.deleted) {
        let ty = types[record.ty];
        let filled = match ty.kind {
            // What is behind the messages means nothing.
            RecordKind::Channel(channel) => match record.values.first() {
                Some(&count) => 1 + count as usize * model.channels[channel].fields.len(),
                None => 0,
            },
            _ => record.values.len(),
        };
        for (number, content) in record.values.iter_mut().enumerate().take(filled) {
            *content = value(ty.slot(number).scalar.sort, *content);
        }
    }
    renamed
}

/// A name like `a[1].b[2]` with another index at a place.
fn with_index(name: &str, place: usize, change: impl Fn(usize) -> usize) -> String {
    let (before, after) = match name.match_indices('[').nth(place) {
        Some((at, _)) => name.split_at(at + 1),
        None => return name.to_string(),
    };
    let (index, rest) = after.split_once(']').expect("a bracket is closed");
    format!("{before}{}]{rest}", change(index.parse().expect("an index is a number")))
}

/// The key of a state: the least way to write it. With many records, those are named as they are found in each order of
/// threads, which is one name for all; with few, all names are tried.
pub(crate) fn key(model: &Model, state: &State, renamings: Renamings) -> Vec<i32> {
    if renamings.members {
        let renamings = Renamings { members: false, ..renamings };
        let all = member_renamings(model).into_iter();
        return all
            .map(|images| key(model, &with_members_renamed(model, state, &images), renamings))
            .min()
            .unwrap_or_default();
    }
    let threads = match renamings.threads {
        true => orders(state.processes.len()),
        false => vec![(0..state.processes.len()).collect()],
    };
    let live: Vec<i32> = state.heap.records.keys().copied().collect();
    let most = if renamings.entries && has_unordered(model) { MOST_RENAMED } else { 4 };
    let mut keys = Vec::new();
    for order in threads {
        if !renamings.records {
            let names = live.iter().map(|&name| (name, name)).collect();
            keys.push(write(model, state, &order, &names, renamings.entries));
        } else if live.len() <= most {
            for names in orders(live.len()) {
                let names = live.iter().zip(names).map(|(&old, new)| (old, new as i32 + 1)).collect();
                keys.push(write(model, state, &order, &names, renamings.entries));
            }
        } else {
            let mut moved = state.clone();
            moved.processes = order.iter().map(|&process| state.processes[process].clone()).collect();
            let names = moved.reachable(model).into_iter().zip(1..).collect();
            keys.push(write(model, state, &order, &names, renamings.entries));
        }
    }
    keys.into_iter().min().unwrap_or_default()
}

/// More records than this are not given all names, where the order of entries means nothing.
pub(crate) const MOST_RENAMED: usize = 6;

/// Whether there are values whose entries have no order.
pub(crate) fn has_unordered(model: &Model) -> bool {
    let records = model.heap.iter().flat_map(|heap| &heap.records);
    records.into_iter().any(|record| matches!(record.kind, RecordKind::Value(kind) if kind.unordered))
}

/// More threads than this are not put into all orders.
const MOST_THREADS: usize = 4;

/// Explores a model; none when there are more states than a limit, or too many threads.
pub(crate) fn explore(model: &Model, renamings: Renamings, limit: u64) -> Option<Found> {
    let interpreter = Interpreter { model, promises: false };
    let (initial, faults) = interpreter.initial();
    let mut found = Found { faults: faults.iter().map(|fault| fault.kind.name()).collect(), ..Found::default() };
    let mut seen: HashMap<Vec<i32>, ()> = HashMap::new();
    let mut work = vec![(initial, Control::Free)];
    let mut arrivals = 0;
    while let Some((state, control)) = work.pop() {
        let renames = renamings.entries && has_unordered(model);
        if renamings.threads && state.processes.len() > MOST_THREADS
            || renames && state.heap.records.len() > MOST_RENAMED
            || renames && state.heap.records.len() + state.processes.len() > MOST_RENAMED + 1
        {
            return None;
        }
        if control == Control::Free {
            arrivals += 1;
            if seen.insert(key(model, &state, renamings), ()).is_some() {
                continue;
            }
            found.states += 1;
            if found.states > limit {
                return None;
            }
        }
        if let Moves::Some(outcomes) = interpreter.moves(&state, control) {
            found.faults.extend(outcomes.iter().flat_map(|o| &o.faults).map(|fault| fault.kind.name()));
        }
        match interpreter.executable(&state, control) {
            Moves::Some(outcomes) => work.extend(outcomes.into_iter().filter_map(|outcome| outcome.next)),
            Moves::Release => work.push((state, Control::Free)),
            Moves::End => {}
            Moves::Deadlock => found.deadlocks += 1,
        }
    }
    found.transitions = arrivals - 1;
    Some(found)
}
