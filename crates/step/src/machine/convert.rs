//! States of the machine as the reference interpreter sees them, and back.

use super::code::Memory;
use super::shape::Component;
use super::{Machine, Program, channels, shape};
use crate::reference;

impl Machine<'_, '_> {
    /// The current state as the reference interpreter sees it.
    pub fn decode(&self) -> reference::State {
        self.decode_bytes(&self.work)
    }

    /// A state of this machine as the reference interpreter sees it.
    pub fn decode_bytes(&self, bytes: &[u8]) -> reference::State {
        let Program { model, schema, .. } = self.program;
        let shape = self.shapes.get(self.index_in(bytes));
        let (heap_processes, heap) = match &self.program.schema.heap {
            Some(_) => self.decode_heap(bytes),
            None => Default::default(),
        };
        let globals = model
            .globals
            .iter()
            .zip(&schema.globals.offsets)
            .map(|(slot, &offset)| Memory::of(slot.scalar).read(bytes, offset as usize))
            .collect();
        let of_shape = if self.program.schema.heap.is_some() { &[] } else { &shape.processes[..] };
        let processes = of_shape
            .iter()
            .map(|&Component { ty, offset }| {
                let proctype = &model.proctypes[ty as usize];
                let at = offset as usize;
                let control = match schema.control_bytes {
                    1 => usize::from(bytes[at]),
                    _ => usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
                };
                let locals = proctype
                    .slots
                    .iter()
                    .zip(&schema.locals[ty as usize].offsets)
                    .map(|(slot, &offset)| Memory::of(slot.scalar).read(bytes, at + offset as usize))
                    .collect();
                let priority = schema.priority.map_or(1, |p| bytes[at + p as usize]);
                reference::Process { proctype: ty as usize, control, priority, locals, callers: Vec::new() }
            })
            .collect();
        let channels = shape
            .channels
            .iter()
            .map(|&Component { ty, offset }| {
                let channel = &self.program.channels[ty as usize];
                let owner = of_shape.iter().rposition(|p| p.offset < offset);
                let count = channels::count(channel, bytes, offset as usize);
                let messages = (0..count)
                    .map(|i| {
                        let start = offset + channel.count_bytes + i * channel.message;
                        channel.fields.iter().map(|f| f.memory.read(bytes, (start + f.offset) as usize)).collect()
                    })
                    .collect();
                reference::Channel { ty: ty as usize, owner, messages }
            })
            .collect();
        reference::State {
            globals,
            processes: if self.program.schema.heap.is_some() { heap_processes } else { processes },
            channels,
            last: schema.last.map_or(0, |at| usize::from(bytes[at as usize])),
            event: schema.event.map_or(0, |at| Memory::U16.read(bytes, at as usize) as usize),
            heap,
            rests: false,
        }
    }

    /// The bytes of a state of the reference interpreter, as [`Self::decode_bytes`] reads them.
    pub fn encode(&mut self, state: &reference::State) -> Vec<u8> {
        let Program { model, schema, .. } = self.program;
        let of_shape = if self.program.schema.heap.is_some() { &[] } else { &state.processes[..] };
        let types = of_shape.iter().map(|process| process.proctype as u32);
        let index = types.into_iter().try_fold(0, |index, ty| self.shapes.child(index, ty, self.program));
        let shape = self.shapes.get(index.expect("there is a number for the shape of a state that was reached"));
        let size = self.program.schema.heap.as_ref().map_or(shape.size, |heap| heap.start);
        let mut bytes = vec![0; size as usize];
        shape::write_shape(&mut bytes, schema.shape as usize, shape.number);
        if let Some(at) = schema.last {
            bytes[at as usize] = state.last as u8;
        }
        if let Some(at) = schema.event {
            Memory::U16.write(&mut bytes, at as usize, state.event as i32);
        }
        for ((slot, &offset), &value) in model.globals.iter().zip(&schema.globals.offsets).zip(&state.globals) {
            Memory::of(slot.scalar).write(&mut bytes, offset as usize, value);
        }
        for (process, &Component { ty, offset }) in of_shape.iter().zip(&shape.processes) {
            let at = offset as usize;
            bytes[at..at + schema.control_bytes as usize]
                .copy_from_slice(&(process.control as u16).to_le_bytes()[..schema.control_bytes as usize]);
            if let Some(priority) = schema.priority {
                bytes[at + priority as usize] = process.priority;
            }
            let slots = model.proctypes[ty as usize].slots.iter().zip(&schema.locals[ty as usize].offsets);
            for ((slot, &offset), &value) in slots.zip(&process.locals) {
                Memory::of(slot.scalar).write(&mut bytes, at + offset as usize, value);
            }
        }
        for (channel, &Component { ty, offset }) in state.channels.iter().zip(&shape.channels) {
            let layout = &self.program.channels[ty as usize];
            if layout.count_bytes > 0 {
                let memory = if layout.count_bytes == 1 { Memory::U8 } else { Memory::U16 };
                memory.write(&mut bytes, offset as usize, channel.messages.len() as i32);
            }
            for (number, message) in channel.messages.iter().enumerate() {
                let start = offset + layout.count_bytes + number as u32 * layout.message;
                for (field, &value) in layout.fields.iter().zip(message) {
                    field.memory.write(&mut bytes, (start + field.offset) as usize, value);
                }
            }
        }
        if self.program.schema.heap.is_some() {
            self.encode_heap(state, &mut bytes);
        }
        bytes
    }
}
