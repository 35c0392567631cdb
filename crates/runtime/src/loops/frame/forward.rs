//! Forward: each register is an address in the frame, an address that the function was given, or unknown. So every access to
//! the frame is known, and every address of it that goes elsewhere.

use super::code::{MOST_INSTRUCTIONS, Next, Step, called, leaves, reads, writes, zeroes};
use super::given::{self, Given};
use super::{ARGUMENTS, CLOBBERED, RSP, State, Value, needed, number};
use crate::native::Callee;
use iced_x86::{FlowControl, Mnemonic, OpAccess, OpKind, Register};
use std::collections::BTreeSet;

/// The forward analysis.
pub(super) struct Forward<'a> {
    code: &'a [Step],
    callee: &'a dyn Fn(usize) -> Callee,
    pub states: Vec<Option<State>>,
    /// Offsets of the frame whose address goes elsewhere, nobody knows when; the lowest number stands for all.
    pub escapes: BTreeSet<i64>,
    /// Offsets of the frame whose address goes elsewhere, and the instruction by which.
    pub taken: BTreeSet<(usize, i64)>,
    pub lent: BTreeSet<Lent>,
    /// What becomes of addresses that the function itself was given.
    pub given: Given,
    /// How many calls deep it is looked what becomes of addresses.
    depth: u32,
    /// The instruction that is looked at.
    at: usize,
    pub low: i64,
    /// What is known after every call, if it is the same stack pointer.
    pub after_calls: Option<State>,
    pub calls_differ: bool,
    /// The registers that are needed before each instruction.
    pub needed: Vec<u16>,
    work: Vec<usize>,
}

/// An offset of the frame whose address a call gets and does not keep: the call, and what it looks at, if that is known.
type Lent = (usize, i64, Option<(i64, i64)>);

/// The offset that stands for all.
pub(super) const ALL: i64 = i64::MIN;

impl<'a> Forward<'a> {
    pub(super) fn new(code: &'a [Step], callee: &'a dyn Fn(usize) -> Callee, mut first: State, depth: u32) -> Self {
        first[RSP] = Value::Frame(-8);
        let mut states = vec![None; code.len()];
        if let Some(state) = states.first_mut() {
            *state = Some(first);
        }
        Forward {
            code,
            callee,
            states,
            escapes: BTreeSet::new(),
            taken: BTreeSet::new(),
            lent: BTreeSet::new(),
            given: Given::default(),
            depth,
            at: 0,
            low: -8,
            after_calls: None,
            calls_differ: false,
            needed: needed::registers(code),
            work: vec![0],
        }
    }

