//! What can happen in a state: successors, and the ways to them. It is what `system.rs` fills.

use quotient_step::replay::{Event, Path};

use super::bits::Bits;
use super::stack::Stack;
use crate::engine::add_part;
use crate::frame::Part;

/// A part of the way to a successor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A process's part in a step.
    Part(Part),
    /// The process inside an atomic sequence was blocked and lost control.
    Release,
}

/// Adds the steps of a way to a run.
pub(super) fn add_steps(path: &mut Path, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Part(part) => add_part(path, *part),
            Step::Release => path.push(Event::Release),
        }
    }
}

/// What can happen in a state.
#[derive(Default)]
pub(super) struct Successors {
    pub(super) bytes: Vec<u8>,
    pub(super) list: Vec<Successor>,
    pub(super) steps: Vec<Step>,
    /// Where they are put instead if the ways to them are not of interest, and how many were.
    pub(super) stack: Option<Stack>,
    pub(super) stacked: u32,
    /// Something can happen, if only an error.
    pub(super) moved: bool,
    /// Nobody can move unless a `timeout` lets them.
    pub(super) timeout: bool,
    /// Processes that can begin a move, and are to do so in a fair run.
    pub(super) enabled: Bits,
    /// How many errors there were in trying the moves.
    pub(super) faults: u64,
    /// Some atomic sequence was not followed to its end.
    pub(super) endless: bool,
    /// A process ends that has made promises which the reduction relies on, or a promise was broken.
    pub(super) promise: bool,
}

/// A successor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub(super) state: (u32, u32),
    pub(super) steps: (u32, u32),
    /// Processes that moved on the way.
    pub(super) movers: Bits,
    /// A process that was taken away at the end of it, so that those behind it have other numbers.
    pub(super) gone: Option<u8>,
    /// How many steps there were on the way.
    pub(super) length: u32,
}

impl Successors {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.steps.clear();
        self.stacked = 0;
        (self.moved, self.timeout, self.endless, self.promise) = (false, false, false, false);
        self.enabled = Bits::default();
        self.faults = 0;
    }

    /// Puts a state on the stack, if there is one, to which one process moved.
    #[inline]
    pub(super) fn put_one(&mut self, state: &[u8], process: usize) {
        if let Some(stack) = &mut self.stack {
            stack.push_one(state, process as u8);
            self.stacked += 1;
        }
    }

    pub(super) fn list(&self) -> &[Successor] {
        &self.list
    }

    pub(super) fn state(&self, successor: &Successor) -> &[u8] {
        &self.bytes[successor.state.0 as usize..successor.state.1 as usize]
    }

    /// The way to a successor, if it was recorded.
    pub(super) fn steps(&self, successor: &Successor) -> &[Step] {
        &self.steps[successor.steps.0 as usize..successor.steps.1 as usize]
    }
}

impl Successor {
    /// Processes that need not be asked for if a cycle has this step: those who moved, and those who do not stay in their places.
    /// Threads only ever move to places before theirs, so that who lives forever keeps its place on every cycle, and nobody before it ends.
    pub(super) fn served(&self) -> Bits {
        served(self.movers, self.gone)
    }
}

/// The same, given who moved and who is gone.
pub(super) fn served(movers: Bits, gone: Option<u8>) -> Bits {
    let mut served = movers;
    if let Some(gone) = gone {
        (usize::from(gone)..256).for_each(|process| served.insert(process));
    }
    served
}
