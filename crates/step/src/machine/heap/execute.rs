//! Operations on records.

use quotient_ir::{Question, RecordId, RecordKind};
use quotient_report::source::Span;

use super::super::code::{Memory, Reg};
use super::super::{Fault, FaultKind, Machine, Trap};
use super::compile::HeapOp;
use quotient_ir::schema::{DELETED, HeapLayout};

pub(super) fn at(kind: FaultKind, span: Span) -> Trap {
    Trap::Fault(Fault { kind, span })
}

impl Machine<'_, '_> {
    /// Performs an operation on registers; its result goes into the first.
    pub(in super::super) fn heap_op(&mut self, op: HeapOp, reg: Reg) -> Result<(), Trap> {
        let reg = reg as usize;
        let operand = self.registers[reg];
        let value = match op {
            HeapOp::Dirty => {
                self.places.dirty = true;
                operand
            }
            HeapOp::Check(record, span) => {
                self.made_as(operand, record, span)?;
                operand
            }
            HeapOp::Field(record, memory, offset, span) => {
                let start = self.of_type(operand, record, span)?;
                memory.read(&self.work, start + offset as usize)
            }
            HeapOp::Element(span) => {
                let (at, memory, _) = self.element(operand, self.registers[reg + 1], span)?;
                memory.read(&self.work, at)
            }
            HeapOp::SetField(record, memory, offset, is_reference, span) => {
                let start = self.of_type(self.registers[reg + 1], record, span)?;
                memory.write(&mut self.work, start + offset as usize, operand);
                self.places.dirty |= is_reference;
                operand
            }
            HeapOp::SetElement(span) => {
                let (at, memory, is_reference) =
                    self.element(self.registers[reg + 1], self.registers[reg + 2], span)?;
                memory.write(&mut self.work, at, operand);
                self.places.dirty |= is_reference;
                operand
            }
            HeapOp::Length(span) => {
                let start = self.made(operand, span)?;
                match self.program.is_array(usize::from(self.work[start])) {
                    true => HeapLayout::length(&self.work, start) as i32,
                    false => return Err(at(FaultKind::BadCast, span)),
                }
            }
            HeapOp::InstanceOf(record, span) => {
                (operand != 0 && {
                    let start = self.made(operand, span)?;
                    self.is_a(start, record)
                }) as i32
            }
            HeapOp::IsExactly(record, span) => {
                (operand != 0 && {
                    let start = self.made(operand, span)?;
                    usize::from(self.work[start]) == record
                }) as i32
            }
            HeapOp::Cast(record, span) => {
                if operand != 0 {
                    self.made_as(operand, record, span)?;
                }
                operand
            }
            HeapOp::Ranged(low, high, span) => {
                if !(low..=high).contains(&operand) {
                    return Err(at(FaultKind::OutOfRange { value: operand, low, high }, span));
                }
                operand
            }
            HeapOp::New(record, span) => {
                if self.program.is_array(record) && u16::try_from(operand).is_err() {
                    return Err(at(FaultKind::BadLength { length: operand }, span));
                }
                self.make(record, operand as usize, span)?
            }
            HeapOp::Init(memory, offset) => {
                let start = self.places.records[operand as usize - 1] as usize;
                memory.write(&mut self.work, start + offset as usize, self.registers[reg + 1]);
                operand
            }
            HeapOp::Start(proctype, args, span) => {
                let process = self.create(proctype, reg, args, 1)?;
                match self.program.model.heap.as_ref().and_then(|heap| heap.thread) {
                    Some(thread) => {
                        let name = self.make(thread, 0, span)?;
                        let start = self.places.records[name as usize - 1] as usize;
                        let head = self.program.heap_layout().records[thread].head as usize;
                        self.work[start + head] = process as u8 + 1;
                        name
                    }
                    None => 0,
                }
            }
            HeapOp::Ask(question, span) => self.ask(question, operand, span)? as i32,
            HeapOp::Extend(call) => self.extend(call as usize, reg)?,
        };
        self.registers[reg] = value;
        Ok(())
    }

    /// Where the record that a reference refers to starts; it is to be used.
    pub(in super::super) fn used(&self, name: i32, span: Span) -> Result<usize, Trap> {
        self.places.owners.touch(name as usize, self.me);
        self.found(name, span)
    }

    /// The same, if what is in the record is to be read or written.
    pub(super) fn opened(&self, name: i32, span: Span) -> Result<usize, Trap> {
        let owners = &self.places.owners;
        if !self.program.access.locks_protect && !owners.locked_is_own() {
            return self.used(name, span);
        }
        let start = self.found(name, span)?;
        let holder = usize::from(self.program.heap_layout().holder(&self.work, start));
        if holder != self.me + 1 || !owners.locked_is_own() {
            owners.touch(name as usize, self.me);
        }
        let is_free = holder == 0 || holder == self.me + 1;
        match is_free || !self.program.access.locks_protect {
            true => Ok(start),
            false => Err(at(FaultKind::LockedByAnother, span)),
        }
    }

