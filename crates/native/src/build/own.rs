//! What a function does to its own frame, where Clang has not optimised: of a variable whose address is given away, Clang reports
//! accesses to the whole, and leaves out those to a part, such as `s.x` or `a[2]`.
//!
//! In a function that gives away an address of its frame, every access to the frame that was not reported gets a trap. Where the
//! address is made, there is a mark. When the program first runs into a trap, it is known which variable is accessed
//! (`memory/own.rs`): if no mark is about this variable, nobody else knows it, and the trap is removed.

use crate::build::addresses::{Instruction, is_memory, parse};
use std::collections::HashSet;

/// The mark: an instruction that does nothing, with a number that no compiler writes.
pub(crate) const GIVEN_AWAY: [u8; 7] = [0x0F, 0x1F, 0x80, b'Q', b'o', b'w', b'n'];

/// Functions that do not keep the addresses that they are given: those of the instrumentation, by how their names begin, and others.
const FORGET_BY_PREFIX: [&str; 2] = ["__tsan_", "quotient_declared"];
const FORGET: [&str; 3] = ["memset", "memcpy", "memmove"];

/// The assembly of the mark.
pub(crate) fn given_away() -> String {
    format!("\t.byte {}\n", GIVEN_AWAY.map(|byte| byte.to_string()).join(","))
}

/// The frames of the functions of a file.
#[derive(Default)]
pub(crate) struct Frames<'a> {
    /// For each function, the registers by which it comes to variables that it gives away.
    functions: Vec<Vec<&'static str>>,
    /// The lines where it does so.
    given_away: HashSet<usize>,
    /// How many functions have begun.
    count: usize,
    /// The last address that was computed for a call, and the one that the last call was told.
    address: Option<&'a str>,
    told: Option<&'a str>,
}

impl<'a> Frames<'a> {
    pub(crate) fn new(assembly: &'a str) -> Self {
        let lines: Vec<&str> = assembly.lines().collect();
        let mut frames = Frames::default();
        for (at, line) in lines.iter().enumerate() {
            if line.trim_start().starts_with(".cfi_startproc") {
                frames.functions.push(Vec::new());
            }
            let Some(instruction) = parse(line).filter(|one| one.name.starts_with("lea")) else { continue };
            let Some(register) = instruction.operands.first().and_then(|operand| frame_register(operand)) else { continue };
            let target = instruction.operands.last().copied().unwrap_or_default();
            if !is_forgotten(target, &lines[at + 1..]) {
                frames.given_away.insert(at);
                if let Some(known) = frames.functions.last_mut().filter(|known| !known.contains(&register)) {
                    known.push(register);
                }
            }
        }
        frames
    }

    /// Goes on to the next line.
    pub(crate) fn follow(&mut self, line: &'a str) {
        if line.trim_start().starts_with(".cfi_startproc") {
            self.count += 1;
        }
        let Some(instruction) = parse(line) else { return };
        if instruction.name.starts_with("call") {
            let is_report = instruction.operands.first().is_some_and(|name| name.starts_with("__tsan_"));
            self.told = self.address.take().filter(|_| is_report);
        } else if instruction.operands.last() == Some(&"%rdi") {
            self.address = instruction.operands.first().copied().filter(|_| instruction.name.starts_with("lea"));
        }
    }

    /// Whether an address of the frame is given away in a line.
    pub(crate) fn gives_away(&self, line: usize) -> bool {
        self.given_away.contains(&line)
    }

    /// Whether an instruction accesses a frame in a way that must be looked at.
    pub(crate) fn needs_trap(&self, instruction: &Instruction<'_>, line: &str) -> bool {
        const BLIND: [&str; 6] = ["lea", "nop", "call", "jmp", "prefetch", "cmpxchg"];
        let Some(registers) = self.count.checked_sub(1).and_then(|at| self.functions.get(at)) else { return false };
        let is_kept_by_compiler = line.ends_with("Spill") || line.ends_with("Reload");
        if registers.is_empty() || is_kept_by_compiler || BLIND.iter().any(|name| instruction.name.starts_with(name)) {
            return false;
        }
        let is_unseen = |operand: &&str| {
            is_memory(operand)
                && frame_register(operand).is_some_and(|register| registers.contains(&register))
                && self.told != Some(*operand)
        };
        instruction.operands.iter().any(is_unseen)
    }
}

/// The register of the frame in an operand.
fn frame_register(operand: &str) -> Option<&'static str> {
    ["%rbp", "%rsp"].into_iter().find(|register| operand.split_once('(').is_some_and(|(_, rest)| rest.starts_with(register)))
}

