//! Marks in the assembly of a program where it computes with addresses: where it orders or subtracts two of them, or takes
//! one for a number. Works on the text that the compiler has made, after `inline`.
//!
//! Like threads can be exchanged only if the program is blind to the numbers that their addresses are. To follow a
//! pointer, to add to it, to compare it for equality and to keep tags in its low or high bits is blind. In front of every
//! other instruction a few new ones look whether an operand is in the memory of the program's threads, whose addresses
//! have one byte in common (see `world`); if so, they run into a trap, and `order` looks further. They need no register
//! and no stack, and nothing depends on the flags that they change.

use crate::build::{bare, frames};
use std::collections::HashMap;

/// What follows the instruction that traps: one that does nothing, with a number that no compiler writes.
pub(crate) const MARK: [u8; 7] = [0x0F, 0x1F, 0x80, b'Q', b'a', b'd', b'r'];

/// The byte of an address that tells memory of the program's threads from other memory.
pub(crate) const BYTE: usize = 5;
/// What it is there.
pub(crate) const FIRST: u64 = 0x20;
const _: () =
    assert!(crate::memory::address_space::WORLD as u64 >> (8 * BYTE) == FIRST && crate::memory::address_space::SIZE <= 1 << (8 * BYTE));
const _: () = assert!(crate::memory::address_space::REGION == 0x800_0000);

/// The assembly with marks.
pub(crate) fn mark(assembly: &str) -> String {
    if assembly.contains(".intel_syntax") {
        return assembly.to_owned();
    }
    let lines: Vec<&str> = assembly.lines().collect();
    let code = Code::new(&lines);
    let mut out = String::with_capacity(assembly.len() * 2);
    let mut widths = Widths::default();
    let mut inside = false;
    let mut labels = 0;
    let mut is_bare = false;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        if text == bare::PLACE {
            is_bare = true;
            continue;
        }
        if text.starts_with("#APP") || text.starts_with("#NO_APP") {
            inside = text.starts_with("#APP");
            widths = Widths::default();
        }
        match code.instructions[at].as_ref().filter(|_| !inside) {
            Some(instruction) => {
                if let Some(look) = look(&code, at, instruction, &widths) {
                    look.write(&mut out, labels);
                    labels += 1;
                }
                widths.follow(instruction);
            }
            None if is_label(text) => widths = Widths::default(),
            None => {}
        }
        if std::mem::take(&mut is_bare) {
            out.push_str(&bare::trap());
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// An instruction: its name and its operands.
pub(crate) struct Instruction<'a> {
    pub name: &'a str,
    pub operands: Vec<&'a str>,
}

/// A file of assembly.
struct Code<'a> {
    instructions: Vec<Option<Instruction<'a>>>,
    labels: HashMap<&'a str, usize>,
}

impl<'a> Code<'a> {
    fn new(lines: &[&'a str]) -> Self {
        let mut labels = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            if is_label(line) {
                labels.insert(line.split(':').next().unwrap_or_default(), at);
            }
        }
        Code { instructions: lines.iter().map(|line| parse(line)).collect(), labels }
    }

    /// How the flags are used from a line on, until they are written.
    fn use_of_flags(&self, from: usize, depth: u32) -> Flags {
        let mut found = Flags::Unused;
        let mut steps = 0;
        for instruction in self.instructions[from..].iter().flatten() {
            steps += 1;
            if steps > 40 || depth > 3 {
                return Flags::Ordered;
            }
            let name = instruction.name;
            if let Some(equality) = condition(name) {
                found = found.max(if equality { Flags::Compared } else { Flags::Ordered });
                if name.starts_with('j') {
                    found = found.max(self.use_at(instruction.operands.first(), depth));
                }
            } else if name == "jmp" {
                return found.max(self.use_at(instruction.operands.first(), depth));
            } else if ["sbb", "adc", "rcl", "rcr", "lahf", "pushf", "cmc"].iter().any(|start| name.starts_with(start)) {
                return Flags::Ordered;
            } else if !keeps_flags(instruction) {
                return found;
            }
            if found == Flags::Ordered {
                return found;
            }
        }
        found
    }

    fn use_at(&self, label: Option<&&str>, depth: u32) -> Flags {
        let target = label.and_then(|label| self.labels.get(label.trim()));
        target.map_or(Flags::Unused, |&target| self.use_of_flags(target, depth + 1))
    }

