//! The machine on which figures of other tools were taken: what GenMC does there, and how fast this machine is beside it.
//! Speed is compared by SPIN's compiled verifier on Peterson's algorithm for four processes.

use std::path::Path;

use crate::pan::Pan;

/// Executions per second of GenMC 0.11 there: fetch-add by eight threads, without symmetry reduction.
pub const GENMC_FETCH_ADD: f64 = 26_000.0;
/// Graphs per second, with those given up: Treiber's stack with seven threads.
pub const GENMC_TREIBER: f64 = 24_000.0;
/// How many times as fast as GenMC programs are to be explored.
pub const REQUIRED: f64 = 8.0;
/// Transitions per second of pan there.
const PAN: f64 = 3.0e6;

/// The speed of this machine.
pub struct Machine {
    pan: Pan,
    /// Transitions per second of pan here, the best so far.
    pub transitions: f64,
}

impl Machine {
    /// Makes the verifier.
    pub fn new() -> Result<Self, String> {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/peterson.pml");
        Ok(Machine { pan: Pan::build(&model, &["-DN=4"])?, transitions: 0.0 })
    }

    /// Measures once more.
    pub fn measure(&mut self) -> Result<(), String> {
        let side = self.pan.run()?;
        self.transitions = self.transitions.max(side.transitions as f64 / side.cpu);
        Ok(())
    }

    /// What a figure of the reference machine is here.
    pub fn scale(&self, figure: f64) -> f64 {
        figure * self.transitions / PAN
    }

    /// The speed in words.
    pub fn describe(&self) -> String {
        format!(
            "pan on peterson -DN=4: {:.2} M transitions/s, where the reference has {:.2} M",
            self.transitions / 1e6,
            PAN / 1e6
        )
    }
}
