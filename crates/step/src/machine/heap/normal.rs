//! Heap-normal states: records are named in the order in which they are found from the roots, and those that cannot be found
//! are gone. Roots are the global variables, then the frames of the processes in order; references of one record are
//! followed in order before the next root (the numbering of Iosif, "Symmetry reductions for model checking of concurrent
//! dynamic software"). So two states that differ only in the names of records become one.

use super::super::{Fault, FaultKind, Machine};
use super::Naming;
use quotient_ir::RecordKind;
use quotient_ir::schema::{DELETED, HeapLayout};

/// What one pass needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// By old name, the new one; 0 for records that were not found.
    new_names: Vec<u32>,
    /// Old names, in the order of the new ones.
    found: Vec<u32>,
    stack: Vec<u32>,
    bytes: Vec<u8>,
    /// Where references lie.
    places: Vec<usize>,
}

impl Machine<'_, '_> {
    /// Brings the state into order after a step.
    #[inline]
    pub(in super::super) fn finish_step(&mut self) {
        self.measure();
        if self.places.dirty {
            self.normalise();
        }
        debug_assert!(self.is_in_order(), "a state was left that is not normal");
    }

    /// Whether another pass would change nothing.
    fn is_in_order(&mut self) -> bool {
        if self.places.naming != Naming::Normal {
            return true;
        }
        self.mark();
        let found = &self.places.scratch.found;
        found.len() == self.places.records.len() && (1..).zip(found).all(|(new, &old): (u32, _)| new == old)
    }

    /// Names the records anew and lets go of those that cannot be reached.
    pub(in super::super) fn normalise(&mut self) {
        self.places.dirty = false;
        let leaks = self.program.model.heap.as_ref().is_some_and(|heap| heap.leaks);
        let records = self.places.records.len();
        // Records that are in the way in the order of allocation are let go of when they are many, so that names last.
        let most = self.program.model.heap.as_ref().map_or(0, |heap| heap.most_records);
        let allocation = self.places.naming == Naming::Allocation;
        if allocation && !leaks && records <= most / 2 {
            return;
        }
        self.mark();
        let scratch = &mut self.places.scratch;
        if leaks && scratch.found.len() < records {
            self.look_for_leaks();
        }
        let scratch = &mut self.places.scratch;
        if allocation {
            scratch.found.sort_unstable();
            for (new, &old) in (1..).zip(&scratch.found) {
                scratch.new_names[old as usize] = new;
            }
        }
        let in_place = |(new, &old): (u32, &u32)| new == old;
        if scratch.found.len() == records && (1..).zip(&scratch.found).all(in_place) {
            return;
        }
        self.rename();
        self.scan();
    }

    /// Finds the records that can be reached, in order.
    fn mark(&mut self) {
        let layout = self.program.heap_layout();
        let places = &mut self.places;
        let Scratch { new_names, found, stack, .. } = &mut places.scratch;
        new_names.clear();
        new_names.resize(places.records.len() + 1, 0);
        found.clear();
        let (work, records) = (&self.work, &places.records);
        let mut follow = |stack: &mut Vec<u32>| {
            while let Some(name) = stack.pop() {
                if name == 0 || new_names[name as usize] != 0 {
                    continue;
                }
                found.push(name);
                new_names[name as usize] = found.len() as u32;
                let first = stack.len();
                layout.references(work, records[name as usize - 1] as usize, |at| {
                    stack.push(layout.reference(work, at) as u32);
                });
                stack[first..].reverse();
            }
        };
        stack.clear();
        stack.extend(layout.globals.iter().rev().map(|&at| layout.reference(work, at as usize) as u32));
        follow(stack);
        for &process in &places.processes {
            layout.frames_of(work, process as usize, |ty, at| {
                let offsets = layout.frames[ty].iter().rev();
                stack.extend(offsets.map(|&offset| layout.reference(work, at + offset as usize) as u32));
                follow(stack);
            });
        }
    }

    /// Reports that a record is lost that was not deleted.
    #[cold]
    fn look_for_leaks(&mut self) {
        let layout = self.program.heap_layout();
        let lost = |(&at, &new): (&u32, &u32)| {
            let ty = self.work[at as usize];
            let is_made =
                |ty: u8| matches!(layout.records[usize::from(ty)].kind, RecordKind::Object | RecordKind::Array);
            new == 0 && ty != DELETED && is_made(ty) && !layout.records[usize::from(ty)].boxed
        };
        if self.places.records.iter().zip(&self.places.scratch.new_names[1..]).any(lost) {
            self.faults.push(Fault { kind: FaultKind::Leak, span: self.span });
        }
    }

    /// Writes the state anew with the names that were found.
    fn rename(&mut self) {
        let start = self.records_start();
        let layout = self.program.heap_layout();
        let work = &mut self.work;
        let Scratch { new_names, found, bytes, places, .. } = &mut self.places.scratch;
        bytes.clear();
        places.clear();
        places.extend(layout.globals.iter().map(|&at| at as usize));
        for &process in &self.places.processes {
            layout.frames_of(work, process as usize, |ty, at| {
                places.extend(layout.frames[ty].iter().map(|&offset| at + offset as usize));
            });
        }
        rename_all(layout, work, places, new_names);
        places.clear();
        for &old in &*found {
            let at = self.places.records[old as usize - 1] as usize;
            let copy = bytes.len();
            bytes.extend_from_slice(&work[at..at + layout.size(work, at)]);
            layout.references(bytes, copy, |at| places.push(at));
        }
        rename_all(layout, bytes, places, new_names);
        work.truncate(start);
        work.extend_from_slice(bytes);
    }
}

/// Gives references their new names.
fn rename_all(layout: &HeapLayout, bytes: &mut [u8], places: &[usize], new_names: &[u32]) {
    for &at in places {
        let name = new_names[layout.reference(bytes, at)];
        layout.set_reference(bytes, at, name as usize);
    }
}