    /// Whether one of the next instructions has this name.
    fn is_soon(&self, at: usize, name: &str) -> bool {
        self.instructions[at + 1..].iter().take(8).flatten().any(|next| next.name == name)
    }

    /// The next instruction behind a line, if nothing but directives is in between.
    fn following(&self, at: usize) -> Option<&Instruction<'a>> {
        self.instructions[at + 1..].iter().take(4).flatten().next()
    }
}

/// What is done with flags.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Flags {
    Unused,
    /// Only whether two numbers were equal.
    Compared,
    Ordered,
}

fn is_label(line: &str) -> bool {
    let first = line.chars().next();
    let word = line.split(':').next().unwrap_or_default();
    first.is_some_and(|first| !first.is_whitespace() && first != '#')
        && word.len() < line.len()
        && word.chars().all(|letter| letter.is_alphanumeric() || "._$@".contains(letter))
}

/// The instruction in a line, if there is one.
pub(crate) fn parse(line: &str) -> Option<Instruction<'_>> {
    let text = line.strip_prefix(['\t', ' '])?.trim();
    let text = text.split('#').next().unwrap_or_default().trim_end();
    if text.is_empty() || text.starts_with('.') || text.starts_with('"') {
        return None;
    }
    let (name, rest) = text.split_once(['\t', ' ']).unwrap_or((text, ""));
    Some(Instruction { name, operands: operands(rest.trim()) })
}

fn operands(text: &str) -> Vec<&str> {
    let (mut list, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                list.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < text.len() {
        list.push(text[start..].trim());
    }
    list
}

/// Whether an instruction that depends on flags asks only for equality; `None` if it does not depend on flags.
fn condition(name: &str) -> Option<bool> {
    const CONDITIONS: [&str; 30] = [
        "a", "ae", "b", "be", "c", "e", "g", "ge", "l", "le", "na", "nae", "nb", "nbe", "nc", "ne", "ng", "nge", "nl",
        "nle", "no", "np", "ns", "nz", "o", "p", "pe", "po", "s", "z",
    ];
    let rest = name.strip_prefix("cmov").or_else(|| name.strip_prefix("set")).or_else(|| name.strip_prefix('j'))?;
    let known = |rest: &str| CONDITIONS.contains(&rest).then(|| ["e", "ne", "z", "nz"].contains(&rest));
    let short = rest.strip_suffix(['q', 'l', 'w']);
    known(rest).or_else(|| short.filter(|_| name.starts_with("cmov")).and_then(known))
}

/// Whether an instruction leaves the flags as they are.
fn keeps_flags(instruction: &Instruction<'_>) -> bool {
    let name = instruction.name;
    const KEEP: [&str; 14] =
        ["mov", "lea", "push", "pop", "nop", "not", "cvt", "bswap", "xchg", "cltq", "cqto", "cltd", "cwtl", "endbr"];
    let packed = instruction.operands.iter().any(|operand| operand.starts_with("%xmm") || operand.starts_with("%ymm"));
    let packed = packed && !name.contains("comis") && !name.contains("test");
    KEEP.iter().any(|start| name.starts_with(start)) || packed || name == "cbtw" || name == "leave"
}

/// The names of a register: of 8 bytes, 4, 2 and 1.
const REGISTERS: [[&str; 4]; 15] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];
/// The frame pointer: it is never a number.
const RBP: usize = 6;
/// Those that a call may change.
const LOST: [usize; 9] = [0, 2, 3, 4, 5, 7, 8, 9, 10];

/// The number of a general register, the stack pointer apart, and which of its names it is.
fn register(operand: &str) -> Option<(usize, usize)> {
    let name = operand.strip_prefix('%')?;
    REGISTERS.iter().enumerate().find_map(|(number, names)| {
        let width = names.iter().position(|&other| other == name)?;
        Some((number, width))
    })
}

/// Whether an operand is in memory; the tables of the linker do not count.
pub(crate) fn is_memory(operand: &str) -> bool {
    !operand.starts_with(['%', '$', '*']) && operand.ends_with(')') && !operand.contains('@')
}

/// What may be in each register: whether it can be an address.
#[derive(Default)]
struct Widths([Width; 15]);

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Width {
    #[default]
    Unknown,
    Wide,
    Narrow,
}

