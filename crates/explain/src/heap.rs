//! What there is to tell about a heap: records that change, records at the end, and locks.

use quotient_ir::{Action, HeapAction, Model, MonitorOp, RecordKind, Slot};
use quotient_report::trace::{Binding, Change, RecordView, Value, message_text};
use quotient_step::reference::{Holder, Record, State};

use crate::lives::Lives;
use crate::names;
use crate::narrate::Narrator;

/// Whether an action ends its thread.
pub(crate) fn exits(action: &Action) -> bool {
    match action {
        Action::Heap(action) => matches!(**action, HeapAction::Exit),
        Action::Deterministic(body) => body.actions().any(exits),
        _ => false,
    }
}

/// The parts of a record: how each is written after the record's name, and of which kind it is.
fn parts<'m>(model: &'m Model, record: &Record) -> Vec<(String, &'m Slot)> {
    let Some(ty) = model.heap.as_ref().and_then(|heap| heap.records.get(record.ty)) else { return Vec::new() };
    match (ty.kind, ty.fields.first()) {
        // A variable in a box is named by that alone.
        (RecordKind::Array, Some(element)) if ty.boxed => {
            record.values.iter().map(|_| (String::new(), element)).collect()
        }
        (RecordKind::Array, Some(element)) => {
            (0..record.values.len()).map(|index| (format!("[{index}]"), element)).collect()
        }
        _ => ty.fields.iter().map(|field| (format!(".{}", field.name), field)).collect(),
    }
}

/// What is in a value of an extension, if it is one: `{a, b}` if its entries have no order, else `[a, b]`; or the messages in a
/// channel.
fn contents(model: &Model, state: &State, record: &Record) -> Option<Value> {
    let ty = model.heap.as_ref()?.records.get(record.ty)?;
    let kind = match ty.kind {
        RecordKind::Value(kind) => kind,
        RecordKind::Channel(channel) => {
            let channel = &model.channels[channel];
            let text = |message: Vec<i32>| message_text(&names::message(model, state, channel, &message));
            let messages: Vec<String> = record.messages(channel).into_iter().map(text).collect();
            return Some(Value::Name(format!("[{}]", messages.join(", "))));
        }
        RecordKind::Object | RecordKind::Array | RecordKind::Thread => return None,
    };
    let cell = |(number, &value): (usize, &i32)| names::value(model, state, ty.slot(number), value).to_string();
    let cells: Vec<String> = record.values.iter().enumerate().map(cell).collect();
    let (head, width) = ty.shape();
    let (head, entries) = cells.split_at(head.min(cells.len()));
    let entries: Vec<String> = entries.chunks(width.max(1)).map(|entry| entry.join(" -> ")).collect();
    let entries = entries.join(", ");
    let shown = if kind.unordered { format!("{{{entries}}}") } else { format!("[{entries}]") };
    Some(Value::Name(if head.is_empty() { shown } else { format!("({}) {shown}", head.join(", ")) }))
}

/// The fields of the messages in a channel, if it is one.
fn sent(model: &Model, state: &State, record: &Record) -> Option<Vec<Binding>> {
    let ty = model.heap.as_ref()?.records.get(record.ty)?;
    let RecordKind::Channel(channel) = ty.kind else { return None };
    let channel = &model.channels[channel];
    let message = |(number, message): (usize, Vec<i32>)| {
        let values = names::message(model, state, channel, &message).into_iter();
        values.map(move |value| Binding { variable: format!("message {number}"), value })
    };
    Some((1..).zip(record.messages(channel)).flat_map(message).collect())
}

/// Who holds a lock.
fn holder(model: &Model, state: &State, record: &Record) -> Value {
    Value::Name(match record.holder {
        Holder::Nobody => "free".to_string(),
        Holder::Process(process) if process < state.processes.len() => {
            names::process(model, state, process).to_string()
        }
        Holder::Process(_) | Holder::Ended => "a thread that has ended".to_string(),
    })
}