    pub(super) fn run(&mut self) -> Result<(), &'static str> {
        if self.code.is_empty() {
            return Err("no code");
        }
        self.follow()
    }

    fn follow(&mut self) -> Result<(), &'static str> {
        let code = self.code;
        let mut rounds = 0;
        while let Some(at) = self.work.pop() {
            rounds += 1;
            if rounds > 50 * MOST_INSTRUCTIONS {
                return Err("no end");
            }
            let before = self.states[at].expect("a state of what is to be followed");
            self.at = at;
            let mut after = self.step(&code[at], &before)?;
            if code[at].instruction.flow_control() == FlowControl::Return {
                continue;
            }
            let Value::Frame(top) = after[RSP] else { return Err("an unknown stack pointer") };
            self.low = self.low.min(top);
            for &next in &code[at].next {
                self.go(next, &after)?;
            }
            if let Some(pad) = code[at].pad {
                after[RSP] = Value::Frame(top + pad.passed);
                self.go(pad.at, &after)?;
            }
        }
        Ok(())
    }

    /// The program goes on somewhere with these registers.
    fn go(&mut self, next: Next, state: &State) -> Result<(), &'static str> {
        match next {
            Next::To(to) => self.join(to, state)?,
            Next::Away if leaves(&self.code[self.at], state) => {}
            // To code that nobody has looked at.
            Next::Away | Next::Anywhere => {
                self.escapes.insert(ALL);
            }
        }
        Ok(())
    }

    /// The program may come to an instruction with these registers.
    fn join(&mut self, at: usize, new: &State) -> Result<(), &'static str> {
        let Some(old) = &mut self.states[at] else {
            self.states[at] = Some(*new);
            self.work.push(at);
            return Ok(());
        };
        let mut changed = false;
        for register in 0..16 {
            if old[register] == new[register] {
                continue;
            }
            if register == RSP {
                return Err("several stack pointers");
            }
            let is_needed = self.needed[at] >> register & 1 == 1;
            for value in [old[register], new[register]].into_iter().filter(|_| is_needed) {
                match value {
                    Value::Frame(offset) => _ = self.escapes.insert(offset),
                    Value::Given(by, _) => self.given.keep(by),
                    Value::Unknown => {}
                }
            }
            changed |= old[register] != Value::Unknown;
            old[register] = Value::Unknown;
        }
        if changed {
            self.work.push(at);
        }
        Ok(())
    }

    /// What an instruction makes of the registers.
    fn step(&mut self, step: &Step, before: &State) -> Result<State, &'static str> {
        let instruction = &step.instruction;
        let value = |register: Register| number(register).map_or(Value::Unknown, |number| before[number]);
        let is_address = |register: Register| value(register) != Value::Unknown;
        let is_full = |operand: u32| {
            instruction.op_count() > operand
                && instruction.op_kind(operand) == OpKind::Register
                && instruction.op_register(operand).is_gpr64()
        };
        let target = || number(instruction.op_register(0)).expect("a general register");
        let mut after = *before;
        let top = || if let Value::Frame(top) = before[RSP] { Ok(top) } else { Err("an unknown stack pointer") };
        match instruction.mnemonic() {
            Mnemonic::Mov if is_full(0) && is_full(1) => {
                after[target()] = value(instruction.op_register(1));
                if instruction.op0_register() != Register::RBP {
                    self.look_for_use(target(), after[target()]);
                }
            }
            Mnemonic::Lea
                if is_full(0)
                    && instruction.memory_index() == Register::None
                    && is_address(instruction.memory_base()) =>
            {
                let by = instruction.memory_displacement64() as i64;
                after[target()] = value(instruction.memory_base()).moved(by);
                self.look_for_use(target(), after[target()]);
            }
            Mnemonic::Add | Mnemonic::Sub
                if is_full(0)
                    && instruction.op_kind(1) != OpKind::Register
                    && instruction.op_kind(1) != OpKind::Memory
                    && is_address(instruction.op_register(0)) =>
            {
                let by = instruction.immediate(1) as i64;
                let by = if instruction.mnemonic() == Mnemonic::Add { by } else { by.wrapping_neg() };
                after[target()] = value(instruction.op_register(0)).moved(by);
            }
            Mnemonic::Push => {
                // It may be an argument of the next call, which can use it as long as it likes.
                self.lose_track(value(instruction.op0_register()));
                if instruction.stack_pointer_increment() != -8 {
                    return Err("an odd push");
                }
                after[RSP] = Value::Frame(top()? - 8);
            }
            Mnemonic::Pop => {
                if is_full(0) {
                    after[target()] = Value::Unknown;
                }
                if instruction.stack_pointer_increment() != 8 {
                    return Err("an odd pop");
                }
                after[RSP] = Value::Frame(top()? + 8);
            }
            Mnemonic::Leave => {
                let Value::Frame(base) = before[number(Register::RBP).expect("a register")] else {
                    return Err("an unknown frame pointer");
                };
                after[RSP] = Value::Frame(base + 8);
                after[number(Register::RBP).expect("a register")] = Value::Unknown;
            }
            Mnemonic::Call => self.call(step, before, &mut after),
            Mnemonic::Ret => after[RSP] = Value::Unknown,
            Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Nop | Mnemonic::Endbr64 => self.index(step, before),
            _ => {
                self.index(step, before);
                self.lose(step, before, &mut after);
            }
        }
        Ok(after)
    }

    /// A call: addresses that it is given may be kept.
    fn call(&mut self, step: &Step, before: &State, after: &mut State) {
        self.index(step, before);
        let callee = called(step, self.callee);
        for register in ARGUMENTS {
            let given = number(register).map_or(Value::Unknown, |number| before[number]);
            let keeps = match callee {
                Callee::Unknown | Callee::Store => true,
                Callee::Told => false,
                Callee::Operand(_) => register != Register::RSI,
            };
            if keeps && given != Value::Unknown {
                self.pass(step, register, given);
            } else if let (Value::Given(by, offset), Callee::Operand(size)) = (given, callee) {
                self.given.look(by, offset..offset + i64::from(size));
            }
        }
        for register in CLOBBERED {
            after[number(register).expect("a register")] = Value::Unknown;
        }
        match &mut self.after_calls {
            None => self.after_calls = Some(*after),
            Some(known) => {
                self.calls_differ |= known[RSP] != after[RSP];
                for (known, &new) in known.iter_mut().zip(after.iter()) {
                    if *known != new {
                        *known = Value::Unknown;
                    }
                }
                known[RSP] = after[RSP];
            }
        }
    }

    /// A call is given an address in a register, and nobody but its code says what becomes of it.
    fn pass(&mut self, step: &Step, register: Register, address: Value) {
        let called = given::of_call(step, self.callee, self.depth);
        let to = number(register).expect("a general register") as u8;
        match address {
            Value::Frame(offset) if called.keeps(to) => _ = self.taken.insert((self.at, offset)),
            Value::Frame(offset) => match called.looks_at(to) {
                None => _ = self.lent.insert((self.at, offset, None)),
                Some(bytes) => {
                    let bytes = bytes.map(|bytes| (offset + bytes.start, offset + bytes.end));
                    self.lent.extend(bytes.map(|bytes| (self.at, offset, Some(bytes))));
                }
            },
            Value::Given(by, offset) => self.given.pass(by, offset, &called, to),
            Value::Unknown => {}
        }
    }

    /// An address that nothing uses is computed for code in assembly that has no instructions, such as that of `black_box`: as
    /// far as the compiler knows, it may keep the address.
    fn look_for_use(&mut self, register: usize, address: Value) {
        let uses = |next: &Next| matches!(*next, Next::To(at) if self.needed[at] >> register & 1 == 1);
        if !self.code[self.at].next.iter().any(uses) {
            self.lose_track(address);
        }
    }

    /// An address goes where nobody follows it, nobody knows when.
    fn lose_track(&mut self, address: Value) {
        match address {
            Value::Frame(offset) => _ = self.escapes.insert(offset),
            Value::Given(by, _) => self.given.keep(by),
            Value::Unknown => {}
        }
    }

    /// An instruction does with an address what nobody follows.
    fn take(&mut self, address: Value) {
        match address {
            Value::Frame(offset) => _ = self.taken.insert((self.at, offset)),
            Value::Given(by, _) => self.given.keep(by),
            Value::Unknown => {}
        }
    }

    /// An access to the frame at a place that is computed may be anywhere in it.
    fn index(&mut self, step: &Step, before: &State) {
        let is_frame =
            |register: Register| number(register).is_some_and(|number| matches!(before[number], Value::Frame(_)));
        for memory in &step.memory {
            let moves = memory.index() != Register::None;
            if moves && (is_frame(memory.base()) || is_frame(memory.index())) {
                self.escapes.insert(ALL);
            }
            if is_frame(memory.base()) && memory.memory_size().size() == 0 {
                self.escapes.insert(ALL);
            }
        }
    }

    /// What any other instruction does: addresses that it reads go elsewhere, registers that it writes are unknown.
    fn lose(&mut self, step: &Step, before: &State, after: &mut State) {
        let instruction = &step.instruction;
        let zeroes = zeroes(instruction);
        let value = |register: Register| number(register).map_or(Value::Unknown, |number| before[number]);
        let is_frame = |register: Register| matches!(value(register), Value::Frame(_));
        let is_explicit = |register: Register| {
            let is_it = |other: Register| other.full_register() == register.full_register();
            let operand = |k: u32| instruction.op_kind(k) == OpKind::Register && is_it(instruction.op_register(k));
            let address = is_it(instruction.memory_base()) || is_it(instruction.memory_index());
            (0..instruction.op_count()).any(operand) || address && !instruction.is_string_instruction()
        };
        for (k, &access) in step.operands.iter().enumerate() {
            if instruction.op_kind(k as u32) != OpKind::Register || zeroes {
                continue;
            }
            let register = instruction.op_register(k as u32);
            let partly = writes(access) && register.size() < 4 && register.is_gpr();
            if access != OpAccess::Write || partly {
                self.take(value(register));
            }
        }
        if instruction.mnemonic() == Mnemonic::Lea {
            // With an index, or cut to fewer bits.
            for register in [instruction.memory_base(), instruction.memory_index()] {
                self.take(value(register));
                if is_frame(register) {
                    self.escapes.insert(ALL);
                }
            }
        }
        for used in &step.registers {
            let register = used.register();
            if reads(used.access()) && !is_explicit(register) && number(register) != Some(RSP) {
                self.take(value(register));
                if is_frame(register) {
                    self.escapes.insert(ALL);
                }
            }
        }
        for used in &step.registers {
            if let Some(number) = number(used.register()).filter(|_| writes(used.access())) {
                after[number] = Value::Unknown;
            }
        }
    }
}