impl Widths {
    fn follow(&mut self, instruction: &Instruction<'_>) {
        let name = instruction.name;
        if name.starts_with("call") {
            LOST.iter().for_each(|&lost| self.0[lost] = Width::Unknown);
            return;
        }
        let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        if instruction.operands.len() == 1 && begins(&["mul", "div", "idiv", "imul"]) {
            (self.0[0], self.0[3]) = (Width::Narrow, Width::Narrow);
            return;
        }
        match name {
            "cltq" | "cwtl" => self.0[0] = Width::Narrow,
            "cqto" | "cltd" => self.0[3] = Width::Narrow,
            _ => {}
        }
        // What writes none of its operands, or all of them.
        if begins(&["cmp", "test", "push", "j", "bt"]) {
            return;
        }
        if begins(&["xchg", "xadd"]) {
            instruction
                .operands
                .iter()
                .filter_map(|operand| register(operand))
                .for_each(|(number, _)| self.0[number] = Width::Unknown);
            return;
        }
        let Some(&last) = instruction.operands.last() else { return };
        let Some((target, width)) = register(last) else { return };
        let source = instruction.operands.first().copied().unwrap_or_default();
        self.0[target] = match (name, width) {
            ("movq", 0) if source.starts_with('$') => Width::Narrow,
            ("movq", 0) => register(source).map_or(Width::Wide, |(source, _)| self.0[source]),
            ("leaq", 0) if source.contains("(%rip)") => Width::Narrow,
            ("leaq" | "popq" | "addq" | "subq" | "andq" | "orq" | "xorq" | "incq" | "decq", 0) => Width::Wide,
            (_, 0) if name.starts_with("cmov") => Width::Wide,
            _ => Width::Narrow,
        };
    }
}

/// What to look at in front of an instruction.
enum Look<'a> {
    /// Whether this is an address.
    One(&'a str),
    /// Whether one of the two is.
    Either(&'a str, &'a str),
    /// Whether both are, of different threads; the first is a register.
    Both(&'a str, &'a str),
}

/// So many instructions after its beginning, the map of a frame is used.
const MAP: usize = 16;

/// What to look at in front of the instruction in a line.
fn look<'a>(code: &Code<'a>, at: usize, instruction: &Instruction<'a>, widths: &Widths) -> Option<Look<'a>> {
    let name = instruction.name;
    let list = &instruction.operands;
    if list.iter().any(|operand| operand.contains("%rsp") && register(operand).is_none() && !is_memory(operand)) {
        return None;
    }
    let wide = |operand: &&'a str| {
        is_memory(operand)
            || register(operand)
                .is_some_and(|(number, width)| width == 0 && number != RBP && widths.0[number] != Width::Narrow)
    };
    match (name, list.as_slice()) {
        ("cmpq" | "subq", &[a, b]) if wide(&a) && wide(&b) && a != b => {
            let (first, second) = if register(a).is_some() { (a, b) } else { (b, a) };
            let used = code.use_of_flags(at + 1, 0);
            let matters =
                used == Flags::Ordered || name == "subq" && !(used == Flags::Compared && is_forgotten(code, at, b));
            (matters && register(first).is_some()).then_some(Look::Both(first, second))
        }
        // An address is taken from a number: clang writes `-p` like this.
        ("subq", &[a, b]) if wide(&a) && register(b).is_some_and(|(number, _)| widths.0[number] == Width::Narrow) => {
            Some(Look::One(a))
        }
        ("andq" | "orq" | "xorq" | "testq", &[a, b]) if a != b => match (wide(&a), wide(&b)) {
            _ if a.strip_prefix('$').is_some_and(is_blind_mask)
                && (name == "andq" || name == "testq" || !a.starts_with("$-")) =>
            {
                None
            }
            (true, true) => Some(Look::Either(a, b)),
            (true, false) => Some(Look::One(a)),
            (false, true) => Some(Look::One(b)),
            (false, false) => None,
        },
        // The beginning of the map of a frame.
        ("shrq", &["$3", _]) if code.instructions[at + 1..].iter().flatten().take(MAP).any(frames::uses_map) => None,
        ("shlq" | "salq" | "shrq" | "sarq", &[.., b]) if wide(&b) => {
            (!is_alignment(code, at, instruction)).then_some(Look::One(b))
        }
        ("rolq" | "rorq" | "cvtsi2sdq" | "cvtsi2ssq", &[first, .., last]) => {
            let operand = if name.starts_with('r') { last } else { first };
            (wide(&operand) && code.use_of_flags(at, 0) == Flags::Unused).then_some(Look::One(operand))
        }
        ("negq" | "rolq" | "rorq", &[a]) => wide(&a).then_some(Look::One(a)),
        // How an unsigned number becomes a floating-point number.
        ("movq", &[a, b]) if b.starts_with("%xmm") && code.is_soon(at, "punpckldq") => {
            (wide(&a) && code.use_of_flags(at, 0) == Flags::Unused).then_some(Look::One(a))
        }
        ("bswap" | "bswapq" | "notq", &[a]) => {
            (wide(&a) && code.use_of_flags(at, 0) == Flags::Unused).then_some(Look::One(a))
        }
        ("imulq", &[.., a, _]) if list.len() == 3 => wide(&a).then_some(Look::One(a)),
        ("imulq", &[a, b]) => match (wide(&a), wide(&b)) {
            (true, true) => Some(Look::Either(a, b)),
            (true, false) => Some(Look::One(a)),
            (false, true) => Some(Look::One(b)),
            (false, false) => None,
        },
        ("mulq" | "imulq" | "divq" | "idivq", &[a]) => Some(match wide(&a) && a != "%rax" {
            true => Look::Either(a, "%rax"),
            false => Look::One("%rax"),
        }),
        ("bsfq" | "bsrq" | "tzcntq" | "lzcntq" | "popcntq", &[a, _]) => wide(&a).then_some(Look::One(a)),
        _ => narrow(code, at, instruction, widths),
    }
}

