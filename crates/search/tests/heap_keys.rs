//! Keys of states with a heap: the same for all states that differ in the names of records and the order of threads, and
//! different for all others, by brute force.

mod heap_models;

use std::collections::HashMap;

use heap_models::oracle::{self, Renamings};
use heap_models::random;
use quotient_canon::{HeapReducer, HeapStrategy};
use quotient_generate::random::Random;
use quotient_ir::schema::HeapLayout;
use quotient_ir::{Model, RecordKind, Sort, ValueKind};
use quotient_step::machine::{Machine, Program};
use quotient_step::reference::{Caller, Channel, Holder, Process, Record, State};

const BOTH: Renamings = Renamings { threads: true, records: true, entries: true, members: false };

/// A state that need not be one that a run can come to.
fn state(model: &Model, random: &mut Random) -> State {
    let heap = model.heap.as_ref().expect("the model has a heap");
    let (threads, records) = (random.between(1, 4), random.below(6));
    // Few kinds of everything make many states alike.
    let kinds = random.between(1, 2);
    let density = random.between(20, 90);
    let reference = |random: &mut Random| if random.chance(density) { random.below(records + 1) as i32 } else { 0 };
    let value = |random: &mut Random, sort: Sort| match sort {
        Sort::Ref => reference(random),
        _ => random.below(kinds) as i32,
    };
    let global = random.chance(50);
    let mut state = State {
        globals: model.globals.iter().map(|slot| if global { value(random, slot.scalar.sort) } else { 0 }).collect(),
        processes: Vec::new(),
        channels: Vec::new(),
        last: 0,
        event: 0,
        rests: false,
        heap: Default::default(),
    };
    let fixed = if model.has_channel_records() { &[] } else { &model.channels[..] };
    for (ty, channel) in fixed.iter().enumerate() {
        let message = |random: &mut Random| channel.fields.iter().map(|field| value(random, field.sort)).collect();
        let messages = (0..random.below(channel.capacity + 1)).map(|_| message(random)).collect();
        state.channels.push(Channel { ty, owner: None, messages });
    }
    let thread = model.initial[0].proctype;
    for _ in 0..threads {
        let frame = |random: &mut Random, proctype: usize, control: usize| {
            let slots = &model.proctypes[proctype].slots;
            let locals = slots.iter().map(|slot| value(random, slot.scalar.sort)).collect();
            Caller { proctype, control, locals }
        };
        let control = random.below(kinds.min(model.proctypes[thread].states.len()));
        let mut frames = vec![frame(random, thread, control)];
        if random.one_in(4) {
            frames.push(frame(random, 0, 0));
        }
        let Some(Caller { proctype, control, locals }) = frames.pop() else { continue };
        state.processes.push(Process { proctype, control, priority: 1, locals, callers: frames });
    }
    for name in 1..=records as i32 {
        let ty = random.below(heap.records.len());
        let record = &heap.records[ty];
        let mut made = Record { ty, deleted: random.one_in(12), ..Record::default() };
        let process = random.below(threads);
        match record.kind {
            _ if made.deleted => {}
            RecordKind::Thread => made.thread = random.chance(70).then_some(process),
            RecordKind::Array => made.values = (0..random.below(3)).map(|_| reference(random)).collect(),
            RecordKind::Value(_) => {
                let (head, width) = record.shape();
                let number = head + width * random.below(4);
                made.values = (0..number).map(|index| value(random, record.slot(index).scalar.sort)).collect();
            }
            RecordKind::Channel(ty) => {
                let channel = &model.channels[ty];
                let length = channel.fields.len() * random.below(channel.capacity + 1);
                made.values = (0..record.fields.len())
                    .map(|index| match index.checked_sub(1) {
                        None => (length / channel.fields.len()) as i32,
                        Some(at) if at < length => value(random, record.slot(index).scalar.sort),
                        Some(_) => 0,
                    })
                    .collect();
            }
            RecordKind::Object => {
                made.values = record.fields.iter().map(|slot| value(random, slot.scalar.sort)).collect();
                if random.one_in(3) {
                    made.holder = if random.one_in(5) { Holder::Ended } else { Holder::Process(process) };
                    made.depth = 1;
                }
            }
        }
        state.heap.records.insert(name, made);
    }
    state.heap.made = records as i32;
    let kept = state.reachable(model);
    state.heap.records.retain(|name, _| kept.contains(name));
    state
}

