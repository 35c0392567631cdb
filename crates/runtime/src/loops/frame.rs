//! What a function still needs of its frame and of the registers at a place that a call returns to: liveness, found in
//! the machine code.
//!
//! Forward, each register is an address in the frame, or unknown; so every access to the frame is known, and every
//! address of it that goes elsewhere. Backward, bytes of the frame and registers are live if they are read before they
//! are written. What is not understood is an error, and then everything is compared.

mod needed;

use super::unwind::{self, Row};
use super::variables::{self, Variable};
use crate::native::Callee;
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register, UsedMemory, UsedRegister,
};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The registers that a function leaves as they were, in the order in which they are saved on entry to the checker.
pub(super) const SAVED: [Register; 6] =
    [Register::R15, Register::R14, Register::R13, Register::R12, Register::RBX, Register::RBP];

/// Where the bits for all bytes of a register but the lowest begin.
pub(super) const REST: usize = 8;

/// The registers that arguments are passed in.
const ARGUMENTS: [Register; 7] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9, Register::R10];

/// The registers that a call does not keep.
pub(super) const CLOBBERED: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

/// Longer functions, and larger frames, are compared as a whole.
const MOST_INSTRUCTIONS: usize = 20_000;
const LARGEST_FRAME: i64 = 1 << 14;

/// What matters at a place that a call returns to. Offsets are from where the frame ends, the caller's stack pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Live {
    /// How far the stack pointer is below the end.
    pub depth: i64,
    /// The live bytes of the frame, without saved registers.
    pub bytes: Vec<Range<i64>>,
    /// A bit for each register whose lowest byte is live, and above [`REST`] one for each whose other bytes are.
    pub registers: u16,
    /// Where registers of callers are saved.
    pub saved: [Option<i64>; 6],
    /// How much of what the caller has passed on the stack is read.
    pub arguments: i64,
    /// Where the function begins.
    pub function: usize,
}

/// What is known of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Unknown,
    /// An address in the frame.
    Frame(i64),
}

/// What is known of all registers, by number.
type State = [Value; 16];

pub(super) fn number(register: Register) -> Option<usize> {
    let full = register.full_register();
    (Register::RAX..=Register::R15).contains(&full).then(|| full as usize - Register::RAX as usize)
}

fn saved_number(register: Register) -> Option<usize> {
    SAVED.iter().position(|&saved| saved == register.full_register())
}

/// The number of the stack pointer.
pub(super) const RSP: usize = 4;

/// An instruction, and what it uses.
struct Step {
    instruction: Instruction,
    registers: Vec<UsedRegister>,
    memory: Vec<UsedMemory>,
    /// How each operand is accessed.
    operands: Vec<OpAccess>,
    next: Vec<Next>,
}

/// Where the program may go after an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    To(usize),
    /// It leaves the function.
    Away,
    /// Nobody knows.
    Anywhere,
}

/// A function that has been understood.
pub(super) struct Function {
    start: usize,
    index: HashMap<u64, usize>,
    /// What is known before each instruction, if the program comes there.
    states: Vec<Option<State>>,
    /// Whether it comes there other than by an exception.
    certain: Vec<bool>,
    live: Vec<Vec<u64>>,
    registers: Vec<u16>,
    low: i64,
    arguments: i64,
    escaped: Vec<Escaped>,
}

