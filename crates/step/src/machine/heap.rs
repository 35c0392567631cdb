//! Heap models. Behind the global variables and channels of a state lie its processes with their frames, and then its
//! records:
//!
//! ```text
//! state    = hidden, shape (always 0), globals, channels | number of processes, processes | records
//! process  = number of frames, frames from the oldest on
//! frame    = type, control state, priority, local variables
//! record   = type, [length, two bytes], [holder, depth], fields or elements
//! ```
//!
//! A record's name is its place, from 1 on. Where everything lies is found by one scan when a state is loaded. The root
//! shape, the only one of such a model, is kept up to date: its processes are the topmost frames, so that all code that
//! works on local variables is the same with and without a heap.

mod compile;
mod convert;
mod execute;
mod layout;
mod normal;
mod stack;

pub use compile::{HeapEffect, HeapOp};
pub use layout::{HeapLayout, RecordLayout, Waits};

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
    /// Where the last record ends.
    pub(super) end: u32,
    /// The layout has changed since the state was loaded.
    pub(super) moved: bool,
    /// References have changed, or records or frames have come or gone, since the state was loaded.
    pub(super) dirty: bool,
    /// The last action has decided itself where the process goes on.
    pub(super) jumped: bool,
    pub(super) naming: Naming,
    pub(super) scratch: normal::Scratch,
}

impl Program<'_> {
    /// The layout of the heap.
    #[inline(always)]
    pub(super) fn heap_layout(&self) -> &HeapLayout {
        self.heap.as_deref().expect("the model has a heap")
    }
}

impl Machine<'_, '_> {
    /// Says how records are named; before the first state.
    pub fn name_records(&mut self, naming: Naming) {
        self.places.naming = naming;
    }

    /// Finds out where the parts of the current state lie.
    pub(super) fn scan(&mut self) {
        let program = self.program;
        let layout = program.heap_layout();
        let root = self.shapes.root_mut();
        let places = &mut self.places;
        places.processes.clear();
        places.records.clear();
        root.processes.clear();
        let mut at = layout.start as usize;
        let number = usize::from(self.work[at]);
        at += 1;
        for _ in 0..number {
            places.processes.push(at as u32);
            let frames = usize::from(self.work[at]);
            at += 1;
            let mut top = Component { ty: 0, offset: 0 };
            for _ in 0..frames {
                let ty = self.work[at];
                top = Component { ty: u32::from(ty), offset: at as u32 + 1 };
                at += 1 + program.schema.locals[usize::from(ty)].size as usize;
            }
            root.processes.push(top);
        }
        while at < self.work.len() {
            places.records.push(at as u32);
            at += layout.size(&self.work, at);
        }
        places.end = at as u32;
        root.size = at as u32;
        places.moved = true;
    }

    /// Where a state's parts end, from its visible bytes on: global variables with channels, each process, each record.
    pub fn heap_parts(&self) -> impl Iterator<Item = u32> {
        let hidden = self.program.schema.hidden;
        let Places { processes, records, end, .. } = &self.places;
        processes.iter().chain(records).chain([end]).map(move |at| at - hidden)
    }

    /// Where the records of the current state start.
    #[inline(always)]
    pub(super) fn records_start(&self) -> usize {
        self.places.records.first().map_or(self.work.len(), |&first| first as usize)
    }
}
