//! Records, frames, exceptions, monitors and threads that end in any order.
//!
//! Names of records are never used twice, so that a person can follow a record through a run. Records that nobody can reach
//! any more are gone after the step that lost them.

use std::collections::{BTreeMap, BTreeSet};

use quotient_ir::{
    Action, Callee, Expr, HeapAction, HeapExpr, MonitorOp, Part, ProctypeId, Question, RecordId, RecordKind, Setup,
    Slot, Sort, StateId, Which,
};
use quotient_report::source::Span;

use super::execute::{Offer, Run, Stop};
use super::{Process, State};
use crate::{Fault, FaultKind};

/// The records of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Heap {
    /// By name.
    pub records: BTreeMap<i32, Record>,
    /// How many were ever made.
    pub made: i32,
    /// How the processes are numbered.
    #[serde(skip)]
    pub numbers: Numbers,
}

/// The numbers of processes, which a person can follow through a run: they count those of a type as they start, from 1 on, and are not
/// used again. They are no part of what a state is, so all of them are equal.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// By process type, how many were started.
    started: Vec<u32>,
    /// By process; 0 if it is not known.
    numbers: Vec<u32>,
}

impl Numbers {
    /// The number of a process, if it is known.
    pub fn of(&self, process: usize) -> Option<u32> {
        self.numbers.get(process).copied().filter(|&number| number > 0)
    }

    /// Takes note that a process was started.
    pub(super) fn start(&mut self, process: usize, proctype: ProctypeId) {
        if self.started.len() <= proctype {
            self.started.resize(proctype + 1, 0);
        }
        self.started[proctype] += 1;
        self.numbers.resize(process, 0);
        self.numbers.push(self.started[proctype]);
    }

    fn remove(&mut self, process: usize) {
        if process < self.numbers.len() {
            self.numbers.remove(process);
        }
    }
}

impl PartialEq for Numbers {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Numbers {}

impl std::hash::Hash for Numbers {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// A record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Record {
    /// Its type.
    pub ty: RecordId,
    /// Its fields or elements.
    pub values: Vec<i32>,
    /// It was deleted; it has no values any more.
    pub deleted: bool,
    /// Who holds its lock.
    pub holder: Holder,
    /// How often the holder has taken it.
    pub depth: u8,
    /// For one that stands for a thread: the process, as long as it lives.
    pub thread: Option<usize>,
}

/// Who holds a lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Holder {
    /// Nobody.
    #[default]
    Nobody,
    /// The process with this id.
    Process(usize),
    /// A process that has ended with it.
    Ended,
}

/// A frame that waits for the one above it to return.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Caller {
    /// Its process type or function.
    pub proctype: ProctypeId,
    /// Where it has called.
    pub control: StateId,
    /// Local variables by slot.
    pub locals: Vec<i32>,
}

/// The values of slots that are references.
fn references<'a>(slots: &'a [Slot], values: &'a [i32]) -> impl Iterator<Item = i32> + 'a {
    slots.iter().zip(values).filter(|(slot, _)| slot.scalar.sort == Sort::Ref).map(|(_, &value)| value)
}

/// The values of slots that are boxed.
fn boxes<'a>(slots: &'a [Slot], values: &'a [i32]) -> impl Iterator<Item = i32> + 'a {
    slots.iter().zip(values).filter(|(slot, _)| slot.boxed).map(|(_, &value)| value)
}

impl Process {
    /// The type it was started with.
    pub fn started_as(&self) -> ProctypeId {
        self.callers.first().map_or(self.proctype, |caller| caller.proctype)
    }

    /// Its frames, oldest first: their types and variables.
    pub fn frames(&self) -> impl Iterator<Item = (ProctypeId, &[i32])> {
        let callers = self.callers.iter().map(|caller| (caller.proctype, &caller.locals[..]));
        callers.chain([(self.proctype, &self.locals[..])])
    }
}

