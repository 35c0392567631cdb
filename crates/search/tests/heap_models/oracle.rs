//! A naive search on the reference interpreter, and keys by brute force: the least of all ways to write a state, over all
//! orders of its threads and all names of its records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quotient_ir::{Model, Sort};
use quotient_step::Control;
use quotient_step::reference::{Holder, Interpreter, Moves, State};

/// Which renamings are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Renamings {
    pub(crate) threads: bool,
    pub(crate) records: bool,
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
fn write(model: &Model, state: &State, order: &[usize], names: &BTreeMap<i32, i32>) -> Vec<i32> {
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
        let sort = |index: usize| ty.fields[index.min(ty.fields.len() - 1)].scalar.sort;
        out.extend(record.values.iter().enumerate().map(|(index, &value)| name(sort(index), value)));
    }
    out
}

/// The key of a state: the least way to write it. With many records, those are named as they are found in each order of
/// threads, which is one name for all; with few, all names are tried.
pub(crate) fn key(model: &Model, state: &State, renamings: Renamings) -> Vec<i32> {
    let threads = match renamings.threads {
        true => orders(state.processes.len()),
        false => vec![(0..state.processes.len()).collect()],
    };
    let live: Vec<i32> = state.heap.records.keys().copied().collect();
    let mut keys = Vec::new();
    for order in threads {
        if !renamings.records {
            keys.push(write(model, state, &order, &live.iter().map(|&name| (name, name)).collect()));
        } else if live.len() <= 4 {
            for names in orders(live.len()) {
                let names = live.iter().zip(names).map(|(&old, new)| (old, new as i32 + 1)).collect();
                keys.push(write(model, state, &order, &names));
            }
        } else {
            let mut moved = state.clone();
            moved.processes = order.iter().map(|&process| state.processes[process].clone()).collect();
            let names = moved.reachable(model).into_iter().zip(1..).collect();
            keys.push(write(model, state, &order, &names));
        }
    }
    keys.into_iter().min().unwrap_or_default()
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
        if renamings.threads && state.processes.len() > MOST_THREADS {
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
