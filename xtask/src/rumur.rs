//! rumur's compiled verifiers, as they are measured: one thread, the C compiler's `-O3`, deadlocks as in Promela.

use std::path::Path;
use std::process::Command;

use crate::pan::{Side, timed};
use crate::process::Scratch;

/// What a verifier does about symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Nothing.
    Off,
    /// Sorts: two states that are the same but for names may both be kept.
    Heuristic,
    /// Tries all permutations.
    Exhaustive,
}

impl Reduction {
    fn name(self) -> &'static str {
        match self {
            Reduction::Off => "off",
            Reduction::Heuristic => "heuristic",
            Reduction::Exhaustive => "exhaustive",
        }
    }
}

/// A verifier for one model.
pub struct Rumur {
    directory: Scratch,
}

impl Rumur {
    /// Makes a verifier for the Murphi model `text` with `size` for its constant `N`.
    pub fn build(text: &Path, size: u32, reduction: Reduction) -> Result<Self, String> {
        let directory = Scratch::new().map_err(|e| e.to_string())?;
        let model = std::fs::read_to_string(text).map_err(|e| format!("{}: {e}", text.display()))?;
        let sized = model.replacen("const N: 3;", &format!("const N: {size};"), 1);
        if !sized.contains(&format!("const N: {size};")) {
            return Err(format!("{} has no constant N of 3", text.display()));
        }
        std::fs::write(directory.path().join("model.m"), sized).map_err(|e| e.to_string())?;
        let mut rumur = Command::new("rumur");
        rumur.args(["--symmetry-reduction", reduction.name(), "--threads", "1", "--deadlock-detection", "stuck"]);
        rumur.args(["--output-format", "machine-readable", "--output", "model.c", "model.m"]);
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c11", "-w", "-O3", "-march=native", "-pthread"]);
        if cfg!(target_arch = "x86_64") {
            compiler.arg("-mcx16");
        }
        compiler.args(["-o", "model", "model.c", "-latomic"]);
        for command in [&mut rumur, &mut compiler] {
            let output = command.current_dir(directory.path()).output().map_err(|e| format!("{command:?}: {e}"))?;
            if !output.status.success() {
                return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
            }
        }
        Ok(Self { directory })
    }

    /// The best of a few runs.
    pub fn best(&self, runs: u32) -> Result<Side, String> {
        let mut best = self.run()?;
        for _ in 1..runs {
            best.cpu = best.cpu.min(self.run()?.cpu);
        }
        Ok(best)
    }

    /// Searches the model once. The initial state counts as a transition, as in Quotient.
    fn run(&self) -> Result<Side, String> {
        let mut command = Command::new(self.directory.path().join("model"));
        let (mut side, output) = timed(&mut command)?;
        let summary = output.lines().find(|line| line.starts_with("<summary ")).unwrap_or_default();
        let attribute = |name: &str| {
            let value = summary.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
            value.and_then(|value| value.parse::<u64>().ok()).ok_or_else(|| format!("rumur: no {name}: {output}"))
        };
        if attribute("errors")? != 0 {
            return Err(format!("rumur finds an error: {output}"));
        }
        side.states = attribute("states")?;
        side.transitions = attribute("rules_fired")? + 1;
        Ok(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_constant_that_is_replaced() {
        let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/rumur");
        for text in ["german.m", "peterson.m"] {
            let model = std::fs::read_to_string(texts.join(text)).expect("the text can be read");
            assert_eq!(model.matches("const N: 3;").count(), 1, "{text}");
        }
        assert_eq!(Reduction::Exhaustive.name(), "exhaustive");
    }
}