impl State {
    /// The records that can be reached: from global variables first, then from messages, then from processes in order, along fields in order. This
    /// is the order of Iosif's numbering ("Symmetry reductions for model checking of concurrent dynamic software").
    pub fn reachable(&self, model: &quotient_ir::Model) -> Vec<i32> {
        let Some(heap) = &model.heap else { return Vec::new() };
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut from = |roots: Vec<i32>| {
            let mut work: Vec<i32> = roots.into_iter().rev().collect();
            while let Some(name) = work.pop() {
                let Some(record) = self.heap.records.get(&name) else { continue };
                if !seen.insert(name) {
                    continue;
                }
                found.push(name);
                let ty = &heap.records[record.ty];
                let is_reference = |&(number, _): &(usize, &i32)| ty.slot(number).scalar.sort == Sort::Ref;
                let next = record.values.iter().enumerate().filter(is_reference);
                work.extend(next.map(|(_, &value)| value).rev());
            }
        };
        from(references(&model.globals, &self.globals).collect());
        for channel in &self.channels {
            let fields = &model.channels[channel.ty].fields;
            let names = |message: &Vec<i32>| {
                let fields = fields.iter().zip(message);
                fields.filter(|(scalar, _)| scalar.sort == Sort::Ref).map(|(_, &name)| name).collect::<Vec<_>>()
            };
            from(channel.messages.iter().flat_map(names).collect());
        }
        for process in &self.processes {
            for (proctype, locals) in process.frames() {
                from(references(&model.proctypes[proctype].slots, locals).collect());
            }
        }
        found
    }

    /// Takes a process away, whatever its place.
    pub(super) fn remove(&mut self, process: usize) {
        self.processes.remove(process);
        self.heap.numbers.remove(process);
        for record in self.heap.records.values_mut() {
            record.holder = match record.holder {
                Holder::Process(holder) if holder == process => Holder::Ended,
                Holder::Process(holder) if holder > process => Holder::Process(holder - 1),
                holder => holder,
            };
            record.thread = match record.thread {
                Some(thread) if thread == process => None,
                Some(thread) if thread > process => Some(thread - 1),
                thread => thread,
            };
        }
    }
}

