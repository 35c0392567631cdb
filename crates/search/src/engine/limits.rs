//! Limits on a search, and who asked for it: time, memory, depth, and the observer, who may end it.

use std::time::Instant;

use super::{Engine, Frontier, Visitor};
use crate::checkpoint::Keeper;
use crate::explore::{History, Progress};
use crate::{Disorder, Dropped, Event, Stop};
use quotient_store::{Entry, Store};

/// How many steps lie between two looks at the limits. Long states fill a queue fast.
pub(super) const TICK: u64 = 1 << 10;

/// Who asked for the search, and is told of it now and then.
pub(super) struct Caller<'o> {
    pub(super) history: &'o History,
    pub(super) keeper: Option<&'o mut dyn Keeper>,
    pub(super) started: Instant,
    pub(super) observer: &'o mut dyn FnMut(Progress) -> bool,
    pub(super) ticks: u64,
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
        (self.visited.set.bytes() + self.stack.bytes() + self.frontier.bytes() + self.kept.bytes() + run) as u64
    }

    /// Gives the reduction up if states that were left out may have more records than allowed (`quotient_por::heap`).
    pub(super) fn check_records(&mut self) {
        let Some(heap) = &self.expander.program.model.heap else { return };
        let records = self.expander.machine.most().records_left_out();
        if records > heap.most_records as u64 && self.dropped.is_none() {
            self.give_up(Dropped::Order(Disorder::Records { may_be: records }));
        }
    }

    /// Ends the search if a limit is reached, and tells the observer how far it is.
    #[cold]
    pub(super) fn check_limits(&mut self) {
        if self.options.max_time.is_some_and(|limit| self.caller.started.elapsed() >= limit) {
            self.found.stop = Some(Stop::Time);
        }
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
        let progress = Progress {
            states: visited.len() as u64,
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
