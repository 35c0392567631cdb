//! Where things lie in a state of a model with a heap: behind the global variables and channels come the processes with
//! their frames, and then the records.
//!
//! ```text
//! processes = their number, and for each: the number of its frames, frames from the oldest on
//! frame     = type, control state, priority, local variables
//! record    = type, [length, two bytes], [holder, depth], fields, elements or entries
//! ```
//!
//! Types and numbers have one byte, if nothing else is said. A record's name is its place, from 1 on.

use super::{Layout, Schema};
use crate::{Model, RecordKind, Setup, Slot, Sort};

/// The type byte of a record that was deleted; it has nothing else.
pub const DELETED: u8 = 255;

/// The holder of a lock whose holder has ended. Others are the number of a process, from 1 on, and 0 is nobody.
pub const ENDED: u8 = 255;

/// The layout of everything that a model with a heap has beside others.
#[derive(Clone, Debug)]
pub struct HeapLayout {
    /// Where the number of processes lies.
    pub start: u32,
    /// Record types.
    pub records: Vec<RecordLayout>,
    /// Bytes of a reference.
    pub ref_bytes: u32,
    /// Offsets of references that everybody can reach: those in global variables, then those in messages. Where a channel has
    /// no message, they are null.
    pub globals: Vec<u32>,
    /// By process type, bytes of a frame from its control state on.
    pub frame_sizes: Vec<u32>,
    /// By process type, offsets of local variables that are references, from the control state on.
    pub frames: Vec<Vec<u32>>,
    /// By process type, offsets of local variables that are boxed, from the control state on.
    pub boxes: Vec<Vec<u32>>,
    /// Whether records of the first type are records of the second.
    pub is_a: Vec<Vec<bool>>,
    /// There are values of extensions whose entries have no order.
    unordered: bool,
}

/// The layout of the records of a type, from the type byte on.
#[derive(Clone, Debug)]
pub struct RecordLayout {
    /// What they are.
    pub kind: RecordKind,
    /// Where holder and depth of the lock lie, if they can be locked.
    pub lock: Option<u32>,
    /// Where the fields or elements begin. For a thread, where its process lies: a number as in [`ENDED`], and 0 if it has
    /// ended.
    pub head: u32,
    /// Offsets of the fields.
    pub fields: Vec<u32>,
    /// Offsets of those among them that are references.
    pub references: Vec<u32>,
    /// Offsets of those that are boxed.
    pub boxes: Vec<u32>,
    /// Whether they are boxes themselves.
    pub boxed: bool,
    /// For an array: bytes of an element, and whether it is a reference. For a value: bytes of an entry.
    pub element: (u32, bool),
    /// For a value of an extension: offsets of the cells of an entry, from its start on, and whether they are references.
    pub entry: Vec<(u32, bool)>,
    /// Bytes in all, without elements.
    pub size: u32,
}

impl HeapLayout {
    /// The layout for a model, if it has a heap.
    pub(super) fn new(model: &Model, schema: &Schema) -> Option<Self> {
        let heap = model.heap.as_ref()?;
        let offsets = |slots: &[Slot], offsets: &[u32]| {
            slots
                .iter()
                .zip(offsets)
                .filter(|(slot, _)| is_reference(slot))
                .map(|(_, &offset)| offset)
                .collect::<Vec<u32>>()
        };
        let channels = model.setup.iter().map(|setup| match setup {
            Setup::Channel(_, ty) => schema.channels[*ty].size,
            Setup::Assign(..) => 0,
        });
        let mut roots: Vec<u32> = offsets(&model.globals, &schema.globals.offsets);
        roots.extend(in_messages(model, schema));
        let types = 0..heap.records.len();
        let locals = model.proctypes.iter().zip(&schema.locals);
        let records: Vec<RecordLayout> = heap.records.iter().map(RecordLayout::new).collect();
        Some(HeapLayout {
            unordered: records.iter().any(RecordLayout::is_unordered),
            start: schema.fixed + channels.sum::<u32>(),
            records,
            ref_bytes: heap.reference().bytes() as u32,
            globals: roots,
            frame_sizes: schema.locals.iter().map(|layout: &Layout| layout.size).collect(),
            frames: locals.map(|(proctype, layout)| offsets(&proctype.slots, &layout.offsets)).collect(),
            boxes: model
                .proctypes
                .iter()
                .zip(&schema.locals)
                .map(|(p, layout)| boxes(&p.slots, &layout.offsets))
                .collect(),
            is_a: types.clone().map(|a| types.clone().map(|b| heap.is_a(a, b)).collect()).collect(),
        })
    }

