//! SPIN's compiled verifier, as it is measured: `spin -o1 -o2 -o3 -a` and `gcc -O2 -DSAFETY -DNOREDUCE`.
//! Times are CPU times of the child process; only ratios to them are meant.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::process::Scratch;

/// What a verifier reported and how long it took.
#[derive(Clone, Copy, Default)]
pub struct Side {
    /// States stored.
    pub states: u64,
    /// Stored plus matched.
    pub transitions: u64,
    /// Bytes for each stored state, in what the verifier itself counts.
    pub bytes_per_state: f64,
    /// User and system time, in seconds.
    pub cpu: f64,
    /// Wall-clock time, in seconds.
    pub wall: f64,
}

/// A verifier for one model.
pub struct Pan {
    directory: Scratch,
    depth: u64,
    /// Wall-clock time for making the verifier: `spin -a` and the C compiler.
    pub making: f64,
}

impl Pan {
    /// Makes a verifier for `model` with the preprocessor definitions `defines`.
    pub fn build(model: &Path, defines: &[&str]) -> Result<Self, String> {
        Pan::build_with(model, defines, &[])
    }

    /// The same, with more options for the C compiler.
    pub fn build_with(model: &Path, defines: &[&str], more: &[&str]) -> Result<Self, String> {
        let directory = Scratch::new().map_err(|e| e.to_string())?;
        let mut spin = Command::new("spin");
        spin.args(["-o1", "-o2", "-o3"]).args(defines).arg("-a").arg(model).current_dir(directory.path());
        let (generate, _) = timed(&mut spin)?;
        let mut gcc = Command::new("gcc");
        gcc.args(["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=4096", "-o", "pan", "pan.c"])
            .args(more);
        let (compile, _) = timed(gcc.current_dir(directory.path()))?;
        // A first run tells how deep the search goes; pan allocates its stack ahead, so it is given what it needs.
        let mut pan = Pan { directory, depth: 20_000_000, making: generate.wall + compile.wall };
        pan.depth = pan.search()?.1 + 10;
        Ok(pan)
    }

    /// Searches the model once.
    pub fn run(&self) -> Result<Side, String> {
        self.search().map(|(side, _)| side)
    }

    /// Searches the model; also gives back the depth it reached.
    fn search(&self) -> Result<(Side, u64), String> {
        let directory = self.directory.path();
        let mut command = Command::new(directory.join("pan"));
        command.args(["-c0", "-n", &format!("-m{}", self.depth)]).current_dir(directory);
        let (mut side, output) = timed(&mut command)?;
        if output.contains("max search depth too small") {
            return Err("pan needs more than the depth it was given".to_string());
        }
        side.states = number_before(&output, " states, stored")?;
        side.transitions = number_before(&output, " transitions (= stored+matched)")?;
        let megabytes = float_before(&output, "\tactual memory usage for states")
            .or_else(|_| float_before(&output, "\tequivalent memory usage for states"))?;
        side.bytes_per_state = megabytes * 1024.0 * 1024.0 / side.states as f64;
        let depth = output.split("depth reached ").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or("0");
        Ok((side, depth.parse().unwrap_or(0)))
    }
}

/// Runs a command to its end; the CPU time is that of all children since, which is this one.
pub fn timed(command: &mut Command) -> Result<(Side, String), String> {
    let cpu = || -> Result<f64, String> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| e.to_string())?;
        Ok((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6)
    };
    let (before, started) = (cpu()?, Instant::now());
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let side = Side { cpu: cpu()? - before, wall: started.elapsed().as_secs_f64(), ..Side::default() };
    Ok((side, String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn number_before(output: &str, marker: &str) -> Result<u64, String> {
    float_before(output, marker).map(|value| value as u64)
}

/// The number that stands before a text in the verifier's output.
pub fn float_before(output: &str, marker: &str) -> Result<f64, String> {
    let before = output.split(marker).next().filter(|before| before.len() < output.len());
    let word = before.and_then(|before| before.split_whitespace().last());
    word.and_then(|word| word.parse().ok()).ok_or_else(|| format!("pan did not print `{}`", marker.trim()))
}
