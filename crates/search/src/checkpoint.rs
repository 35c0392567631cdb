//! Checkpoints of a search: what it has done so far, so that another process can go on and find the same. Where they are
//! kept and how they are protected is up to the caller.

use std::io::{self, Read, Write};

/// Keeps checkpoints.
pub trait Keeper {
    /// Whether one is due. It is asked every few thousand steps.
    fn is_due(&mut self) -> bool;

    /// Keeps the one that `write` writes, instead of the one before. This is asked for when one is due, and when the search
    /// ends before everything was seen.
    fn keep(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);
}

/// Where a search goes on from, and who keeps its checkpoints.
#[derive(Default)]
pub struct Session<'a> {
    /// A checkpoint of a search of the same model with the same options, limits aside.
    pub resume: Option<&'a mut dyn Read>,
    /// Who keeps checkpoints.
    pub keeper: Option<&'a mut dyn Keeper>,
}