    /// How many elements the array at an offset has.
    #[inline]
    pub fn length(bytes: &[u8], at: usize) -> usize {
        usize::from(u16::from_le_bytes([bytes[at + 1], bytes[at + 2]]))
    }

    /// Bytes of the record at an offset.
    #[inline]
    pub fn size(&self, bytes: &[u8], at: usize) -> usize {
        if bytes[at] == DELETED {
            return 1;
        }
        let layout = &self.records[usize::from(bytes[at])];
        match layout.kind {
            RecordKind::Array | RecordKind::Value(_) => {
                layout.size as usize + Self::length(bytes, at) * layout.element.0 as usize
            }
            RecordKind::Object | RecordKind::Thread | RecordKind::Channel(_) => layout.size as usize,
        }
    }

    /// The reference at an offset.
    #[inline(always)]
    pub fn reference(&self, bytes: &[u8], at: usize) -> usize {
        match self.ref_bytes {
            1 => usize::from(bytes[at]),
            _ => usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
        }
    }

    /// Stores a reference at an offset.
    #[inline(always)]
    pub fn set_reference(&self, bytes: &mut [u8], at: usize, name: usize) {
        bytes[at] = name as u8;
        if self.ref_bytes == 2 {
            bytes[at + 1] = (name >> 8) as u8;
        }
    }

    /// Calls `visit` with the place of every reference in the record at an offset, in order.
    #[inline]
    pub fn references(&self, bytes: &[u8], at: usize, mut visit: impl FnMut(usize)) {
        if bytes[at] == DELETED {
            return;
        }
        let layout = &self.records[usize::from(bytes[at])];
        layout.references.iter().for_each(|&offset| visit(at + offset as usize));
        if let (RecordKind::Array, (size, true)) = (layout.kind, layout.element) {
            let first = at + layout.head as usize;
            (0..Self::length(bytes, at)).for_each(|index| visit(first + index * size as usize));
        }
        if matches!(layout.kind, RecordKind::Value(_)) && layout.entry.iter().any(|cell| cell.1) {
            for entry in layout.entries(bytes, at) {
                layout.entry.iter().filter(|cell| cell.1).for_each(|&(offset, _)| visit(entry + offset as usize));
            }
        }
    }

    /// The same without those in the entries of unordered values.
    #[inline]
    pub fn ordered(&self, bytes: &[u8], at: usize, visit: impl FnMut(usize)) {
        if !self.is_unordered(bytes, at) {
            return self.references(bytes, at, visit);
        }
        let layout = &self.records[usize::from(bytes[at])];
        layout.references.iter().map(|&offset| at + offset as usize).for_each(visit);
    }

    /// Whether the record at an offset is a value whose entries have no order.
    #[inline]
    pub fn is_unordered(&self, bytes: &[u8], at: usize) -> bool {
        self.unordered && bytes[at] != DELETED && self.records[usize::from(bytes[at])].is_unordered()
    }

    /// Whether there are such values at all.
    #[inline(always)]
    pub fn has_unordered(&self) -> bool {
        self.unordered
    }

