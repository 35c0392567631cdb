//! Runs the `quotient` binary on a model and reads its JSON answer.
//! The binary is looked for next to this one, then in the workspace's `target/dist`; it is never built here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::pan::{Side, timed};
use crate::process::{Scratch, run_limited};
use crate::spin::Mode;

/// What Quotient answered for one model.
#[derive(Clone, Debug, Default)]
pub struct QuotientResult {
    /// `holds`, `violated` or `inconclusive`.
    pub verdict: String,
    /// States stored.
    pub states: u64,
    /// States matched.
    pub matched: u64,
    /// Stored plus matched.
    pub transitions: u64,
    /// Errors counted, as `pan -c0` counts them.
    pub errors: u64,
    /// The kinds of the violations it reports.
    pub kinds: Vec<String>,
    /// The whole answer.
    pub output: String,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum QuotientFailure {
    /// It rejects the model (exit code 2).
    Rejected(String),
    /// It took too long.
    TimedOut,
    /// It crashed, or its answer cannot be read.
    Crashed(String),
}

/// Longest time Quotient may take on a program that pan searches within its own limit.
const LIMIT: Duration = Duration::from_secs(60);

/// Where the binary is, if it is anywhere.
pub fn locate() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|xtask| Some(xtask.parent()?.join("quotient")));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let target = Some(workspace.join("target/dist/quotient"));
    [beside, target].into_iter().flatten().find(|path| path.is_file())
}

/// The binary to be measured: the one that was named, or the one beside this program.
pub fn binary(named: Option<&Path>) -> Result<PathBuf, String> {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("quotient"),
    };
    if !path.exists() {
        return Err(format!(
            "{} is missing; build it with `cargo build --profile dist -p quotient-cli`",
            path.display()
        ));
    }
    Ok(path)
}

/// Checks a model with these arguments, every error counted, and measures that. Returns the answer as well.
pub fn measure(binary: &Path, model: &Path, arguments: &[&str]) -> Result<(Side, Value), String> {
    let mut command = Command::new(binary);
    command.arg("check").arg(model).args(arguments);
    command.args(["--all-errors", "--property", "none", "--format", "json"]);
    let (mut side, output) = timed(&mut command)?;
    let answer: Value = serde_json::from_str(&output).map_err(|e| format!("{command:?}: {e}: {output}"))?;
    let count = |name: &str| answer["stats"][name].as_u64().ok_or(format!("{command:?}: {output}"));
    (side.states, side.transitions) = (count("states")?, count("transitions")?);
    side.bytes_per_state = answer["stats"]["bytes_per_state"].as_f64().ok_or("no bytes_per_state in the answer")?;
    Ok((side, answer))
}

/// The lines of a list of models: the name and the arguments of each.
pub fn list(path: &Path) -> Result<Vec<(String, Vec<String>)>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let split = |line: &str| {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default().to_string();
        (name, fields.flat_map(str::split_whitespace).map(str::to_string).collect())
    };
    Ok(lines.map(split).collect())
}

/// Checks `model` in a mode, counting every error.
pub fn check(binary: &Path, model: &Path, mode: Mode) -> Result<QuotientResult, QuotientFailure> {
    let crashed = |error: std::io::Error| QuotientFailure::Crashed(error.to_string());
    let scratch = Scratch::new().map_err(crashed)?;
    std::fs::copy(model, scratch.path().join("model.pml")).map_err(crashed)?;
    let mut command = Command::new(binary);
    command.args(["check", "model.pml", "--reduce", if mode.reduces() { "spin" } else { "off" }]);
    if mode.optimises() {
        command.args(["--count-as", "spin-default"]);
    }
    command.args(["--symmetry", "off", "--all-errors", "--property", "none", "--format", "json"]);
    let outcome = run_limited(&mut command, scratch.path(), LIMIT).map_err(crashed)?;
    match outcome.code {
        _ if outcome.timed_out => Err(QuotientFailure::TimedOut),
        Some(0 | 1 | 3) => parse(&outcome.stdout).ok_or_else(|| QuotientFailure::Crashed(outcome.text())),
        Some(2) => Err(QuotientFailure::Rejected(diagnostic(&outcome.stdout) + &outcome.text())),
        _ => Err(QuotientFailure::Crashed(outcome.text())),
    }
}

/// The first message of a rejection, on a line of its own.
fn diagnostic(text: &str) -> String {
    let answer: Value = serde_json::from_str(text).unwrap_or_default();
    let message = answer["error"]["diagnostics"][0]["message"].as_str();
    message.map(|message| format!("{message}\n")).unwrap_or_default()
}

/// Reads the answer; `None` when it is not the documented object.
fn parse(text: &str) -> Option<QuotientResult> {
    let answer: Value = serde_json::from_str(text).ok()?;
    let count = |name: &str| answer["stats"][name].as_u64();
    let violations = answer["violations"].as_array()?;
    let mut kinds: Vec<String> =
        violations.iter().filter_map(|violation| Some(violation["kind"].as_str()?.to_string())).collect();
    kinds.sort();
    kinds.dedup();
    Some(QuotientResult {
        verdict: answer["verdict"].as_str()?.to_string(),
        states: count("states")?,
        matched: count("matched")?,
        transitions: count("transitions")?,
        errors: count("errors")?,
        kinds,
        output: text.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_documented_object() {
        let answer = r#"{"schema":1,"verdict":"violated","violations":[{"kind":"assertion"},{"kind":"assertion"}],
            "stats":{"states":5,"matched":1,"transitions":6,"errors":2}}"#;
        let result = parse(answer).expect("a readable answer");
        assert_eq!((result.states, result.matched, result.transitions, result.errors), (5, 1, 6, 2));
        assert_eq!((result.verdict.as_str(), result.kinds), ("violated", vec!["assertion".to_string()]));
        assert!(parse("{}").is_none());
    }
}
