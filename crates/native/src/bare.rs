//! Accesses to memory that the compiler has not instrumented: copies of structures that are passed by value, results that are
//! built in place, `long double` and odd bit-fields with Clang, outputs of inline assembly, and so on.
//!
//! In the assembly, an access is instrumented if a call that reports as many bytes comes right before it, without another call in
//! between. In front of every other access to memory that may be shared stands a trap, and when the program runs into it,
//! what the instruction is about to touch is looked at as if it had been reported. To report an access twice does no harm,
//! so the pass need not know exactly.

use crate::abi::{self, bring_up_to_date, overwrite};
use crate::addresses::{Instruction, is_memory, parse};
use crate::inline::Lines;
use crate::machine::{Machine, machine};
use crate::shadow::{Fault, Touch, mask_of};
use crate::{maps, order, world};
use iced_x86::{InstructionInfoFactory, OpAccess, OpKind, Register};
use quotient_runtime::native;
use std::collections::BTreeSet;

/// Stands in front of an access that needs a trap, in a line of its own.
pub(crate) const PLACE: &str = ".quotient_bare";

/// An instruction that no program may run; for whoever follows the code, it goes on behind it.
const TRAP: u8 = 0xF4;
/// What follows it: one that does nothing, with a number that no compiler writes.
const MARK: [u8; 7] = [0x0F, 0x1F, 0x80, b'Q', b'b', b'a', b'r'];
/// An instruction that does nothing.
const NOTHING: [u8; 1] = [0x90];

/// The assembly of a trap.
pub(crate) fn trap() -> String {
    format!("\thlt\n\t.byte {}\n", MARK.map(|byte| byte.to_string()).join(","))
}

/// The assembly with places for traps, and accesses that cannot be looked at: what they are, and where.
pub(crate) fn mark(assembly: &str) -> (String, BTreeSet<String>) {
    let mut unseen = BTreeSet::new();
    if assembly.contains(".intel_syntax") {
        return (assembly.to_owned(), unseen);
    }
    let mut out = String::with_capacity(assembly.len() * 2);
    let mut lines = Lines::default();
    // How many bytes the last call has reported.
    let mut reported = 0;
    for line in assembly.lines() {
        lines.follow(line);
        if let Some(instruction) = parse(line).filter(|_| !lines.is_inline()) {
            if instruction.name.starts_with("call") {
                reported = instruction.operands.first().map_or(0, |name| bytes_reported(name));
            } else if is_partial(&instruction) {
                unseen.insert(format!("memory touched by `{}` is not checked ({})", instruction.name, lines.place()));
            } else if let Some(size) = bytes_touched(&instruction) {
                if size > reported {
                    out.push('\t');
                    out.push_str(PLACE);
                    out.push('\n');
                } else {
                    reported -= size;
                }
            }
        }
        out.push_str(line);
        out.push('\n');
    }
    (out, unseen)
}

/// How many bytes a call reports: `__tsan_unaligned_read8@PLT`. Behind the call for an atomic load, Clang leaves the load.
fn bytes_reported(target: &str) -> usize {
    let name = target.split('@').next().unwrap_or_default();
    let Some(rest) = name.strip_prefix("__tsan_") else { return 0 };
    if rest.ends_with("_range") {
        return usize::MAX;
    }
    if rest.starts_with("vptr") {
        return 8;
    }
    let digits: String =
        rest.chars().skip_while(|one| !one.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let number = digits.parse().unwrap_or(0);
    if rest.starts_with("atomic") { number / 8 } else { number }
}

/// How many bytes of memory that may be shared an instruction touches; a bit more in doubt.
fn bytes_touched(instruction: &Instruction<'_>) -> Option<usize> {
    const BLIND: [&str; 9] = ["lea", "nop", "prefetch", "clflush", "clwb", "jmp", "lock", "cmpxchg", "notrack"];
    let name = instruction.name;
    if name.starts_with("rep") {
        return Some(usize::MAX);
    }
    if BLIND.iter().any(|start| name.starts_with(start)) || !instruction.operands.iter().any(|one| is_shared(one)) {
        return None;
    }
    let has = |register: &str| instruction.operands.iter().any(|operand| operand.starts_with(register));
    Some(match name {
        _ if has("%zmm") => 64,
        _ if has("%ymm") => 32,
        _ if has("%xmm") => match name {
            _ if name.ends_with("ss") || name.ends_with("movd") || name.contains("si2s") => 4,
            _ if ["sd", "movq", "movlps", "movlpd", "movhps", "movhpd"].iter().any(|end| name.ends_with(end)) => 8,
            _ => 16,
        },
        _ if name.starts_with("movz") || name.starts_with("movs") && name.len() == 6 => width(name.as_bytes().get(4)),
        "fldt" | "fstpt" => 16,
        "flds" | "fsts" | "fstps" => 4,
        _ if name.starts_with('f') => 8,
        _ => width(name.as_bytes().last()),
    })
}

/// The width that the last letter of an instruction says.
fn width(letter: Option<&u8>) -> usize {
    match letter {
        Some(b'b') => 1,
        Some(b'w') => 2,
        Some(b'l') => 4,
        _ => 8,
    }
}

/// Whether an operand is in memory that other threads may know of. A thread's own stack is not, nor are constants.
fn is_shared(operand: &str) -> bool {
    let is_own = operand.contains("(%rsp") || operand.contains("(%rbp") || operand.contains("%fs");
    let is_constant = operand.starts_with(".L");
    is_memory(operand) && !is_own && !is_constant
}

/// Whether an instruction touches some of its memory only, which depends on vectors or masks.
fn is_partial(instruction: &Instruction<'_>) -> bool {
    let name = instruction.name;
    let masked = instruction.operands.iter().any(|operand| operand.contains("{%k"));
    let scattered = ["gather", "scatter", "maskmov"].iter().any(|part| name.contains(part));
    scattered || masked && instruction.operands.iter().any(|operand| is_memory(operand))
}

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
    if !machine.running {
        return false;
    }
    let mut is_shared = false;
    for (address, size, touch) in accesses(next, registers) {
        let mut at = address;
        while at < address.saturating_add(size) {
            let part = (8 - (at & 7)).min(address + size - at);
            match look_at(machine, at, part, touch, next + 1) {
                Ok(shared) => is_shared |= shared,
                Err(fault) => {
                    machine.wrong = Some(Wrong { fault, address: at, size: part, touch, pc: next + 1 });
                    return true;
                }
            }
            at += part;
        }
    }
    if !is_shared {
        // Constants stay where they are.
        order::remove(pc, &NOTHING);
    }
    false
}

