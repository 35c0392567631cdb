//! Inline assembly in what the compiler has made of a program. Instrumentation does not see what it does to memory.

use std::collections::HashMap;

/// A piece of inline assembly that does something which should be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// File and line, if the compiler has said.
    pub place: String,
    /// The first instruction that matters.
    pub instruction: String,
    /// Whether it accesses memory; if not, it only orders accesses.
    pub accesses: bool,
}

/// Instructions that have an operand in memory and do not access it.
const HARMLESS: [&str; 5] = ["lea", "nop", "prefetch", "clflush", "clwb"];

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
}

impl<'a> Lines<'a> {
    /// Goes on to the next line. True if it is an instruction, or more, of inline assembly.
    pub(crate) fn follow(&mut self, line: &'a str) -> bool {
        let line = line.trim();
        if line.starts_with("#APP") {
            self.is_inline = true;
        } else if line.starts_with("#NO_APP") {
            self.is_inline = false;
        } else if let Some(rest) = line.strip_prefix(".file") {
            if let Some((number, name)) = file(rest) {
                self.files.insert(number, name);
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
            None => String::new(),
            Some(File::Number(number)) => format!("{}:{}", self.files[number], self.line),
            Some(File::Name(name)) => format!("{name}:{}", self.line),
        }
    }
}

/// What is not seen in the assembly of a file, accesses first, each place once.
pub(crate) fn unseen(assembly: &str) -> Vec<Unseen> {
    let mut found: Vec<Unseen> = Vec::new();
    let mut lines = Lines::default();
    for line in assembly.lines() {
        if !lines.follow(line) {
            continue;
        }
        for instruction in line.split(';').map(str::trim) {
            let Some(accesses) = is_unseen(instruction) else { continue };
            let place = lines.place();
            if found.iter().all(|other| other.place != place || !other.accesses && accesses) {
                let instruction = instruction.replace('\t', " ");
                found.push(Unseen { place, instruction, accesses });
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

/// Whether an instruction does something that should be seen, and whether it accesses memory.
fn is_unseen(instruction: &str) -> Option<bool> {
    let instruction = instruction.split('#').next().unwrap_or_default().trim();
    let mnemonic = instruction.split_whitespace().next()?;
    // A label, or a directive.
    if mnemonic.ends_with(':') || mnemonic.starts_with('.') || HARMLESS.iter().any(|name| mnemonic.starts_with(name)) {
        return None;
    }
    let is_fence = ["mfence", "lfence", "sfence"].contains(&mnemonic);
    // The usual fence in front of which `lock` stands changes nothing of the stack.
    let on_stack = instruction.contains("(%rsp)") || instruction.contains("(%esp)");
    if is_fence || on_stack {
        return Some(false);
    }
    let accesses = instruction.contains('(') || instruction.contains('[') || mnemonic == "syscall";
    accesses.then_some(true)
}
