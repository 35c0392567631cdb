//! A state with its threads in another order, and its records named in the order in which they are found then.

use quotient_ir::schema::{ENDED, HeapLayout};

use super::View;

/// Writes renamed states.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// By old name, the new one.
    new_names: Vec<u16>,
    found: Vec<u16>,
    stack: Vec<u16>,
    /// By old number of a thread, the new one; both from 1 on.
    new_threads: Vec<u8>,
    places: Vec<usize>,
}

impl Writer {
    /// What was written last.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes a state with its threads in an order.
    pub(super) fn write(&mut self, layout: &HeapLayout, view: &View, state: &[u8], order: &[u8]) {
        self.find(layout, view, state, order);
        let Writer { bytes, new_names, found, new_threads, places, .. } = self;
        new_threads.clear();
        new_threads.resize(order.len() + 1, 0);
        for (new, &old) in (1..=u8::MAX).zip(order) {
            new_threads[usize::from(old) + 1] = new;
        }
        bytes.clear();
        bytes.extend_from_slice(&state[..=layout.start as usize]);
        places.clear();
        places.extend(layout.globals.iter().map(|&at| at as usize));
        for &old in order {
            let thread = usize::from(old);
            let (start, end) = (view.thread(thread), view.thread(thread + 1));
            let copy = bytes.len();
            bytes.extend_from_slice(&state[start..end]);
            layout.frames_of(bytes, copy, |ty, at| {
                places.extend(layout.frames[ty].iter().map(|&offset| at + offset as usize));
            });
        }
        for &old in &*found {
            let at = view.record(usize::from(old));
            let copy = bytes.len();
            bytes.extend_from_slice(&state[at..at + layout.size(state, at)]);
            layout.references(bytes, copy, |at| places.push(at));
            layout.threads(state, at, |place| {
                let process = state[place];
                if process != ENDED {
                    bytes[place - at + copy] = new_threads[usize::from(process)];
                }
            });
        }
        for &at in &*places {
            let name = new_names[layout.reference(bytes, at)];
            layout.set_reference(bytes, at, usize::from(name));
        }
    }

    /// Names the records in the order in which they are found.
    fn find(&mut self, layout: &HeapLayout, view: &View, state: &[u8], order: &[u8]) {
        let Writer { new_names, found, stack, .. } = self;
        new_names.clear();
        new_names.resize(view.records.len() + 1, 0);
        found.clear();
        let mut follow = |stack: &mut Vec<u16>| {
            while let Some(name) = stack.pop() {
                let name = usize::from(name);
                if name == 0 || new_names[name] != 0 {
                    continue;
                }
                found.push(name as u16);
                new_names[name] = found.len() as u16;
                let first = stack.len();
                layout.references(state, view.record(name), |at| stack.push(layout.reference(state, at) as u16));
                stack[first..].reverse();
            }
        };
        stack.clear();
        stack.extend(layout.globals.iter().rev().map(|&at| layout.reference(state, at as usize) as u16));
        follow(stack);
        for &thread in order {
            layout.frames_of(state, view.thread(usize::from(thread)), |ty, at| {
                let offsets = layout.frames[ty].iter().rev();
                stack.extend(offsets.map(|&offset| layout.reference(state, at + offset as usize) as u16));
                follow(stack);
            });
        }
    }
}
