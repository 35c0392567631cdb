//! A successor that was not looked up yet. Looking up a state means waiting for memory; meanwhile the next successor is
//! made.

use std::ops::ControlFlow::{self, Break, Continue};

use quotient_store::Store;

use super::{Engine, Frontier, Visitor};
use crate::Stop;
use crate::frame::{Frame, Part};

/// At most one successor of the top frame that was not looked up yet. It may wait until something else than making the next
/// successor is done, and no longer.
#[derive(Default)]
pub(super) struct Postponed {
    pub(super) waiting: Option<Waiting>,
    /// The steps that lead to it.
    pub(super) parts: Vec<Part>,
    /// Its bytes.
    pub(super) state: Vec<u8>,
    /// With symmetry reduction, the bytes that it is looked up by.
    pub(super) key: Vec<u8>,
}

/// A successor that was not looked up yet.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// What the visited set needs to look it up.
    pub(super) prepared: u64,
    /// The top frame as it was when the successor was made: if it is new, what was tried since is taken back.
    pub(super) frame: Frame,
}

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Keeps the machine's state, whose steps are on the trail from `trail` on, to be looked up after the next one was made.
    #[inline]
    pub(super) fn postpone(&mut self, trail: usize) {
        let machine = &self.expander.machine;
        let Some(prepared) = self.visited.prepare(machine, &mut self.postponed.key) else {
            self.found.stop = Some(Stop::StoreFull);
            return;
        };
        self.postponed.state.clear();
        self.postponed.state.extend_from_slice(machine.state());
        self.postponed.parts.clear();
        self.postponed.parts.extend_from_slice(self.stack.trail.from(trail));
        self.stack.trail.truncate(trail);
        let Some(frame) = self.stack.frames.last() else { return };
        self.postponed.waiting = Some(Waiting { prepared, frame: *frame });
    }

    /// Looks the postponed successor up, if there is one; breaks when it is new and became the top frame.
    #[inline(always)]
    pub(super) fn look_up_postponed(&mut self) -> ControlFlow<()> {
        if F::DEEPENS && self.postponed.waiting.is_some() {
            return self.look_up();
        }
        Continue(())
    }

    #[inline]
    fn look_up(&mut self) -> ControlFlow<()> {
        let Some(Waiting { prepared, frame }) = self.postponed.waiting.take() else { return Continue(()) };
        let key = match self.visited.is_symmetric() {
            false => &self.postponed.state[self.expander.program.schema.hidden as usize..],
            true => &self.postponed.key,
        };
        let inserted = self.visited.set.insert_prepared(key, prepared);
        let (entry, new) = self.count(inserted);
        if new && let Some(top) = self.stack.frames.last_mut() {
            *top = frame;
        }
        self.note_successor(entry, new, self.stack.frames.len());
        if !new {
            return Continue(());
        }
        self.expander.machine.take_faults();
        self.expander.machine.load(&self.postponed.state);
        let trail = self.stack.trail.len();
        self.postponed.parts.iter().for_each(|&part| self.stack.trail.push(part));
        self.push(Some(entry), None, trail);
        Break(())
    }
}
