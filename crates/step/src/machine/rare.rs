//! Operations too rare to have codes of their own: creating processes, polls, and looking at other processes.

use super::code::{Memory, Reg};
use super::program::Rare;
use super::{Attempt, Machine, Trap};
use crate::FaultKind;

impl Machine<'_, '_> {
    /// Performs a rare operation on a register; gives back its value.
    pub(super) fn rare(&mut self, rare: &Rare, reg: Reg) -> Result<i32, Trap> {
        let operand = self.registers[reg as usize];
        Ok(match rare {
            Rare::Poll(pattern, random, references) => {
                let (channel, at) = self.channel(operand)?;
                if self.promises {
                    self.check_promises(operand, true, true);
                }
                if channel.capacity == 0 {
                    return Err(self.fault(FaultKind::RendezvousPoll));
                }
                self.check_sorts(channel, references)?;
                self.find(channel, at, pattern, *random)?.is_some() as i32
            }
            Rare::Run { proctype, args, priority } => self.create(*proctype, reg as usize, *args, *priority)? as i32,
            Rare::Enabled if self.asking > self.processes() => return Err(self.fault(FaultKind::EnabledCircle)),
            Rare::Enabled => match self.process(operand) {
                Some(process) => self.enabled(process)? as i32,
                None => 0,
            },
            Rare::PcValue => match self.process(operand) {
                Some(process) => {
                    let (ty, control) = self.control(process);
                    self.program.model.proctypes[ty].states[control].number as i32
                }
                None => 0,
            },
            Rare::PriorityOf => match (self.process(operand), self.program.schema.priority) {
                (Some(process), Some(offset)) => self.field_of(process, Memory::U8, offset),
                _ => 0,
            },
            Rare::NonProgress => {
                let at_progress = (0..self.processes()).any(|process| {
                    let (ty, control) = self.control(process);
                    self.program.model.proctypes[ty].states[control].progress
                });
                !at_progress as i32
            }
            Rare::RemoteAt(proctype, by_id, state) => {
                let process = self.remote(*proctype, *by_id, operand);
                process.is_some_and(|p| !self.is_in_call(p) && self.control(p).1 == *state as usize) as i32
            }
            Rare::RemoteRead(proctype, by_id, memory, offset) => match self.remote(*proctype, *by_id, operand) {
                Some(process) => {
                    let index = self.registers[reg as usize + 1] as u32;
                    memory.read(&self.work, (self.own(process).1 + offset + index) as usize)
                }
                None => 0,
            },
        })
    }

    fn process(&self, id: i32) -> Option<usize> {
        usize::try_from(id).ok().filter(|&process| process < self.processes())
    }

    fn remote(&self, proctype: u32, by_id: bool, id: i32) -> Option<usize> {
        let is_meant = |&process: &usize| self.own(process).0 == proctype;
        if by_id { self.process(id).filter(is_meant) } else { (0..self.processes()).find(is_meant) }
    }

    /// The type of a process, and where its own variables start: in its oldest frame, if it is in a function.
    fn own(&self, process: usize) -> (u32, u32) {
        if self.program.schema.heap.is_some() {
            let start = self.places.processes[process];
            return (self.work[start as usize + 1].into(), start + 2);
        }
        let component = &self.shapes.get(self.shape).processes[process];
        (component.ty, component.offset)
    }

    /// Whether a process is in a function.
    fn is_in_call(&self, process: usize) -> bool {
        self.program.schema.heap.is_some() && self.work[self.places.processes[process] as usize] > 1
    }

    /// Whether a process has an executable move in the current state, not asking for a partner in a rendezvous.
    fn enabled(&mut self, process: usize) -> Result<bool, Trap> {
        let program = self.program;
        let (ty, control) = self.control(process);
        let compiled = &program.proctypes[ty];
        let state = compiled.states[control];
        let outer = self.clone();
        for mv in &compiled.moves[state.first as usize..state.end as usize] {
            self.enter(process, outer.timeout);
            self.asking = outer.asking + 1;
            let attempt = self.attempt(mv, false);
            let circle = self.faults.iter().any(|fault| fault.kind == FaultKind::EnabledCircle);
            let shapes = std::mem::replace(&mut self.shapes, outer.shapes.clone());
            self.clone_from(&outer);
            self.shapes = shapes;
            if self.program.schema.heap.is_some() {
                self.scan();
            }
            if circle {
                return Err(self.fault(FaultKind::EnabledCircle));
            }
            if attempt != Attempt::Blocked {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `provided` and priorities let a process move in the loaded state.
    pub fn may_move(&mut self, process: usize, timeout: bool) -> bool {
        let uses = self.program.model.uses;
        if uses.provided && !self.provided(process, timeout) {
            return false;
        }
        if uses.priority {
            let offset = self.program.schema.priority.unwrap_or(0);
            let own = self.field_of(process, Memory::U8, offset);
            for other in 0..self.processes() {
                if other != process
                    && self.field_of(other, Memory::U8, offset) > own
                    && (!uses.provided || self.provided(other, timeout))
                {
                    self.timeout = timeout;
                    if self.enabled(other).unwrap_or(true) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn provided(&mut self, process: usize, timeout: bool) -> bool {
        let (ty, _) = self.control(process);
        let Some(code) = self.program.proctypes[ty].provided else { return true };
        self.enter(process, timeout);
        self.span = self.program.model.proctypes[ty].span;
        match self.evaluate(code) {
            Ok(value) => value != 0,
            Err(trap) => {
                self.note(trap);
                false
            }
        }
    }
}
