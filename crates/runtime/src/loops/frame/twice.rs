//! Functions that may return more than once, such as `setjmp`: what their caller needs after the second time is not what the
//! code behind the first one says. A function that calls one is compared as a whole.

use super::code::Step;
use super::target::entry;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Mnemonic};
use std::collections::HashSet;

unsafe extern "C" {
    fn setjmp();
    fn _setjmp();
    fn __sigsetjmp();
    fn getcontext();
    fn vfork();
}

/// Whether an instruction calls a function that may return twice.
pub(super) fn may_return_twice(step: &Step) -> bool {
    let instruction = &step.instruction;
    let called = match instruction.flow_control() {
        FlowControl::Call => through_table(instruction.near_branch_target() as usize),
        FlowControl::IndirectCall if instruction.is_ip_rel_memory_operand() => Some(entry(instruction)),
        _ => None,
    };
    let twice = [setjmp, _setjmp, __sigsetjmp, getcontext, vfork].map(|function| function as *const () as usize);
    called.is_some_and(|called| twice.contains(&called))
}

/// Whether an instruction takes the address of one of the places inside its function. Who has it can jump there; compilers
/// do so themselves for `__builtin_setjmp`.
pub(super) fn keeps_place(step: &Step, places: &HashSet<usize>) -> bool {
    let instruction = &step.instruction;
    let is_address = instruction.mnemonic() == Mnemonic::Lea && instruction.is_ip_rel_memory_operand();
    is_address && places.contains(&(instruction.ip_rel_memory_address() as usize))
}

/// Where code leads that does nothing but jump through the table of functions of other libraries.
fn through_table(address: usize) -> Option<usize> {
    /// Two instructions are shorter.
    const LENGTH: usize = 16;
    // SAFETY: a function that is called directly is code of the same object; the linker puts what is shorter than this
    // into a table whose entries are as long.
    let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, LENGTH) };
    let decoder = Decoder::with_ip(64, bytes, address as u64, DecoderOptions::NONE);
    let jump = decoder.into_iter().take(2).find(|one| one.flow_control() != FlowControl::Next)?;
    let is_jump = jump.flow_control() == FlowControl::IndirectBranch && jump.is_ip_rel_memory_operand();
    is_jump.then(|| entry(&jump))
}