impl<'m> Run<'m> {
    pub(super) fn heap_model(&self) -> &'m quotient_ir::Heap {
        self.model.heap.as_ref().expect("the model has a heap")
    }

    pub(super) fn at(&self, kind: FaultKind, span: Span) -> Stop {
        Stop::Fault(Fault { kind, span })
    }

    /// The record that a reference refers to, which is to be used.
    pub(super) fn used(&self, name: i32, span: Span) -> Result<&Record, Stop> {
        match self.state.heap.records.get(&name) {
            None if name == 0 => Err(self.at(FaultKind::NullDereference, span)),
            None => Err(self.at(FaultKind::Dangling, span)),
            Some(record) if record.deleted => Err(self.at(FaultKind::Dangling, span)),
            Some(record) => Ok(record),
        }
    }

    /// The record that a reference refers to, if what is in it is to be read or written.
    pub(super) fn opened(&self, name: i32, span: Span) -> Result<&Record, Stop> {
        let record = self.used(name, span)?;
        let is_free = record.holder == Holder::Nobody || record.holder == Holder::Process(self.me);
        match is_free || !self.heap_model().locks_protect {
            true => Ok(record),
            false => Err(self.at(FaultKind::LockedByAnother, span)),
        }
    }

    /// The record that a reference refers to, and its name. It must be one that can be locked.
    fn lockable(&mut self, object: &Expr) -> Result<i32, Stop> {
        let name = self.evaluate(object)?;
        let ty = self.used(name, self.span)?.ty;
        match self.heap_model().records[ty].monitor {
            true => Ok(name),
            false => Err(self.fault(FaultKind::BadCast)),
        }
    }

    pub(super) fn record_mut(&mut self, name: i32) -> &mut Record {
        self.state.heap.records.get_mut(&name).expect("the record was used before")
    }

    /// The name of a record and the number of its value that a part stands for.
    fn part(&mut self, part: &Part) -> Result<(i32, usize), Stop> {
        let name = self.evaluate(&part.object)?;
        let ty = self.opened(name, part.span)?.ty;
        if !self.heap_model().is_a(ty, part.record) {
            return Err(self.at(FaultKind::BadCast, part.span));
        }
        let index = match &part.which {
            Which::Field(field) => *field,
            Which::Element(index) => {
                let index = self.evaluate(index)?;
                let length = self.used(name, part.span)?.values.len();
                match usize::try_from(index).ok().filter(|&index| index < length) {
                    Some(index) => index,
                    None => return Err(self.at(FaultKind::Index { index, length: length as u32 }, part.span)),
                }
            }
        };
        Ok((name, index))
    }

    /// The value of an expression about the heap.
    pub(super) fn evaluate_heap(&mut self, expr: &HeapExpr) -> Result<i32, Stop> {
        Ok(match expr {
            HeapExpr::Null => 0,
            HeapExpr::Read(part) => {
                let (name, index) = self.part(part)?;
                self.state.heap.records[&name].values[index]
            }
            HeapExpr::Length { array, span } => {
                let name = self.evaluate(array)?;
                let record = self.used(name, *span)?;
                match self.heap_model().records[record.ty].kind {
                    RecordKind::Array => record.values.len() as i32,
                    RecordKind::Object | RecordKind::Thread | RecordKind::Value(_) | RecordKind::Channel(_) => {
                        return Err(self.at(FaultKind::BadCast, *span));
                    }
                }
            }
            HeapExpr::InstanceOf(object, record) => {
                let name = self.evaluate(object)?;
                (name != 0 && self.heap_model().is_a(self.used(name, self.span)?.ty, *record)) as i32
            }
            HeapExpr::IsExactly(object, record) => {
                let name = self.evaluate(object)?;
                (name != 0 && self.used(name, self.span)?.ty == *record) as i32
            }
            HeapExpr::Cast { object, record, span } => {
                let name = self.evaluate(object)?;
                if name != 0 && !self.heap_model().is_a(self.used(name, *span)?.ty, *record) {
                    return Err(self.at(FaultKind::BadCast, *span));
                }
                name
            }
            HeapExpr::Ranged { value, low, high, span } => {
                let value = self.evaluate(value)?;
                if !(*low..=*high).contains(&value) {
                    return Err(self.at(FaultKind::OutOfRange { value, low: *low, high: *high }, *span));
                }
                value
            }
            HeapExpr::New { record, length, inits, span } => {
                let heap = self.heap_model();
                let length = match length {
                    Some(length) => {
                        let length = self.evaluate(length)?;
                        let fits = usize::try_from(length).ok().filter(|&length| length <= u16::MAX.into());
                        fits.ok_or_else(|| self.at(FaultKind::BadLength { length }, *span))?
                    }
                    None => heap.records[*record].fields.len(),
                };
                let name = self.make(Record { ty: *record, values: vec![0; length], ..Record::default() }, *span)?;
                for (field, value) in inits {
                    let value = heap.records[*record].fields[*field].scalar.truncate(self.evaluate(value)?);
                    self.record_mut(name).values[*field] = value;
                }
                name
            }
            HeapExpr::Start { proctype, args } => {
                let args = args.iter().map(|arg| self.evaluate(arg)).collect::<Result<Vec<_>, _>>()?;
                let process = self.create(*proctype, &args, 1)?;
                match self.heap_model().thread {
                    Some(ty) => self.make(Record { ty, thread: Some(process), ..Record::default() }, self.span)?,
                    None => 0,
                }
            }
            HeapExpr::Extend(call) => self.extend(call)?,
            HeapExpr::Messages(channel) => {
                let channel = self.named(channel)?;
                self.messages(channel).len() as i32
            }
            HeapExpr::Probe(probe, channel) => {
                let channel = self.named(channel)?;
                self.probe(*probe, channel)
            }
            HeapExpr::Poll { channel, pattern, random } => {
                let channel = self.named(channel)?;
                self.poll(channel, pattern, *random)?
            }
            HeapExpr::Ask(question, object) => {
                let name = self.evaluate(object)?;
                let record = self.used(name, self.span)?;
                let is_thread = self.heap_model().records[record.ty].kind == RecordKind::Thread;
                let holder = record.holder;
                match question {
                    Question::HasEnded if is_thread => record.thread.is_none() as i32,
                    Question::HasEnded => return Err(self.fault(FaultKind::BadCast)),
                    Question::LockAvailable => (holder == Holder::Nobody || holder == Holder::Process(self.me)) as i32,
                    Question::HasLock => (holder == Holder::Process(self.me)) as i32,
                    Question::WasNotified => {
                        let process = &self.state.processes[self.me];
                        let waiting = self.model.proctypes[process.proctype].waiting;
                        let locals = &process.locals;
                        waiting.is_some_and(|w| locals[w.object] == name && locals[w.notified] != 0) as i32
                    }
                }
            }
        })
    }

    /// Makes a record; gives back its name.
    pub(super) fn make(&mut self, record: Record, span: Span) -> Result<i32, Stop> {
        let most = self.heap_model().most_records;
        let heap = &mut self.state.heap;
        if heap.records.len() >= most {
            return Err(self.at(FaultKind::HeapLimit { most: most as u32 }, span));
        }
        heap.made += 1;
        heap.records.insert(heap.made, record);
        Ok(heap.made)
    }

    /// Executes an action on the heap, a stack or a monitor.
    pub(super) fn execute_heap(&mut self, action: &HeapAction, offer: Option<&Offer>) -> Result<Option<Offer>, Stop> {
        self.jumped = action.jumps();
        match action {
            HeapAction::Set(part, value) => {
                let value = part.scalar.truncate(self.evaluate(value)?);
                let (name, index) = self.part(part)?;
                self.record_mut(name).values[index] = value;
            }
            HeapAction::Evaluate(value) => {
                self.evaluate(value)?;
            }
            HeapAction::Delete(object) => {
                let name = self.evaluate(object)?;
                if self.state.heap.records.get(&name).is_some_and(|record| record.deleted) {
                    return Err(self.fault(FaultKind::DoubleDelete));
                }
                let ty = self.used(name, self.span)?.ty;
                if self.heap_model().records[ty].boxed {
                    return Err(self.fault(FaultKind::DeletedVariable));
                }
                self.opened(name, self.span)?;
                self.delete(vec![name]);
            }
            HeapAction::Call { callee, args, result: _, atomic: _ } => {
                let args = args.iter().map(|arg| self.evaluate(arg)).collect::<Result<Vec<_>, _>>()?;
                let function = match callee {
                    Callee::Function(function) => *function,
                    Callee::Virtual(table) => {
                        let ty = self.used(args[0], self.span)?.ty;
                        quotient_ir::Heap::dispatch(table, ty).ok_or_else(|| self.fault(FaultKind::BadCast))?
                    }
                    Callee::Value(value, table) => {
                        let value = self.evaluate(value)?;
                        Callee::of_value(table, value).ok_or_else(|| self.fault(FaultKind::NoFunction))?
                    }
                };
                self.call(function, &args)?;
            }
            HeapAction::Return(value) => {
                let value = value.as_ref().map(|value| self.evaluate(value)).transpose()?;
                self.give_back(value);
            }
            HeapAction::Throw(value) => {
                let name = self.evaluate(value)?;
                let ty = self.used(name, self.span)?.ty;
                self.throw(name, ty)?;
            }
            HeapAction::Exit => {
                let gone = self.boxes_of_process();
                self.state.remove(self.me);
                self.delete(gone);
            }
            HeapAction::Assume(value) => {
                if self.evaluate(value)? == 0 {
                    return Err(Stop::Cut);
                }
            }
            HeapAction::Monitor(op, object) => {
                let name = self.lockable(object)?;
                self.monitor(*op, name)?;
            }
            HeapAction::Send { channel, values, sorted } => {
                let channel = self.named(channel)?;
                return self.send(channel, values, *sorted);
            }
            HeapAction::Receive { channel, pattern, random, copy } => {
                self.wait_for_offer(*copy, offer)?;
                let channel = self.named(channel)?;
                self.receive(channel, (pattern, *random, *copy), offer)?;
            }
        }
        Ok(None)
    }

    fn call(&mut self, function: ProctypeId, args: &[i32]) -> Result<(), Stop> {
        let most = self.heap_model().most_calls;
        let ty = &self.model.proctypes[function];
        let process = &mut self.state.processes[self.me];
        if process.callers.len() >= most {
            return Err(self.fault(FaultKind::StackLimit { most: most as u32 }));
        }
        let mut locals = vec![0; ty.slots.len()];
        for ((local, slot), &arg) in locals.iter_mut().zip(&ty.slots).zip(args) {
            *local = slot.scalar.truncate(arg);
        }
        let locals = std::mem::replace(&mut process.locals, locals);
        process.callers.push(Caller { proctype: process.proctype, control: process.control, locals });
        (process.proctype, process.control) = (function, ty.start);
        for setup in &ty.setup {
            if let Setup::Assign(slot, value) = setup {
                let value = ty.slots[*slot].scalar.truncate(self.evaluate(value)?);
                self.state.processes[self.me].locals[*slot] = value;
            }
        }
        Ok(())
    }

    /// Leaves a function; its caller goes on behind the call.
    fn give_back(&mut self, value: Option<i32>) {
        let process = &mut self.state.processes[self.me];
        let Some(Caller { proctype, control, locals }) = process.callers.pop() else { return };
        let gone = boxes(&self.model.proctypes[process.proctype].slots, &process.locals).collect();
        (process.proctype, process.control, process.locals) = (proctype, control, locals);
        self.delete(gone);
        let process = &mut self.state.processes[self.me];
        let ty = &self.model.proctypes[proctype];
        let transition = &ty.states[control].transitions[0];
        process.control = transition.target;
        if let Action::Heap(action) = &ty.statements[transition.statement].action
            && let HeapAction::Call { result: Some(slot), .. } = &**action
        {
            process.locals[*slot] = ty.slots[*slot].scalar.truncate(value.unwrap_or(0));
        }
    }

    /// Leaves frames until one handles a record of a type.
    fn throw(&mut self, name: i32, record: RecordId) -> Result<(), Stop> {
        let heap = self.heap_model();
        loop {
            let process = &mut self.state.processes[self.me];
            let handlers = &self.model.proctypes[process.proctype].states[process.control].handlers;
            if let Some(handler) = handlers.iter().find(|handler| heap.is_a(record, handler.record)) {
                process.control = handler.target;
                if let Some(slot) = handler.slot {
                    process.locals[slot] = name;
                }
                return Ok(());
            }
            let Some(Caller { proctype, control, locals }) = process.callers.pop() else {
                return Err(self.fault(FaultKind::UncaughtException));
            };
            let gone = boxes(&self.model.proctypes[process.proctype].slots, &process.locals).collect();
            (process.proctype, process.control, process.locals) = (proctype, control, locals);
            self.delete(gone);
        }
    }

    /// The boxes of the variables of the executing process.
    pub(super) fn boxes_of_process(&self) -> Vec<i32> {
        let frames = self.state.processes[self.me].frames();
        frames.flat_map(|(proctype, locals)| boxes(&self.model.proctypes[proctype].slots, locals)).collect()
    }

    /// Deletes records, with the boxes in them.
    pub(super) fn delete(&mut self, mut names: Vec<i32>) {
        while let Some(name) = names.pop() {
            let Some(record) = self.state.heap.records.get(&name).filter(|record| !record.deleted) else { continue };
            let ty = record.ty;
            names.extend(boxes(&self.heap_model().records[ty].fields, &record.values));
            *self.record_mut(name) = Record { ty, deleted: true, ..Record::default() };
        }
    }

    /// The processes that wait for the lock of a record and were not notified, oldest first.
    fn waiters(&self, name: i32) -> Vec<usize> {
        let waits = |process: &Process| {
            let waiting = self.model.proctypes[process.proctype].waiting;
            waiting.is_some_and(|w| process.locals[w.object] == name && process.locals[w.notified] == 0)
        };
        (0..self.state.processes.len()).filter(|&process| waits(&self.state.processes[process])).collect()
    }

    fn notify(&mut self, process: usize) {
        let process = &mut self.state.processes[process];
        if let Some(waiting) = self.model.proctypes[process.proctype].waiting {
            process.locals[waiting.notified] = 1;
        }
    }

    fn monitor(&mut self, op: MonitorOp, name: i32) -> Result<(), Stop> {
        let me = Holder::Process(self.me);
        let record = &self.state.heap.records[&name];
        let (holder, depth) = (record.holder, record.depth);
        let waiting = self.model.proctypes[self.state.processes[self.me].proctype].waiting;
        match op {
            MonitorOp::Lock => {
                if holder != Holder::Nobody && holder != me {
                    return Err(Stop::Blocked);
                }
                let Some(depth) = depth.checked_add(1) else {
                    return Err(self.fault(FaultKind::LockLimit { most: u8::MAX.into() }));
                };
                let record = self.record_mut(name);
                (record.holder, record.depth) = (me, depth);
                return Ok(());
            }
            MonitorOp::Unwait => {
                let Some(waiting) = waiting else { return Err(Stop::Blocked) };
                let locals = &mut self.state.processes[self.me].locals;
                let notified = locals[waiting.object] == name && locals[waiting.notified] != 0;
                if !notified || holder != Holder::Nobody {
                    return Err(Stop::Blocked);
                }
                let depth = locals[waiting.depth] as u8;
                (locals[waiting.object], locals[waiting.depth], locals[waiting.notified]) = (0, 0, 0);
                let record = self.record_mut(name);
                (record.holder, record.depth) = (me, depth);
                return Ok(());
            }
            _ if holder != me => return Err(self.fault(FaultKind::NotOwner)),
            MonitorOp::Unlock => {
                let record = self.record_mut(name);
                record.depth -= 1;
                if record.depth == 0 {
                    record.holder = Holder::Nobody;
                }
            }
            MonitorOp::Wait => {
                let Some(waiting) = waiting else { return Err(Stop::Blocked) };
                let locals = &mut self.state.processes[self.me].locals;
                (locals[waiting.object], locals[waiting.depth], locals[waiting.notified]) = (name, depth.into(), 0);
                let record = self.record_mut(name);
                (record.holder, record.depth) = (Holder::Nobody, 0);
            }
            MonitorOp::Notify(number) => match self.waiters(name).get(usize::from(number)) {
                Some(&waiter) => self.notify(waiter),
                None if number == 0 => {}
                None => return Err(Stop::Blocked),
            },
            MonitorOp::NotifyAll => {
                for waiter in self.waiters(name) {
                    self.notify(waiter);
                }
            }
            MonitorOp::Crowd(number) => {
                if self.waiters(name).len() < usize::from(number) {
                    return Err(Stop::Blocked);
                }
            }
        }
        Ok(())
    }

    /// Lets go of the records that nobody can reach any more.
    pub(super) fn collect(&mut self) {
        let Some(heap) = &self.model.heap else { return };
        let kept: BTreeSet<i32> = self.state.reachable(self.model).into_iter().collect();
        let is_made = |record: &Record| matches!(heap.records[record.ty].kind, RecordKind::Object | RecordKind::Array);
        let leaks = |record: &Record| !record.deleted && is_made(record) && !heap.records[record.ty].boxed;
        let lost = self.state.heap.records.iter().filter(|(name, record)| !kept.contains(name) && leaks(record));
        if heap.leaks && lost.count() > 0 {
            self.faults.push(Fault { kind: FaultKind::Leak, span: self.span });
        }
        self.state.heap.records.retain(|name, _| kept.contains(name));
    }
}
