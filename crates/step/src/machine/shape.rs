//! Shapes: which processes and channels live in a state, and where. Processes die youngest first, so the shapes of a
//! model form a tree; a state carries only the number of its shape.

use quotient_ir::schema::{SHAPE_BYTES, Schema};
use quotient_ir::{Model, Setup};

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
    /// The shape without its youngest process; the root's is itself.
    pub parent: u32,
    /// Processes; a process's id is its index.
    pub processes: Vec<Component>,
    /// Channels; a channel's id is its index plus one.
    pub channels: Vec<Component>,
    /// Bytes of a state of this shape.
    pub size: u32,
    /// Shapes with one more process, by its type.
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

/// More shapes than this do not fit a state's bytes.
pub(super) const MOST_SHAPES: u32 = 1 << (8 * SHAPE_BYTES);

/// All shapes met so far.
#[derive(Clone, Debug)]
pub struct Shapes {
    shapes: Vec<Shape>,
}

impl Shapes {
    /// The root: no process, only global channels.
    pub fn new(model: &Model, schema: &Schema) -> Self {
        let mut root =
            Shape { parent: 0, processes: Vec::new(), channels: Vec::new(), size: schema.fixed, children: Vec::new() };
        add_channels(&mut root, &model.setup, schema);
        Shapes { shapes: vec![root] }
    }

    /// The shape with this number.
    #[inline(always)]
    pub fn get(&self, id: u32) -> &Shape {
        &self.shapes[id as usize]
    }

    /// The shape with this number, if there is one.
    pub fn find(&self, id: u32) -> Option<&Shape> {
        self.shapes.get(id as usize)
    }

    /// How the shapes come from each other, in order: for each but the root its parent and the type of its youngest
    /// process.
    pub fn lineage(&self) -> impl Iterator<Item = (u32, u32)> {
        let youngest = |shape: &Shape| shape.processes.last().map_or(0, |process| process.ty);
        self.shapes.iter().skip(1).map(move |shape| (shape.parent, youngest(shape)))
    }

    /// The shape with one more process.
    pub fn child(&mut self, id: u32, proctype: u32, model: &Model, schema: &Schema) -> u32 {
        let shape = &self.shapes[id as usize];
        if let Some(&(_, child)) = shape.children.iter().find(|&&(ty, _)| ty == proctype) {
            return child;
        }
        let mut child = Shape { parent: id, children: Vec::new(), ..shape.clone() };
        child.processes.push(Component { ty: proctype, offset: child.size });
        child.size += schema.locals[proctype as usize].size;
        add_channels(&mut child, &model.proctypes[proctype as usize].setup, schema);
        let number = self.shapes.len() as u32;
        self.shapes.push(child);
        self.shapes[id as usize].children.push((proctype, number));
        number
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
