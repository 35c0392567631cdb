//! The part of a state behind its global variables and channels as the reference interpreter sees it, and back.

use std::collections::BTreeMap;

use quotient_ir::RecordKind;

use super::super::Machine;
use super::super::channels::count;
use super::super::code::Memory;
use crate::reference::{Caller, Heap, Holder, Process, Record, State};
use quotient_ir::schema::{DELETED, ENDED, HeapLayout};

impl Machine<'_, '_> {
    /// The type and the control state of the topmost frame of a process, if there is one.
    pub(in super::super) fn heap_control(&self, bytes: &[u8], process: usize) -> Option<(usize, usize)> {
        let schema = &self.program.schema;
        let mut at = self.program.heap_layout().start as usize + 1;
        for number in 0..=process {
            let frames = *bytes.get(at)?;
            at += 1;
            for frame in 0..frames {
                let ty = usize::from(*bytes.get(at)?);
                if number == process && frame + 1 == frames {
                    let wide = schema.control_bytes == 2;
                    let high = if wide { usize::from(*bytes.get(at + 2)?) << 8 } else { 0 };
                    return Some((ty, usize::from(*bytes.get(at + 1)?) | high));
                }
                at += 1 + schema.locals.get(ty)?.size as usize;
            }
        }
        None
    }

    /// Whether bytes are a state: everything is as long as it says, of types that there are, and refers to what there is.
    pub(in super::super) fn is_heap_state(&self, bytes: &[u8]) -> bool {
        self.check_heap_state(bytes).is_some()
    }

    fn check_heap_state(&self, bytes: &[u8]) -> Option<()> {
        let layout = self.program.heap_layout();
        let schema = &self.program.schema;
        let demand = |holds: bool| holds.then_some(());
        let mut at = layout.start as usize;
        let processes = usize::from(*bytes.get(at)?);
        demand(processes <= self.program.model.most_processes())?;
        at += 1;
        let mut references: Vec<usize> = layout.globals.iter().map(|&at| at as usize).collect();
        for process in 0..processes {
            let frames = *bytes.get(at)?;
            at += 1;
            demand(frames > 0)?;
            for frame in 0..frames {
                let ty = usize::from(*bytes.get(at)?);
                let compiled = self.program.proctypes.get(ty)?;
                let size = schema.locals[ty].size as usize;
                bytes.get(at + size)?;
                let wide = schema.control_bytes == 2;
                let control = usize::from(bytes[at + 1]) | if wide { usize::from(bytes[at + 2]) << 8 } else { 0 };
                demand(control < compiled.states.len())?;
                demand(frame + 1 == frames || self.program.call_at(ty, control).is_some())?;
                references.extend(layout.frames[ty].iter().map(|&offset| at + 1 + offset as usize));
                at += 1 + size;
            }
            demand(self.heap_control(bytes, process).is_some())?;
        }
        let mut records = 0;
        let is_process = |number: u8| usize::from(number) <= processes;
        while at < bytes.len() {
            records += 1;
            if bytes[at] != DELETED {
                let record = layout.records.get(usize::from(bytes[at]))?;
                bytes.get(at + record.size as usize - 1)?;
                bytes.get(at + layout.size(bytes, at) - 1)?;
                if let Some(lock) = record.lock {
                    let (holder, depth) = (bytes[at + lock as usize], bytes[at + lock as usize + 1]);
                    demand(is_process(holder) || holder == ENDED)?;
                    demand((holder == 0) == (depth == 0))?;
                }
                demand(record.kind != RecordKind::Thread || is_process(bytes[at + record.head as usize]))?;
                if let RecordKind::Channel(ty) = record.kind {
                    let channel = &self.program.channels[ty];
                    demand(count(channel, bytes, at + record.head as usize) <= channel.capacity)?;
                }
                layout.references(bytes, at, |at| references.push(at));
            }
            at += layout.size(bytes, at);
        }
        demand(records <= self.program.model.heap.as_ref().map_or(0, |heap| heap.most_records))?;
        demand(references.into_iter().all(|at| layout.reference(bytes, at) <= records))
    }

