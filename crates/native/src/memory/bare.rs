//! What happens when the program runs into a trap in front of an access that the compiler has not instrumented
//! (`build/bare.rs` puts them there): what the instruction touches is looked at as if it had been reported.

use crate::build::bare::{MARK, TRAP};
use crate::calls::abi::{self, bring_up_to_date, overwrite};
use crate::check::order;
use crate::machine::{Machine, machine};
use crate::memory::shadow::{Fault, Touch, mask_of};
use crate::memory::{address_space, own, proc_maps, zones};
use iced_x86::{InstructionInfoFactory, OpAccess, OpKind, Register};
use quotient_runtime::native;

/// An instruction that does nothing.
const NOTHING: [u8; 1] = [0x90];

/// Whether an instruction that may not be run, and that the processor has read, is one of the traps.
pub(crate) fn is_mark(pc: usize) -> bool {
    // SAFETY: the instruction is there, and code goes on behind it.
    unsafe { *(pc as *const u8) == TRAP && *((pc + 1) as *const [u8; MARK.len()]) == MARK }
}

/// What an access has done wrong, until it is reported.
pub(crate) struct Wrong {
    fault: Fault,
    address: usize,
    size: usize,
    touch: Touch,
    pc: usize,
}

/// Looks at what the instruction behind a trap touches, with these registers, and lets it be the next. True if it does something
/// wrong: then [`report`] is to be called instead.
pub(crate) fn look(registers: &mut [i64]) -> bool {
    let pc = registers[libc::REG_RIP as usize] as usize;
    let next = pc + 1 + MARK.len();
    registers[libc::REG_RIP as usize] = next as i64;
    let machine = machine();
    if !machine.running.get() {
        return false;
    }
    let mut is_shared = false;
    for (address, size, touch) in accesses(next, registers) {
        // A copy of no bytes says nothing of the next one.
        is_shared |= size == 0;
        let mut at = address;
        while at < address.saturating_add(size) {
            let part = (8 - (at & 7)).min(address + size - at);
            match look_at(machine, at, part, touch, next + 1) {
                Ok(shared) => is_shared |= shared,
                Err(fault) => {
                    machine.wrong.set(Some(Wrong { fault, address: at, size: part, touch, pc: next + 1 }));
                    return true;
                }
            }
            at += part;
        }
    }
    if !is_shared || own::is_private(next, registers) {
        // Constants stay where they are, and what only one function knows does not become known.
        order::remove(pc, &NOTHING);
    }
    false
}

/// Looks at an access within 8 bytes. Whether it is to memory of the program that can change.
fn look_at(machine: &Machine, address: usize, size: usize, touch: Touch, pc: usize) -> Result<bool, Fault> {
    let Some(cell) = machine.cell(address) else {
        let is_allowed = zones::is_map(address) || proc_maps::may_access(machine, address, size, touch.writes());
        return if is_allowed { Ok(false) } else { Err(Fault::Outside) };
    };
    match machine.touch(cell, address, size, touch, pc) {
        Err(Fault::Race(_) | Fault::Place(_)) if native::is_supposing() || machine.is_of_library(address) => {}
        other => other?,
    }
    if touch.writes() {
        // With the pattern that it fills a local variable with, the compiler writes nothing.
        if !address_space::is_on_stack(address, machine.here.get().thread) {
            cell.note_written(mask_of(address, size));
        }
        overwrite(machine, cell, address, size);
    } else if cell.has_location() {
        bring_up_to_date(machine, address, size);
    }
    if machine.is_noting() {
        machine.note_access(address, size, touch, pc);
    }
    Ok(true)
}

/// The explicit accesses of an instruction, with these registers.
fn accesses(pc: usize, registers: &[i64]) -> Vec<(usize, usize, Touch)> {
    let instruction = order::read(pc);
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(&instruction);
    let value = |register: Register, _: usize, _: usize| {
        Some(if register.is_gpr() { order::full(register, registers) } else { 0 })
    };
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    let size = instruction.memory_size().size();
    let mut list = Vec::new();
    for operand in 0..instruction.op_count() {
        let times = match instruction.op_kind(operand) {
            OpKind::Memory => 1,
            OpKind::MemorySegRSI | OpKind::MemoryESRDI if repeated => order::full(Register::RCX, registers) as usize,
            OpKind::MemorySegRSI | OpKind::MemoryESRDI => 1,
            _ => continue,
        };
        let Some(address) = instruction.virtual_address(operand, 0, value) else { continue };
        let (reads, writes) = match info.op_access(operand) {
            OpAccess::Read | OpAccess::CondRead => (true, false),
            OpAccess::Write | OpAccess::CondWrite => (false, true),
            OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
            _ => continue,
        };
        let bytes = size.saturating_mul(times);
        list.extend(reads.then_some((address as usize, bytes, Touch::Read)));
        list.extend(writes.then_some((address as usize, bytes, Touch::Write)));
    }
    list
}

/// Reports what an access has done wrong; the thread does not go on.
pub(crate) extern "C" fn report() -> ! {
    if let Some(Wrong { fault, address, size, touch, pc }) = machine().wrong.take() {
        abi::fail(fault, address, size, touch, pc);
    }
    native::give_up()
}