/// Whether the result of a subtraction is replaced at once by whether it was 0.
fn is_forgotten(code: &Code<'_>, at: usize, target: &str) -> bool {
    let next = code.following(at).filter(|next| next.name.starts_with("set"));
    let result = next.and_then(|next| register(next.operands.first()?));
    result.is_some_and(|(number, _)| register(target).is_some_and(|(other, _)| number == other))
}

/// An instruction that reads a part of a register in which an address may be.
fn narrow<'a>(code: &Code<'a>, at: usize, instruction: &Instruction<'a>, widths: &Widths) -> Option<Look<'a>> {
    let name = instruction.name;
    let list = &instruction.operands;
    let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    if begins(&["set", "pop", "j", "call", "cmov", "lea", "test"]) && !begins(&["testl"]) {
        return None;
    }
    let masked = begins(&["and", "test"]) && list[0].strip_prefix('$').is_some_and(is_blind_mask);
    let zeroes = begins(&["xor", "sub"]) && list.len() == 2 && list[0] == list[1];
    if masked || zeroes || keeps_lowest_bits(code, at, instruction) {
        return None;
    }
    let read = if begins(&["mov", "cvt"]) || list.len() == 3 { &list[..list.len().min(1)] } else { &list[..] };
    let found = read.iter().find_map(|operand| {
        let (number, width) = register(operand).filter(|&(number, width)| width > 0 && number != RBP)?;
        let may = match widths.0[number] {
            Width::Wide => true,
            Width::Unknown => width == 1,
            Width::Narrow => false,
        };
        may.then_some(number)
    })?;
    (code.use_of_flags(at, 0) == Flags::Unused).then_some(Look::One(FULL[found]))
}

/// Whether a part of a register is copied, and then only its lowest bits are kept of it.
fn keeps_lowest_bits(code: &Code<'_>, at: usize, instruction: &Instruction<'_>) -> bool {
    let &[_, target] = instruction.operands.as_slice() else { return false };
    let keeps = |next: &Instruction<'_>| {
        let [mask, other] = next.operands.as_slice() else { return false };
        let mask = mask.strip_prefix('$').and_then(|mask| mask.parse::<i64>().ok());
        next.name.starts_with("and") && *other == target && mask.is_some_and(|mask| (0..64).contains(&mask))
    };
    instruction.name == "movl" && register(target).is_some() && code.following(at).is_some_and(keeps)
}

/// The full registers as operands.
const FULL: [&str; 15] = [
    "%rax", "%rbx", "%rcx", "%rdx", "%rsi", "%rdi", "%rbp", "%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14",
    "%r15",
];

