//! The programs of `programs/c/loops`: loops that wait, loops that only look like it, and what is kept from round to
//! round. What must not depend on the compiler, on how much it optimises, or on symmetry, is checked with all of them.
//!
//! A line `// expect verdict=violated kind=race cflags=-DX` has the keys of `native.rs`; `opt=2,3` says at which levels of
//! optimisation it is true, if not at all of them; where several answers are right, they stand with commas between. In a normal run every line is checked in one way, which changes from
//! line to line; with `QUOTIENT_ALL_LOOPS=1` it is checked in every way. `QUOTIENT_LOOPS=name` takes some files only.

mod compilers;
mod expectations;

use compilers::installed;
use expectations::{Expectation, expectations};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Checks that run side by side.
const JOBS: usize = 2;

/// One way to check a program.
#[derive(Clone, Copy, Debug)]
struct Way {
    compilers: (&'static str, &'static str),
    level: u32,
    symmetry: bool,
}

impl Way {
    /// Whether everything on the stacks that is said to be dead is overwritten after each operation, in half of all ways:
    /// nothing may change by that.
    fn makes_noise(&self) -> bool {
        (self.level + u32::from(self.symmetry)).is_multiple_of(2)
    }
}

impl Expectation {
    fn value(&self, key: &str) -> Option<&str> {
        self.line.split_whitespace().filter_map(|word| word.split_once('=')).find(|(name, _)| *name == key).map(|w| w.1)
    }

    /// Whether it is about programs that are checked like this.
    fn is_about(&self, way: &Way) -> bool {
        let level = self.value("opt").is_none_or(|levels| levels.split(',').any(|one| one == way.level.to_string()));
        let symmetry = match (self.value("symmetry"), self.value("executions")) {
            (Some(symmetry), _) => way.symmetry == (symmetry == "on"),
            (None, Some(_)) => !way.symmetry,
            (None, None) => true,
        };
        level && symmetry
    }

    /// What is wrong with the answer, if anything.
    fn check(&self, way: &Way) -> Option<String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
        command.env("CC", way.compilers.0).env("CXX", way.compilers.1);
        if way.makes_noise() {
            command.env("QUOTIENT_NOISE", "1");
        }
        command.arg("check").arg(&self.file).args(["--format=json", "--max-events=200", "--max-executions=2000"]);
        command.arg(if way.symmetry { "--symmetry=on" } else { "--symmetry=off" }).args(self.values("flags"));
        command.arg("--").arg(format!("-O{}", way.level)).args(self.values("cflags"));
        let output = command.output().expect("the command runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let Ok(answer) = serde_json::from_str::<Value>(&stdout) else {
            return Some(format!("no answer: {stdout}{}", String::from_utf8_lossy(&output.stderr)));
        };
        let violation = &answer["violations"][0];
        let message = violation["message"].as_str().unwrap_or_default();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for (key, found) in [
            ("verdict", text(&answer["verdict"])),
            ("kind", text(&violation["kind"])),
            ("executions", text(&answer["stats"]["executions"])),
        ] {
            if let Some(wanted) = self.value(key).filter(|wanted| !wanted.split(',').any(|one| one == found)) {
                let (executions, blocked) = (&answer["stats"]["executions"], &answer["stats"]["blocked"]);
                return Some(format!(
                    "{key} is {found}, not {wanted} ({executions} executions, {blocked} given up) {message}"
                ));
            }
        }
        let unmentioned = self.values("mentions").find(|part| !message.contains(part))?;
        Some(format!("{unmentioned} is not mentioned: {message}"))
    }
}

/// All ways to check a program.
fn ways() -> Vec<Way> {
    let mut ways = Vec::new();
    for compilers in installed() {
        for level in 0..4 {
            ways.extend([true, false].map(|symmetry| Way { compilers, level, symmetry }));
        }
    }
    ways
}

#[test]
fn loops_show_what_they_must() {
    let (ways, expectations) = (ways(), expectations("loops", "QUOTIENT_LOOPS"));
    let everything = std::env::var_os("QUOTIENT_ALL_LOOPS").is_some_and(|value| value != "0");
    let mut work = Vec::new();
    for (number, expectation) in expectations.iter().enumerate() {
        let fitting: Vec<Way> = ways.iter().filter(|way| expectation.is_about(way)).copied().collect();
        let chosen = if everything || fitting.is_empty() {
            fitting
        } else {
            vec![fitting[number.wrapping_mul(5) % fitting.len()]]
        };
        work.extend(chosen.into_iter().map(|way| (expectation, way)));
    }
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while let Some((expectation, way)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(problem) = expectation.check(way) {
                        let name = expectation.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        let Way { compilers, level, symmetry } = way;
                        let how = format!("{} -O{level} symmetry={symmetry}", compilers.0);
                        let text = format!("{name}, {how}: {}\n  {problem}", expectation.line);
                        wrong.lock().expect("nobody panics with it").push(text);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("nobody has panicked");
    wrong.sort();
    assert!(wrong.is_empty(), "{}\n{} of {} checks are wrong", wrong.join("\n"), wrong.len(), work.len());
}