/// Whether an address in a register goes to one of the functions that forget it, and nowhere else, in the lines that follow.
fn is_forgotten(register: &str, lines: &[&str]) -> bool {
    const ARGUMENTS: [(&str, &str); 2] = [("%rdi", "di"), ("%rsi", "si")];
    let Some((_, name)) = ARGUMENTS.into_iter().find(|(argument, _)| *argument == register) else { return false };
    let mut is_passed = false;
    for line in lines {
        let text = line.trim_start();
        if text.ends_with(':') && !text.starts_with(".Ltmp") {
            // At a label nothing but the frame has a meaning.
            return is_passed;
        }
        let Some(instruction) = parse(line) else { continue };
        let mentions = |part: &str| instruction.operands.iter().any(|operand| operand.contains(part));
        if is_passed {
            // Some of these functions return what they were given.
            if instruction.name.starts_with("call") || instruction.name.starts_with('j') || instruction.name.starts_with("ret") {
                return true;
            }
            if mentions("ax") || mentions("%al") {
                let target = instruction.operands.last().copied().unwrap_or_default();
                let sources = &instruction.operands[..instruction.operands.len().saturating_sub(1)];
                let is_zeroed = instruction.name.starts_with("xor");
                let is_read = sources.iter().any(|operand| operand.contains("ax") || operand.contains("%al"));
                let is_set = ["mov", "lea"].iter().any(|start| instruction.name.starts_with(start));
                return ["%rax", "%eax", "%al"].contains(&target) && (is_zeroed || is_set && !is_read);
            }
        } else if instruction.name.starts_with("call") {
            let target = instruction.operands.first().copied().unwrap_or_default();
            let forgets = FORGET.contains(&target.trim_end_matches("@PLT"))
                || FORGET_BY_PREFIX.iter().any(|start| target.starts_with(start));
            if !forgets {
                return false;
            }
            is_passed = true;
        } else if instruction.name.starts_with('j') || mentions(name) {
            return false;
        }
    }
    is_passed
}

#[cfg(test)]
mod tests {
    use crate::build::bare::{PLACE, mark};

    /// The instructions that get a trap, and how many marks there are.
    fn looked_at(assembly: &str) -> (Vec<String>, usize) {
        let (text, _) = mark(&format!("f:\n\t.cfi_startproc\n{assembly}\t.cfi_endproc\n"), true);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let traps = lines.windows(2).filter(|pair| pair[0] == PLACE).map(|pair| pair[1].to_owned()).collect();
        (traps, lines.iter().filter(|line| **line == super::given_away().trim()).count())
    }

    #[test]
    fn what_nobody_is_told_of_needs_no_trap() {
        let own = "\tmovl\t$1, -8(%rbp)\n\tleaq\t-16(%rbp), %rdi\n\tcallq\t__tsan_write4@PLT\n\tmovl\t$2, -16(%rbp)\n";
        assert_eq!(looked_at(own), (vec![], 0));
        let filled = "\tleaq\t-64(%rbp), %rdi\n\txorl\t%esi, %esi\n\tcallq\tmemset@PLT\n\tmovl\t-8(%rbp), %eax\n";
        assert_eq!(looked_at(filled), (vec![], 0));
    }

    #[test]
    fn what_is_given_away_is_looked_at() {
        let given = "\tleaq\t-40(%rbp), %rcx\n\tcallq\tpthread_create@PLT\n\tmovl\t$1, -36(%rbp)\n";
        assert_eq!(looked_at(given), (vec!["movl\t$1, -36(%rbp)".to_owned()], 1));
        let returned = "\tleaq\t-40(%rbp), %rdi\n\tcallq\tmemset@PLT\n\tmovq\t%rax, x(%rip)\n\tmovl\t$1, -36(%rbp)\n";
        assert_eq!(looked_at(returned).1, 1);
        let kept = "\tleaq\t-40(%rbp), %rdi\n\tcallq\tmemcpy_and_keep@PLT\n\tmovl\t$1, -36(%rbp)\n";
        assert_eq!(looked_at(kept).1, 1);
    }

    #[test]
    fn what_is_reported_or_the_compilers_own_is_not() {
        let text = "\tleaq\t-40(%rbp), %rsi\n\tcallq\tuse\n\tleaq\t-40(%rbp), %rdi\n\tcallq\t__tsan_read4@PLT\n\
                    \tmovl\t-40(%rbp), %eax\n\tmovq\t%rax, -88(%rbp)                 # 8-byte Spill\n";
        assert_eq!(looked_at(text), (vec![], 1));
    }
}
