//! What SPIN says of a temporal property: `spin -a`, a compiler that is quick, and the verifier with a small table, unreduced.
//! Models are tiny, so that making the verifier is most of the work.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::process::{Outcome, Scratch, run_limited};

/// A verifier that runs longer is given up.
const LIMIT: Duration = Duration::from_secs(60);
/// How deep it may go.
const DEPTH: u64 = 50_000;

/// Whether SPIN finds a violation, without and with weak fairness. `None` if it does not finish: where a run ends, its search with
/// weak fairness goes on to any depth.
pub fn ask(text: &str, defines: &[&str], search: &str) -> Result<[Option<bool>; 2], String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let directory = scratch.path();
    fs::write(directory.join("m.pml"), text).map_err(|error| error.to_string())?;
    // Merging statements would move labels that stand before the first statement of an option.
    let made = run("spin", &["-o3", "-a", "m.pml"], directory)?;
    let (compiler, level) = compiler();
    let arguments = [&[level, "-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"], defines].concat();
    let compiled = run(compiler, &arguments, directory)?;
    if made.timed_out || compiled.timed_out {
        return Ok([None; 2]);
    }
    if compiled.code != Some(0) {
        return Err(format!("SPIN's verifier does not compile: {}{}", made.text(), compiled.text()));
    }
    let pan = directory.join("pan").display().to_string();
    let depth = format!("-m{DEPTH}");
    let mut found = [None; 2];
    for (answer, fair) in found.iter_mut().zip([None, Some("-f")]) {
        // Most of the time goes into a table of the usual size.
        let mut arguments = vec![search, &depth, "-n", "-w16"];
        arguments.extend(fair);
        let outcome = run(&pan, &arguments, directory)?;
        if !outcome.timed_out {
            *answer = verdict(&outcome.text())?;
        }
    }
    Ok(found)
}

fn run(program: &str, arguments: &[&str], directory: &Path) -> Result<Outcome, String> {
    run_limited(Command::new(program).args(arguments), directory, LIMIT).map_err(|error| format!("{program}: {error}"))
}

/// The compiler that takes least time, and its level of optimisation.
fn compiler() -> (&'static str, &'static str) {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let has_tcc = *FOUND.get_or_init(|| Command::new("tcc").arg("-v").output().is_ok_and(|ran| ran.status.success()));
    if has_tcc { ("tcc", "-O0") } else { ("gcc", "-O0") }
}

/// What the verifier has printed: whether there is an error, if it has seen all or has found one.
fn verdict(text: &str) -> Result<Option<bool>, String> {
    let after = |word: &str| -> Option<u64> {
        let rest = text.split(word).nth(1)?;
        rest.split([' ', ',', '\n']).next()?.parse().ok()
    };
    let (Some(errors), Some(reached)) = (after("errors: "), after("depth reached ")) else {
        return Err(format!("SPIN's verifier says nothing: {text}"));
    };
    let is_whole = reached + 1 < DEPTH && !text.contains("max search depth too small");
    Ok((errors > 0 || is_whole).then_some(errors > 0))
}
