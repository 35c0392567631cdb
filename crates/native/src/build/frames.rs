//! Room around local variables: Clang lays out frames as for AddressSanitizer beside ThreadSanitizer's calls, which its driver
//! does not allow and its passes do. What it does for that is not the program's own: here it is told from the rest.
//!
//! Only code that is optimised gets such room. In other code, Clang comes to all variables of such a frame by addresses that it
//! keeps in memory; then it is not known what of a frame a loop still needs, and fewer loops are found to wait.

use crate::build::addresses::Instruction;
use crate::memory::zones;
use std::ffi::OsString;
use std::process::Command;

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

/// Whether a command asks for code that is optimised.
pub(crate) fn is_optimised(command: &Command) -> bool {
    let levels = command.get_args().filter_map(|option| option.to_str()?.strip_prefix("-O"));
    levels.last().is_some_and(|level| level != "0")
}

/// Options without these: Clang does not say what it fills with a call if that call is instrumented.
pub(crate) fn without(mut options: Vec<OsString>) -> Vec<OsString> {
    if let Some(start) =
        options.windows(FLAGS.len()).position(|some| some.iter().zip(FLAGS).all(|(one, flag)| *one == flag))
    {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_level_counts() {
        let is_optimised = |options: &[&str]| is_optimised(Command::new("cc").args(options));
        assert!(is_optimised(&["-O0", "-O2"]) && is_optimised(&["-O"]) && is_optimised(&["-Os", "-c"]));
        assert!(!is_optimised(&["-O2", "-O0"]) && !is_optimised(&["-c"]));
    }

    #[test]
    fn numbers_of_the_map_are_known() {
        assert!(is_of_map("2147450880(%rax)") && is_of_map("$2147450884"));
        assert!(!is_of_map("8(%rax)") && !is_of_map("$-8") && !is_of_map("%rax"));
    }
}