/// Understands the function from `start` to `end`. `callee` says what is called at an address.
pub(super) fn understand(start: usize, end: usize, callee: &dyn Fn(usize) -> Callee) -> Result<Function, &'static str> {
    let code = decode(start, end)?;
    let index: HashMap<u64, usize> = code.iter().enumerate().map(|(at, step)| (step.instruction.ip(), at)).collect();
    let mut forward = Forward::new(&code, callee);
    forward.run()?;
    let stack = forward.after_calls.filter(|_| !forward.calls_differ).map(|state| state[RSP]);
    let Forward { states, certain, escapes, taken, low, pads, .. } = forward;
    if low < -LARGEST_FRAME {
        return Err("a large frame");
    }
    if escapes.iter().chain(taken.iter().map(|(_, offset)| offset)).any(|&offset| offset >= 0) {
        return Err("the address of an argument");
    }
    let stack = if let Some(Value::Frame(offset)) = stack { Some(offset) } else { None };
    let known = if escapes.contains(&ALL) { None } else { variables::of_function(start, stack) };
    let mut escaped = Vec::new();
    escapes.iter().for_each(|&offset| extents(known.as_deref(), low, offset, false, &mut escaped));
    taken.iter().for_each(|&(_, offset)| extents(known.as_deref(), low, offset, true, &mut escaped));
    escaped.dedup();
    let mut backward = Backward::new(&code, &states, low, callee)?;
    for &(at, offset) in &taken {
        let mut ranges = Vec::new();
        extents(known.as_deref(), low, offset, true, &mut ranges);
        backward.reads[at].extend(ranges.into_iter().map(|escaped| escaped.bytes));
    }
    backward.run(&code, &states, &pads)?;
    let Backward { live, registers, arguments, .. } = backward;
    Ok(Function { start, index, states, certain, live, registers, low, arguments, escaped })
}

impl Function {
    /// What matters where a call returns to `address`; `row` is what the unwinder knows there.
    pub fn at(&self, address: usize, row: &Row) -> Option<Live> {
        let &at = self.index.get(&(address as u64))?;
        let state = self.states[at].as_ref().filter(|_| self.certain[at])?;
        let Value::Frame(top) = state[RSP] else { return None };
        // The unwinder must see it in the same way.
        let agrees = match row.base {
            unwind::Base::StackPointer(offset) => offset == -top,
            unwind::Base::FramePointer(offset) => {
                state[number(Register::RBP).expect("a register")] == Value::Frame(-offset)
            }
        };
        if !agrees {
            return None;
        }
        let mut bytes: Vec<Range<i64>> = Vec::new();
        let is_inside =
            |scope: &[Range<usize>]| scope.is_empty() || scope.iter().any(|code| code.contains(&(address - 1)));
        let escaped = || self.escaped.iter().filter(|escaped| is_inside(&escaped.scope));
        let is_saved = |at: i64| row.saved.iter().flatten().any(|&saved| (saved..saved + 8).contains(&at));
        for offset in self.low.max(top)..-8 {
            let bit = (offset - self.low) as usize;
            let live = self.live[at][bit / 64] >> (bit % 64) & 1 == 1
                || escaped().any(|escaped| escaped.bytes.contains(&offset));
            if live && !is_saved(offset) {
                match bytes.last_mut() {
                    Some(last) if last.end == offset => last.end += 1,
                    _ => bytes.push(offset..offset + 1),
                }
            }
        }
        let registers = self.registers[at];
        Some(Live { depth: -top, bytes, registers, saved: row.saved, arguments: self.arguments, function: self.start })
    }
}

impl Function {
    /// Whether only the function itself can access a byte of its frame, whose address goes nowhere.
    pub fn is_known_to_itself(&self, offset: i64) -> bool {
        !self.escaped.iter().any(|escaped| escaped.bytes.contains(&offset))
    }
}

/// Bytes of the frame whose address goes elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Escaped {
    bytes: Range<i64>,
    /// The code in which the variable exists; everywhere, if there is none.
    scope: Vec<Range<usize>>,
}

/// The bytes that belong to an address which goes elsewhere: the variables there; from the address up, if it is none of a
/// variable's; and everything, if nothing is known of variables. `scoped` if nobody can use the address when the variable
/// does not exist any more, or again.
fn extents(known: Option<&Vec<Variable>>, low: i64, offset: i64, scoped: bool, escaped: &mut Vec<Escaped>) {
    let Some(known) = known else { return escaped.push(Escaped { bytes: low..0, scope: Vec::new() }) };
    let before = escaped.len();
    for variable in known.iter().filter(|variable| (variable.start..variable.end).contains(&offset)) {
        let scope = if scoped { variable.scope.clone() } else { Vec::new() };
        escaped.push(Escaped { bytes: variable.start..variable.end, scope });
    }
    if escaped.len() == before {
        // Without optimisation nothing shares its place with a variable.
        let is_plain = known.iter().all(|variable| variable.is_fixed);
        let next = known.iter().map(|variable| variable.start).filter(|&start| start > offset).min();
        let end = next.filter(|_| is_plain).unwrap_or(0);
        escaped.push(Escaped { bytes: offset..end, scope: Vec::new() });
    }
}

