//! The machine: the fast back end. A state is one flat run of bytes laid out by the schema; a step is compiled code
//! that works on a copy of it.
//!
//! The caller loads a state, then attempts moves. After a move was made, [`Machine::state`] is the successor, and
//! [`Machine::reload`] takes the machine back. It must agree with [`crate::reference`] on every state.

mod channels;
mod code;
mod compile;
mod convert;
mod evaluate;
mod heap;
mod numbers;
mod program;
mod rare;
mod resets;
mod shape;
mod translate;

use quotient_report::source::Span;

pub use code::{CodeRef, Memory};
pub use heap::{HeapAccess, HeapEffect, HeapOp, Most, Naming, Waits, Watch};
pub use numbers::Numbers;
pub use program::{CompiledState, Effect, Move, Program, Reset, Resets};
use shape::Shapes;
pub use shape::{Component, Shape};

use crate::reference;
use crate::{Fault, FaultKind};

/// The result of trying a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It cannot be executed; the state is as it was.
    Blocked,
    /// It was executed; the state is the successor.
    Moved,
    /// It was a rendezvous send: the state is the successor for the sender, and a receiver must be found.
    Offered,
    /// It went wrong; there is no successor, and the state must be reloaded.
    Failed,
}

/// Why code stopped early.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trap {
    Blocked,
    /// The run ends here, without an error.
    Cut,
    Fault(Fault),
}

/// Executes the moves of one program.
#[derive(Clone, Debug)]
pub struct Machine<'p, 'm> {
    program: &'p Program<'m>,
    shapes: Shapes,
    /// The state as loaded.
    source: Vec<u8>,
    /// The state being worked on.
    work: Vec<u8>,
    /// The index of the shape of `work`.
    shape: u32,
    source_shape: u32,
    registers: Vec<i32>,
    /// The executing process and where its bytes start.
    me: usize,
    base: usize,
    timeout: bool,
    /// The channel id of a rendezvous message that waits for its receiver; 0 for none.
    offer: u32,
    message: Vec<i32>,
    /// The statement being executed.
    span: Span,
    faults: Vec<Fault>,
    promises: bool,
    /// How many questions of `enabled` the current step is tried for.
    asking: usize,
    /// The model has a heap.
    has_heap: bool,
    /// Where things lie in the current state of a heap model.
    places: heap::Places,
}