    /// Where the record that a reference refers to starts, of which only what it was made as is asked: that changes only when it
    /// is deleted.
    pub(super) fn made(&self, name: i32, span: Span) -> Result<usize, Trap> {
        match self.program.access.deletes {
            true => self.used(name, span),
            false => self.found(name, span),
        }
    }

    /// Where the record that a reference refers to starts, whose lock is given back.
    pub(super) fn unlocked(&self, name: i32, span: Span) -> Result<usize, Trap> {
        self.places.owners.unlock(name as usize, self.me);
        self.found(name, span)
    }

    fn found(&self, name: i32, span: Span) -> Result<usize, Trap> {
        let Some(index) = (name as usize).checked_sub(1) else { return Err(at(FaultKind::NullDereference, span)) };
        let start = self.places.records[index] as usize;
        match self.work[start] {
            DELETED => Err(at(FaultKind::Dangling, span)),
            _ => Ok(start),
        }
    }

    /// Whether the record at an offset is of a type or extends it.
    fn is_a(&self, start: usize, record: RecordId) -> bool {
        self.program.heap_layout().is_a[usize::from(self.work[start])][record]
    }

    /// Where the record that a reference refers to starts; it must be of a type.
    fn of_type(&self, name: i32, record: RecordId, span: Span) -> Result<usize, Trap> {
        let start = self.opened(name, span)?;
        self.is_a(start, record).then_some(start).ok_or(at(FaultKind::BadCast, span))
    }

    /// The same, if nothing else is asked of the record.
    fn made_as(&self, name: i32, record: RecordId, span: Span) -> Result<(), Trap> {
        let start = self.made(name, span)?;
        self.is_a(start, record).then_some(()).ok_or(at(FaultKind::BadCast, span))
    }

    /// Where an element of an array lies, and how.
    fn element(&self, name: i32, index: i32, span: Span) -> Result<(usize, Memory, bool), Trap> {
        let start = self.opened(name, span)?;
        let ty = usize::from(self.work[start]);
        let layout = &self.program.heap_layout().records[ty];
        let length = HeapLayout::length(&self.work, start);
        let (size, is_reference) = layout.element;
        let memory = self.program.access.elements[ty];
        match usize::try_from(index).ok().filter(|&index| index < length) {
            Some(index) => Ok((start + layout.head as usize + index * size as usize, memory, is_reference)),
            None => Err(at(FaultKind::Index { index, length: length as u32 }, span)),
        }
    }

    /// Makes a record whose fields are zero; gives back its name.
    pub(super) fn make(&mut self, record: RecordId, length: usize, span: Span) -> Result<i32, Trap> {
        let most = self.program.model.heap.as_ref().map_or(0, |heap| heap.most_records);
        if self.places.records.len() >= most {
            return Err(at(FaultKind::HeapLimit { most: most as u32 }, span));
        }
        self.places.owners.make();
        self.places.made += 1;
        let layout = &self.program.heap_layout().records[record];
        let start = self.work.len();
        let is_long = matches!(layout.kind, RecordKind::Array | RecordKind::Value(_));
        let elements = if is_long { length * layout.element.0 as usize } else { 0 };
        self.work.resize(start + layout.size as usize + elements, 0);
        self.work[start] = record as u8;
        if is_long {
            self.work[start + 1..start + 3].copy_from_slice(&(length as u16).to_le_bytes());
        }
        self.places.records.push(start as u32);
        self.shapes.root_mut().size = self.work.len() as u32;
        (self.places.moved, self.places.dirty) = (true, true);
        Ok(self.places.records.len() as i32)
    }

    fn ask(&self, question: Question, name: i32, span: Span) -> Result<bool, Trap> {
        let start = self.used(name, span)?;
        let layout = &self.program.heap_layout().records[usize::from(self.work[start])];
        let holder = self.program.heap_layout().holder(&self.work, start);
        let own = holder == self.me as u8 + 1;
        // A thread ends whoever refers to it; but it does not come back.
        let is_thread = layout.kind == RecordKind::Thread;
        if question == Question::HasEnded && is_thread && self.work[start + layout.head as usize] != 0 {
            self.places.owners.touch_shared();
        }
        Ok(match question {
            Question::HasEnded if is_thread => self.work[start + layout.head as usize] == 0,
            Question::HasEnded => return Err(at(FaultKind::BadCast, span)),
            Question::LockAvailable => holder == 0 || own,
            Question::HasLock => own,
            Question::WasNotified => {
                let ty = self.shapes.get(self.shape).processes[self.me].ty as usize;
                let read = |field: super::super::program::Field| {
                    field.memory.read(&self.work, self.base + field.offset as usize)
                };
                let waits = self.program.access.waits[ty];
                waits.is_some_and(|waits| read(waits.object) == name && read(waits.notified) != 0)
            }
        })
    }
}
