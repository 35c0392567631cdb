//! Forward: each register is an address in the frame, or unknown. So every access to the frame is known, and every address of
//! it that goes elsewhere.

use super::code::{MOST_INSTRUCTIONS, Next, Step, called, leaves, reads, writes, zeroes};
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
    /// The instruction that is looked at.
    at: usize,
    pub low: i64,
    /// What is known after every call, if it is the same stack pointer.
    pub after_calls: Option<State>,
    pub calls_differ: bool,
    /// The registers that are needed before each instruction.
    needed: Vec<u16>,
    work: Vec<usize>,
}

/// The offset that stands for all.
pub(super) const ALL: i64 = i64::MIN;

impl<'a> Forward<'a> {
    pub(super) fn new(code: &'a [Step], callee: &'a dyn Fn(usize) -> Callee) -> Self {
        let mut first = [Value::Unknown; 16];
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
                if let Value::Frame(offset) = value {
                    self.escapes.insert(offset);
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
        let frame = |register: Register| if let Value::Frame(offset) = value(register) { Some(offset) } else { None };
        let is_full = |operand: u32| {
            instruction.op_count() > operand
                && instruction.op_kind(operand) == OpKind::Register
                && instruction.op_register(operand).is_gpr64()
        };
        let target = || number(instruction.op_register(0)).expect("a general register");
        let mut after = *before;
        let top = || if let Value::Frame(top) = before[RSP] { Ok(top) } else { Err("an unknown stack pointer") };
        match instruction.mnemonic() {
            Mnemonic::Mov if is_full(0) && is_full(1) => after[target()] = value(instruction.op_register(1)),
            Mnemonic::Lea
                if is_full(0)
                    && instruction.memory_index() == Register::None
                    && frame(instruction.memory_base()).is_some() =>
            {
                let base = frame(instruction.memory_base()).unwrap_or_default();
                after[target()] = Value::Frame(base.wrapping_add(instruction.memory_displacement64() as i64));
            }
            Mnemonic::Add | Mnemonic::Sub
                if is_full(0)
                    && instruction.op_kind(1) != OpKind::Register
                    && instruction.op_kind(1) != OpKind::Memory
                    && frame(instruction.op_register(0)).is_some() =>
            {
                let base = frame(instruction.op_register(0)).unwrap_or_default();
                let by = instruction.immediate(1) as i64;
                let by = if instruction.mnemonic() == Mnemonic::Add { by } else { by.wrapping_neg() };
                after[target()] = Value::Frame(base.wrapping_add(by));
            }
            Mnemonic::Push => {
                if is_full(0)
                    && let Some(offset) = frame(instruction.op_register(0))
                {
                    // It may be an argument of the next call, which can use it as long as it likes.
                    self.escapes.insert(offset);
                }
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
            if let (Value::Frame(offset), true) = (given, keeps) {
                self.taken.insert((self.at, offset));
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
        let offset = |register: Register| match number(register).map(|number| before[number]) {
            Some(Value::Frame(offset)) => Some(offset),
            _ => None,
        };
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
            if let Some(offset) = offset(register).filter(|_| access != OpAccess::Write || partly) {
                self.taken.insert((self.at, offset));
            }
        }
        if instruction.mnemonic() == Mnemonic::Lea
            && let Some(offset) = offset(instruction.memory_base()).or_else(|| offset(instruction.memory_index()))
        {
            // With an index, or cut to fewer bits.
            self.taken.insert((self.at, offset));
            self.escapes.insert(ALL);
        }
        for used in &step.registers {
            let register = used.register();
            if reads(used.access())
                && !is_explicit(register)
                && let Some(offset) = offset(register).filter(|_| number(register) != Some(RSP))
            {
                self.taken.insert((self.at, offset));
                self.escapes.insert(ALL);
            }
        }
        for used in &step.registers {
            if let Some(number) = number(used.register()).filter(|_| writes(used.access())) {
                after[number] = Value::Unknown;
            }
        }
    }
}
