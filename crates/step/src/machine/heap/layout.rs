//! Where the fields of records lie, and which of them are references.

use quotient_ir::{Model, RecordKind, Slot, Sort, schema::Schema};

use super::super::code::Memory;
use super::super::program::Field;

/// The type byte of a record that was deleted; it has nothing else.
pub(super) const DELETED: u8 = 255;

/// The holder of a lock whose holder has ended.
pub(super) const ENDED: u8 = 255;

/// The layout of everything that a model with a heap has beside others.
#[derive(Clone, Debug)]
pub struct HeapLayout {
    /// Where the number of processes lies.
    pub start: u32,
    /// Record types.
    pub records: Vec<RecordLayout>,
    /// How a reference lies in memory.
    pub reference: Memory,
    /// Offsets of global variables that are references.
    pub globals: Vec<u32>,
    /// By process type, offsets of local variables that are references, from the control state on.
    pub frames: Vec<Vec<u32>>,
    /// By process type, what it needs while it waits for a lock.
    pub waits: Vec<Option<Waits>>,
    /// Whether records of the first type are records of the second.
    pub is_a: Vec<Vec<bool>>,
}

/// The layout of the records of a type, from the type byte on.
#[derive(Clone, Debug)]
pub struct RecordLayout {
    /// What they are.
    pub kind: RecordKind,
    /// Where holder and depth of the lock lie, if they can be locked.
    pub lock: Option<u32>,
    /// Where the fields or elements begin. For a thread, where its process lies.
    pub head: u32,
    /// Offsets of the fields.
    pub fields: Vec<u32>,
    /// Offsets of those among them that are references.
    pub references: Vec<u32>,
    /// For an array: how an element lies in memory, and whether it is a reference.
    pub element: (Memory, u32, bool),
    /// Bytes in all, without elements.
    pub size: u32,
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

impl HeapLayout {
    /// The layout for a model, if it has a heap; `start` is where its processes are to lie.
    pub(in super::super) fn new(model: &Model, schema: &Schema, start: u32) -> Option<Self> {
        let heap = model.heap.as_ref()?;
        let is_reference = |slot: &Slot| slot.scalar.sort == Sort::Ref;
        let offsets = |slots: &[Slot], offsets: &[u32]| {
            slots.iter().zip(offsets).filter(|(slot, _)| is_reference(slot)).map(|(_, &offset)| offset).collect()
        };
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
        let records: Vec<RecordLayout> = heap
            .records
            .iter()
            .map(|record| {
                let mut at = 1;
                at += if record.kind == RecordKind::Array { 2 } else { 0 };
                let lock = record.monitor.then_some(at);
                at += if record.monitor { 2 } else { 0 };
                let head = at;
                let mut layout = RecordLayout {
                    kind: record.kind,
                    lock,
                    head,
                    fields: Vec::new(),
                    references: Vec::new(),
                    element: (Memory::U8, 0, false),
                    size: at,
                };
                match record.kind {
                    RecordKind::Thread => layout.size += 1,
                    RecordKind::Array => {
                        let slot = &record.fields[0];
                        layout.element = (Memory::of(slot.scalar), slot.scalar.bytes() as u32, is_reference(slot));
                    }
                    RecordKind::Object => {
                        for slot in &record.fields {
                            layout.fields.push(layout.size);
                            if is_reference(slot) {
                                layout.references.push(layout.size);
                            }
                            layout.size += slot.scalar.bytes() as u32;
                        }
                    }
                }
                layout
            })
            .collect();
        let types = 0..heap.records.len();
        let is_a = types.clone().map(|a| types.clone().map(|b| heap.is_a(a, b)).collect()).collect();
        Some(HeapLayout {
            start,
            records,
            reference: Memory::of(heap.reference()),
            globals: offsets(&model.globals, &schema.globals.offsets),
            frames: (0..model.proctypes.len())
                .map(|id| offsets(&model.proctypes[id].slots, &schema.locals[id].offsets))
                .collect(),
            waits: (0..model.proctypes.len()).map(waits).collect(),
            is_a,
        })
    }

    /// How many elements the array at an offset has.
    #[inline]
    pub(super) fn length(bytes: &[u8], at: usize) -> usize {
        usize::from(u16::from_le_bytes([bytes[at + 1], bytes[at + 2]]))
    }

    /// Bytes of the record at an offset.
    #[inline]
    pub(super) fn size(&self, bytes: &[u8], at: usize) -> usize {
        if bytes[at] == DELETED {
            return 1;
        }
        let layout = &self.records[usize::from(bytes[at])];
        match layout.kind {
            RecordKind::Array => layout.size as usize + Self::length(bytes, at) * layout.element.1 as usize,
            RecordKind::Object | RecordKind::Thread => layout.size as usize,
        }
    }

    /// Calls `visit` with the place of every reference in the record at an offset, in order.
    #[inline]
    pub(super) fn references(&self, bytes: &[u8], at: usize, mut visit: impl FnMut(usize)) {
        if bytes[at] == DELETED {
            return;
        }
        let layout = &self.records[usize::from(bytes[at])];
        layout.references.iter().for_each(|&offset| visit(at + offset as usize));
        if let (RecordKind::Array, (_, size, true)) = (layout.kind, layout.element) {
            let first = at + layout.head as usize;
            (0..Self::length(bytes, at)).for_each(|index| visit(first + index * size as usize));
        }
    }
}