    /// The processes and records of a state.
    pub(in super::super) fn decode_heap(&self, bytes: &[u8]) -> (Vec<Process>, Heap) {
        let layout = self.program.heap_layout();
        let (model, schema) = (self.program.model, &self.program.schema);
        let mut at = layout.start as usize + 1;
        let mut processes = Vec::new();
        for _ in 0..bytes[at - 1] {
            let frames = bytes[at];
            at += 1;
            let mut callers = Vec::new();
            let mut priority = 1;
            for _ in 0..frames {
                let ty = usize::from(bytes[at]);
                at += 1;
                let high = if schema.control_bytes == 2 { usize::from(bytes[at + 1]) << 8 } else { 0 };
                let control = usize::from(bytes[at]) | high;
                priority = schema.priority.map_or(1, |offset| bytes[at + offset as usize]);
                let slots = model.proctypes[ty].slots.iter().zip(&schema.locals[ty].offsets);
                let read = |(slot, &offset): (&quotient_ir::Slot, &u32)| {
                    Memory::of(slot.scalar).read(bytes, at + offset as usize)
                };
                callers.push(Caller { proctype: ty, control, locals: slots.map(read).collect() });
                at += schema.locals[ty].size as usize;
            }
            if let Some(Caller { proctype, control, locals }) = callers.pop() {
                processes.push(Process { proctype, control, priority, locals, callers });
            }
        }
        let mut records = BTreeMap::new();
        while at < bytes.len() {
            records.insert(records.len() as i32 + 1, self.decode_record(bytes, at));
            at += layout.size(bytes, at);
        }
        let made = records.len() as i32;
        (processes, Heap { records, made, ..Heap::default() })
    }

    fn decode_record(&self, bytes: &[u8], at: usize) -> Record {
        if bytes[at] == DELETED {
            return Record { deleted: true, ..Record::default() };
        }
        let ty = usize::from(bytes[at]);
        let layout = &self.program.heap_layout().records[ty];
        let mut record = Record { ty, ..Record::default() };
        if let Some(lock) = layout.lock {
            record.holder = match bytes[at + lock as usize] {
                0 => Holder::Nobody,
                ENDED => Holder::Ended,
                process => Holder::Process(usize::from(process) - 1),
            };
            record.depth = bytes[at + lock as usize + 1];
        }
        match layout.kind {
            RecordKind::Thread => {
                record.thread = usize::from(bytes[at + layout.head as usize]).checked_sub(1);
            }
            RecordKind::Array => {
                let (memory, (size, _)) = (self.program.access.elements[ty], layout.element);
                let first = at + layout.head as usize;
                let element = |index| memory.read(bytes, first + index * size as usize);
                record.values = (0..HeapLayout::length(bytes, at)).map(element).collect();
            }
            RecordKind::Value(_) => {
                record.values = self.cells(bytes, at, ty).map(|(place, memory)| memory.read(bytes, place)).collect();
            }
            RecordKind::Object | RecordKind::Channel(_) => {
                let model = self.program.model.heap.as_ref().expect("the model has a heap");
                let fields = model.records[ty].fields.iter().zip(&layout.fields);
                record.values =
                    fields.map(|(slot, &offset)| Memory::of(slot.scalar).read(bytes, at + offset as usize)).collect();
            }
        }
        record
    }

