//! Accesses to memory that the compiler has not instrumented: copies of structures that are passed by value, results that are
//! built in place, `long double` and odd bit-fields with Clang, outputs of inline assembly, and so on.
//!
//! In the assembly, an access is instrumented if a call that reports as many bytes comes right before it, without another call in
//! between. In front of every other access to memory that may be shared stands a trap, and when the program runs into it,
//! what the instruction is about to touch is looked at as if it had been reported (`memory/bare.rs`). To report an access twice
//! does no harm, so the pass need not know exactly.
//!
//! Clang without optimisation also leaves out what a function does to a part of a variable of its own, whoever knows the variable.
//! There, accesses to the frame get traps as well (`build/own.rs`).

use crate::build::addresses::{Instruction, is_memory, parse};
use crate::build::frames;
use crate::build::inline_asm::Lines;
use crate::build::own::{self, Frames};
use std::collections::BTreeSet;

/// Stands in front of an access that needs a trap, in a line of its own.
pub(crate) const PLACE: &str = ".quotient_bare";

/// An instruction that no program may run; for whoever follows the code, it goes on behind it.
pub(crate) const TRAP: u8 = 0xF4;
/// What follows it: one that does nothing, with a number that no compiler writes.
pub(crate) const MARK: [u8; 7] = [0x0F, 0x1F, 0x80, b'Q', b'b', b'a', b'r'];
/// The assembly of a trap.
pub(crate) fn trap() -> String {
    format!("\thlt\n\t.byte {}\n", MARK.map(|byte| byte.to_string()).join(","))
}

/// The assembly with places for traps, and accesses that cannot be looked at: what they are, and where. `parts_unseen`: the
/// compiler has left out parts of variables that are in a function's own frame.
pub(crate) fn mark(assembly: &str, parts_unseen: bool) -> (String, BTreeSet<String>) {
    let mut unseen = BTreeSet::new();
    if assembly.contains(".intel_syntax") {
        return (assembly.to_owned(), unseen);
    }
    let mut out = String::with_capacity(assembly.len() * 2);
    let mut lines = Lines::default();
    // How many bytes the last call has reported.
    let mut reported = 0;
    let mut frames = if parts_unseen { Frames::new(assembly) } else { Frames::default() };
    for (number, line) in assembly.lines().enumerate() {
        lines.follow(line);
        if parts_unseen {
            frames.follow(line);
        }
        if let Some(instruction) = parse(line).filter(|_| !lines.is_inline()) {
            if parts_unseen {
                if frames.gives_away(number) {
                    out.push_str(&own::given_away());
                } else if frames.needs_trap(&instruction, line) {
                    out.push_str(&format!("\t{PLACE}\n"));
                }
            }
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

/// Whether an operand is in memory that other threads may know of. A thread's own stack is not, nor are constants, nor
/// what is known of its frames.
fn is_shared(operand: &str) -> bool {
    let is_own = operand.contains("(%rsp") || operand.contains("(%rbp") || operand.contains("%fs");
    let is_constant = operand.starts_with(".L");
    is_memory(operand) && !is_own && !is_constant && !frames::is_of_map(operand)
}

/// Whether an instruction touches some of its memory only, which depends on vectors or masks.
fn is_partial(instruction: &Instruction<'_>) -> bool {
    let name = instruction.name;
    let masked = instruction.operands.iter().any(|operand| operand.contains("{%k"));
    let scattered = ["gather", "scatter", "maskmov"].iter().any(|part| name.contains(part));
    scattered || masked && instruction.operands.iter().any(|operand| is_memory(operand))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instructions that get a trap.
    fn marked(assembly: &str) -> Vec<String> {
        let (text, _) = mark(assembly, false);
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
        let (_, unseen) = mark("\t.file 1 \"a.c\"\n\t.loc 1 7 3\n\tvpgatherdd\t%ymm1, (%rax,%ymm0,4), %ymm2\n", false);
        assert_eq!(Vec::from_iter(unseen), ["memory touched by `vpgatherdd` is not checked (a.c:7)"]);
    }
}