/// Looks at an access within 8 bytes. Whether it is to memory of the program that can change.
fn look_at(machine: &mut Machine, address: usize, size: usize, touch: Touch, pc: usize) -> Result<bool, Fault> {
    let Some(cell) = machine.cell(address) else {
        return if maps::may_access(machine, address, size, touch.writes()) { Ok(false) } else { Err(Fault::Outside) };
    };
    match machine.touch(cell, address, size, touch, pc) {
        Err(Fault::Race(_)) if native::is_supposing() || machine.is_of_library(address) => {}
        other => other?,
    }
    if touch.writes() {
        // With the pattern that it fills a local variable with, the compiler writes nothing.
        if !world::is_on_stack(address, machine.here.thread) {
            cell.written |= mask_of(address, size);
        }
        overwrite(machine, cell, address, size);
    } else if cell.has_location() {
        bring_up_to_date(machine, address, size);
    }
    if machine.likeness.is_noting() {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The instructions that get a trap.
    fn marked(assembly: &str) -> Vec<String> {
        let (text, _) = mark(assembly);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.windows(2).filter(|pair| pair[0] == PLACE).map(|pair| pair[1].to_owned()).collect()
    }

    #[test]
    fn what_a_call_has_reported_needs_no_trap() {
        assert_eq!(marked("\tcall\t__tsan_read4@PLT\n\tmovl\t(%rbx), %eax\n"), [""; 0]);
        assert_eq!(marked("\tcall\t__tsan_read8@PLT\n\tmovl\t(%rbx), %eax\n\tmovl\t4(%rbx), %ecx\n"), [""; 0]);
        assert_eq!(marked("\tcall\t__tsan_unaligned_write16@PLT\n\tmovups\t%xmm0, (%rbx)\n"), [""; 0]);
        assert_eq!(marked("\tcallq\t__tsan_atomic32_load@PLT\n\tmovl\t(%r14), %eax\n"), [""; 0]);
        assert_eq!(marked("\tcall\t__tsan_read1@PLT\n\tmovzbl\t(%rbx), %eax\n"), [""; 0]);
    }

    #[test]
    fn what_is_the_threads_own_needs_none() {
        let own = "\tmovq\t-8(%rbp), %rax\n\tmovq\t8(%rsp,%rax), %rcx\n\tmovss\t.LC0(%rip), %xmm0\n";
        assert_eq!(marked(own), [""; 0]);
        assert_eq!(marked("\tleaq\t(%rax), %rdi\n\tcall\t*(%rax)\n\tmovq\tx@GOTPCREL(%rip), %rax\n"), [""; 0]);
    }

    #[test]
    fn everything_else_needs_one() {
        assert_eq!(marked("\tcall\tmake\n\tmovq\t%rax, (%rbx)\n"), ["movq\t%rax, (%rbx)"]);
        assert_eq!(marked("\tcall\t__tsan_atomic8_load\n\tmovl\t%eax, x(%rip)\n"), ["movl\t%eax, x(%rip)"]);
        assert_eq!(marked("\tcall\t__tsan_read4\n\tmovl\t(%rbx), %eax\n\tfldt\t(%rbx)\n"), ["fldt\t(%rbx)"]);
        assert_eq!(marked("\trep movsq\n"), ["rep movsq"]);
        assert_eq!(marked("\tpushq\t8(%rax)\n"), ["pushq\t8(%rax)"]);
        assert_eq!(marked("\tcall\t__tsan_read8\n\tmovups\t(%rbx), %xmm0\n"), ["movups\t(%rbx), %xmm0"]);
    }

    #[test]
    fn what_cannot_be_looked_at_is_named() {
        let (_, unseen) = mark("\t.file 1 \"a.c\"\n\t.loc 1 7 3\n\tvpgatherdd\t%ymm1, (%rax,%ymm0,4), %ymm2\n");
        assert_eq!(Vec::from_iter(unseen), ["memory touched by `vpgatherdd` is not checked (a.c:7)"]);
    }
}
