//! What the machine knows of the layout of a heap beside [`quotient_ir::schema::HeapLayout`].

use quotient_ir::schema::Schema;
use quotient_ir::{Model, RecordKind};

use super::super::code::Memory;
use super::super::program::Field;

/// How the parts of a heap model are read and written.
#[derive(Clone, Debug)]
pub struct HeapAccess {
    /// By record type, how an element of an array lies in memory.
    pub elements: Vec<Memory>,
    /// By process type, what it needs while it waits for a lock.
    pub waits: Vec<Option<Waits>>,
}

/// Where a frame keeps what it needs while it waits for a lock, from its control state on.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// The record.
    pub object: Field,
    /// How often the lock was taken.
    pub depth: Field,
    /// Whether it was notified.
    pub notified: Field,
}

impl HeapAccess {
    pub(in super::super) fn new(model: &Model, schema: &Schema) -> Self {
        let waits = |id: usize| {
            let slots = &model.proctypes[id].slots;
            let field = |slot: usize| Field {
                offset: schema.locals[id].offsets[slot],
                memory: Memory::of(slots[slot].scalar),
                mask: -1,
            };
            let waiting = model.proctypes[id].waiting?;
            let (object, depth, notified) = (field(waiting.object), field(waiting.depth), field(waiting.notified));
            Some(Waits { object, depth, notified })
        };
        let element = |record: &quotient_ir::RecordType| match record.kind {
            RecordKind::Array => Memory::of(record.fields[0].scalar),
            RecordKind::Object | RecordKind::Thread => Memory::U8,
        };
        HeapAccess {
            elements: model.heap.iter().flat_map(|heap| &heap.records).map(element).collect(),
            waits: (0..model.proctypes.len()).map(waits).collect(),
        }
    }
}
