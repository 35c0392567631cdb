//! What the machine knows of the layout of a heap beside [`quotient_ir::schema::HeapLayout`].

use quotient_ir::schema::Schema;
use quotient_ir::{Action, Expr, Gives, Heap, HeapAction, HeapExpr, Model, RecordKind};

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
    /// By process type and control state, whether a record may still be made.
    pub makes: Vec<Vec<bool>>,
    /// Whether channels are records.
    pub channel_records: bool,
    /// Whether records are deleted.
    pub deletes: bool,
    /// Whether locks protect their records.
    pub locks_protect: bool,
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
            RecordKind::Object | RecordKind::Thread | RecordKind::Value(_) | RecordKind::Channel(_) => Memory::U8,
        };
        let cells = |record: &quotient_ir::RecordType| match record.kind {
            RecordKind::Value(_) => record.fields.iter().map(|slot| Memory::of(slot.scalar)).collect(),
            RecordKind::Object | RecordKind::Thread | RecordKind::Array | RecordKind::Channel(_) => Vec::new(),
        };
        HeapAccess {
            elements: model.heap.iter().flat_map(|heap| &heap.records).map(element).collect(),
            cells: model.heap.iter().flat_map(|heap| &heap.records).map(cells).collect(),
            calls: Vec::new(),
            waits: (0..model.proctypes.len()).map(waits).collect(),
            makes: model.heap.as_ref().map_or(Vec::new(), |heap| makes(model, heap)),
            channel_records: model.has_channel_records(),
            deletes: deletes(model) || model.has_boxes(),
            locks_protect: model.heap.as_ref().is_some_and(|heap| heap.locks_protect),
        }
    }
}

/// By process type and control state, whether a record may still be made.
fn makes(model: &Model, heap: &Heap) -> Vec<Vec<bool>> {
    let makes = |e: &HeapExpr| match e {
        HeapExpr::New { .. } => true,
        HeapExpr::Start { .. } => heap.thread.is_some(),
        HeapExpr::Extend(call) => matches!(call.gives, Gives::New(_)),
        _ => false,
    };
    quotient_ir::ahead::ahead(model, &|e| matches!(e, Expr::Heap(e) if makes(e)))
}

/// Whether a model deletes records.
fn deletes(model: &Model) -> bool {
    let deletes = |action: &Action| matches!(action, Action::Heap(action) if matches!(**action, HeapAction::Delete(_)));
    model.proctypes.iter().flat_map(|proctype| &proctype.statements).any(|statement| match &statement.action {
        Action::Deterministic(body) => body.actions().any(deletes),
        action => deletes(action),
    })
}