/// The state with its threads in another order and its records by other names.
fn renamed(model: &Model, state: &State, random: &mut Random) -> State {
    let heap = model.heap.as_ref().expect("the model has a heap");
    let mut order: Vec<usize> = (0..state.processes.len()).collect();
    random.shuffle(&mut order);
    let mut names: Vec<i32> = (1..=state.heap.made).collect();
    random.shuffle(&mut names);
    let name = |value: i32| if value == 0 { 0 } else { names[value as usize - 1] };
    let process = |old: usize| order.iter().position(|&other| other == old).unwrap_or(0);
    let rename = |slots: &[quotient_ir::Slot], values: &mut [i32]| {
        for (number, value) in values.iter_mut().enumerate() {
            let slot = &slots[number.min(slots.len() - 1)];
            *value = if slot.scalar.sort == Sort::Ref { name(*value) } else { *value };
        }
    };
    let mut other = state.clone();
    rename(&model.globals, &mut other.globals);
    for channel in &mut other.channels {
        let fields = &model.channels[channel.ty].fields;
        for message in &mut channel.messages {
            for (value, field) in message.iter_mut().zip(fields) {
                *value = if field.sort == Sort::Ref { name(*value) } else { *value };
            }
        }
    }
    other.processes = order.iter().map(|&old| state.processes[old].clone()).collect();
    for moved in &mut other.processes {
        rename(&model.proctypes[moved.proctype].slots, &mut moved.locals);
        for caller in &mut moved.callers {
            rename(&model.proctypes[caller.proctype].slots, &mut caller.locals);
        }
    }
    other.heap.records.clear();
    for (&old, record) in &state.heap.records {
        let mut record = record.clone();
        let ty = &heap.records[record.ty];
        for (number, value) in record.values.iter_mut().enumerate() {
            *value = if ty.slot(number).scalar.sort == Sort::Ref { name(*value) } else { *value };
        }
        if let RecordKind::Value(ValueKind { unordered: true, .. }) = ty.kind {
            let (head, width) = ty.shape();
            let mut entries: Vec<Vec<i32>> = record.values[head..].chunks(width).map(<[i32]>::to_vec).collect();
            random.shuffle(&mut entries);
            record.values.truncate(head);
            record.values.extend(entries.concat());
        }
        record.thread = record.thread.map(process);
        if let Holder::Process(holder) = record.holder {
            record.holder = Holder::Process(process(holder));
        }
        other.heap.records.insert(name(old), record);
    }
    other
}

#[test]
fn keys_are_those_of_orbits() {
    compare_keys(&random::model);
}

/// Values whose entries have no order have one key, in whatever order these are.
#[test]
fn keys_of_values_are_those_of_orbits() {
    compare_keys(&random::model_with_values);
}

/// Channels that are records.
#[test]
fn keys_of_channels_are_those_of_orbits() {
    compare_keys(&random::model_with_channels);
}

