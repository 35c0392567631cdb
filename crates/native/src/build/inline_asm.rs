//! Inline assembly in what the compiler has made of a program. Instrumentation does not see what it does to memory.
//!
//! An instruction of it is taken to be harmless only if it is known to be, and its operands are registers and numbers. Bytes that
//! stand among code are instructions that nobody has looked at, wherever they come from.

use crate::build::sections::{Sections, is_data};
use std::collections::HashMap;

/// A piece of inline assembly that does something which should be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// File and line, if the compiler has said.
    pub place: String,
    /// The first instruction that matters.
    pub instruction: String,
    /// Whether it accesses memory, or may do so; if not, it only orders accesses.
    pub accesses: bool,
}

/// Instructions that have an operand in memory and do not access it.
const HARMLESS: [&str; 5] = ["lea", "nop", "prefetch", "clflush", "clwb"];

/// Instructions that touch no memory but their operands, without the letter for the size. Those of vectors and of the
/// floating-point unit are known by what they look like.
const KNOWN: &str = "mov movabs movzb movzw movsb movsw movsl movslq movzx movsx movsxd add adc sub sbb and or xor not neg inc dec cmp \
    test shl shr sal sar rol ror rcl rcr shld shrd mul mulx imul div idiv bsf bsr bswap bt btc btr bts popcnt lzcnt tzcnt \
    andn bextr blsi blsmsk blsr bzhi pdep pext rorx sarx shlx shrx adcx adox crc32 xchg xadd cmpxchg \
    pause rdtsc rdtscp cpuid rdrand rdseed rdpid xgetbv cld clc stc cmc lahf sahf endbr64 endbr32 ud2 hlt emms \
    cltq cqto cltd cqo cdq cdqe cwd cwde cbw cbtw cwtl cwtd push pop pushf popf pushfq popfq";

/// What can stand in front of an instruction.
const PREFIXES: [&str; 12] =
    ["lock", "rep", "repe", "repz", "repne", "repnz", "data16", "notrack", "bnd", "xacquire", "xrelease", "rex64"];

/// Directives that make no code, and change none.
const DIRECTIVES: &str = ".globl .global .weak .hidden .local .protected .internal .type .size .align .p2align .balign .ident \
    .symver .loc .file .section .text .data .bss .pushsection .popsection .previous .att_syntax";

/// Marks around inline assembly outside of functions, in comments of Clang.
const FILE_SCOPE: (&str, &str) = ("# Start of file scope inline assembly", "# End of file scope inline assembly");

/// How a file of the source is called.
enum File<'a> {
    Number(&'a str),
    Name(&'a str),
}

/// Where one is in the assembly of a file.
#[derive(Default)]
pub(crate) struct Lines<'a> {
    /// Names of files, by their numbers.
    files: HashMap<&'a str, String>,
    file: Option<File<'a>>,
    line: &'a str,
    is_inline: bool,
    /// The file that is compiled, as the compiler calls it.
    whole: Option<&'a str>,
}

impl<'a> Lines<'a> {
    /// Goes on to the next line. True if it is an instruction, or more, of inline assembly.
    pub(crate) fn follow(&mut self, line: &'a str) -> bool {
        let line = line.trim();
        if line.starts_with("#APP") || line.starts_with(FILE_SCOPE.0) {
            self.is_inline = true;
        } else if line.starts_with("#NO_APP") || line.starts_with(FILE_SCOPE.1) {
            self.is_inline = false;
        } else if let Some(rest) = line.strip_prefix(".file") {
            match file(rest) {
                Some((number, name)) => drop(self.files.insert(number, name)),
                None => self.whole = self.whole.or_else(|| rest.split('"').nth(1)),
            }
        } else if let Some(rest) = line.strip_prefix(".loc") {
            let mut words = rest.split_whitespace();
            let known = words.next().filter(|file| self.files.contains_key(file));
            if let (Some(file), Some(number)) = (known, words.next()) {
                (self.file, self.line) = (Some(File::Number(file)), number);
            }
        } else if self.is_inline {
            // gcc says in a comment where the text is from.
            let Some((number, name)) = line.strip_prefix("# ").and_then(|rest| rest.split_once(' ')) else {
                return true;
            };
            let name = name.split('"').nth(1).unwrap_or_default();
            if !name.is_empty() && number.parse::<u32>().is_ok() {
                (self.file, self.line) = (Some(File::Name(name)), number);
            }
        }
        false
    }