/// Whether a mask leaves nothing of an address, or all of it, but for the lowest bits, which are the same for like threads.
fn is_blind_mask(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|mask| (-64..64).contains(&mask))
}

/// Whether two shifts in a row only clear bits at one end.
fn is_alignment(code: &Code<'_>, at: usize, instruction: &Instruction<'_>) -> bool {
    let amount = |one: &Instruction<'_>| match one.operands.as_slice() {
        &[amount, target] => Some((amount.strip_prefix('$')?.parse::<u32>().ok()?, register(target)?)),
        _ => None,
    };
    let is_left = |one: &Instruction<'_>| one.name == "salq" || one.name == "shlq";
    let pair = |one: &Instruction<'_>, two: &Instruction<'_>| {
        let is_shift = ["salq", "shlq", "shrq", "sarq"].contains(&two.name) && is_left(one) != is_left(two);
        is_shift
            && amount(one).is_some_and(|(by, _)| by <= if is_left(one) { 16 } else { 6 })
            && amount(one) == amount(two)
    };
    let before = code.instructions[at.saturating_sub(4)..at].iter().rev().flatten().next();
    code.following(at).is_some_and(|next| pair(instruction, next)) || before.is_some_and(|one| pair(one, instruction))
}

impl Look<'_> {
    fn write(&self, out: &mut String, label: usize) {
        let go_on = format!(".Lquotient_go_on{label}");
        let trap = format!("\tud2\n\t.byte {}\n", MARK.map(|byte| byte.to_string()).join(","));
        match self {
            Look::One(operand) => {
                is_address(operand, out);
                out.push_str(&format!("\tjne {go_on}\n{trap}{go_on}:\n"));
            }
            Look::Either(a, b) => {
                is_address(a, out);
                out.push_str(&format!("\tje .Lquotient_trap{label}\n"));
                is_address(b, out);
                out.push_str(&format!("\tjne {go_on}\n.Lquotient_trap{label}:\n{trap}{go_on}:\n"));
            }
            Look::Both(a, b) => {
                is_address(a, out);
                out.push_str(&format!("\tjne {go_on}\n"));
                is_address(b, out);
                out.push_str(&format!("\tjne {go_on}\n"));
                if b.contains(a) {
                    out.push_str(&format!("{trap}{go_on}:\n"));
                    return;
                }
                // Whether they are in the memory of one thread.
                out.push_str(&format!("\txorq {b}, {a}\n\tcmpq ${}, {a}\n\tja .Lquotient_trap{label}\n", REGION - 1));
                out.push_str(&format!("\txorq {b}, {a}\n\tjmp {go_on}\n.Lquotient_trap{label}:\n\txorq {b}, {a}\n"));
                out.push_str(&format!("{trap}{go_on}:\n"));
            }
        }
    }
}

const REGION: usize = crate::memory::address_space::REGION;