fn decode(start: usize, end: usize) -> Result<Vec<Step>, &'static str> {
    // SAFETY: the unwinder has said that this is the code of a function, which stays where it is.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, end - start) };
    let mut decoder = Decoder::with_ip(64, bytes, start as u64, DecoderOptions::NONE);
    let mut factory = InstructionInfoFactory::new();
    let mut code = Vec::new();
    for instruction in &mut decoder {
        if instruction.code() == Code::INVALID {
            return Err("an unknown instruction");
        }
        let info = factory.info(&instruction);
        let operands = (0..instruction.op_count()).map(|operand| info.op_access(operand)).collect();
        code.push(Step {
            instruction,
            registers: info.used_registers().to_vec(),
            memory: info.used_memory().to_vec(),
            operands,
            next: Vec::new(),
        });
        if code.len() > MOST_INSTRUCTIONS {
            return Err("a long function");
        }
    }
    let index: HashMap<u64, usize> = code.iter().enumerate().map(|(at, step)| (step.instruction.ip(), at)).collect();
    for at in 0..code.len() {
        let next = successors(&code, &index, at)?;
        code[at].next = next;
    }
    Ok(code)
}

fn successors(code: &[Step], index: &HashMap<u64, usize>, at: usize) -> Result<Vec<Next>, &'static str> {
    let instruction = &code[at].instruction;
    let to = |address: u64| index.get(&address).map_or(Next::Away, |&at| Next::To(at));
    let following = || if at + 1 < code.len() { vec![Next::To(at + 1)] } else { Vec::new() };
    Ok(match instruction.flow_control() {
        FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => following(),
        FlowControl::UnconditionalBranch => vec![to(instruction.near_branch_target())],
        FlowControl::ConditionalBranch => {
            let mut next = following();
            next.push(to(instruction.near_branch_target()));
            next
        }
        FlowControl::Return => vec![Next::Away],
        // A jump through a pointer at a fixed place goes to another function.
        FlowControl::IndirectBranch if instruction.is_ip_rel_memory_operand() => vec![Next::Away],
        FlowControl::IndirectBranch => table(code, index, at).unwrap_or_else(|| vec![Next::Anywhere]),
        FlowControl::Interrupt | FlowControl::Exception => Vec::new(),
        _ => return Err("an unusual jump"),
    })
}

/// The targets of a jump through a table of offsets, whose address was computed shortly before. How long the table is
/// is not known: it ends where an entry leads out of the function. What follows it may look like more entries, which
/// does no harm.
fn table(code: &[Step], index: &HashMap<u64, usize>, at: usize) -> Option<Vec<Next>> {
    let before = code[at.saturating_sub(16)..at].iter().rev();
    let is_address =
        |step: &&Step| step.instruction.mnemonic() == Mnemonic::Lea && step.instruction.is_ip_rel_memory_operand();
    let table = before.filter(is_address).map(|step| step.instruction.ip_rel_memory_address()).next()?;
    let mut targets = BTreeSet::new();
    for entry in 0..1024 {
        // SAFETY: the table is in read-only data next to the code, and is followed by other data or by the end of a page
        // that is mapped: reading stops at the first entry that is none.
        let offset = unsafe { std::ptr::read_unaligned((table + 4 * entry) as *const i32) };
        match index.get(&table.wrapping_add_signed(i64::from(offset))) {
            Some(&target) => targets.insert(target),
            None => break,
        };
    }
    (!targets.is_empty()).then(|| targets.into_iter().map(Next::To).collect())
}

/// The forward analysis.
struct Forward<'a> {
    code: &'a [Step],
    callee: &'a dyn Fn(usize) -> Callee,
    states: Vec<Option<State>>,
    certain: Vec<bool>,
    /// Offsets of the frame whose address goes elsewhere, nobody knows when; the lowest number stands for all.
    escapes: BTreeSet<i64>,
    /// Offsets of the frame whose address goes elsewhere, and the instruction by which.
    taken: BTreeSet<(usize, i64)>,
    /// The instruction that is looked at.
    at: usize,
    low: i64,
    /// Where exceptions may be caught: what nothing leads to.
    pads: Vec<usize>,
    /// What is known after every call, if it is the same stack pointer.
    after_calls: Option<State>,
    calls_differ: bool,
    /// The registers that are needed before each instruction.
    needed: Vec<u16>,
    work: Vec<usize>,
}

