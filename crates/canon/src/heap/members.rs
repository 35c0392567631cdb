//! Renamings of members of declared scalarsets in states with a heap: what such a renaming does to the bytes of a state. Values that
//! stand for members become the images of these, and elements of arrays that a scalarset indexes change places.

use std::collections::BTreeMap;

use quotient_group::Group;
use quotient_ir::schema::{DELETED, HeapLayout, Schema};
use quotient_ir::{Model, ProctypeId, RecordKind, RecordType, Scalar, Setup, Slot, Sort};

/// More renamings than this are not tried for every state.
pub(super) const MOST: usize = 720;

/// A byte that stands for a member, with its scalarset.
type Member = (u32, usize);

/// A step of a renaming that moves an element: from an offset to another one, so many bytes.
type Move = (u32, u32, u32);

/// All renamings of a model.
#[derive(Clone, Debug)]
pub(super) struct Members {
    renamings: Vec<Renaming>,
    globals: Vec<Member>,
    frames: Vec<Vec<Member>>,
    records: Vec<Vec<Member>>,
    /// Channels: where the number of messages is, its bytes, and by message what stands for members. Those of the model first, then
    /// by type of record, counted from the record's start.
    channels: Vec<Queue>,
    queues: Vec<Option<Queue>>,
}

#[derive(Clone, Debug)]
struct Queue {
    at: u32,
    count_bytes: u32,
    messages: Vec<Vec<Member>>,
}

/// One renaming.
#[derive(Clone, Debug)]
struct Renaming {
    /// By scalarset, the image of each member.
    images: Vec<Vec<u8>>,
    globals: Vec<Move>,
    frames: Vec<Vec<Move>>,
}

/// How many renamings of its declared scalarsets a model has.
pub(super) fn number(model: &Model) -> usize {
    let factorial = |size: usize| (1..=size).fold(1_usize, usize::saturating_mul);
    model.declared.sets.iter().map(|set| factorial(set.size)).fold(1, usize::saturating_mul)
}

impl Members {
    /// For a model whose members are proved to differ by name only; none if there are too many renamings.
    pub(super) fn new(model: &Model, schema: &Schema) -> Option<Self> {
        let heap = model.heap.as_ref().filter(|_| super::renames_members(model))?;
        let mut images: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
        for set in &model.declared.sets {
            let all = quotient_group::Sort { size: set.size, group: Group::Symmetric };
            let all: Vec<Vec<u8>> = all.elements().map(|renaming| renaming.images().to_vec()).collect();
            images = images
                .into_iter()
                .flat_map(|before| all.iter().map(move |next| [&before[..], std::slice::from_ref(next)].concat()))
                .collect();
        }
        let global = Places::new(model, None, &model.globals, &schema.globals.offsets)?;
        let local: Vec<Places> = (0..model.proctypes.len())
            .map(|ty| Places::new(model, Some(ty), &model.proctypes[ty].slots, &schema.locals[ty].offsets))
            .collect::<Option<_>>()?;
        let renaming = |images: Vec<Vec<u8>>| {
            Some(Renaming {
                globals: global.moves(&images)?,
                frames: local.iter().map(|places| places.moves(&images)).collect::<Option<_>>()?,
                images,
            })
        };
        let layout = schema.heap.as_deref()?;
        let record = |(ty, offsets): (&RecordType, &[u32])| match ty.kind {
            RecordKind::Channel(_) => Vec::new(),
            _ => members(&ty.fields, offsets),
        };
        let fields = |index: usize| (&heap.records[index], &layout.records[index].fields[..]);
        let mut at = schema.fixed;
        let mut channels = Vec::new();
        for setup in &model.setup {
            let Setup::Channel(_, ty) = setup else { continue };
            channels.push(Queue::new(model, schema, *ty, at));
            at += schema.channels[*ty].size;
        }
        let queue = |index: usize| match heap.records[index].kind {
            RecordKind::Channel(ty) => Some(Queue::new(model, schema, ty, layout.records[index].head)),
            _ => None,
        };
        Some(Members {
            renamings: images.into_iter().map(renaming).collect::<Option<_>>()?,
            globals: members(&model.globals, &schema.globals.offsets),
            frames: model.proctypes.iter().zip(&schema.locals).map(|(p, l)| members(&p.slots, &l.offsets)).collect(),
            records: (0..heap.records.len()).map(|index| record(fields(index))).collect(),
            channels,
            queues: (0..heap.records.len()).map(queue).collect(),
        })
    }

    /// How many renamings there are; the first one changes nothing.
    pub(super) fn len(&self) -> usize {
        self.renamings.len()
    }