/// Compares the byte that tells addresses.
fn is_address(operand: &str, out: &mut String) {
    match register(operand) {
        Some((number, _)) => {
            let [full, .., low] = REGISTERS[number];
            out.push_str(&format!("\trorq ${0}, %{full}\n\tcmpb ${FIRST}, %{low}\n\trolq ${0}, %{full}\n", 8 * BYTE));
        }
        None if operand.starts_with('(') => out.push_str(&format!("\tcmpb ${FIRST}, {BYTE}{operand}\n")),
        None => out.push_str(&format!("\tcmpb ${FIRST}, {BYTE}+{operand}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::mark;

    /// How many marks are put into some instructions.
    fn marks(code: &[&str]) -> usize {
        let text: String = code
            .iter()
            .map(|line| if line.ends_with(':') { format!("{line}\n") } else { format!("\t{line}\n") })
            .collect();
        mark(&text).matches("\tud2\n").count()
    }

    #[test]
    fn an_order_is_marked_and_equality_is_not() {
        assert_eq!(marks(&["cmpq %rax, %rdx", "jb .L1"]), 1);
        assert_eq!(marks(&["cmpq -8(%rbp), %rdx", "setg %al"]), 1);
        assert_eq!(marks(&["cmpq %rbx, %rax", "cmovbeq %rax, %r14"]), 1);
        assert_eq!(marks(&["cmpq %rax, %rdx", "je .L1"]), 0);
        assert_eq!(marks(&["cmpq %rax, %rdx", "movl $0, %ecx", "cmovneq %rsi, %rdi", "addl $1, %ecx"]), 0);
        assert_eq!(marks(&["cmpq $0, %rdx", "jb .L1"]), 0);
    }

    #[test]
    fn flags_are_followed_through_jumps() {
        assert_eq!(marks(&["cmpq %rax, %rdx", "je .L1", "jb .L2", ".L1:", "ret"]), 1);
        assert_eq!(marks(&["cmpq %rax, %rdx", "jne .L1", "ret", ".L1:", "ja .L2"]), 1);
        assert_eq!(marks(&["cmpq %rax, %rdx", "jmp .L1", ".L1:", "xorps %xmm0, %xmm0", "ja .L2"]), 1);
        assert_eq!(marks(&["cmpq %rax, %rdx", "jne .L1", "ret", ".L1:", "ret"]), 0);
    }

    #[test]
    fn differences_are_marked_unless_they_are_comparisons() {
        assert_eq!(marks(&["subq %rax, %rdx", "sarq $3, %rdx"]), 2);
        assert_eq!(marks(&["subq %rdx, %rax", "sete %al", "movb %al, -1(%rbp)"]), 0);
        assert_eq!(marks(&["subq $16, %rax", "subq %rax, %rsp"]), 0);
        assert_eq!(marks(&["xorl %eax, %eax", "subq -8(%rbp), %rax"]), 1);
    }

    #[test]
    fn numbers_are_marked_and_tags_are_not() {
        assert_eq!(marks(&["movq -8(%rbp), %rax", "shrq $4, %rax"]), 1);
        let copied = |mask| marks(&["leaq 8(%rax), %r15", "movl %r15d, %eax", mask, "ret"]);
        assert_eq!(copied("andl $15, %eax"), 0);
        assert_eq!(copied("andl $127, %eax"), 1);
        assert_eq!(copied("andl $-16, %eax"), 1);
        assert_eq!(copied("andl $15, %ecx"), 1);
        assert_eq!(marks(&["movq -8(%rbp), %rax", "movl $0, %edx", "divq -16(%rbp)"]), 1);
        assert_eq!(marks(&["movq -8(%rbp), %rax", "andq $-8, %rax", "orq $1, %rax"]), 0);
        assert_eq!(marks(&["movq -8(%rbp), %rax", "andl $7, %eax"]), 0);
        assert_eq!(marks(&["movq -8(%rbp), %rax", "andl $4080, %eax"]), 1);
        assert_eq!(marks(&["movq %rsp, %rax", "addq $15, %rax", "shrq $4, %rax", "salq $4, %rax"]), 0);
        assert_eq!(marks(&["salq $16, %rax", "sarq $16, %rax"]), 0);
        assert_eq!(marks(&["movq -8(%rbp), %rax", "imulq $3, -16(%rbp), %rcx", "shrq $4, %rax"]), 2);
        assert_eq!(marks(&["movq -8(%rbp), %rax", "pushq %rax", "cmpb $0, %al", "shrq $4, %rax"]), 2);
        assert_eq!(marks(&["movq -8(%rbp), %rcx", "divl %ebx", "shrq $4, %rcx"]), 2);
    }

    #[test]
    fn a_part_of_an_address_is_marked() {
        assert_eq!(marks(&["movq -8(%rbp), %rax", "movl %eax, -12(%rbp)"]), 1);
        assert_eq!(marks(&["movl -8(%rbp), %eax", "movl %eax, -12(%rbp)"]), 0);
        assert_eq!(marks(&["movq -8(%rbp), %rax", "movb %al, -12(%rbp)"]), 1);
        assert_eq!(marks(&["sete %al", "movzbl %al, %eax"]), 0);
        // The flags are in use.
        assert_eq!(marks(&["movq -8(%rbp), %rax", "cmpl $1, -4(%rbp)", "movl %eax, -12(%rbp)", "je .L1"]), 0);
    }

    #[test]
    fn inline_assembly_and_other_syntaxes_are_left_alone() {
        assert_eq!(marks(&["#APP", "cmpq %rax, %rdx", "jb .L1", "#NO_APP"]), 0);
        assert_eq!(marks(&[".intel_syntax noprefix", "cmp rax, rdx", "jb .L1"]), 0);
    }
}
