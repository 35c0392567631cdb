//! The schema: where each field of each component lies in a state's bytes. Computed once per model; fixed offsets
//! inside a component, so that code compiled against it needs only the component's address.

mod heap;

pub use heap::{DELETED, ENDED, HeapLayout, RecordLayout};

use crate::{Model, ProctypeKind, Slot};

/// Bytes of a shape number.
pub const SHAPE_BYTES: u32 = 3;

/// The most control states of a process type: their numbers have at most two bytes.
pub const MOST_STATES: usize = 1 << 16;

/// Byte offsets of a component's fields.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// For each slot, its offset from the component's start.
    pub offsets: Vec<u32>,
    /// Bytes in all.
    pub size: u32,
}

/// Byte offsets in a channel: a message count, then the messages, unused ones zero. A rendezvous channel has none.
#[derive(Clone, Debug)]
pub struct ChannelLayout {
    /// How many messages fit.
    pub capacity: u32,
    /// Bytes of the message count: 0 for a rendezvous channel, else 1 or 2.
    pub count_bytes: u32,
    /// For each field, its offset from the message's start.
    pub fields: Vec<u32>,
    /// Bytes of a message.
    pub message: u32,
    /// Bytes in all.
    pub size: u32,
}

/// The layout of all components of a model.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Global variables that are hidden from comparison; they lie before everything else.
    pub hidden: u32,
    /// Offset of the shape number ([`SHAPE_BYTES`] bytes), the first compared bytes.
    pub shape: u32,
    /// Offset of the last mover's id, when the model looks at it.
    pub last: Option<u32>,
    /// Offset of the event automaton's state (two bytes), when there is one.
    pub event: Option<u32>,
    /// Global variables, from the state's start.
    pub globals: Layout,
    /// One past the globals: where the first component starts.
    pub fixed: u32,
    /// Bytes of a control state: 1 or 2.
    pub control_bytes: u32,
    /// Offset of the priority inside a process, when priorities are used.
    pub priority: Option<u32>,
    /// Local variables by process type, from the process's start (its control state lies first).
    pub locals: Vec<Layout>,
    /// Channels by channel type.
    pub channels: Vec<ChannelLayout>,
    /// The heap, if the model has one.
    pub heap: Option<Box<HeapLayout>>,
}

impl Schema {
    /// Lays out a model.
    pub fn new(model: &Model) -> Self {
        let mut offsets = vec![0; model.globals.len()];
        let mut at = 0;
        place(&model.globals, |slot| slot.hidden, &mut offsets, &mut at);
        let hidden = at;
        let shape = at;
        at += SHAPE_BYTES;
        let last = model.uses.last.then_some(at);
        at += u32::from(last.is_some());
        let event = model.trace.as_ref().map(|_| at);
        at += if event.is_some() { 2 } else { 0 };
        place(&model.globals, |slot| !slot.hidden, &mut offsets, &mut at);
        let functions = model.proctypes.iter().filter(|p| p.kind == ProctypeKind::Function);
        let mut moving = model.process_types().map(|(_, p)| p).chain(functions);
        let control_bytes = if moving.all(|p| p.states.len() <= 256) { 1 } else { 2 };
        let priority = model.uses.priority.then_some(control_bytes);
        let header = control_bytes + u32::from(priority.is_some());
        let locals = model
            .proctypes
            .iter()
            .map(|proctype| {
                let mut offsets = vec![0; proctype.slots.len()];
                let mut at = header;
                place(&proctype.slots, |_| true, &mut offsets, &mut at);
                Layout { offsets, size: at }
            })
            .collect();
        let channels = model
            .channels
            .iter()
            .map(|channel| {
                let mut message = 0;
                let fields = channel
                    .fields
                    .iter()
                    .map(|field| {
                        let offset = message;
                        message += field.bytes() as u32;
                        offset
                    })
                    .collect();
                let capacity = channel.capacity as u32;
                let count_bytes = match capacity {
                    0 => 0,
                    1..=255 => 1,
                    _ => 2,
                };
                ChannelLayout { capacity, count_bytes, fields, message, size: count_bytes + capacity * message }
            })
            .collect();
        let mut schema = Schema {
            hidden,
            shape,
            last,
            event,
            globals: Layout { offsets, size: at },
            fixed: at,
            control_bytes,
            priority,
            locals,
            channels,
            heap: None,
        };
        schema.heap = HeapLayout::new(model, &schema).map(Box::new);
        schema
    }
}

fn place(slots: &[Slot], take: impl Fn(&Slot) -> bool, offsets: &mut [u32], at: &mut u32) {
    for (slot, offset) in slots.iter().zip(offsets) {
        if take(slot) {
            *offset = *at;
            *at += slot.scalar.bytes() as u32;
        }
    }
}
