//! Room around local variables: Clang lays out frames as for AddressSanitizer beside ThreadSanitizer's calls, which its driver
//! does not allow and its passes do. What it does for that is not the program's own: here it is told from the rest.

use crate::build::addresses::{Instruction, is_label, parse, register};
use crate::memory::zones;
use std::collections::HashSet;
use std::ffi::OsString;

/// What Clang is told. Accesses are reported to Quotient anyway, so none is instrumented twice.
pub(crate) const FLAGS: [&str; 26] = [
    "-Xclang",
    "-fsanitize=address",
    "-Xclang",
    "-fsanitize-address-use-after-scope",
    "-mllvm",
    "-asan-instrument-reads=0",
    "-mllvm",
    "-asan-instrument-writes=0",
    "-mllvm",
    "-asan-instrument-atomics=0",
    "-mllvm",
    "-asan-instrument-byval=0",
    "-mllvm",
    "-asan-globals=0",
    "-mllvm",
    "-asan-use-after-return=never",
    // Frames stay where they are, so that the debug information says where variables are.
    "-mllvm",
    "-asan-stack-dynamic-alloca=0",
    "-mllvm",
    "-asan-realign-stack=16",
    "-mllvm",
    "-asan-max-inline-poisoning-size=64",
    "-mllvm",
    "-asan-mapping-offset=2147450880",
    "-mllvm",
    "-asan-mapping-scale=3",
];

/// Options without these: Clang does not say what it fills with a call if that call is instrumented.
pub(crate) fn without(mut options: Vec<OsString>) -> Vec<OsString> {
    if let Some(start) = options.windows(FLAGS.len()).position(|some| some.iter().zip(FLAGS).all(|(one, flag)| *one == flag)) {
        options.drain(start..start + FLAGS.len());
    }
    options
}

/// Whether a number in code is one of the map of what is room.
pub(crate) fn is_of_map(text: &str) -> bool {
    let number = text.trim_start_matches('$');
    let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().is_ok_and(|number: i64| zones::IN_CODE.contains(&number))
}

/// Whether an instruction has such a number.
pub(crate) fn uses_map(instruction: &Instruction<'_>) -> bool {
    instruction.operands.iter().any(|operand| is_of_map(operand))
}

/// The number with which a frame with such room begins.
const FRAME: &str = "$1102416563";

/// What functions do with the addresses of their own variables, and of the map. In code that is not optimised, Clang computes
/// them at the beginning of a function with such room, and spills them.
#[derive(Default)]
pub(crate) struct Own<'a> {
    /// The registers that have such an address, a bit for each; and that which has the frame in all of the function.
    registers: u32,
    base: u32,
    slots: HashSet<&'a str>,
    /// Slots of this function that have something else as well.
    mixed: HashSet<&'a str>,
}

impl<'a> Own<'a> {
    /// What a function has, whose lines these are.
    pub(crate) fn of_function(lines: &[&'a str]) -> Self {
        let mut own = Own::default();
        if !lines.iter().any(|line| line.contains(FRAME)) {
            return own;
        }
        loop {
            let known = own.mixed.len();
            own.slots.clear();
            lines.iter().for_each(|line| own.follow(line, parse(line).as_ref()));
            (own.registers, own.base) = (0, 0);
            if own.mixed.len() == known {
                return own;
            }
        }
    }

    /// Goes on to the next line.
    pub(crate) fn follow(&mut self, line: &'a str, instruction: Option<&Instruction<'a>>) {
        let Some(instruction) = instruction else {
            if is_label(line) {
                self.registers = 0;
            }
            return;
        };
        let spills = line.contains("8-byte Spill");
        match (instruction.name, instruction.operands.as_slice()) {
            (name, _) if name.starts_with("call") => self.registers = 0,
            ("movq", &[from, slot]) if spills => {
                if self.is_address(from) && !self.mixed.contains(slot) {
                    self.slots.insert(slot);
                } else {
                    self.slots.remove(slot);
                    self.mixed.insert(slot);
                }
            }
            ("movq", &["%rsp", "%rbx"]) => self.base |= bit("%rbx"),
            ("movq", &[from, to]) => {
                let is_address = if line.contains("8-byte Reload") { self.slots.contains(from) } else { self.is_address(from) };
                self.set(to, is_address);
            }
            ("leaq", &[from, to]) => self.set(to, self.begins_at_address(from)),
            ("addq" | "shrq", &[number, _]) if number.starts_with('$') => {}
            (name, operands) => {
                if ["mul", "imul", "div", "idiv", "c", "xchg", "xadd"].iter().any(|start| name.starts_with(start)) {
                    self.registers = 0;
                }
                if let Some(to) = operands.last() {
                    self.set(to, false);
                }
            }
        }
    }

    /// Whether an operand is memory that such an address leads to.
    pub(crate) fn has(&self, operand: &str) -> bool {
        !self.slots.is_empty() && self.begins_at_address(operand)
    }

    fn is_address(&self, register: &str) -> bool {
        matches!(register, "%rsp" | "%rbp") || (self.registers | self.base) & bit(register) != 0
    }

    fn begins_at_address(&self, operand: &str) -> bool {
        let base = operand.split_once('(').map(|(_, inside)| inside.split([',', ')']).next().unwrap_or_default());
        base.is_some_and(|base| self.is_address(base))
    }

    fn set(&mut self, register: &str, is_address: bool) {
        self.registers = self.registers & !bit(register) | if is_address { bit(register) } else { 0 };
    }
}

/// A bit for a register; 0 for anything else.
fn bit(operand: &str) -> u32 {
    register(operand).map_or(0, |(number, _)| 1 << number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spilled_at_the_beginning_is_known_later() {
        let text = "f:\n\tleaq\t128(%rbx), %rax\n\tmovq\t$1102416563, (%rax)\n\tmovq\t%rax, 64(%rsp) # 8-byte Spill\n\
                    \tmovq\t(%rcx), %rdx\n\tmovq\t%rdx, 72(%rsp) # 8-byte Spill\n\
                    .L1:\n\tmovq\t64(%rsp), %rcx # 8-byte Reload\n\tmovl\t%eax, (%rcx,%rdx,4)\n\
                    \tmovq\t72(%rsp), %rcx # 8-byte Reload\n\tmovl\t%eax, (%rcx,%rdx,4)\n";
        let text = text.replace("128(%rbx)", "128(%rsp)");
        let lines: Vec<&str> = text.lines().collect();
        let mut own = Own::of_function(&lines);
        let mut found = Vec::new();
        for line in &lines {
            let instruction = parse(line);
            found.extend(instruction.iter().filter_map(|one| one.operands.get(1)).map(|operand| own.has(operand)));
            own.follow(line, instruction.as_ref());
        }
        assert_eq!(found, [false, true, true, false, true, false, true, false, false]);
    }

    #[test]
    fn numbers_of_the_map_are_known() {
        assert!(is_of_map("2147450880(%rax)") && is_of_map("$2147450884"));
        assert!(!is_of_map("8(%rax)") && !is_of_map("$-8") && !is_of_map("%rax"));
    }
}
