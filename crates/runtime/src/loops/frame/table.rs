//! Jumps through a table of offsets, which compilers make of a `switch` or a `match`.

use super::code::{Next, Step, jump, writes};
use super::{CLOBBERED, number};
use crate::loops::unwind;
use iced_x86::{FlowControl, Mnemonic, OpKind};
use std::collections::{BTreeSet, HashMap};

/// The address of the table is computed at most so many instructions before the jump.
const SHORTLY: usize = 16;
/// Longer tables are not looked at.
const LONGEST: u64 = 1024;

/// The targets of the jump `at` through a table whose address was computed shortly before. How long the table is is not
/// known: it ends where an entry leads out of the function. What follows it may look like more entries, which does no harm.
pub(super) fn targets(code: &[Step], index: &HashMap<u64, usize>, at: usize) -> Option<Vec<Next>> {
    let table = address(code, at)?;
    let mut targets = BTreeSet::new();
    let mut entry = 0;
    let end = loop {
        // SAFETY: the table is in read-only data next to the code, and is followed by other data or by the end of a page
        // that is mapped: reading stops at the first entry that is none.
        let offset = unsafe { std::ptr::read_unaligned((table + 4 * entry) as *const i32) };
        let target = table.wrapping_add_signed(i64::from(offset));
        match index.get(&target) {
            Some(&target) => targets.insert(target),
            None => break target,
        };
        entry += 1;
        if entry == LONGEST {
            return None;
        }
    };
    // The last one is none: unless it leads to a part of the function that nothing else leads to.
    let is_end = unwind::part_at(end as usize).is_none() && least(code, at).is_none_or(|least| least <= entry);
    (is_end && !targets.is_empty()).then(|| targets.into_iter().map(Next::To).collect())
}

/// The instructions before a jump that are done whenever it is, from the last one back.
fn before(code: &[Step], at: usize) -> impl Iterator<Item = &Step> {
    let from = at.saturating_sub(SHORTLY);
    let first = code[from].instruction.ip() as usize;
    let last = code[at].instruction.ip() as usize;
    let entered: BTreeSet<usize> = code.iter().filter_map(jump).filter(|to| (first..=last).contains(to)).collect();
    let mut is_over = entered.contains(&last);
    code[from..at].iter().rev().take_while(move |step| {
        let goes_on = matches!(step.instruction.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch);
        let is_taken = goes_on && !is_over;
        is_over |= entered.contains(&(step.instruction.ip() as usize));
        is_taken
    })
}

/// Where the table is: the jump goes to a sum, of which one part is the address of the table.
fn address(code: &[Step], at: usize) -> Option<u64> {
    let goal = number(code[at].instruction.op0_register())?;
    let mut before = before(code, at);
    let sum = &before.find(|step| changes(step, goal))?.instruction;
    let is_sum = sum.mnemonic() == Mnemonic::Add && sum.op0_register().is_gpr64() && sum.op1_kind() == OpKind::Register;
    let mut parts = vec![number(sum.op0_register())?, number(sum.op1_register())?];
    for step in before.take_while(|_| is_sum) {
        let changed = parts.iter().position(|&part| changes(step, part));
        match changed {
            Some(_) if is_address(step) => return Some(step.instruction.ip_rel_memory_address()),
            Some(part) => parts.swap_remove(part),
            None => continue,
        };
    }
    parts.into_iter().filter(|_| is_sum).find_map(|part| only_address(code, part))
}

/// What a register is set to, if it is set to the same address wherever the function does not restore it.
fn only_address(code: &[Step], register: usize) -> Option<u64> {
    let mut set = code.iter().filter(|step| changes(step, register) && step.instruction.mnemonic() != Mnemonic::Pop);
    let address = set.next().filter(|step| is_address(step))?.instruction.ip_rel_memory_address();
    let is_clobbered = CLOBBERED.into_iter().any(|one| number(one) == Some(register));
    let is_same = |step: &Step| is_address(step) && step.instruction.ip_rel_memory_address() == address;
    (!is_clobbered && set.all(is_same)).then_some(address)
}

/// Whether an instruction computes the address of a fixed place.
fn is_address(step: &Step) -> bool {
    step.instruction.mnemonic() == Mnemonic::Lea && step.instruction.is_ip_rel_memory_operand()
}

/// How many entries the table has at least, if a comparison shortly before the jump says it.
fn least(code: &[Step], at: usize) -> Option<u64> {
    let mut before = before(code, at);
    before.find(|step| step.instruction.mnemonic() == Mnemonic::Ja)?;
    let compared = &before.next()?.instruction;
    let is_number = !matches!(compared.op1_kind(), OpKind::Register | OpKind::Memory);
    (compared.mnemonic() == Mnemonic::Cmp && is_number).then(|| compared.immediate(1).saturating_add(1))
}

/// Whether an instruction changes a register.
fn changes(step: &Step, register: usize) -> bool {
    step.registers.iter().any(|used| number(used.register()) == Some(register) && writes(used.access()))
}
