//! How big a search was and what its reductions saved. Counts are SPIN's: transitions are stored states plus states
//! met again.

use serde::{Deserialize, Serialize};

/// The size of a search over models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// States stored.
    pub states: u64,
    /// States met again.
    pub matched: u64,
    /// Stored plus met again.
    pub transitions: u64,
    /// The longest run, in steps.
    pub depth: u64,
    /// Errors, counted as by `pan -c0`.
    pub errors: u64,
    /// Bytes of the visited set for each stored state.
    pub bytes_per_state: f64,
    /// States that were stored under a representative's name, when symmetry is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised_states: Option<u64>,
    /// How long the search took.
    pub seconds: f64,
    /// The most memory the process had at any time; 0 where the system does not tell.
    pub peak_memory_bytes: u64,
    /// What symmetry reduction did.
    pub symmetry: Symmetry,
    /// What partial-order reduction did.
    pub por: PartialOrder,
}

/// What symmetry reduction did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Symmetry {
    /// The strategy; `off` for none.
    pub strategy: String,
}

/// What partial-order reduction did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartialOrder {
    /// Whether it was asked for.
    pub requested: bool,
    /// Whether it was applied.
    pub active: bool,
    /// Why it was not applied although it was asked for.
    pub reason: Option<String>,
    /// States at which the moves of one process were enough.
    pub reduced_states: u64,
}

impl Stats {
    /// Stored states per second.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.states as f64 / self.seconds } else { 0.0 }
    }
}