    /// Calls `visit` with the place of every number of a process in the record at an offset: that of the holder of its lock,
    /// which may be [`ENDED`], and that of a thread.
    #[inline]
    pub fn threads(&self, bytes: &[u8], at: usize, mut visit: impl FnMut(usize)) {
        if bytes[at] == DELETED {
            return;
        }
        let layout = &self.records[usize::from(bytes[at])];
        if let Some(lock) = layout.lock {
            visit(at + lock as usize);
        }
        if layout.kind == RecordKind::Thread {
            visit(at + layout.head as usize);
        }
    }

    /// Who holds the lock of the record at an offset: a number as in [`ENDED`].
    #[inline]
    pub fn holder(&self, bytes: &[u8], at: usize) -> u8 {
        let lock = if bytes[at] == DELETED { None } else { self.records[usize::from(bytes[at])].lock };
        lock.map_or(0, |lock| bytes[at + lock as usize])
    }

    /// Calls `visit` with type and place of every frame of the process at an offset, from the oldest on; the place is that of
    /// its control state. Returns where the process ends.
    #[inline]
    pub fn frames_of(&self, bytes: &[u8], at: usize, mut visit: impl FnMut(usize, usize)) -> usize {
        let frames = bytes[at];
        let mut at = at + 1;
        for _ in 0..frames {
            let ty = usize::from(bytes[at]);
            visit(ty, at + 1);
            at += 1 + self.frame_sizes[ty] as usize;
        }
        at
    }

    /// Writes a state with each process followed by the records that are first reached from it, and finds where its components
    /// end: global variables and channels with the number of processes, each of their records, each process and each of its
    /// records. The first bytes may be missing.
    ///
    /// What belongs together is close together then, so that a tree of parts is small. Where records are named as they are found,
    /// those that are reached so far are the ones up to the greatest name met so far. These are written whatever the names
    /// are, and the rest at the end; so what is written tells the state.
    pub fn regroup(&self, state: &[u8], missing: u32, grouped: &mut Vec<u8>, ends: &mut Vec<u32>) {
        grouped.clear();
        ends.clear();
        let roots = (self.start - missing) as usize + 1;
        let mut end_of_processes = roots;
        for _ in 0..state[roots - 1] {
            end_of_processes = self.frames_of(state, end_of_processes, |_, _| {});
        }
        let mut records = Regrouped { record: end_of_processes, written: 0, greatest: 0 };
        grouped.extend_from_slice(&state[..roots]);
        ends.push(roots as u32);
        let globals = self.globals.iter().filter(|&&at| at >= missing).map(|at| (at - missing) as usize);
        globals.for_each(|at| records.meet(self.reference(state, at)));
        records.write(self, state, grouped, ends);
        let mut process = roots;
        for _ in 0..state[roots - 1] {
            let end = self.frames_of(state, process, |ty, at| {
                self.frames[ty].iter().for_each(|&offset| records.meet(self.reference(state, at + offset as usize)));
            });
            grouped.extend_from_slice(&state[process..end]);
            ends.push(grouped.len() as u32);
            records.write(self, state, grouped, ends);
            process = end;
        }
        records.meet(usize::MAX);
        records.write(self, state, grouped, ends);
    }

    /// Finds where the processes and the records of a state start. Returns where the last process ends.
    pub fn scan(&self, bytes: &[u8], processes: &mut Vec<u32>, records: &mut Vec<u32>) -> usize {
        processes.clear();
        records.clear();
        let mut at = self.start as usize + 1;
        for _ in 0..bytes[at - 1] {
            processes.push(at as u32);
            at = self.frames_of(bytes, at, |_, _| {});
        }
        let end = at;
        while at < bytes.len() {
            records.push(at as u32);
            at += self.size(bytes, at);
        }
        end
    }
}

/// The records of a state that is regrouped.
struct Regrouped {
    /// Where the first record lies that is not written yet.
    record: usize,
    /// How many are written.
    written: usize,
    /// The greatest name that was met.
    greatest: usize,
}