    /// Adds the processes and records of a state of the reference interpreter to bytes that end before them. Records are
    /// named in the order in which they are found.
    pub(in super::super) fn encode_heap(&self, state: &State, bytes: &mut Vec<u8>) {
        let (model, schema) = (self.program.model, &self.program.schema);
        let layout = self.program.heap_layout();
        let found = state.reachable(model);
        let new_name = |name: i32| found.iter().position(|&other| other == name).map_or(0, |place| place as i32 + 1);
        let value = |slot: &quotient_ir::Slot, value: i32| match slot.scalar.sort {
            quotient_ir::Sort::Ref => new_name(value),
            _ => value,
        };
        for ((slot, &offset), &old) in model.globals.iter().zip(&schema.globals.offsets).zip(&state.globals) {
            Memory::of(slot.scalar).write(bytes, offset as usize, value(slot, old));
        }
        for (channel, component) in state.channels.iter().zip(&self.shapes.get(0).channels) {
            let (fields, place) = (&model.channels[channel.ty].fields, &schema.channels[channel.ty]);
            let first = (component.offset + place.count_bytes) as usize;
            for (number, message) in channel.messages.iter().enumerate() {
                let start = first + number * place.message as usize;
                for ((scalar, &offset), &old) in fields.iter().zip(&place.fields).zip(message) {
                    if scalar.sort == quotient_ir::Sort::Ref {
                        layout.set_reference(bytes, start + offset as usize, new_name(old) as usize);
                    }
                }
            }
        }
        bytes.push(state.processes.len() as u8);
        for process in &state.processes {
            bytes.push(process.callers.len() as u8 + 1);
            let callers = process.callers.iter().map(|caller| (caller.proctype, caller.control, &caller.locals));
            for (ty, control, locals) in callers.chain([(process.proctype, process.control, &process.locals)]) {
                bytes.push(ty as u8);
                let at = bytes.len();
                bytes.resize(at + schema.locals[ty].size as usize, 0);
                bytes[at] = control as u8;
                if schema.control_bytes == 2 {
                    bytes[at + 1] = (control >> 8) as u8;
                }
                if let Some(priority) = schema.priority {
                    bytes[at + priority as usize] = process.priority;
                }
                let slots = model.proctypes[ty].slots.iter().zip(&schema.locals[ty].offsets);
                for ((slot, &offset), &old) in slots.zip(locals) {
                    Memory::of(slot.scalar).write(bytes, at + offset as usize, value(slot, old));
                }
            }
        }
        for name in &found {
            let record = &state.heap.records[name];
            let at = bytes.len();
            if record.deleted {
                bytes.push(DELETED);
                continue;
            }
            let place = &layout.records[record.ty];
            let ty = &model.heap.as_ref().expect("the model has a heap").records[record.ty];
            let elements = match (place.kind, ty.shape()) {
                (RecordKind::Array | RecordKind::Value(_), (head, width)) if width > 0 => {
                    (record.values.len() - head) / width
                }
                _ => 0,
            };
            bytes.resize(at + place.size as usize + elements * place.element.0 as usize, 0);
            bytes[at] = record.ty as u8;
            if let Some(lock) = place.lock {
                bytes[at + lock as usize] = match record.holder {
                    Holder::Nobody => 0,
                    Holder::Process(process) => process as u8 + 1,
                    Holder::Ended => ENDED,
                };
                bytes[at + lock as usize + 1] = record.depth;
            }
            match place.kind {
                RecordKind::Thread => {
                    bytes[at + place.head as usize] = record.thread.map_or(0, |process| process as u8 + 1);
                }
                RecordKind::Array => {
                    bytes[at + 1..at + 3].copy_from_slice(&(elements as u16).to_le_bytes());
                    let (memory, (size, _)) = (self.program.access.elements[record.ty], place.element);
                    for (index, &old) in record.values.iter().enumerate() {
                        let at = at + place.head as usize + index * size as usize;
                        memory.write(bytes, at, value(&ty.fields[0], old));
                    }
                }
                RecordKind::Value(_) => {
                    bytes[at + 1..at + 3].copy_from_slice(&(elements as u16).to_le_bytes());
                    let places: Vec<(usize, Memory)> = self.cells(bytes, at, record.ty).collect();
                    for (number, ((at, memory), &old)) in places.into_iter().zip(&record.values).enumerate() {
                        memory.write(bytes, at, value(ty.slot(number), old));
                    }
                }
                RecordKind::Object | RecordKind::Channel(_) => {
                    for ((slot, &offset), &old) in ty.fields.iter().zip(&place.fields).zip(&record.values) {
                        Memory::of(slot.scalar).write(bytes, at + offset as usize, value(slot, old));
                    }
                }
            }
        }
    }
}
