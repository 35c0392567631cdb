//! Limits on a search, and who asked for it: time, memory, depth, and the observer, who may end it.

use std::time::{Duration, Instant};

use super::{Engine, Frontier, Visitor};
use crate::checkpoint::Keeper;
use crate::explore::{History, Progress};
use crate::{Disorder, Dropped, Event, Stop};
use quotient_store::{Entry, Store};

/// How many steps lie between two looks at the limits. Long states fill a queue fast.
const TICK: u64 = 1 << 10;

/// The clock is looked at after so many bytes of states, too: steps of long states take long.
const WORK: u64 = 1 << 17;

/// If so much time has passed then since the limits were looked at, time is, and the observer is told.
const PATIENCE: Duration = Duration::from_millis(100);

/// Who asked for the search, and is told of it now and then.
pub(super) struct Caller<'o> {
    pub(super) history: &'o History,
    pub(super) keeper: Option<&'o mut dyn Keeper>,
    pub(super) started: Instant,
    pub(super) observer: &'o mut dyn FnMut(Progress) -> bool,
    /// How many steps it is to the next look at the limits.
    left: u64,
    /// Bytes of the long states that steps were made from, since the clock was looked at.
    work: u64,
    /// When the limits were looked at.
    looked: Instant,
    /// They were since the keeper was asked.
    has_looked: bool,
}

impl<'o> Caller<'o> {
    pub(super) fn new(
        history: &'o History,
        keeper: Option<&'o mut dyn Keeper>,
        started: Instant,
        observer: &'o mut dyn FnMut(Progress) -> bool,
    ) -> Self {
        Caller { history, keeper, started, observer, left: TICK, work: 0, looked: Instant::now(), has_looked: false }
    }

    /// Whether a checkpoint is to be kept; asked between two steps.
    #[inline(always)]
    pub(super) fn wants_checkpoint(&mut self) -> bool {
        std::mem::take(&mut self.has_looked) && self.keeper.as_mut().is_some_and(|keeper| keeper.is_due())
    }
}

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Whether the machine's state is as deep as allowed, so that nothing beyond it is looked at.
    pub(super) fn too_deep(&mut self) -> bool {
        let too_deep = self.options.max_depth.is_some_and(|limit| self.depth() >= limit);
        self.cut |= too_deep;
        if too_deep && self.found.stop.is_none() {
            self.found.stop = Some(Stop::Depth);
        }
        too_deep
    }

    /// Whether nothing but the stack is needed for the run to a violation, because the search ends with it.
    pub(super) fn ends_with_stack(&self) -> bool {
        F::DEEPENS && !self.options.all_errors
    }

    /// What the search takes, and what the run to a violation would take.
    fn memory(&self) -> u64 {
        let run = match self.ends_with_stack() {
            true => 0,
            false => self.depth() as usize * (std::mem::size_of::<Event>() + std::mem::size_of::<Entry>()),
        };
        (self.visited.set.bytes()
            + self.stack.bytes()
            + self.frontier.bytes()
            + self.kept.bytes()
            + self.inside.bytes()
            + run) as u64
    }

    /// Gives the reduction up if states that were left out may have more records than allowed (`quotient_por::heap`).
    pub(super) fn check_records(&mut self) {
        let Some(heap) = &self.expander.program.model.heap else { return };
        let records = self.expander.machine.most().records_left_out();
        if records > heap.most_records as u64 && self.dropped.is_none() {
            self.give_up(Dropped::Order(Disorder::Records { may_be: records }));
        }
    }

    /// Takes note of steps, and looks at the limits now and then. What takes long in one step calls it, too: nothing else
    /// looks at them.
    #[inline(always)]
    pub(super) fn tick(&mut self, steps: u64) {
        match self.caller.left.checked_sub(steps) {
            None | Some(0) => {
                self.caller.left = TICK - (steps - self.caller.left) % TICK;
                self.check_limits();
            }
            Some(left) => {
                self.caller.left = left;
                // So many steps of shorter states are never too much.
                let length = self.expander.machine.state().len() as u64;
                if length > WORK / TICK {
                    self.note_work(steps * length);
                }
            }
        }
    }

    /// Takes note of steps of long states.
    #[inline(never)]
    fn note_work(&mut self, bytes: u64) {
        self.caller.work += bytes;
        if self.caller.work >= WORK {
            self.look_at_the_clock();
        }
    }

    /// Looks at time alone, and tells the observer, if that was long ago. Memory is looked at after a number of steps, so that
    /// what is found does not depend on time.
    #[cold]
    fn look_at_the_clock(&mut self) {
        self.caller.work = 0;
        if self.caller.looked.elapsed() >= PATIENCE {
            self.check_time();
            self.tell_observer(self.memory());
        }
    }

    fn check_time(&mut self) {
        (self.caller.looked, self.caller.has_looked) = (Instant::now(), true);
        if self.options.max_time.is_some_and(|limit| self.caller.started.elapsed() >= limit) {
            self.found.stop = Some(Stop::Time);
        }
    }

    /// Ends the search if a limit is reached, and tells the observer how far it is.
    #[cold]
    fn check_limits(&mut self) {
        self.caller.work = 0;
        self.check_time();
        self.check_records();
        let bytes = self.memory();
        let visited = &mut self.visited.set;
        if let Some(limit) = self.options.max_memory {
            if bytes >= limit || visited.is_crowded() {
                self.found.stop = Some(Stop::Memory);
            }
            let others = bytes - visited.bytes() as u64;
            visited.allow(usize::try_from(limit.saturating_sub(others)).unwrap_or(usize::MAX));
        }
        self.tell_observer(bytes);
    }

    fn tell_observer(&mut self, bytes: u64) {
        let progress = Progress {
            states: self.visited.set.len() as u64,
            matched: self.found.matched,
            depth: self.found.depth,
            current: self.stack.trail.len() as u64,
            bytes,
        };
        if !(self.caller.observer)(progress) {
            self.found.stop = Some(Stop::Interrupted);
        }
    }
}
