//! The instructions of a function, and where each of them may lead.

use crate::native::Callee;
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    UsedMemory, UsedRegister,
};
use std::collections::{BTreeSet, HashMap};

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

pub(super) fn decode(start: usize, end: usize) -> Result<Vec<Step>, &'static str> {
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

pub(super) fn successors(code: &[Step], index: &HashMap<u64, usize>, at: usize) -> Result<Vec<Next>, &'static str> {
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
pub(super) fn table(code: &[Step], index: &HashMap<u64, usize>, at: usize) -> Option<Vec<Next>> {
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
