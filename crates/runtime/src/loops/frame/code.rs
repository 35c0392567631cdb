//! The instructions of a function, and where each of them may lead.

use super::{RSP, State, Value, table, target};
use crate::loops::unwind;
use crate::native::Callee;
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    UsedMemory, UsedRegister,
};
use std::collections::HashMap;
use std::ops::Range;

/// Longer functions are compared as a whole.
pub(super) const MOST_INSTRUCTIONS: usize = 20_000;

/// An instruction, and what it uses.
pub(super) struct Step {
    pub instruction: Instruction,
    pub registers: Vec<UsedRegister>,
    pub memory: Vec<UsedMemory>,
    /// How each operand is accessed.
    pub operands: Vec<OpAccess>,
    pub next: Vec<Next>,
    /// Where the program goes on if this is a call that ends by an exception, and that is caught.
    pub pad: Option<Pad>,
}

/// Where an exception is caught.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pad {
    /// The instruction, if it is one of the function's.
    pub at: Next,
    /// How far the stack pointer is above where the call leaves it: what was passed there is gone.
    pub passed: i64,
}

impl Step {
    pub(super) fn is_call(&self) -> bool {
        matches!(self.instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
    }

    /// Where the program may go after the instruction, or after a call that it is ends by an exception.
    pub(super) fn all_next(&self) -> impl Iterator<Item = Next> + '_ {
        self.next.iter().copied().chain(self.pad.map(|pad| pad.at))
    }
}

/// Where the program may go after an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    To(usize),
    /// It leaves the function.
    Away,
    /// Nobody knows.
    Anywhere,
}

/// The instructions of the function from `start` to `end`, and of the parts of it that were moved away.
pub(super) fn decode(start: usize, end: usize) -> Result<Vec<Step>, &'static str> {
    let mut code = Vec::new();
    let mut parts: Vec<Range<usize>> = std::iter::once(start..end).collect();
    let mut handlers = Vec::new();
    for number in 0.. {
        let Some(part) = parts.get(number).cloned() else { break };
        let first = code.len();
        decode_part(part.clone(), &mut code)?;
        let caught = unwind::handlers(part.start).ok_or("unknown handlers of exceptions")?;
        let mut handler = Vec::with_capacity(code.len() - first);
        for step in &code[first..] {
            let last = step.instruction.next_ip() as usize - 1;
            handler.push(if step.is_call() { caught.of_call(last)? } else { None });
        }
        let jumps = code[first..].iter().filter_map(jump).chain(handler.iter().flatten().map(|&(address, _)| address));
        for address in jumps {
            if !parts.iter().any(|part| part.contains(&address)) {
                parts.extend(unwind::part_at(address));
            }
        }
        handlers.extend(handler);
    }
    let index: HashMap<u64, usize> = code.iter().enumerate().map(|(at, step)| (step.instruction.ip(), at)).collect();
    for at in 0..code.len() {
        let next = successors(&code, &index, at)?;
        code[at].next = next;
        code[at].pad = handlers[at].map(|(address, passed)| {
            let at = index.get(&(address as u64)).map_or(Next::Anywhere, |&at| Next::To(at));
            Pad { at, passed }
        });
    }
    Ok(code)
}

fn decode_part(part: Range<usize>, code: &mut Vec<Step>) -> Result<(), &'static str> {
    // SAFETY: the unwinder has said that this is the code of a function, which stays where it is.
    let bytes = unsafe { std::slice::from_raw_parts(part.start as *const u8, part.len()) };
    let mut decoder = Decoder::with_ip(64, bytes, part.start as u64, DecoderOptions::NONE);
    let mut factory = InstructionInfoFactory::new();
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
            pad: None,
        });
        if code.len() > MOST_INSTRUCTIONS {
            return Err("a long function");
        }
    }
    Ok(())
}

/// Where an instruction jumps to, if it says so itself.
pub(super) fn jump(step: &Step) -> Option<usize> {
    let is_jump =
        matches!(step.instruction.flow_control(), FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch);
    is_jump.then(|| step.instruction.near_branch_target() as usize)
}

fn successors(code: &[Step], index: &HashMap<u64, usize>, at: usize) -> Result<Vec<Next>, &'static str> {
    let instruction = &code[at].instruction;
    let to = |address: u64| index.get(&address).map_or(Next::Away, |&at| Next::To(at));
    let is_followed = code.get(at + 1).is_some_and(|next| next.instruction.ip() == instruction.next_ip());
    let following = || if is_followed { vec![Next::To(at + 1)] } else { Vec::new() };
    Ok(match instruction.flow_control() {
        FlowControl::Call | FlowControl::IndirectCall if target::never_returns(instruction) => Vec::new(),
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
        FlowControl::IndirectBranch => table::targets(code, index, at).unwrap_or_else(|| vec![Next::Anywhere]),
        FlowControl::Interrupt | FlowControl::Exception => Vec::new(),
        _ => return Err("an unusual jump"),
    })
}

/// Whether an instruction that leads away from a function leaves it for good. Else it is a jump to a part of the function
/// of which nothing is known.
pub(super) fn leaves(step: &Step, state: &State) -> bool {
    step.instruction.flow_control() == FlowControl::Return || state[RSP] == Value::Frame(-8)
}

/// Where the program may come from to each instruction.
pub(super) struct Before {
    /// From where, by instruction.
    from: Vec<Vec<usize>>,
    /// The instructions after which it may come anywhere.
    anywhere: Vec<usize>,
}

impl Before {
    /// `leaves` says whether an instruction leaves the function for good.
    pub(super) fn new(code: &[Step], leaves: impl Fn(usize) -> bool) -> Self {
        let mut before = Before { from: vec![Vec::new(); code.len()], anywhere: Vec::new() };
        for (at, step) in code.iter().enumerate() {
            for next in step.all_next() {
                match next {
                    Next::To(to) => before.from[to].push(at),
                    Next::Away if leaves(at) => {}
                    Next::Away | Next::Anywhere => before.anywhere.push(at),
                }
            }
        }
        before
    }

    /// For each instruction, whether the program may come from there to the instruction `at`, in at least one step.
    pub(super) fn reaching(&self, at: usize) -> Vec<bool> {
        let mut comes = vec![false; self.from.len()];
        let mut work = self.anywhere.clone();
        work.iter().for_each(|&from| comes[from] = true);
        work.push(at);
        while let Some(to) = work.pop() {
            for &from in &self.from[to] {
                if !std::mem::replace(&mut comes[from], true) {
                    work.push(from);
                }
            }
        }
        comes
    }
}

pub(super) fn reads(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

pub(in crate::loops) fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// What an instruction calls, if it is a call.
pub(super) fn called(step: &Step, callee: &dyn Fn(usize) -> Callee) -> Callee {
    match step.instruction.flow_control() {
        FlowControl::Call => callee(step.instruction.near_branch_target() as usize),
        _ => Callee::Unknown,
    }
}

/// Whether an instruction sets a register to zero, in a way that looks as if it read the register.
pub(super) fn zeroes(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Xor
        && instruction.op_kind(0) == OpKind::Register
        && instruction.op_kind(1) == OpKind::Register
        && instruction.op0_register() == instruction.op1_register()
}