    /// Writes a state with its members renamed.
    pub(super) fn apply(&self, number: usize, layout: &HeapLayout, state: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(state);
        let renaming = &self.renamings[number];
        let move_all = |out: &mut Vec<u8>, moves: &[Move], start: usize| {
            for &(from, to, length) in moves {
                let (from, to, length) = (start + from as usize, start + to as usize, length as usize);
                out[to..to + length].copy_from_slice(&state[from..from + length]);
            }
        };
        let rename = |out: &mut Vec<u8>, members: &[Member], start: usize| {
            for &(at, set) in members {
                let value = &mut out[start + at as usize];
                // Any other value stands for none.
                if let Some(&image) = renaming.images[set].get(usize::from(*value)) {
                    *value = image;
                }
            }
        };
        let rename_messages = |out: &mut Vec<u8>, queue: &Queue, start: usize| {
            let count = queue.count(state, start);
            queue.messages.iter().take(count).for_each(|message| rename(out, message, start));
        };
        move_all(out, &renaming.globals, 0);
        rename(out, &self.globals, 0);
        self.channels.iter().for_each(|queue| rename_messages(out, queue, 0));
        let mut at = layout.start as usize + 1;
        for _ in 0..state[at - 1] {
            at = layout.frames_of(state, at, |ty, frame| {
                move_all(out, &renaming.frames[ty], frame);
                rename(out, &self.frames[ty], frame);
            });
        }
        while at < state.len() {
            if state[at] != DELETED {
                let ty = usize::from(state[at]);
                rename(out, &self.records[ty], at);
                if let Some(queue) = &self.queues[ty] {
                    rename_messages(out, queue, at);
                }
            }
            at += layout.size(state, at);
        }
    }
}

impl Queue {
    fn new(model: &Model, schema: &Schema, ty: usize, at: u32) -> Self {
        let (fields, layout) = (&model.channels[ty].fields, &schema.channels[ty]);
        let message = |number: u32| {
            let start = at + layout.count_bytes + number * layout.message;
            let fields = fields.iter().zip(&layout.fields);
            fields.filter_map(|(scalar, offset)| Some((start + offset, member(*scalar)?))).collect()
        };
        Queue { at, count_bytes: layout.count_bytes, messages: (0..layout.capacity).map(message).collect() }
    }

    fn count(&self, state: &[u8], start: usize) -> usize {
        let at = start + self.at as usize;
        match self.count_bytes {
            0 => 0,
            1 => usize::from(state[at]),
            _ => usize::from(u16::from_le_bytes([state[at], state[at + 1]])),
        }
    }
}

fn member(scalar: Scalar) -> Option<usize> {
    match scalar.sort {
        Sort::Member { set } => Some(usize::from(set)),
        Sort::Plain | Sort::Channel | Sort::Process | Sort::Ref => None,
    }
}

fn members(slots: &[Slot], offsets: &[u32]) -> Vec<Member> {
    slots.iter().zip(offsets).filter_map(|(slot, &offset)| Some((offset, member(slot.scalar)?))).collect()
}

/// Where an element stands: its name without the indices that scalarsets give it, how many elements of other arrays have the same
/// whole name and are declared before, and the members that the indices are.
type Position = (String, usize, Vec<(usize, u8)>);

/// The elements of arrays that scalarsets index: by their positions, offset and bytes.
struct Places {
    elements: BTreeMap<Position, (u32, u32)>,
}

impl Places {
    fn new(model: &Model, owner: Option<ProctypeId>, slots: &[Slot], offsets: &[u32]) -> Option<Self> {
        let mut elements = BTreeMap::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, (slot, &offset)) in slots.iter().zip(offsets).enumerate() {
            let axes = model.declared.axes.iter().filter(|axis| axis.proctype == owner && axis.slot == number);
            let mut axes: Vec<(usize, usize)> = axes.map(|axis| (axis.dimension, axis.set)).collect();
            axes.sort_unstable();
            if axes.is_empty() {
                continue;
            }
            // Two blocks of a body can have variables of one name.
            let before = known.entry(&slot.name).or_default();
            let (name, members) = position(&slot.name, &axes)?;
            elements.insert((name, *before, members), (offset, slot.scalar.bytes() as u32));
            *before += 1;
        }
        Some(Places { elements })
    }

    fn moves(&self, images: &[Vec<u8>]) -> Option<Vec<Move>> {
        let moved = |((name, before, members), &(from, bytes)): (&Position, &(u32, u32))| {
            let image = |&(set, k): &(usize, u8)| Some((set, *images[set].get(usize::from(k))?));
            let renamed = members.iter().map(image).collect::<Option<Vec<_>>>()?;
            let &(to, _) = self.elements.get(&(name.clone(), *before, renamed))?;
            Some((from, to, bytes))
        };
        self.elements.iter().map(moved).collect()
    }
}

/// The name of an element without the indices that scalarsets give it, and these, by its slot's name, `t[1].g[0]`.
fn position(name: &str, axes: &[(usize, usize)]) -> Option<(String, Vec<(usize, u8)>)> {
    let (mut rest, mut members, mut dimension) = (String::new(), Vec::new(), 0);
    for part in name.split_inclusive(']') {
        let Some((before, index)) = part.strip_suffix(']').and_then(|part| part.rsplit_once('[')) else {
            rest.push_str(part);
            continue;
        };
        rest.push_str(before);
        match axes.iter().find(|axis| axis.0 == dimension) {
            Some(&(_, set)) => {
                members.push((set, index.parse().ok()?));
                rest.push_str("[*]");
            }
            None => rest.push_str(&format!("[{index}]")),
        }
        dimension += 1;
    }
    Some((rest, members))
}