    /// Whether the line is in inline assembly.
    pub(crate) fn is_inline(&self) -> bool {
        self.is_inline
    }

    /// File and line of the source, if the compiler has said.
    pub(crate) fn place(&self) -> String {
        match self.file {
            None => self.whole.unwrap_or_default().to_owned(),
            Some(File::Number(number)) => format!("{}:{}", self.files[number], self.line),
            Some(File::Name(name)) => format!("{name}:{}", self.line),
        }
    }
}

/// What is not seen in the assembly of a file, accesses first, each place once.
pub(crate) fn unseen(assembly: &str) -> Vec<Unseen> {
    let mut found: Vec<Unseen> = Vec::new();
    let mut lines = Lines::default();
    let mut sections = Sections::default();
    let mut note = |place: String, instruction: &str, accesses: bool| {
        if found.iter().all(|other| other.place != place || !other.accesses && accesses) {
            let instruction = instruction.trim().replace('\t', " ");
            found.push(Unseen { place, instruction, accesses });
        }
    };
    for line in assembly.lines() {
        let is_inline = lines.follow(line);
        sections.follow(line);
        if !is_inline {
            if sections.is_code() && is_data(line.trim()) && !is_padding(line.trim()) {
                note(lines.place(), line, true);
            }
            continue;
        }
        match without_comments(line) {
            None => note(lines.place(), line, true),
            Some(text) => {
                for statement in text.split(';') {
                    if let Some(accesses) = is_unseen(statement, &sections) {
                        note(lines.place(), statement, accesses);
                    }
                }
            }
        }
    }
    found.sort_by_key(|unseen| !unseen.accesses);
    found
}

/// The number and the name that a directive gives to a file.
fn file(rest: &str) -> Option<(&str, String)> {
    let number = rest.split_whitespace().next().filter(|word| word.parse::<u32>().is_ok())?;
    let mut names = rest.split('"').skip(1).step_by(2).map(str::to_owned);
    let first = names.next()?;
    // A second one, if it is no checksum, is relative to the first.
    let second = names.next().filter(|_| !rest.contains("md5") || rest.matches('"').count() >= 4);
    Some((
        number,
        second.map_or(first.clone(), |name| if name.starts_with('/') { name } else { format!("{first}/{name}") }),
    ))
}

/// A line without its comments, if it is certain where they end.
fn without_comments(line: &str) -> Option<String> {
    let mut text = line.to_owned();
    if text.contains('"') && text.contains(';') {
        return None;
    }
    loop {
        let comment = text.find("/*").unwrap_or(text.len());
        let end = text.find('#').unwrap_or(text.len());
        if text.find('"').is_some_and(|quote| quote < comment.max(end)) && comment.min(end) < text.len() {
            return None;
        }
        if end < comment {
            text.truncate(end);
        } else if comment < text.len() {
            let close = text[comment + 2..].find("*/")?;
            text.replace_range(comment..comment + 2 + close + 2, " ");
        } else {
            return Some(text);
        }
    }
}

/// Whether a line is one of those that compilers write in front of a call that finds a thread-local variable.
fn is_padding(line: &str) -> bool {
    let mut words = line.split_whitespace();
    matches!(
        (words.next(), words.next(), words.next()),
        (Some(".byte"), Some("0x66"), None) | (Some(".value"), Some("0x6666"), None)
    )
}

