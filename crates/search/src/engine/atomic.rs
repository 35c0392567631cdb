//! Atomic sequences in the search: passing through them without storing states, and losing control inside one.

use quotient_step::machine::Attempt;

use super::{Engine, Frontier, TICK, Visitor};
use crate::frame::{Frame, Part, Role};

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Goes on inside an atomic sequence for as long as there is no choice. The state changes in place: it is saved in
    /// the frame only before a move that leaves something else to try, or when the general way is needed.
    pub(super) fn pass(&mut self) {
        let program = self.expander.program;
        let process = self.stack.top().process as usize;
        self.expander.machine.enter(process, false);
        let saved = self.stack.trail.len();
        let (ty, _) = self.expander.machine.control(process);
        let compiled = &program.proctypes[ty];
        let limit = self.options.max_depth.unwrap_or(u64::MAX);
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
                        self.caller.ticks += 1;
                        if self.caller.ticks.is_multiple_of(TICK) {
                            self.check_limits();
                            if self.found.stop.is_some() {
                                break 'steps;
                            }
                        }
                        continue 'steps;
                    }
                    _ => {
                        // Something went wrong: the general way finds it again, from the state before.
                        self.expander.machine.take_faults();
                        return self.repeat(saved);
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
