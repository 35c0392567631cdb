//! Heap models. [`HeapLayout`] says how a state lies in memory. Where its processes and records are is found by one scan
//! when it is loaded. The root shape, the only one of such a model, is kept up to date: its processes are the topmost frames, so that all code that
//! works on local variables is the same with and without a heap.

mod compile;
mod convert;
mod execute;
mod extend;
mod layout;
mod normal;
mod owners;
mod stack;

pub use compile::{HeapEffect, HeapOp};
pub use layout::{HeapAccess, Waits};
pub use owners::{Most, Watch};
use quotient_ir::schema::HeapLayout;

use super::shape::Component;
use super::{Machine, Program};

/// How the records of a state are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Naming {
    /// In the order in which they are found from the roots; what cannot be reached is gone.
    #[default]
    Normal,
    /// In the order in which they were made. What cannot be reached stays until there are many.
    Allocation,
}

/// Where the parts of the current state of a heap model lie.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Where the processes start; their topmost frames are in the root shape.
    pub(super) processes: Vec<u32>,
    /// Where the records start.
    pub(super) records: Vec<u32>,
    /// The layout has changed since the state was loaded.
    pub(super) moved: bool,
    /// References have changed, or records or frames have come or gone, since the state was loaded.
    pub(super) dirty: bool,
    /// The last action has decided itself where the process goes on.
    pub(super) jumped: bool,
    /// A process was taken away since the state was loaded.
    pub(super) exited: bool,
    pub(super) naming: Naming,
    /// How many records the step has made.
    pub(super) made: u32,
    pub(super) owners: owners::Owners,
    pub(super) scratch: normal::Scratch,
}

impl Program<'_> {
    /// The layout of the heap.
    #[inline(always)]
    pub(super) fn heap_layout(&self) -> &HeapLayout {
        self.schema.heap.as_deref().expect("the model has a heap")
    }
}

impl Machine<'_, '_> {
    /// Says how records are named; before the first state.
    pub fn name_records(&mut self, naming: Naming) {
        self.places.naming = naming;
    }

    /// Whether a process was taken away since the state was loaded, so that those behind it have other numbers.
    pub fn has_exited(&self) -> bool {
        self.places.exited
    }

    /// The type that a process of the current state was started with.
    pub fn started_as(&self, process: usize) -> usize {
        let top = self.shapes.get(self.shape).processes[process].ty as usize;
        let Some(layout) = &self.program.schema.heap else { return top };
        let mut first = None;
        layout.frames_of(&self.work, self.places.processes[process] as usize, |ty, _| first = first.or(Some(ty)));
        first.unwrap_or(top)
    }

    /// Finds out where the parts of the current state lie.
    pub(super) fn scan(&mut self) {
        let layout = self.program.heap_layout();
        let places = &mut self.places;
        layout.scan(&self.work, &mut places.processes, &mut places.records);
        let root = self.shapes.root_mut();
        root.processes.clear();
        for &process in &places.processes {
            let mut top = Component { ty: 0, offset: 0 };
            layout.frames_of(&self.work, process as usize, |ty, at| {
                top = Component { ty: ty as u32, offset: at as u32 };
            });
            root.processes.push(top);
        }
        root.size = self.work.len() as u32;
        places.moved = true;
    }

    /// Where the records of the current state start.
    #[inline(always)]
    pub(super) fn records_start(&self) -> usize {
        self.places.records.first().map_or(self.work.len(), |&first| first as usize)
    }
}