impl<'p, 'm> Machine<'p, 'm> {
    /// A machine for a program. `promises` says whether `xr` and `xs` are checked.
    pub fn new(program: &'p Program<'m>, promises: bool) -> Self {
        Machine {
            program,
            shapes: Shapes::new(program.model, &program.schema),
            source: Vec::new(),
            work: Vec::new(),
            shape: 0,
            source_shape: 0,
            registers: vec![0; program.registers + 8],
            me: 0,
            base: 0,
            timeout: false,
            offer: 0,
            message: Vec::new(),
            span: Span::default(),
            faults: Vec::new(),
            promises: promises && program.proctypes.iter().any(|p| !p.promises.is_empty()),
            asking: 0,
            has_heap: program.schema.heap.is_some(),
            places: heap::Places::default(),
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program<'m> {
        self.program
    }

    /// How the shapes met so far come from each other: for each but the first its parent, the type of its youngest
    /// process, and its number.
    pub fn lineage(&self) -> Vec<(u32, u32, u32)> {
        self.shapes.lineage().collect()
    }

    /// Makes the shapes that another machine for the same model has met, in that order; false if there are no such.
    pub fn follow(&mut self, lineage: &[(u32, u32, u32)]) -> bool {
        let program = self.program;
        self.shapes = Shapes::new(program.model, &program.schema);
        (1..).zip(lineage).all(|(index, &(parent, proctype, number))| {
            if parent >= index || proctype as usize >= program.model.proctypes.len() {
                return false;
            }
            let elder = self.shapes.get(parent).processes.iter().map(|process| process.ty);
            let word: Vec<u32> = elder.chain([proctype]).collect();
            word.len() <= usize::from(u8::MAX)
                && program.numbers.claim(&word, number)
                && self.shapes.child(parent, proctype, program) == Some(index)
        })
    }

    /// The index of the shape of a state's bytes.
    #[inline]
    fn index_in(&self, state: &[u8]) -> u32 {
        let number = shape::read_shape(state, self.program.schema.shape as usize);
        match self.shapes.get(self.shape).number == number {
            true => self.shape,
            false => self.shapes.find(number).expect("this machine has met the shape"),
        }
    }

    /// The number of processes in a state that is [known](Self::knows).
    pub fn processes_in(&self, state: &[u8]) -> usize {
        if let Some(heap) = &self.program.schema.heap {
            return usize::from(state[heap.start as usize]);
        }
        self.shapes.get(self.index_in(state)).processes.len()
    }

    /// Whether bytes are a state of a shape that is known, with control states that there are.
    pub fn knows(&self, state: &[u8]) -> bool {
        let Program { schema, proctypes, .. } = self.program;
        let at = schema.shape as usize;
        let Some(index) = state.get(at..at + 3).and_then(|_| self.shapes.find(shape::read_shape(state, at))) else {
            return false;
        };
        if self.program.schema.heap.is_some() {
            return self.is_heap_state(state);
        }
        let shape = self.shapes.get(index);
        state.len() == shape.size as usize
            && (0..shape.processes.len()).all(|process| {
                let (ty, control) = self.control_in(state, process);
                control < proctypes[ty].states.len()
            })
    }

    /// Makes the initial state the current one.
    pub fn initial(&mut self) {
        let program = self.program;
        self.shape = 0;
        self.work.clear();
        self.work.resize(self.shapes.get(0).size as usize, 0);
        if let Some(heap) = &program.schema.heap {
            self.work.clear();
            self.work.resize(heap.start as usize + 1, 0);
            self.scan();
        }
        if let (Some(at), Some(trace)) = (program.schema.event, &program.model.trace) {
            let start = program.model.proctypes[trace.proctype].start;
            Memory::U16.write(&mut self.work, at as usize, start as i32);
        }
        self.base = 0;
        let mut channel = 0;
        for step in &program.setup {
            match step {
                program::CompiledSetup::Assign(code) => {
                    if let Err(trap) = self.evaluate(*code) {
                        self.note(trap);
                    }
                }
                program::CompiledSetup::Channel(field) => {
                    channel += 1;
                    field.memory.write(&mut self.work, field.offset as usize, channel);
                }
            }
        }
        for instance in &program.model.initial {
            let params = program.model.proctypes[instance.proctype].params;
            self.registers.resize(self.registers.len().max(params + 1), 0);
            self.registers[..params].fill(0);
            if let Err(trap) = self.create(instance.proctype as u32, 0, params as u32, instance.priority) {
                self.note(trap);
            }
        }
        self.reset(program.unread(), 0);
        if program.schema.heap.is_some() {
            self.places.dirty = true;
            self.span = Span::default();
            self.finish_step();
        }
        self.commit();
    }

    /// Makes a state the current one; no rendezvous is pending.
    #[inline]
    pub fn load(&mut self, state: &[u8]) {
        self.source.clear();
        self.source.extend_from_slice(state);
        self.work.clear();
        self.work.extend_from_slice(state);
        let number = shape::read_shape(state, self.program.schema.shape as usize);
        if self.shapes.get(self.shape).number != number {
            self.shape = self.shapes.meet(number, self.program).expect("a machine for this program has made the state");
        }
        self.source_shape = self.shape;
        self.offer = 0;
        if self.has_heap {
            self.scan();
            (self.places.moved, self.places.dirty, self.places.exited) = (false, false, false);
            self.places.owners.known = false;
            self.places.made = 0;
        }
    }

    /// Goes back to the loaded state after a move.
    #[inline]
    pub fn reload(&mut self) {
        self.work.clear();
        self.work.extend_from_slice(&self.source);
        self.shape = self.source_shape;
        if self.has_heap {
            self.reload_heap();
        }
    }

    fn reload_heap(&mut self) {
        if self.places.moved {
            self.scan();
            self.places.moved = false;
            // The process entered last may have been in another frame.
            if let Some(process) = self.shapes.get(self.shape).processes.get(self.me) {
                self.base = process.offset as usize;
            }
        }
        (self.places.dirty, self.places.made) = (false, 0);
    }

    /// The loaded state's bytes.
    #[inline(always)]
    pub fn loaded(&self) -> &[u8] {
        &self.source
    }

    /// Makes a state the current one that was reached from the loaded one; that stays.
    #[inline]
    pub fn resume(&mut self, state: &[u8]) {
        self.work.clear();
        self.work.extend_from_slice(state);
        self.shape = self.index_in(state);
        if self.program.schema.heap.is_some() {
            self.scan();
        }
    }

    /// Makes the current state the loaded one.
    #[inline]
    pub fn commit(&mut self) {
        self.source.clear();
        self.source.extend_from_slice(&self.work);
        self.source_shape = self.shape;
        self.places.moved = false;
        self.places.owners.known = false;
    }

    /// The current state's bytes.
    #[inline(always)]
    pub fn state(&self) -> &[u8] {
        &self.work
    }

    /// The bytes that tell states apart.
    #[inline(always)]
    pub fn visible(&self) -> &[u8] {
        &self.work[self.program.schema.hidden as usize..]
    }

    /// The current state's shape, and its index among the shapes that this machine has met.
    #[inline(always)]
    pub fn shape(&self) -> (u32, &Shape) {
        (self.shape, self.shapes.get(self.shape))
    }

    /// The number of processes in the current state.
    #[inline(always)]
    pub fn processes(&self) -> usize {
        self.shapes.get(self.shape).processes.len()
    }

    /// The type and control state of a process.
    #[inline(always)]
    pub fn control(&self, process: usize) -> (usize, usize) {
        let Component { ty, offset } = self.shapes.get(self.shape).processes[process];
        let at = offset as usize;
        let control = match self.program.schema.control_bytes {
            1 => usize::from(self.work[at]),
            _ => usize::from(u16::from_le_bytes([self.work[at], self.work[at + 1]])),
        };
        (ty as usize, control)
    }

    /// Whether some process is at a control state that a test picks, given its type and its number.
    #[inline(always)]
    pub fn any_control(&self, test: impl Fn(usize, usize) -> bool) -> bool {
        let wide = self.program.schema.control_bytes == 2;
        self.shapes.get(self.shape).processes.iter().any(|&Component { ty, offset }| {
            let at = offset as usize;
            let high = if wide { usize::from(self.work[at + 1]) << 8 } else { 0 };
            test(ty as usize, usize::from(self.work[at]) | high)
        })
    }

    /// The type and the bytes of a process.
    pub fn component(&self, process: usize) -> (u32, &[u8]) {
        let Component { ty, offset } = self.shapes.get(self.shape).processes[process];
        (ty, &self.work[offset as usize..(offset + self.program.schema.locals[ty as usize].size) as usize])
    }

    /// The type and control state of a process in a state of this machine.
    #[inline]
    pub fn control_in(&self, state: &[u8], process: usize) -> (usize, usize) {
        if self.program.schema.heap.is_some() {
            return self.heap_control(state, process).expect("the process is one of the state");
        }
        let Component { ty, offset } = self.shapes.get(self.index_in(state)).processes[process];
        let at = offset as usize;
        let control = match self.program.schema.control_bytes {
            1 => usize::from(state[at]),
            _ => usize::from(u16::from_le_bytes([state[at], state[at + 1]])),
        };
        (ty as usize, control)
    }

    /// Faults since the last call.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// Whether faults wait to be taken.
    #[inline(always)]
    pub fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// The rendezvous message that waits for its receiver: the channel's id and the fields.
    pub fn offered(&self) -> (u32, &[i32]) {
        (self.offer, &self.message)
    }

    /// Lets a rendezvous message wait for its receiver in the loaded state.
    pub fn offer(&mut self, channel: u32, message: impl Iterator<Item = i32>) {
        self.offer = channel;
        self.message.clear();
        self.message.extend(message);
    }

    /// The rendezvous message was received.
    #[inline(always)]
    pub fn end_offer(&mut self) {
        self.offer = 0;
    }

    /// Whether a run may end here: every process may rest where it is, and a trace that was begun was followed to its
    /// end.
    pub fn may_end(&self) -> bool {
        let Program { model, schema, proctypes, .. } = self.program;
        let rests = |process| {
            let (ty, control) = self.control(process);
            proctypes[ty].states[control].rest
        };
        let complete = match (&model.trace, schema.event) {
            (Some(trace), Some(at)) => {
                let event = Memory::U16.read(&self.work, at as usize) as usize;
                model.proctypes[trace.proctype].states.get(event).is_none_or(|state| state.end)
            }
            _ => true,
        };
        self.processes() == 0 || (complete && (0..self.processes()).all(rests))
    }

    /// Whether a [watched](Program::watch) expression holds in the current state; `timeout` says whether nobody can move.
    ///
    /// # Errors
    /// What went wrong in working it out.
    pub fn holds(&mut self, code: CodeRef, timeout: bool) -> Result<bool, Fault> {
        (self.me, self.base, self.timeout) = (0, 0, timeout);
        self.span = Span::default();
        match self.evaluate(code) {
            Ok(value) => Ok(value != 0),
            Err(Trap::Blocked | Trap::Cut) => Ok(false),
            Err(Trap::Fault(fault)) => Err(fault),
        }
    }

    /// Makes a process the one whose moves are attempted; a state's processes keep their places while it lives.
    #[inline]
    pub fn enter(&mut self, process: usize, timeout: bool) {
        self.me = process;
        self.base = self.shapes.get(self.shape).processes[process].offset as usize;
        self.timeout = timeout;
    }

    /// Tries a move of the process entered last. `moved` says whether an earlier move of the same control state was
    /// executable.
    #[inline]
    pub fn attempt(&mut self, mv: &Move, moved: bool) -> Attempt {
        self.span = mv.span;
        let result = match &mv.effect {
            Effect::Receive(receive) => self.receive(receive).map(|()| false),
            Effect::Deterministic(nodes) => self.d_step(nodes, moved).map(|()| false),
            _ if self.offer != 0 => return Attempt::Blocked,
            Effect::Condition(code) => match self.evaluate(*code) {
                Ok(0) => return Attempt::Blocked,
                Ok(_) => Ok(false),
                Err(trap) => Err(trap),
            },
            Effect::Assign(code) => self.evaluate(*code).map(|_| false),
            effect => self.execute(effect, moved),
        };
        match result {
            Ok(offered) => {
                if mv.alone && moved {
                    self.not_alone(mv);
                }
                match (&mv.effect, self.program.schema.last) {
                    (Effect::End, None) => {}
                    (Effect::End, Some(last)) => self.work[last as usize] = self.me as u8,
                    _ => self.arrive(mv),
                }
                if self.has_heap {
                    // A reference may be among what was written over.
                    self.places.dirty |= mv.resets.0 != mv.resets.1;
                    // A message that waits for its receiver has names in it.
                    if !offered {
                        self.finish_step();
                    }
                }
                if offered { Attempt::Offered } else { Attempt::Moved }
            }
            Err(Trap::Blocked) => Attempt::Blocked,
            Err(Trap::Cut) => Attempt::Failed,
            Err(Trap::Fault(fault)) => {
                self.faults.push(fault);
                Attempt::Failed
            }
        }
    }

    /// Takes note that a move was not the only one that could be executed, as often as its statement says.
    #[cold]
    fn not_alone(&mut self, mv: &Move) {
        let process = self.shapes.get(self.shape).processes.get(self.me);
        let statement = |ty: u32| &self.program.model.proctypes[ty as usize].statements[mv.statement as usize];
        let times = process.map_or(1, |process| statement(process.ty).alone);
        let fault = Fault { kind: FaultKind::Nondeterminism, span: mv.span };
        self.faults.extend(std::iter::repeat_n(fault, times));
    }

    /// The control state of the process entered last.
    #[inline(always)]
    pub fn own_control(&self) -> usize {
        match self.program.schema.control_bytes {
            1 => usize::from(self.work[self.base]),
            _ => usize::from(u16::from_le_bytes([self.work[self.base], self.work[self.base + 1]])),
        }
    }

    /// As [`Self::attempt`], for a move that is [`Move::passable`] and the first executable one of its control state.
    /// After anything but a plain success the state is undefined.
    #[inline(always)]
    pub fn pass(&mut self, mv: &Move) -> Attempt {
        let result = match &mv.effect {
            Effect::Condition(code) => match self.evaluate(*code) {
                Ok(0) => return Attempt::Blocked,
                result => result,
            },
            Effect::Assign(code) => self.evaluate(*code),
            _ => Ok(1),
        };
        if result.is_err() {
            return Attempt::Failed;
        }
        self.arrive(mv);
        Attempt::Moved
    }

    /// Moves the executing process on to a control state.
    #[inline(always)]
    fn arrive(&mut self, mv: &Move) {
        if !self.has_heap || !std::mem::take(&mut self.places.jumped) {
            self.work[self.base] = mv.target as u8;
            if self.program.schema.control_bytes == 2 {
                self.work[self.base + 1] = (mv.target >> 8) as u8;
            }
        }
        if let Some(last) = self.program.schema.last {
            self.work[last as usize] = self.me as u8;
        }
        self.reset(mv.resets, self.base);
    }

    /// Writes over what nobody will read of a process whose bytes start at `base`.
    #[inline(always)]
    fn reset(&mut self, (first, end): Resets, base: usize) {
        for number in first..end {
            let reset = &self.program.resets[number as usize];
            let start = if reset.local { base } else { 0 };
            reset.memory.write(&mut self.work, start + reset.offset as usize, reset.value);
        }
    }

    /// Executes an effect; true for a rendezvous that waits for its receiver. A blocked effect changes nothing.
    fn execute(&mut self, effect: &Effect, moved: bool) -> Result<bool, Trap> {
        if self.offer != 0 && !matches!(effect, Effect::Receive(_) | Effect::Deterministic(_)) {
            return Err(Trap::Blocked);
        }
        match effect {
            Effect::Skip => {}
            Effect::Else if moved => return Err(Trap::Blocked),
            Effect::Else => {}
            Effect::Condition(code) => {
                if self.evaluate(*code)? == 0 {
                    return Err(Trap::Blocked);
                }
            }
            Effect::RunCondition(code) => {
                if self.evaluate(*code)? == 0 {
                    self.reload();
                    return Err(Trap::Blocked);
                }
            }
            Effect::Assign(code) => {
                self.evaluate(*code)?;
            }
            Effect::SetPriority(code) => {
                self.evaluate(*code)?;
                let (pid, value) = (self.registers[0], self.registers[1]);
                let target = usize::try_from(pid).ok().filter(|&p| p < self.processes());
                if let Some(target) = target {
                    if !(1..=255).contains(&value) {
                        return Err(self.fault(FaultKind::Priority));
                    }
                    let offset = self.shapes.get(self.shape).processes[target].offset;
                    self.work[(offset + self.program.schema.priority.unwrap_or(0)) as usize] = value as u8;
                }
            }
            Effect::End => {
                let shape = self.shapes.get(self.shape);
                let termination = self.program.model.proctypes[shape.processes[self.me].ty as usize].termination;
                if !termination.removes(self.me, shape.processes.len()) {
                    return Err(Trap::Blocked);
                }
                let parent = shape.parent;
                match self.program.schema.heap.is_some() {
                    true => self.remove(),
                    false => self.set_shape(parent),
                }
            }
            Effect::Send(send) => return self.send(send),
            Effect::Receive(receive) => self.receive(receive)?,
            Effect::Deterministic(nodes) => self.d_step(nodes, moved)?,
            Effect::Heap(effect) => self.heap_effect(effect)?,
        }
        Ok(false)
    }

    fn d_step(&mut self, nodes: &[program::CompiledNode], moved: bool) -> Result<(), Trap> {
        let mut at = 0;
        let mut entering = true;
        for _ in 0..reference::LONGEST_D_STEP {
            let Some(node) = nodes.get(at as usize) else { return Ok(()) };
            let mut next = None;
            for (effect, target, span) in &node.options {
                let outer = std::mem::replace(&mut self.span, *span);
                match self.execute(effect, moved && entering) {
                    Ok(true) => {
                        // Nothing is offered after all.
                        self.offer = 0;
                        return Err(self.fault(FaultKind::DStepRendezvous));
                    }
                    Ok(false) => next = Some(*target),
                    Err(Trap::Blocked) => {}
                    Err(trap) => return Err(trap),
                }
                self.span = outer;
                if next.is_some() {
                    break;
                }
            }
            match next {
                Some(next) => at = next,
                None if entering => return Err(Trap::Blocked),
                None => return Err(Trap::Fault(Fault { kind: FaultKind::DStepBlocked, span: node.span })),
            }
            if entering {
                // A rendezvous can happen only in the first statement.
                self.offer = 0;
                entering = false;
            }
        }
        Err(self.fault(FaultKind::DStepEndless))
    }

    fn fault(&self, kind: FaultKind) -> Trap {
        Trap::Fault(Fault { kind, span: self.span })
    }

    fn note(&mut self, trap: Trap) {
        if let Trap::Fault(fault) = trap {
            self.faults.push(fault);
        }
    }

    /// Gives the state another shape; components that the old one does not have are zero.
    fn set_shape(&mut self, shape: u32) {
        let Shape { number, size, .. } = *self.shapes.get(shape);
        self.work.resize(size as usize, 0);
        shape::write_shape(&mut self.work, self.program.schema.shape as usize, number);
        self.shape = shape;
    }

    /// Creates a process with arguments from a register on; gives back its id.
    fn create(&mut self, proctype: u32, first: usize, args: u32, priority: u8) -> Result<usize, Trap> {
        let program = self.program;
        let id = self.processes();
        let most = program.model.most_processes();
        let too_many = FaultKind::TooManyProcesses { most: most as u32 };
        if id >= most {
            return Err(self.fault(too_many));
        }
        let mut channel = self.shapes.get(self.shape).channels.len() as i32;
        if program.schema.heap.is_some() {
            self.add_process(proctype);
        } else {
            let Some(shape) = self.shapes.child(self.shape, proctype, program) else {
                return Err(self.fault(too_many));
            };
            if self.shapes.get(shape).channels.len() > quotient_ir::MAX_INSTANCES {
                return Err(self.fault(FaultKind::TooManyChannels));
            }
            self.set_shape(shape);
        }
        let base = self.shapes.get(self.shape).processes[id].offset as usize;
        let compiled = &program.proctypes[proctype as usize];
        let start = program.model.proctypes[proctype as usize].start;
        self.work[base] = start as u8;
        if program.schema.control_bytes == 2 {
            self.work[base + 1] = (start >> 8) as u8;
        }
        if let Some(at) = program.schema.priority {
            self.work[base + at as usize] = priority;
        }
        for (i, field) in compiled.params.iter().enumerate().take(args as usize) {
            let value = self.registers[first + i] & field.mask;
            field.memory.write(&mut self.work, base + field.offset as usize, value);
        }
        if !compiled.setup.is_empty() {
            let outer = (self.me, self.base, self.registers.clone());
            let span = std::mem::replace(&mut self.span, program.model.proctypes[proctype as usize].span);
            (self.me, self.base) = (id, base);
            let mut result = Ok(());
            for step in &compiled.setup {
                match step {
                    program::CompiledSetup::Assign(code) => {
                        if let Err(trap) = self.evaluate(*code) {
                            result = Err(trap);
                            break;
                        }
                    }
                    program::CompiledSetup::Channel(field) => {
                        channel += 1;
                        field.memory.write(&mut self.work, base + field.offset as usize, channel);
                    }
                }
            }
            self.span = span;
            (self.me, self.base, self.registers) = outer;
            result?;
        }
        self.reset(compiled.resets, base);
        Ok(id)
    }
}