/// Whether a statement of inline assembly does something that should be seen, and whether it may access memory.
fn is_unseen(statement: &str, sections: &Sections<'_>) -> Option<bool> {
    let mut rest = statement.trim();
    let is_label = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.$".contains(&byte));
    while let Some((_, behind)) = rest.split_once(':').filter(|(label, _)| is_label(label.trim_end())) {
        rest = behind.trim_start();
    }
    let split = |text: &'_ str| text.find(char::is_whitespace).map_or(text.len(), |at| at);
    while PREFIXES.contains(&&rest[..split(rest)]) {
        rest = rest[split(rest)..].trim_start();
    }
    if rest.is_empty() {
        return None;
    }
    let (name, operands) = rest.split_at(split(rest));
    let operands = operands.trim();
    if name.starts_with('.') {
        let is_known = DIRECTIVES.split_whitespace().any(|known| known == name) || name.starts_with(".cfi_");
        return (!is_known && (sections.is_code() || !is_data(rest))).then_some(true);
    }
    if ["mfence", "lfence", "sfence"].contains(&name) {
        return Some(false);
    }
    if HARMLESS.iter().any(|harmless| name.starts_with(harmless)) && !name.starts_with("leave") {
        return is_own_register(operands.rsplit(',').next().unwrap_or_default()).then_some(true);
    }
    // The usual fence in front of which `lock` stands changes nothing of the stack.
    let changes_nothing = ["add", "or", "xor"].iter().any(|start| name.starts_with(start))
        && operands.starts_with("$0,")
        || operands.starts_with("$0x0,");
    if changes_nothing && (operands.ends_with("(%rsp)") || operands.ends_with("(%esp)")) {
        return Some(false);
    }
    (!is_known(name, operands)).then_some(true)
}

/// Whether an instruction touches nothing but registers.
fn is_known(name: &str, operands: &str) -> bool {
    let list: Vec<&str> = operands.split(',').map(str::trim).filter(|operand| !operand.is_empty()).collect();
    let is_jump = name.starts_with('j') || name.starts_with("loop");
    if is_jump {
        // To a label of the same piece, or one that the compiler has made.
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        return matches!(list[..], [to] if to.strip_suffix(['f', 'b']).is_some_and(is_number) || is_own_label(to));
    }
    let is_plain = |operand: &&str| {
        operand.starts_with('$') && !operand.contains(['(', '"'])
            || operand.strip_prefix('%').is_some_and(|register| {
                // The floating-point unit's registers have their numbers in brackets.
                let register = register.strip_prefix("st(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(register);
                register.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"{}%".contains(&byte))
                    && !["cs", "ds", "es", "fs", "gs", "ss"].contains(&register)
            })
    };
    if !list.iter().all(is_plain) || changes_stack(name, &list) {
        return false;
    }
    let is_vector =
        list.iter().any(|operand| ["%xmm", "%ymm", "%zmm", "%mm", "%k"].iter().any(|start| operand.starts_with(start)));
    if is_vector {
        return !name.contains("maskmov");
    }
    // Without operands these are the instructions that copy, fill and compare memory.
    if list.is_empty()
        && ["movs", "cmps", "stos", "lods", "scas", "ins", "outs", "xlat"].iter().any(|start| name.starts_with(start))
    {
        return false;
    }
    let is_float = name.starts_with('f') && !name.starts_with("fx");
    let is_listed = |name: &str| KNOWN.split_whitespace().any(|known| known == name);
    is_float
        || name.starts_with("set")
        || name.starts_with("cmov")
        || is_listed(name)
        || name.strip_suffix(['b', 'w', 'l', 'q']).is_some_and(is_listed)
}

/// Whether an instruction with these operands gives the stack another place, or the frame.
fn changes_stack(name: &str, operands: &[&str]) -> bool {
    let only_reads =
        ["cmp", "test", "push", "bt"].iter().any(|start| name.starts_with(start)) && !name.starts_with("btc");
    let changes_both = name.starts_with("xchg") || name.starts_with("xadd") || name.starts_with("cmpxchg");
    let changed = if changes_both { operands } else { &operands[operands.len().saturating_sub(1)..] };
    !only_reads && changed.iter().any(|operand| is_own_register(operand))
}

/// Whether an operand is the register of the stack or of the frame.
fn is_own_register(operand: &str) -> bool {
    ["%rsp", "%esp", "%sp", "%spl", "%rbp", "%ebp", "%bp", "%bpl"].contains(&operand.trim())
}

