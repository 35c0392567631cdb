//! What the machine knows of the layout of a heap beside [`quotient_ir::schema::HeapLayout`].

use quotient_ir::schema::Schema;
use quotient_ir::{Model, RecordKind};

use super::super::code::Memory;
use super::super::program::Field;
use super::extend::Operation;

/// How the parts of a heap model are read and written.
#[derive(Clone, Debug)]
pub struct HeapAccess {
    /// By record type, how an element of an array lies in memory.
    pub elements: Vec<Memory>,
    /// By record type, how the cells of a value's head and of its entries lie in memory.
    pub(super) cells: Vec<Vec<Memory>>,
    /// Operations of extensions.
    pub(super) calls: Vec<Operation>,
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
            RecordKind::Object | RecordKind::Thread | RecordKind::Value(_) => Memory::U8,
        };
        let cells = |record: &quotient_ir::RecordType| match record.kind {
            RecordKind::Value(_) => record.fields.iter().map(|slot| Memory::of(slot.scalar)).collect(),
            RecordKind::Object | RecordKind::Thread | RecordKind::Array => Vec::new(),
        };
        HeapAccess {
            elements: model.heap.iter().flat_map(|heap| &heap.records).map(element).collect(),
            cells: model.heap.iter().flat_map(|heap| &heap.records).map(cells).collect(),
            calls: Vec::new(),
            waits: (0..model.proctypes.len()).map(waits).collect(),
        }
    }
}