impl Regrouped {
    #[inline(always)]
    fn meet(&mut self, name: usize) {
        self.greatest = self.greatest.max(name);
    }

    /// Writes the records up to the greatest name that was met, also in these records themselves.
    #[inline]
    fn write(&mut self, layout: &HeapLayout, state: &[u8], grouped: &mut Vec<u8>, ends: &mut Vec<u32>) {
        while self.written < self.greatest && self.record < state.len() {
            let (at, end) = (self.record, self.record + layout.size(state, self.record));
            layout.references(state, at, |place| self.greatest = self.greatest.max(layout.reference(state, place)));
            grouped.extend_from_slice(&state[at..end]);
            ends.push(grouped.len() as u32);
            self.record = end;
            self.written += 1;
        }
    }
}

impl RecordLayout {
    fn new(record: &crate::RecordType) -> Self {
        let mut at = 1;
        at += if matches!(record.kind, RecordKind::Array | RecordKind::Value(_)) { 2 } else { 0 };
        let lock = record.monitor.then_some(at);
        at += if record.monitor { 2 } else { 0 };
        let mut layout = RecordLayout {
            kind: record.kind,
            lock,
            head: at,
            fields: Vec::new(),
            references: Vec::new(),
            boxes: Vec::new(),
            boxed: record.boxed,
            element: (0, false),
            entry: Vec::new(),
            size: at,
        };
        match record.kind {
            RecordKind::Thread => layout.size += 1,
            RecordKind::Array => {
                let slot = &record.fields[0];
                layout.element = (slot.scalar.bytes() as u32, is_reference(slot));
            }
            RecordKind::Object | RecordKind::Channel(_) => layout.add_fields(&record.fields),
            RecordKind::Value(kind) => {
                let (head, entry) = record.fields.split_at(kind.head);
                layout.add_fields(head);
                for slot in entry {
                    layout.entry.push((layout.element.0, is_reference(slot)));
                    layout.element.0 += slot.scalar.bytes() as u32;
                }
            }
        }
        layout
    }

    fn add_fields(&mut self, fields: &[Slot]) {
        for slot in fields {
            self.fields.push(self.size);
            if is_reference(slot) {
                self.references.push(self.size);
            }
            if slot.boxed {
                self.boxes.push(self.size);
            }
            self.size += slot.scalar.bytes() as u32;
        }
    }

    /// Where the entries of the value at an offset begin.
    pub fn entries(&self, bytes: &[u8], at: usize) -> impl Iterator<Item = usize> + use<> {
        let (first, size) = (at + self.size as usize, self.element.0 as usize);
        (0..HeapLayout::length(bytes, at)).map(move |index| first + index * size)
    }

    /// Whether the order of what is in the records means nothing.
    pub fn is_unordered(&self) -> bool {
        matches!(self.kind, RecordKind::Value(kind) if kind.unordered)
    }
}

/// Offsets of references in messages of global channels, oldest messages first.
fn in_messages(model: &Model, schema: &Schema) -> Vec<u32> {
    let mut found = Vec::new();
    let mut at = schema.fixed;
    for setup in &model.setup {
        let Setup::Channel(_, ty) = setup else { continue };
        let (layout, fields) = (&schema.channels[*ty], &model.channels[*ty].fields);
        for message in 0..layout.capacity {
            let start = at + layout.count_bytes + message * layout.message;
            let references = fields.iter().zip(&layout.fields).filter(|(scalar, _)| scalar.sort == Sort::Ref);
            found.extend(references.map(|(_, &offset)| start + offset));
        }
        at += layout.size;
    }
    found
}

/// The offsets of the slots that are boxed.
fn boxes(slots: &[Slot], offsets: &[u32]) -> Vec<u32> {
    slots.iter().zip(offsets).filter(|(slot, _)| slot.boxed).map(|(_, &offset)| offset).collect()
}

fn is_reference(slot: &Slot) -> bool {
    slot.scalar.sort == Sort::Ref
}