/// Whether a name is that of a label that the compiler has made.
fn is_own_label(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    name.strip_prefix(".L").is_some_and(|rest| {
        is_number(rest) || rest.strip_prefix("BB").or(rest.strip_prefix("tmp")).is_some_and(is_number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each piece may access memory, or only orders accesses.
    fn kinds(pieces: &[&str]) -> Vec<Option<bool>> {
        pieces
            .iter()
            .map(|piece| unseen(&format!("\t.text\n#APP\n{piece}\n#NO_APP\n")).first().map(|one| one.accesses))
            .collect()
    }

    #[test]
    fn what_uses_only_registers_is_harmless() {
        let pieces = [
            "pause",
            "rep; nop",
            "rep nop",
            "nop",
            "rdtsc",
            "movq %rsp, %rax",
            "xchgl %eax, %ebx",
            "1: decl %eax; jnz 1b",
            "cpuid",
            "mov %rax,%rbx /* a comment */ # and (another)",
            "pushq %rbx\n popq %rbx",
            "addsd %xmm0, %xmm1",
            "fsin",
            "leaq 8(%rax), %rbx",
            "movzbl %al, %eax",
            "movslq %eax, %rdx",
            "jmp .L4",
            "sete %al",
            "lock",
            "",
            ".section .rodata\n.byte 1\n.previous",
            ".pushsection .data\n.incbin \"x\"\n.popsection",
            ".symver a,a@V",
            "# 3 \"a.c\" 1",
        ];
        for piece in pieces {
            assert_eq!(kinds(&[piece]), [None], "{piece}");
        }
    }

    #[test]
    fn everything_else_may_access_memory() {
        let pieces = [
            "rep stosb",
            "stosl",
            "stosl %eax, %es:(%rdi)",
            "movsb",
            "xlatb",
            "xlat",
            "maskmovdqu %xmm0, %xmm1",
            ".byte 255, 0",
            ".long 255",
            "xchg %rax,%rsp",
            "movq %rax, %rsp",
            "addq $8, %rsp",
            "pop %rsp",
            "leaq 8(%rax), %rsp",
            "movq %rax, %rbp",
            "call 1f",
            "ret",
            "jmp inc",
            "jmp *%rax",
            "syscall",
            "int $0x80",
            "scasl",
            "cmpsb",
            "lods",
            "enter $0,$0",
            "leave",
            ".intel_syntax noprefix\n inc dword ptr [rax]",
            "1: incl (%rax)",
            "x: y: incl (%rax)",
            "incl y",
            "movabs %eax, y",
            ".macro movl a b\n.endm",
            ".include \"x\"",
            ".set f, g",
            "f = g",
            "movl $1, (%rsp)",
            "incl (%rsp)",
            "mov %fs:0, %rax",
            ".ascii \"a#b\"",
            ".ascii \"/*\"; incl (%rax); .ascii \"*/\"",
            "/* incl (%rax)",
            "unheardof",
            "mov %ax, %fs",
            "clzero",
            ".section .text\n.byte 195",
            ".section .init,\"ax\"\n.byte 195",
            ".pushsection .x,\"awx\"\n.byte 1",
        ];
        for piece in pieces {
            assert_eq!(kinds(&[piece]), [Some(true)], "{piece}");
        }
    }

    #[test]
    fn fences_order_accesses() {
        assert_eq!(kinds(&["mfence", "lock; addl $0,0(%rsp)", "lock addq $0, (%rsp)"]), [Some(false); 3]);
    }

    #[test]
    fn bytes_among_code_are_not_seen() {
        let data = "\t.section\t.text,\"a\"\n\t.type\tcode, @object\ncode:\n\t.ascii\t\"x\"\n";
        assert!(unseen(data)[0].accesses);
        assert!(!unseen("\t.section .init\n\t.byte 1\n").is_empty());
        assert!(
            unseen("\t.data\nx:\n\t.long 1\n\t.section .rodata.str1.1,\"aMS\",@progbits,1\n\t.string \"\"\n")
                .is_empty()
        );
        assert!(unseen("\t.text\n\t.byte\t0x66\n\tleaq x@tlsgd(%rip), %rdi\n\t.value\t0x6666\n\trex64\n").is_empty());
        let top = "\t.text\n\t# Start of file scope inline assembly\n\tstosl\n\t# End of file scope inline assembly\n";
        assert!(unseen(top)[0].accesses);
    }
}
