//! Checkpoints of a check: where all its processes are, and what was found before. The processes say where they are when they
//! are asked (`child`); this one, which no program runs in, puts it together and hands it to whoever writes files.

use crate::problem::Problem;
use crate::check::Part;
use crate::check::answer::Found;
use crate::check::carried::{Saved, SavedKnowledge};
use crate::options::{Checkpoints, Options};
use quotient_runtime::Knowledge;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Where a check is.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Stage {
    /// Whether the memory of threads is in descending order now, and what was found when it was in ascending order.
    pub descending: bool,
    pub first: Option<Found>,
    knowledge: SavedKnowledge,
    /// What the answer will have to say besides.
    pub notes: Vec<String>,
    /// How many processes explore.
    pub jobs: u32,
    /// Where each of them is.
    pub parts: Vec<JobProgress>,
}

/// Where a process is.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) enum JobProgress {
    /// At the beginning.
    #[default]
    Beginning,
    /// In the middle.
    Middle(Box<Saved>),
    /// It has come to an end, and found this.
    End(Box<Part>),
}

impl Stage {
    /// The stage that a checkpoint has.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let stage: Option<Stage> = serde_json::from_slice(bytes).ok();
        let fits = |stage: &Stage| stage.jobs > 0 && stage.parts.len() == stage.jobs as usize;
        stage.filter(fits).ok_or_else(|| Problem::new("the checkpoint makes no sense: it was made by something else"))
    }

    /// What is known of the program.
    pub(crate) fn knowledge(&self) -> Knowledge {
        self.knowledge.knowledge()
    }
}

/// Collects where the processes are.
pub(crate) struct Keeper<'a> {
    checkpoints: &'a Checkpoints,
    stage: Mutex<Stage>,
}

impl<'a> Keeper<'a> {
    /// For an exploration by some processes, which are at these places; nobody, if no checkpoints are wanted.
    pub(crate) fn new(
        options: &'a Options,
        (descending, first): (bool, Option<&Found>),
        knowledge: &Knowledge,
        notes: &[String],
        jobs: u32,
    ) -> Option<Self> {
        let checkpoints = options.checkpoints.as_ref()?;
        let stage = Stage {
            descending,
            first: first.cloned(),
            knowledge: SavedKnowledge::of(knowledge),
            notes: notes.to_vec(),
            jobs,
            parts: (0..jobs).map(|_| JobProgress::Beginning).collect(),
        };
        Some(Keeper { checkpoints, stage: Mutex::new(stage) })
    }

    /// How long it is from one checkpoint to the next.
    pub(crate) fn every(&self) -> Duration {
        self.checkpoints.every
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets where a process is.
    pub(crate) fn set(&self, index: usize, place: JobProgress) {
        if let Some(known) = self.stage().parts.get_mut(index) {
            *known = place;
        }
    }

    /// A process has said where it is.
    pub(crate) fn note(&self, index: usize, saved: &[u8]) {
        if let Ok(saved) = serde_json::from_slice(saved) {
            self.set(index, JobProgress::Middle(Box::new(saved)));
        }
    }

    /// Writes a checkpoint.
    pub(crate) fn write(&self) {
        let stage = self.stage();
        if let Ok(bytes) = serde_json::to_vec(&*stage) {
            (self.checkpoints.write)(&bytes);
        }
    }
}
