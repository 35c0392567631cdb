//! Atomic sequences in the search: passing through them without storing states, and losing control inside one.
//!
//! A sequence need not end. That is no error: nobody else moves any more. States inside sequences are not stored, so the search
//! must notice by itself that it comes back to one. Where there is no choice, the state is compared with an earlier one. Where
//! there is, states are remembered, but only after many steps that have led to no new stored state, so that others cost nothing.
//! From a state that is remembered, with the same process in control, all was or will be seen that can be reached.

use std::collections::HashSet;

use quotient_step::machine::Attempt;

use super::{Circle, Engine, Frontier, Visitor};
use crate::frame::{Frame, Part, Role};

/// Whether a sequence without a choice goes in circles is asked after so many steps.
const BEFORE_CIRCLES: u64 = 1 << 12;

/// States are remembered after so many steps inside atomic sequences from one stored state that have led to no new one. They must
/// be many: from then on, fewer transitions may be counted than SPIN counts.
const BEFORE_REMEMBERING: u64 = 1 << 18;

/// What is remembered inside atomic sequences.
#[derive(Default)]
pub(super) struct Inside {
    /// Steps since a stored state was found, or its expansion began or ended.
    steps: u64,
    remembers: bool,
    /// States, each with the process that has control.
    met: HashSet<Box<[u8]>>,
    /// Bytes taken by them.
    bytes: usize,
}

impl Inside {
    /// A new state was stored, or is expanded, or was.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        self.steps = 0;
    }

    /// Takes note of a state inside a sequence; true if it was met before and need not be expanded again.
    #[inline(always)]
    pub(super) fn is_met(&mut self, state: &[u8], process: usize) -> bool {
        self.steps += 1;
        self.remembers |= self.steps > BEFORE_REMEMBERING;
        self.remembers && self.remember(state, process)
    }

    #[cold]
    fn remember(&mut self, state: &[u8], process: usize) -> bool {
        let key: Box<[u8]> = state.iter().copied().chain((process as u16).to_le_bytes()).collect();
        let bytes = key.len() + 2 * size_of::<Box<[u8]>>();
        let is_new = self.met.insert(key);
        if is_new {
            self.bytes += bytes;
        }
        !is_new
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Goes on inside an atomic sequence for as long as there is no choice. The state changes in place: it is saved in
    /// the frame only before a move that leaves something else to try, or when the general way is needed. False if the
    /// sequence never ends.
    pub(super) fn pass(&mut self) -> bool {
        let program = self.expander.program;
        let process = self.stack.top().process as usize;
        self.expander.machine.enter(process, false);
        let saved = self.stack.trail.len();
        let (ty, _) = self.expander.machine.control(process);
        let compiled = &program.proctypes[ty];
        let limit = self.options.max_depth.unwrap_or(u64::MAX);
        let (mut steps, mut circle) = (0, Circle::default());
        'steps: while !self.expander.gated && self.depth() < limit {
            let state = compiled.states[self.expander.machine.own_control()];
            for number in state.first..state.end {
                let mv = &compiled.moves[number as usize];
                if !mv.passable {
                    break 'steps;
                }
                // An `else` is executable here, because no move before it was.
                match self.expander.machine.pass(mv) {
                    Attempt::Blocked if !self.expander.machine.has_faults() => {}
                    Attempt::Moved if !self.expander.machine.has_faults() => {
                        self.found.atomic_steps += 1;
                        self.note_reached(ty, mv.statement);
                        let transition = number - state.first;
                        self.stack.trail.push(Part { transition, process: process as u16, role: Role::Alone });
                        self.tick(1);
                        if self.is_stopped() {
                            break 'steps;
                        }
                        steps += 1;
                        if steps > BEFORE_CIRCLES && circle.is_at_rest(self.expander.machine.state()) {
                            self.note_depth();
                            return false;
                        }
                        continue 'steps;
                    }
                    _ => {
                        // Something went wrong: the general way finds it again, from the state before.
                        self.expander.machine.take_faults();
                        self.repeat(saved);
                        return true;
                    }
                }
            }
            break;
        }
        if self.stack.trail.len() > saved {
            self.note_depth();
            self.expander.machine.commit();
            self.stack.save_top(&self.expander.machine);
        }
        true
    }

    /// Takes the machine from the top frame's state through the steps on the trail from `from` on.
    #[cold]
    fn repeat(&mut self, from: usize) {
        let program = self.expander.program;
        let process = self.stack.top().process as usize;
        self.stack.loaded = false;
        self.load_top();
        self.expander.machine.enter(process, false);
        for step in from..self.stack.trail.len() {
            let (ty, control) = self.expander.machine.control(process);
            let compiled = &program.proctypes[ty];
            let number = compiled.states[control].first + self.stack.trail.from(step)[0].transition;
            self.expander.machine.attempt(&compiled.moves[number as usize], false);
        }
        self.expander.machine.commit();
        self.stack.save_top(&self.expander.machine);
    }

    /// The process inside an atomic sequence is blocked: the state is stored after all, and everyone may move.
    pub(super) fn release(&mut self) {
        let Some((entry, new)) = self.insert() else { return self.pop() };
        self.note_successor(entry, new, self.stack.frames.len() - 1);
        if !new || !self.accepts(entry, true) {
            return self.pop();
        }
        self.enter(entry);
        let top = self.stack.top();
        top.entry = Some(entry);
        top.flags = Frame::RELEASED;
        self.begin(self.expander.machine.processes() as i16 - 1);
    }
}
