//! The stages of a check with several properties, for its checkpoints: safety first, then one claim after the other. A checkpoint says
//! which one is under way, and has the answers before it.

use std::io::Read;

use quotient_report::Answer;
use quotient_search::Stop;

use crate::Error;
use crate::checkpoint::Checkpoint;

/// No head of a checkpoint is longer.
const LONGEST: u64 = 1 << 30;

/// Where a check is.
#[derive(Default)]
pub(crate) struct Stages {
    /// The checkpoint to go on from, after its head.
    pub resume: Option<Checkpoint>,
    /// A search was cut short that can go on. Only the first one is kept; those after it begin anew.
    pub is_cut: bool,
    /// There is more than safety.
    has_claims: bool,
    /// The claim to go on with, and what was answered before.
    answered: Option<(usize, Answer)>,
    claim: usize,
}

impl Stages {
    /// Reads the head of a checkpoint. One of safety alone has none.
    pub(crate) fn new(resume: Option<Checkpoint>, claims: usize) -> Result<Self, Error> {
        let mut stages = Stages { has_claims: claims > 0, ..Stages::default() };
        let Some(mut checkpoint) = resume else { return Ok(stages) };
        if claims > 0 {
            let head = read(&mut checkpoint, claims);
            stages.answered = head.map_err(|error| Error::from(checkpoint.problem(error)))?;
            stages.claim = stages.answered.as_ref().map_or(0, |(claim, _)| *claim);
        }
        stages.resume = Some(checkpoint);
        Ok(stages)
    }

    /// What was answered before the stage that is under way, if that is not the first one.
    pub(crate) fn answered(&mut self) -> Option<Answer> {
        self.answered.take().map(|(_, answer)| answer)
    }

    /// The first claim that is not answered.
    pub(crate) fn claim(&self) -> usize {
        self.claim
    }

    /// A search has ended.
    pub(crate) fn note(&mut self, stop: Option<Stop>) {
        self.is_cut |= matches!(stop, Some(Stop::States | Stop::Time | Stop::Memory | Stop::Interrupted));
    }

    /// The head of a checkpoint of safety.
    pub(crate) fn first_head(&self) -> Vec<u8> {
        if self.has_claims { 0_u64.to_le_bytes().to_vec() } else { Vec::new() }
    }

    /// The head of a checkpoint of a claim: the number of the stage, and the answers so far.
    pub(crate) fn head(&self, claim: usize, answer: &Answer) -> Result<Vec<u8>, Error> {
        let text = serde_json::to_vec(answer).map_err(|error| Error::Io(error.into()))?;
        let numbers = [claim as u64 + 1, text.len() as u64].map(u64::to_le_bytes);
        Ok([&numbers[0][..], &numbers[1], &text].concat())
    }
}

/// Reads the claim that was under way, and the answers before it.
fn read(input: &mut impl Read, claims: usize) -> std::io::Result<Option<(usize, Answer)>> {
    let damaged = || std::io::Error::new(std::io::ErrorKind::InvalidData, "its answers are not in order");
    let mut number = || {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    };
    let Some(claim) = number()?.checked_sub(1) else { return Ok(None) };
    let length = number()?;
    let claim = usize::try_from(claim).ok().filter(|&claim| claim < claims).ok_or_else(damaged)?;
    if length > LONGEST {
        return Err(damaged());
    }
    let mut text = Vec::new();
    input.take(length).read_to_end(&mut text)?;
    let answer = serde_json::from_slice(&text).map_err(|_| damaged())?;
    Ok(Some((claim, answer)))
}