fn compare_keys(model: &dyn Fn(u64) -> Model) {
    let rounds = std::env::var("QUOTIENT_KEYS").ok().and_then(|number| number.parse().ok()).unwrap_or(4_000);
    let random = &mut Random::new(18);
    let mut orbits = 0;
    for seed in 0..8 {
        let model = model(seed);
        let program = Program::new(&model);
        let mut machine = Machine::new(&program, false);
        let reducer = HeapReducer::new(&model, &program.schema, HeapStrategy::Canonical);
        let mut reducer = reducer.expect("threads can change places");
        let mut by_key: HashMap<Vec<u8>, Vec<i32>> = HashMap::new();
        let mut by_orbit: HashMap<Vec<i32>, Vec<u8>> = HashMap::new();
        for round in 0..rounds / 8 {
            let state = state(&model, random);
            let key = reducer.representative(&machine.encode(&state)).to_vec();
            let other = renamed(&model, &state, random);
            let same = reducer.representative(&machine.encode(&other));
            assert_eq!(key, same, "seed {seed}, round {round}: a renamed state has another key: {state:#?}");
            let orbit = oracle::key(&model, &state, BOTH);
            assert_eq!(by_key.entry(key.clone()).or_insert_with(|| orbit.clone()), &orbit, "{state:#?}");
            assert_eq!(by_orbit.entry(orbit).or_insert_with(|| key.clone()), &key, "{state:#?}");
            // A representative is its own.
            assert_eq!(reducer.representative(&key), key, "seed {seed}, round {round}");
        }
        assert_eq!(reducer.counts().normalised, 0, "the search for a labelling took too long");
        orbits += by_orbit.len();
    }
    assert!(orbits > rounds / 4, "only {orbits} orbits");
}

/// A regrouped state tells the state. What is written is read back by a parser that knows only where records may come.
#[test]
fn regrouped_states_are_told_apart() {
    let random = &mut Random::new(19);
    let (mut moved, mut groups) = (0, 0);
    for seed in 0..12 {
        let model = if seed % 2 == 0 { random::model(seed) } else { random::model_with_values(seed) };
        let program = Program::new(&model);
        let layout = program.schema.heap.as_deref().expect("the model has a heap");
        let hidden = program.schema.hidden;
        let mut machine = Machine::new(&program, false);
        let (mut grouped, mut ends) = (Vec::new(), Vec::new());
        for round in 0..400 {
            let state = machine.encode(&renamed(&model, &state(&model, random), random));
            let visible = &state[hidden as usize..];
            layout.regroup(visible, hidden, &mut grouped, &mut ends);
            let (threads, records) = parse(layout, hidden, &grouped, &ends);
            assert_eq!([threads, records].concat(), visible, "seed {seed}, round {round}");
            moved += usize::from(grouped != visible);
            groups += ends.len();
        }
    }
    assert!(moved > 500 && groups > 20_000, "{moved} states are in another order, {groups} components");
}

/// The beginning of a regrouped state with its threads, and its records.
fn parse(layout: &HeapLayout, hidden: u32, grouped: &[u8], ends: &[u32]) -> (Vec<u8>, Vec<u8>) {
    let start = (layout.start - hidden) as usize + 1;
    let (mut head, mut records) = (grouped[..start].to_vec(), Vec::new());
    let (mut at, mut written, mut expected_ends) = (start, 0, vec![start as u32]);
    let mut greatest = layout
        .globals
        .iter()
        .filter(|&&place| place >= hidden)
        .fold(0, |greatest, &place| greatest.max(layout.reference(grouped, (place - hidden) as usize)));
    let mut threads = usize::from(grouped[start - 1]);
    while at < grouped.len() {
        let begin = at;
        if written < greatest || threads == 0 {
            at += layout.size(grouped, at);
            layout.references(grouped, begin, |place| greatest = greatest.max(layout.reference(grouped, place)));
            records.extend_from_slice(&grouped[begin..at]);
            written += 1;
        } else {
            at = layout.frames_of(grouped, begin, |ty, frame| {
                let places = layout.frames[ty].iter().map(|&offset| frame + offset as usize);
                greatest = places.fold(greatest, |greatest, place| greatest.max(layout.reference(grouped, place)));
            });
            head.extend_from_slice(&grouped[begin..at]);
            threads -= 1;
        }
        expected_ends.push(at as u32);
    }
    assert_eq!(ends, expected_ends);
    (head, records)
}