/// The offset that stands for all.
const ALL: i64 = i64::MIN;

impl<'a> Forward<'a> {
    fn new(code: &'a [Step], callee: &'a dyn Fn(usize) -> Callee) -> Self {
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
            certain: Vec::new(),
            escapes: BTreeSet::new(),
            taken: BTreeSet::new(),
            at: 0,
            low: -8,
            pads: Vec::new(),
            after_calls: None,
            calls_differ: false,
            needed: needed::registers(code),
            work: vec![0],
        }
    }

    fn run(&mut self) -> Result<(), &'static str> {
        if self.code.is_empty() {
            return Err("no code");
        }
        self.follow()?;
        self.certain = self.states.iter().map(Option::is_some).collect();
        let mut is_led_to = vec![false; self.code.len()];
        for step in self.code {
            for next in &step.next {
                if let Next::To(at) = *next {
                    is_led_to[at] = true;
                }
            }
        }
        let is_pad = |at: &usize| {
            let mnemonic = self.code[*at].instruction.mnemonic();
            self.states[*at].is_none() && !is_led_to[*at] && !matches!(mnemonic, Mnemonic::Nop | Mnemonic::Int3)
        };
        self.pads = (0..self.code.len()).filter(is_pad).collect();
        if self.pads.is_empty() {
            return Ok(());
        }
        if self.calls_differ {
            return Err("exceptions with several stack pointers");
        }
        let Some(state) = self.after_calls else { return Ok(()) };
        for at in self.pads.clone() {
            self.states[at] = Some(state);
            self.work.push(at);
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
            let after = self.step(&code[at], &before)?;
            let returns = code[at].instruction.flow_control() == FlowControl::Return;
            match after[RSP] {
                Value::Frame(top) => self.low = self.low.min(top),
                Value::Unknown if returns => continue,
                Value::Unknown => return Err("an unknown stack pointer"),
            }
            for next in &code[at].next {
                if let Next::To(to) = *next {
                    self.join(to, &after)?;
                }
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
                    self.taken.insert((self.at, offset));
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
        let zeroes = instruction.mnemonic() == Mnemonic::Xor
            && instruction.op_kind(1) == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
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

fn reads(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

pub(super) fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// What an instruction calls, if it is a call.
fn called(step: &Step, callee: &dyn Fn(usize) -> Callee) -> Callee {
    match step.instruction.flow_control() {
        FlowControl::Call => callee(step.instruction.near_branch_target() as usize),
        _ => Callee::Unknown,
    }
}

/// The backward analysis.
struct Backward {
    live: Vec<Vec<u64>>,
    registers: Vec<u16>,
    arguments: i64,
    low: i64,
    reads: Vec<Vec<Range<i64>>>,
    writes: Vec<Vec<Range<i64>>>,
    /// What of the registers each instruction reads, and what it writes.
    used: Vec<(u16, u16)>,
}

impl Backward {
    fn new(
        code: &[Step],
        states: &[Option<State>],
        low: i64,
        callee: &dyn Fn(usize) -> Callee,
    ) -> Result<Self, &'static str> {
        let words = (-low as usize).div_ceil(64);
        if words * code.len() > 1 << 22 {
            return Err("too much to look at");
        }
        let mut backward = Backward {
            live: vec![vec![0; words]; code.len()],
            registers: vec![0; code.len()],
            arguments: 0,
            low,
            reads: vec![Vec::new(); code.len()],
            writes: vec![Vec::new(); code.len()],
            used: vec![(0, 0); code.len()],
        };
        for (at, step) in code.iter().enumerate() {
            if let Some(state) = &states[at] {
                backward.note(at, step, state, callee);
            }
        }
        Ok(backward)
    }

    /// Notes what an instruction reads and writes.
    fn note(&mut self, at: usize, step: &Step, state: &State, callee: &dyn Fn(usize) -> Callee) {
        let instruction = &step.instruction;
        let frame = |register: Register| match number(register).map(|number| state[number]) {
            Some(Value::Frame(offset)) => Some(offset),
            _ => None,
        };
        let is_call = instruction.mnemonic() == Mnemonic::Call;
        if is_call
            && let Callee::Operand(size) = called(step, callee)
            && let Some(offset) = frame(Register::RSI)
        {
            self.reads[at].push(offset..offset + i64::from(size));
        }
        for memory in &step.memory {
            let Some(base) = frame(memory.base()).filter(|_| memory.index() == Register::None) else { continue };
            let own = memory.base() == Register::RSP
                && (is_call && memory.access() == OpAccess::Write || instruction.mnemonic() == Mnemonic::Ret);
            if own {
                // The return address.
                continue;
            }
            let start = base.wrapping_add(memory.displacement() as i64);
            let range = start..start + memory.memory_size().size() as i64;
            self.arguments = self.arguments.max(range.end);
            if memory.access() == OpAccess::Write && !instruction.is_string_instruction() {
                self.writes[at].push(range);
            } else if memory.access() != OpAccess::NoMemAccess {
                self.reads[at].push(range);
            }
        }
        let zeroes = instruction.mnemonic() == Mnemonic::Xor
            && instruction.op_kind(0) == OpKind::Register
            && instruction.op_kind(1) == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
        let (mut read, mut written) = (0, 0);
        for used in &step.registers {
            let Some(number) = saved_number(used.register()) else { continue };
            let (low, rest): (u16, u16) = (1 << number, 1 << (number + REST));
            let register = used.register();
            // The second byte of a register has a name of its own.
            let is_second = matches!(register, Register::BH);
            if reads(used.access()) && !zeroes {
                read |= match register.size() {
                    1 if is_second => rest,
                    1 => low,
                    _ => low | rest,
                };
            }
            if matches!(used.access(), OpAccess::Write | OpAccess::ReadWrite) {
                // A write of four bytes sets the others to 0.
                written |= match register.size() {
                    1 if is_second => 0,
                    1 | 2 => low,
                    _ => low | rest,
                };
            }
        }
        self.used[at] = (read, written);
    }

    fn run(&mut self, code: &[Step], states: &[Option<State>], pads: &[usize]) -> Result<(), &'static str> {
        let words = self.live.first().map_or(0, Vec::len);
        let mut passes = 0;
        let mut changed = true;
        let mut bits = vec![0u64; words];
        while std::mem::take(&mut changed) {
            passes += 1;
            if passes > 200 {
                return Err("no end");
            }
            for at in (0..code.len()).rev() {
                let Some(state) = &states[at] else { continue };
                bits.fill(0);
                let mut registers = 0;
                for next in &code[at].next {
                    let away =
                        code[at].instruction.flow_control() == FlowControl::Return || state[RSP] == Value::Frame(-8);
                    match *next {
                        Next::To(to) => self.join(to, &mut bits, &mut registers),
                        Next::Away if away => {}
                        Next::Away | Next::Anywhere => {
                            bits.fill(!0);
                            registers = !0;
                        }
                    }
                }
                if code[at].instruction.mnemonic() == Mnemonic::Call {
                    pads.iter().for_each(|&pad| self.join(pad, &mut bits, &mut registers));
                }
                self.writes[at].iter().for_each(|range| self.set(&mut bits, range, false));
                self.reads[at].iter().for_each(|range| self.set(&mut bits, range, true));
                let (read, written) = self.used[at];
                registers = registers & !written | read;
                if bits != self.live[at] || registers != self.registers[at] {
                    self.live[at].copy_from_slice(&bits);
                    self.registers[at] = registers;
                    changed = true;
                }
            }
        }
        Ok(())
    }

    fn join(&self, at: usize, bits: &mut [u64], registers: &mut u16) {
        bits.iter_mut().zip(&self.live[at]).for_each(|(bits, live)| *bits |= live);
        *registers |= self.registers[at];
    }

    fn set(&self, bits: &mut [u64], range: &Range<i64>, on: bool) {
        for offset in range.start.max(self.low)..range.end.min(0) {
            let bit = (offset - self.low) as usize;
            if on { bits[bit / 64] |= 1 << (bit % 64) } else { bits[bit / 64] &= !(1 << (bit % 64)) }
        }
    }
}
