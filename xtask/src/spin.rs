//! Runs the installed SPIN on a model: `spin -a`, a C compiler, then the verifier `pan`, and reads its counts.
//! SPIN's own optimisations are off (`-o1 -o2 -o3`) unless a mode is about them, because the unoptimised counts are
//! Quotient's reference.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::process::{Scratch, run_limited};

/// Which of SPIN's optimisations and pan's reductions are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No reduction (`-DNOREDUCE`).
    A,
    /// Partial-order reduction.
    B,
    /// No reduction, with the optimisations that are on by default.
    C,
    /// Partial-order reduction, with the optimisations that are on by default.
    D,
}

impl Mode {
    /// Whether partial-order reduction is on.
    pub fn reduces(self) -> bool {
        matches!(self, Mode::B | Mode::D)
    }

    /// Whether SPIN optimises.
    pub fn optimises(self) -> bool {
        matches!(self, Mode::C | Mode::D)
    }
}

/// What pan reported for one model.
#[derive(Clone, Debug, Default)]
pub struct SpinResult {
    /// States stored.
    pub stored: u64,
    /// States matched.
    pub matched: u64,
    /// Stored plus matched.
    pub transitions: u64,
    /// Errors counted with `-c0`.
    pub errors: u64,
    /// Deepest search stack.
    pub depth: u64,
    /// The distinct error messages, without their depths.
    pub error_kinds: Vec<String>,
    /// Whether pan stopped before the end of the search: a fatal error, a limit or a time-out.
    pub aborted: bool,
    /// Everything spin, the compiler and pan printed.
    pub output: String,
}

/// Why there is no result.
#[derive(Clone, Debug)]
pub enum SpinFailure {
    /// `spin -a` rejects the model, with this message.
    Rejected(String),
    /// The verifier does not compile, or something could not be run at all.
    Broken(String),
}

/// Longest time pan may take before the program is skipped.
pub const PAN_LIMIT: Duration = Duration::from_secs(10);

/// Most memory pan may take, in megabytes: some million states of a small program.
const MEMORY_LIMIT: &str = "-DMEMLIM=160";

/// Runs SPIN on `model` in `mode` with the preprocessor definitions `defines`.
pub fn measure(model: &Path, mode: Mode, defines: &[String]) -> Result<SpinResult, SpinFailure> {
    let broken = |error: std::io::Error| SpinFailure::Broken(error.to_string());
    let scratch = Scratch::new().map_err(broken)?;
    let directory = scratch.path();
    fs::copy(model, directory.join("model.pml")).map_err(broken)?;

    let mut spin = Command::new("spin");
    if !mode.optimises() {
        spin.args(["-o1", "-o2", "-o3"]);
    }
    spin.args(defines).args(["-a", "model.pml"]);
    let spin = run_limited(&mut spin, directory, PAN_LIMIT).map_err(broken)?;
    let mut output = spin.text();
    if spin.code != Some(0) || !accepted(&output) || !directory.join("pan.c").exists() {
        return Err(SpinFailure::Rejected(output));
    }

    let mut compile = Command::new(compiler());
    compile.args(["-O0", "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=4096", MEMORY_LIMIT]);
    if !mode.reduces() {
        compile.arg("-DNOREDUCE");
    }
    compile.args(["-o", "pan", "pan.c"]);
    let compiled = run_limited(&mut compile, directory, 6 * PAN_LIMIT).map_err(broken)?;
    output += &compiled.text();
    if compiled.code != Some(0) {
        return Err(SpinFailure::Broken(output));
    }

    // A small hash table (-w18), because clearing pan's default one takes longer than most searches.
    let mut pan = Command::new("./pan");
    pan.args(["-c0", "-n", "-m200000", "-w18"]);
    let pan = run_limited(&mut pan, directory, PAN_LIMIT).map_err(broken)?;
    let text = pan.text();
    let mut result = parse(&text);
    output += &abridged(&text);
    result.aborted |= pan.timed_out || pan.code != Some(0);
    if pan.timed_out {
        output += "\npan: killed after the time limit\n";
    }
    result.output = output;
    Ok(result)
}

/// Whether `spin -a` reported no error; a dubious else is one in name only.
fn accepted(output: &str) -> bool {
    let harmless = |line: &str| !line.contains("Error:") || line.contains("dubious use of 'else'");
    output.lines().all(harmless)
}

/// The beginning and the end of a long report: with `-c0` pan prints a line whenever the kind of error changes.
fn abridged(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= 200 {
        return text.to_string();
    }
    let (first, last) = (lines[..100].join("\n"), lines[lines.len() - 100..].join("\n"));
    format!("{first}\n[{} lines left out]\n{last}\n", lines.len() - 200)
}

/// The C compiler: `tcc` when installed, since it compiles a verifier some twenty times faster than gcc.
fn compiler() -> &'static str {
    static COMPILER: OnceLock<&str> = OnceLock::new();
    COMPILER.get_or_init(|| if Command::new("tcc").arg("-v").output().is_ok() { "tcc" } else { "gcc" })
}

/// Reads the counts out of pan's report.
pub fn parse(text: &str) -> SpinResult {
    let mut result = SpinResult { aborted: true, ..SpinResult::default() };
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().and_then(|word| word.parse().ok());
        if let Some((_, rest)) = line.split_once("depth reached ") {
            let numbers: Vec<u64> =
                rest.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
            if let [depth, errors, ..] = numbers[..] {
                (result.depth, result.errors, result.aborted) = (depth, errors, false);
            }
        } else if let (Some(count), true) = (first, line.contains("states, stored")) {
            result.stored = count;
        } else if let (Some(count), true) = (first, line.contains("states, matched")) {
            result.matched = count;
        } else if let (Some(count), true) = (first, line.contains("transitions (= ")) {
            result.transitions = count;
        } else if line.starts_with("pan:") && !line.contains("elapsed") && !line.contains("rate") {
            let message = line[4..].trim_start_matches(|c: char| ": ".contains(c) || c.is_ascii_digit());
            let kind = message.split(" (at depth").next().unwrap_or(message).to_string();
            if !result.error_kinds.contains(&kind) {
                result.error_kinds.push(kind);
            }
        }
    }
    let stopped = ["Search not completed", "max search depth too small", "MEMLIM"];
    result.aborted |= stopped.iter().any(|mark| text.contains(mark));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_counts_of_a_report() {
        let text = "pan:1: assertion violated (g==1) (at depth 40)\n\n\
                    State-vector 64 byte, depth reached 44, errors: 3\n       65 states, stored\n\
                    \u{20}       2 states, matched\n       67 transitions (= stored+matched)\n";
        let result = parse(text);
        assert_eq!((result.stored, result.matched, result.transitions), (65, 2, 67));
        assert_eq!((result.errors, result.depth, result.aborted), (3, 44, false));
        assert_eq!(result.error_kinds, ["assertion violated (g==1)"]);
    }

    #[test]
    fn a_search_stopped_early_is_aborted() {
        assert!(parse("pan:1: block in d_step seq (at depth 3)\nWarning: Search not completed\n").aborted);
        assert!(parse("").aborted);
    }
}
