//! Inline assembly in what the compiler has made of a program. Instrumentation does not see what it does to memory.

use std::collections::HashMap;

/// A piece of inline assembly that does something which should be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// File and line, if the compiler has said.
    pub place: String,
    /// The first instruction that matters.
    pub instruction: String,
    /// Whether it accesses memory; if not, it only orders accesses.
    pub accesses: bool,
}

/// Instructions that have an operand in memory and do not access it.
const HARMLESS: [&str; 5] = ["lea", "nop", "prefetch", "clflush", "clwb"];

/// What is not seen in the assembly of a file, accesses first, each place once.
pub fn unseen(assembly: &str) -> Vec<Unseen> {
    let mut found: Vec<Unseen> = Vec::new();
    let mut files: HashMap<&str, String> = HashMap::new();
    let (mut place, mut inside) = (String::new(), false);
    for line in assembly.lines() {
        let line = line.trim();
        if line.starts_with("#APP") {
            inside = true;
        } else if line.starts_with("#NO_APP") {
            inside = false;
        } else if let Some(rest) = line.strip_prefix(".file") {
            if let Some((number, name)) = file(rest) {
                files.insert(number, name);
            }
        } else if let Some(rest) = line.strip_prefix(".loc") {
            let mut words = rest.split_whitespace();
            if let (Some(name), Some(number)) = (words.next().and_then(|file| files.get(file)), words.next()) {
                place = format!("{name}:{number}");
            }
        } else if inside {
            // gcc says in a comment where the text is from.
            if let Some((number, name)) = line.strip_prefix("# ").and_then(|rest| rest.split_once(' ')) {
                let name = name.split('"').nth(1).unwrap_or_default();
                if !name.is_empty() && number.parse::<u32>().is_ok() {
                    place = format!("{name}:{number}");
                }
                continue;
            }
            for instruction in line.split(';').map(str::trim) {
                if let Some(accesses) = is_unseen(instruction)
                    && found.iter().all(|other| other.place != place || !other.accesses && accesses)
                {
                    let instruction = instruction.replace('\t', " ");
                    found.push(Unseen { place: place.clone(), instruction, accesses });
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
