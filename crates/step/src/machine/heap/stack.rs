//! Frames, exceptions, monitors and threads that end.

use quotient_ir::{Callee, MonitorOp, RecordId};

use super::super::program::{CompiledSetup, Field};
use super::super::{FaultKind, Machine, Trap};
use super::compile::HeapEffect;
use quotient_ir::RecordKind;
use quotient_ir::schema::{DELETED, ENDED};

impl Machine<'_, '_> {
    /// Executes an effect on the heap, a stack or a monitor.
    pub(in super::super) fn heap_effect(&mut self, effect: &HeapEffect) -> Result<(), Trap> {
        match effect {
            HeapEffect::Delete(object) => {
                let name = self.evaluate(*object)?;
                let deleted = |&start: &u32| self.work[start as usize] == DELETED;
                if name != 0 && self.places.records.get(name as usize - 1).is_some_and(deleted) {
                    return Err(self.fault(FaultKind::DoubleDelete));
                }
                // Whoever waits for its lock notices, too.
                let start = self.used(name, self.span)?;
                if self.program.heap_layout().records[usize::from(self.work[start])].boxed {
                    return Err(self.fault(FaultKind::DeletedVariable));
                }
                self.opened(name, self.span)?;
                self.delete(vec![name as usize]);
            }
            HeapEffect::Call(callee, args, number) => {
                self.evaluate(*args)?;
                let function = match callee {
                    Callee::Function(function) => *function,
                    Callee::Virtual(table) => {
                        let start = self.made(self.registers[0], self.span)?;
                        let ty = usize::from(self.work[start]);
                        quotient_ir::Heap::dispatch(table, ty).ok_or_else(|| self.fault(FaultKind::BadCast))?
                    }
                    Callee::Value(_, table) => {
                        let value = self.registers[*number as usize];
                        Callee::of_value(table, value).ok_or_else(|| self.fault(FaultKind::NoFunction))?
                    }
                };
                self.call(function, *number)?;
            }
            HeapEffect::Return(value) => {
                let value = match value {
                    Some(value) => self.evaluate(*value)?,
                    None => 0,
                };
                self.give_back(value);
            }
            HeapEffect::Throw(value) => {
                let name = self.evaluate(*value)?;
                let start = self.made(name, self.span)?;
                self.throw(name, usize::from(self.work[start]))?;
            }
            HeapEffect::Exit => self.remove(),
            HeapEffect::Assume(value) => {
                if self.evaluate(*value)? == 0 {
                    return Err(Trap::Cut);
                }
            }
            HeapEffect::Monitor(op, object) => {
                let name = self.evaluate(*object)?;
                let start = match op {
                    MonitorOp::Unlock => self.unlocked(name, self.span)?,
                    _ => self.used(name, self.span)?,
                };
                let lock = self.program.heap_layout().records[usize::from(self.work[start])].lock;
                let lock = lock.ok_or_else(|| self.fault(FaultKind::BadCast))? as usize;
                self.monitor(*op, name, start + lock)?;
            }
        }
        self.places.jumped = !matches!(effect, HeapEffect::Delete(_) | HeapEffect::Assume(_) | HeapEffect::Monitor(..));
        Ok(())
    }

    /// Where the topmost frame of the executing process starts, with its type byte, and how long it is.
    fn top(&self) -> (usize, usize) {
        let ty = self.work[self.base - 1];
        (self.base - 1, 1 + self.program.schema.locals[usize::from(ty)].size as usize)
    }

    /// Finds everything again after the executing process has other frames.
    fn moved(&mut self) {
        self.places.dirty = true;
        self.scan();
        self.base = self.shapes.get(self.shape).processes[self.me].offset as usize;
    }

    /// Puts bytes of zero into the state.
    pub(in super::super) fn insert_zeros(&mut self, at: usize, number: usize) {
        let end = self.work.len();
        self.work.resize(end + number, 0);
        self.work.copy_within(at..end, at + number);
        self.work[at..at + number].fill(0);
    }

    /// Calls a function with arguments from register 0 on.
    fn call(&mut self, function: usize, args: u32) -> Result<(), Trap> {
        let program = self.program;
        let most = program.model.heap.as_ref().map_or(0, |heap| heap.most_calls);
        let process = self.places.processes[self.me] as usize;
        if usize::from(self.work[process]) > most {
            return Err(self.fault(FaultKind::StackLimit { most: most as u32 }));
        }
        let (start, size) = self.top();
        let at = start + size;
        self.insert_zeros(at, 1 + program.schema.locals[function].size as usize);
        self.work[at] = function as u8;
        self.work[process] += 1;
        self.moved();
        self.set_control(program.model.proctypes[function].start);
        let compiled = &program.proctypes[function];
        for (field, &value) in compiled.params.iter().zip(&self.registers[..args as usize]) {
            field.memory.write(&mut self.work, self.base + field.offset as usize, value & field.mask);
        }
        for setup in &compiled.setup {
            if let CompiledSetup::Assign(code) = setup {
                self.evaluate(*code)?;
            }
        }
        self.reset(compiled.resets, self.base);
        Ok(())
    }

