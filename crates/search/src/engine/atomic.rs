//! Atomic sequences in the search: passing through them without storing states, and losing control inside one.

use quotient_step::machine::Attempt;

use super::{Engine, TICK};
use crate::Order;
use crate::frame::{Frame, Part, Role};

impl Engine<'_, '_, '_> {
    /// Goes on inside an atomic sequence for as long as there is no choice. The state changes in place: it is saved in
    /// the frame only before a move that leaves something else to try, or when the general way is needed.
    pub(super) fn pass(&mut self, top: usize) {
        let program = self.program;
        let process = self.frames[top].process as usize;
        self.machine.enter(process, false);
        let saved = self.trail.len();
        let (ty, _) = self.machine.control(process);
        let compiled = &program.proctypes[ty];
        let limit = self.options.max_depth.unwrap_or(u64::MAX);
        'steps: while !self.gated && self.depth() < limit {
            let state = compiled.states[self.machine.own_control()];
            for number in state.first..state.end {
                let mv = &compiled.moves[number as usize];
                if !mv.passable {
                    break 'steps;
                }
                // An `else` is executable here, because no move before it was.
                match self.machine.pass(mv) {
                    Attempt::Blocked if !self.machine.has_faults() => {}
                    Attempt::Moved if !self.machine.has_faults() => {
                        self.found.atomic_steps += 1;
                        self.note_reached(ty, mv.statement);
                        let transition = number - state.first;
                        self.trail.push(Part { transition, process: process as u16, role: Role::Alone });
                        self.ticks += 1;
                        if self.ticks.is_multiple_of(TICK) {
                            self.check_limits();
                            if self.found.stop.is_some() {
                                break 'steps;
                            }
                        }
                        continue 'steps;
                    }
                    _ => {
                        // Something went wrong: the general way finds it again, from the state before.
                        self.machine.take_faults();
                        return self.repeat(top, saved);
                    }
                }
            }
            break;
        }
        if self.trail.len() > saved {
            self.note_depth();
            self.machine.commit();
            self.save_top();
        }
    }

    /// Takes the machine from the top frame's state through the steps on the trail from `from` on.
    #[cold]
    fn repeat(&mut self, top: usize, from: usize) {
        let program = self.program;
        let process = self.frames[top].process as usize;
        self.loaded = false;
        self.load_top();
        self.machine.enter(process, false);
        for step in from..self.trail.len() {
            let (ty, control) = self.machine.control(process);
            let compiled = &program.proctypes[ty];
            let number = compiled.states[control].first + self.trail[step].transition;
            self.machine.attempt(&compiled.moves[number as usize], false);
        }
        self.machine.commit();
        self.save_top();
    }

    /// The process inside an atomic sequence is blocked: the state is stored after all, and everyone may move.
    pub(super) fn release(&mut self) {
        let Some((entry, new)) = self.insert() else { return self.pop() };
        self.note_successor(entry, new, self.frames.len() - 1);
        if new && self.options.order == Order::BreadthFirst {
            self.enqueue(entry, true);
        }
        if !new || self.options.order == Order::BreadthFirst {
            return self.pop();
        }
        if self.reduction.is_some() {
            self.visited.set_on_stack(entry, true);
        }
        if self.reducer.is_some() {
            self.samples.offer(self.machine.state(), self.machine.shape().0);
        }
        let top = self.frames.last_mut().expect("a frame is being expanded");
        top.entry = Some(entry);
        top.flags = Frame::RELEASED;
        self.begin(self.machine.processes() as i16 - 1);
    }
}
