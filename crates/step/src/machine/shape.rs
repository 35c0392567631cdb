//! Shapes: which processes and channels live in a state, and where. Processes die youngest first, so the shapes of a
//! model form a tree; a state carries only the number of its shape (see `numbers.rs`).

use std::collections::BTreeMap;

use quotient_ir::schema::Schema;
use quotient_ir::{Model, Setup};

use super::Program;

/// A process or channel of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its type.
    pub ty: u32,
    /// Where its bytes start.
    pub offset: u32,
}

/// Which components live, in order of creation.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its number, the same for all machines of a program.
    pub number: u32,
    /// The index of the shape without its youngest process; the root's is itself.
    pub parent: u32,
    /// Processes; a process's id is its index.
    pub processes: Vec<Component>,
    /// Channels; a channel's id is its index plus one.
    pub channels: Vec<Component>,
    /// Bytes of a state of this shape.
    pub size: u32,
    /// Indices of shapes with one more process, by its type.
    children: Vec<(u32, u32)>,
}

/// The shape number in a state's bytes.
#[inline(always)]
pub(super) fn read_shape(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0])
}

/// Puts a shape number into a state's bytes.
#[inline(always)]
pub(super) fn write_shape(bytes: &mut [u8], at: usize, shape: u32) {
    bytes[at..at + 3].copy_from_slice(&shape.to_le_bytes()[..3]);
}

/// The shapes that one machine has met. Their indices are its own; their numbers are those of the program.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// Indices by number.
    indices: BTreeMap<u32, u32>,
}

impl Shapes {
    /// The root: no process, only global channels. Its index and its number are 0.
    pub(super) fn new(model: &Model, schema: &Schema) -> Self {
        let mut root = Shape {
            number: 0,
            parent: 0,
            processes: Vec::new(),
            channels: Vec::new(),
            size: schema.fixed,
            children: Vec::new(),
        };
        add_channels(&mut root, &model.setup, schema);
        Shapes { shapes: vec![root], indices: BTreeMap::from([(0, 0)]) }
    }

    /// The shape with this index.
    #[inline(always)]
    pub(super) fn get(&self, index: u32) -> &Shape {
        &self.shapes[index as usize]
    }

    /// The root, which is the only shape of a heap model, and changes with the state.
    pub(super) fn root_mut(&mut self) -> &mut Shape {
        &mut self.shapes[0]
    }

    /// The index of the shape with this number, if it was met.
    #[inline]
    pub(super) fn find(&self, number: u32) -> Option<u32> {
        self.indices.get(&number).copied()
    }

    /// The index of the shape with this number, which another machine may have met first.
    #[inline]
    pub(super) fn meet(&mut self, number: u32, program: &Program) -> Option<u32> {
        match self.find(number) {
            Some(index) => Some(index),
            None => program.numbers.word(number)?.into_iter().try_fold(0, |index, ty| self.child(index, ty, program)),
        }
    }

    /// How the shapes come from each other, in order: for each but the root its parent, the type of its youngest process,
    /// and its number.
    pub(super) fn lineage(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let youngest = |shape: &Shape| shape.processes.last().map_or(0, |process| process.ty);
        self.shapes.iter().skip(1).map(move |shape| (shape.parent, youngest(shape), shape.number))
    }

    /// The index of the shape with one more process; none when there are no numbers left.
    pub(super) fn child(&mut self, index: u32, proctype: u32, program: &Program) -> Option<u32> {
        let shape = &self.shapes[index as usize];
        if let Some(&(_, child)) = shape.children.iter().find(|&&(ty, _)| ty == proctype) {
            return Some(child);
        }
        let Program { model, schema, numbers, .. } = program;
        let mut child = Shape { parent: index, children: Vec::new(), ..shape.clone() };
        child.processes.push(Component { ty: proctype, offset: child.size });
        child.number = numbers.number(&child.processes.iter().map(|process| process.ty).collect::<Vec<_>>())?;
        child.size += schema.locals[proctype as usize].size;
        add_channels(&mut child, &model.proctypes[proctype as usize].setup, schema);
        let new = self.shapes.len() as u32;
        self.indices.insert(child.number, new);
        self.shapes.push(child);
        self.shapes[index as usize].children.push((proctype, new));
        Some(new)
    }
}

fn add_channels(shape: &mut Shape, setup: &[Setup], schema: &Schema) {
    for step in setup {
        if let Setup::Channel(_, ty) = step {
            shape.channels.push(Component { ty: *ty as u32, offset: shape.size });
            shape.size += schema.channels[*ty].size;
        }
    }
}