    /// Takes the topmost frame away; false if it is the only one.
    fn leave(&mut self) -> bool {
        let process = self.places.processes[self.me] as usize;
        if self.work[process] <= 1 {
            return false;
        }
        let (start, size) = self.top();
        let gone = self.boxes(usize::from(self.work[start]), start + 1).collect();
        self.work.drain(start..start + size);
        self.work[process] -= 1;
        self.moved();
        self.delete(gone);
        true
    }

    /// The boxes of the variables of a frame.
    fn boxes(&self, ty: usize, frame: usize) -> impl Iterator<Item = usize> {
        let layout = self.program.heap_layout();
        layout.boxes[ty].iter().map(move |&offset| layout.reference(&self.work, frame + offset as usize))
    }

    /// Deletes records, with the boxes in them.
    fn delete(&mut self, mut names: Vec<usize>) {
        let layout = self.program.heap_layout();
        while let Some(name) = names.pop() {
            let Some(&start) = name.checked_sub(1).and_then(|index| self.places.records.get(index)) else { continue };
            let start = start as usize;
            if self.work[start] == DELETED {
                continue;
            }
            self.places.owners.touch(name, self.me);
            let boxes = layout.records[usize::from(self.work[start])].boxes.iter();
            names.extend(boxes.map(|&offset| layout.reference(&self.work, start + offset as usize)));
            let size = layout.size(&self.work, start);
            self.work[start] = DELETED;
            self.work.drain(start + 1..start + size);
            self.places.dirty = true;
            self.scan();
        }
    }

    /// Leaves a function; its caller goes on behind the call.
    fn give_back(&mut self, value: i32) {
        if !self.leave() {
            return;
        }
        let (ty, control) = self.control(self.me);
        let Some((result, target)) = self.program.call_at(ty, control) else { return };
        self.set_control(target);
        if let Some(slot) = result {
            self.set_local(ty, slot, value);
        }
        self.come_to(ty, target);
    }

    /// Writes over what nobody will read of the topmost frame, which has come to a control state by a jump.
    fn come_to(&mut self, ty: usize, control: usize) {
        if let Some(&resets) = self.program.proctypes[ty].arrivals.get(control) {
            self.reset(resets, self.base);
        }
    }

    fn set_local(&mut self, ty: usize, slot: usize, value: i32) {
        let scalar = self.program.model.proctypes[ty].slots[slot].scalar;
        let at = self.base + self.program.schema.locals[ty].offsets[slot] as usize;
        super::super::Memory::of(scalar).write(&mut self.work, at, scalar.truncate(value));
    }

    /// Leaves frames until one handles a record of a type.
    fn throw(&mut self, name: i32, record: RecordId) -> Result<(), Trap> {
        let program = self.program;
        let is_a = &program.heap_layout().is_a[record];
        loop {
            let (ty, control) = self.control(self.me);
            let handlers = &program.model.proctypes[ty].states[control].handlers;
            if let Some(handler) = handlers.iter().find(|handler| is_a[handler.record]) {
                self.set_control(handler.target);
                self.places.dirty = true;
                if let Some(slot) = handler.slot {
                    self.set_local(ty, slot, name);
                }
                self.come_to(ty, handler.target);
                return Ok(());
            }
            if !self.leave() {
                return Err(self.fault(FaultKind::UncaughtException));
            }
        }
    }

    fn set_control(&mut self, control: usize) {
        self.work[self.base] = control as u8;
        if self.program.schema.control_bytes == 2 {
            self.work[self.base + 1] = (control >> 8) as u8;
        }
    }

    /// Adds a process of a type, with one frame of zeros.
    pub(in super::super) fn add_process(&mut self, proctype: u32) {
        let at = self.records_start();
        self.insert_zeros(at, 2 + self.program.schema.locals[proctype as usize].size as usize);
        (self.work[at], self.work[at + 1]) = (1, proctype as u8);
        self.work[self.program.heap_layout().start as usize] += 1;
        self.places.dirty = true;
        self.scan();
    }