/// The parts of records that differ between two states; `gone` is the process that has ended in between.
pub(crate) fn changes(model: &Model, before: &State, after: &State, gone: Option<usize>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (&name, old) in &before.heap.records {
        let Some(new) = after.heap.records.get(&name) else { continue };
        if new == old {
            continue;
        }
        let record = names::record(model, after, name);
        let record = record.trim_start_matches('&').to_string();
        if let (Some(from), Some(to)) = (contents(model, before, old), contents(model, after, new)) {
            changes.push(Change { variable: record, process: None, thread: None, from, to });
            continue;
        }
        for (index, (part, slot)) in parts(model, old).into_iter().enumerate() {
            let (Some(&from), Some(&to)) = (old.values.get(index), new.values.get(index)) else { continue };
            if from != to {
                let (from, to) = (names::value(model, before, slot, from), names::value(model, after, slot, to));
                changes.push(Change { variable: format!("{record}{part}"), process: None, thread: None, from, to });
            }
        }
        let renumbered = match (old.holder, gone) {
            (Holder::Process(holder), Some(gone)) if holder > gone => Holder::Process(holder - 1),
            (holder, _) => holder,
        };
        if renumbered != new.holder {
            let (from, to) = (holder(model, before, old), holder(model, after, new));
            changes.push(Change { variable: format!("lock of {record}"), process: None, thread: None, from, to });
        }
    }
    changes
}

/// The records that can be reached, with what is in them.
pub(crate) fn records(model: &Model, narrator: &Narrator<'_>, state: &State, lives: &Lives) -> Vec<RecordView> {
    let view = |name: i32| {
        let record = state.heap.records.get(&name)?;
        let ty = model.heap.as_ref().and_then(|heap| heap.records.get(record.ty));
        // What is in a box is shown where its variable is.
        if !record.deleted && ty.is_some_and(|ty| ty.boxed && ty.kind == RecordKind::Array) {
            return None;
        }
        let part = |(index, (part, slot)): (usize, (String, &Slot))| {
            let value = names::value(model, state, slot, *record.values.get(index)?);
            Some(Binding { variable: part.trim_start_matches('.').to_string(), value })
        };
        let mut fields: Vec<Binding> = match (sent(model, state, record), contents(model, state, record)) {
            (Some(messages), _) => messages,
            (None, Some(value)) => vec![Binding { variable: "contents".to_string(), value }],
            (None, None) => parts(model, record).into_iter().enumerate().filter_map(part).collect(),
        };
        if let Some(RecordKind::Thread) = ty.map(|ty| ty.kind) {
            let thread = record.thread.filter(|&process| process < state.processes.len());
            let value = thread.map_or("ended".to_string(), |process| names::process(model, state, process).to_string());
            fields.push(Binding { variable: "thread".to_string(), value: Value::Name(value) });
        }
        let is_lock = fields.is_empty() && ty.is_some_and(|ty| ty.monitor);
        if record.holder != Holder::Nobody || is_lock {
            fields.push(Binding { variable: "lock".to_string(), value: holder(model, state, record) });
        }
        let life = lives.of(name);
        let made = life.map(|life| narrator.location(life.made));
        let deleted = life.and_then(|life| life.deleted).map(|span| narrator.location(span));
        Some(RecordView { record: names::record(model, state, name), fields, made, deleted })
    };
    state.reachable(model).into_iter().filter_map(view).collect()
}

/// Why an action on a lock has to wait.
pub(crate) fn waits(
    model: &Model,
    narrator: &mut Narrator<'_>,
    state: &State,
    process: usize,
    action: &HeapAction,
) -> Option<String> {
    let HeapAction::Monitor(op @ (MonitorOp::Lock | MonitorOp::Unwait), object) = action else { return None };
    let name = narrator.probe.value(state, process, object)?;
    let record = state.heap.records.get(&name)?;
    let lock = names::record(model, state, name);
    match record.holder {
        Holder::Process(holder) if holder == process => None,
        Holder::Nobody if *op == MonitorOp::Unwait => Some(format!("nobody has notified those who wait for {lock}")),
        Holder::Nobody => None,
        Holder::Process(_) | Holder::Ended => Some(format!("{lock} is locked by {}", holder(model, state, record))),
    }
}