    /// Takes the executing process away.
    pub(in super::super) fn remove(&mut self) {
        let program = self.program;
        let start = self.places.processes[self.me] as usize;
        let end = self.places.processes.get(self.me + 1).map_or(self.records_start(), |&next| next as usize);
        let mut gone = Vec::new();
        program.heap_layout().frames_of(&self.work, start, |ty, at| gone.extend(self.boxes(ty, at)));
        self.work.drain(start..end);
        self.work[program.heap_layout().start as usize] -= 1;
        (self.places.dirty, self.places.exited) = (true, true);
        self.scan();
        let me = self.me as u8 + 1;
        let change = |process: &mut u8, ended: u8| match *process {
            0 | ENDED => {}
            process_number if process_number == me => *process = ended,
            process_number if process_number > me => *process -= 1,
            _ => {}
        };
        let layout = program.heap_layout();
        for &start in &self.places.records {
            let start = start as usize;
            if self.work[start] == DELETED {
                continue;
            }
            let record = &layout.records[usize::from(self.work[start])];
            if let Some(lock) = record.lock {
                change(&mut self.work[start + lock as usize], ENDED);
            }
            if record.kind == RecordKind::Thread {
                change(&mut self.work[start + record.head as usize], 0);
            }
        }
        self.delete(gone);
    }

    /// Reads a field of the topmost frame of a process.
    fn frame_field(&self, process: usize, field: Field) -> i32 {
        self.field_of(process, field.memory, field.offset)
    }

    fn set_frame_field(&mut self, process: usize, field: Field, value: i32) {
        let base = self.shapes.get(self.shape).processes[process].offset;
        field.memory.write(&mut self.work, (base + field.offset) as usize, value);
    }

    /// The oldest process, from one on, that waits for the lock of a record and was not notified.
    fn next_waiter(&self, name: i32, from: usize) -> Option<usize> {
        let waits = &self.program.access.waits;
        (from..self.processes()).find(|&process| {
            let ty = self.shapes.get(self.shape).processes[process].ty as usize;
            waits[ty].is_some_and(|waits| {
                self.frame_field(process, waits.object) == name && self.frame_field(process, waits.notified) == 0
            })
        })
    }

    /// The waiting process with a number.
    fn waiter(&self, name: i32, number: u8) -> Option<usize> {
        let mut found = self.next_waiter(name, 0)?;
        for _ in 0..number {
            found = self.next_waiter(name, found + 1)?;
        }
        Some(found)
    }

    fn notify(&mut self, process: usize) {
        let ty = self.shapes.get(self.shape).processes[process].ty as usize;
        if let Some(waits) = self.program.access.waits[ty] {
            self.set_frame_field(process, waits.notified, 1);
        }
    }

    /// Does something with the lock of a record that lies at an offset.
    fn monitor(&mut self, op: MonitorOp, name: i32, lock: usize) -> Result<(), Trap> {
        let me = self.me as u8 + 1;
        let (holder, depth) = (self.work[lock], self.work[lock + 1]);
        let ty = self.shapes.get(self.shape).processes[self.me].ty as usize;
        let waits = self.program.access.waits[ty];
        match op {
            MonitorOp::Lock => {
                if holder != 0 && holder != me {
                    return Err(Trap::Blocked);
                }
                let Some(depth) = depth.checked_add(1) else {
                    return Err(self.fault(FaultKind::LockLimit { most: u8::MAX.into() }));
                };
                (self.work[lock], self.work[lock + 1]) = (me, depth);
            }
            MonitorOp::Unwait => {
                let Some(waits) = waits else { return Err(Trap::Blocked) };
                let is_own = self.frame_field(self.me, waits.object) == name;
                if !is_own || self.frame_field(self.me, waits.notified) == 0 || holder != 0 {
                    return Err(Trap::Blocked);
                }
                let depth = self.frame_field(self.me, waits.depth) as u8;
                for field in [waits.object, waits.depth, waits.notified] {
                    self.set_frame_field(self.me, field, 0);
                }
                (self.work[lock], self.work[lock + 1]) = (me, depth);
                self.places.dirty = true;
            }
            _ if holder != me => return Err(self.fault(FaultKind::NotOwner)),
            MonitorOp::Unlock => {
                self.work[lock + 1] -= 1;
                if depth == 1 {
                    self.work[lock] = 0;
                }
            }
            MonitorOp::Wait => {
                let Some(waits) = waits else { return Err(Trap::Blocked) };
                self.set_frame_field(self.me, waits.object, name);
                self.set_frame_field(self.me, waits.depth, depth.into());
                self.set_frame_field(self.me, waits.notified, 0);
                (self.work[lock], self.work[lock + 1]) = (0, 0);
                self.places.dirty = true;
            }
            MonitorOp::Notify(number) => match self.waiter(name, number) {
                Some(waiter) => self.notify(waiter),
                None if number == 0 => {}
                None => return Err(Trap::Blocked),
            },
            MonitorOp::NotifyAll => {
                while let Some(waiter) = self.next_waiter(name, 0) {
                    self.notify(waiter);
                }
            }
            MonitorOp::Crowd(number) => {
                if number > 0 && self.waiter(name, number - 1).is_none() {
                    return Err(Trap::Blocked);
                }
            }
        }
        Ok(())
    }
}
