//! What operations do when their execution is over: the rest of a thread runs alone, on memory that no graph has. It is run
//! only because destructors must be.

use super::{Context, LOCATION_BITS, Request};
use crate::call::{Answer, Reply};
use crate::ops::MemoryCell;
use quotient_dpor::Operation;
use quotient_dpor::graph::{EventId, LocationId, Outcome, Update, When};
use std::ptr;
use std::sync::atomic::Ordering;

/// Where the numbers of places begin that are first used when their execution is over.
const FIRST_LEFTOVER: LocationId = 1 << (LOCATION_BITS - 1);
/// Operations of abandoned threads after which one is given up as not ending.
const MAX_LEFTOVER_STEPS: u32 = 200_000;

impl Context {
    /// An abandoned thread waits in a loop, for what nobody will do any more. False if it has done so for too long.
    pub(crate) fn may_spin_on(&mut self) -> bool {
        self.leftover_steps += MAX_LEFTOVER_STEPS / 1000;
        self.poisoned |= self.leftover_steps > MAX_LEFTOVER_STEPS;
        !self.poisoned
    }

    /// The answer to an operation whose execution is over.
    #[cold]
    pub(super) fn answer_leftover(&mut self, request: &Request) -> Answer {
        // What the scheduler drops is not on a stack that could be left.
        if self.in_program && !self.is_unwinding() {
            return Answer { value: 0, result: Reply::Leave };
        }
        if self.leftover_steps > MAX_LEFTOVER_STEPS {
            self.poisoned = true;
            return Answer { value: 0, result: if self.in_program { Reply::Lost } else { Reply::Failed } };
        }
        let operation = Operation::of(&self.with_names(request.asked), 0);
        let (value, happened) = self.leftover_step(request.place, request.init, &operation);
        self.done(value, happened)
    }

    /// The location of a place when the execution is over. Places that were not used before have numbers that no graph
    /// has.
    fn locate_leftover(&mut self, place: &MemoryCell, init: u64) -> LocationId {
        let slot = place.slot.load(Ordering::Relaxed);
        if slot >> LOCATION_BITS == self.execution {
            return (slot & ((1 << LOCATION_BITS) - 1)) as LocationId;
        }
        let address = ptr::from_ref(place) as usize;
        let known = self.bindings.iter().rev().find(|(bound, _)| slot != 0 && *bound == address);
        if let Some(&(_, location)) = known {
            return location;
        }
        let location = FIRST_LEFTOVER + self.leftover_places;
        self.leftover_places = (self.leftover_places + 1) % FIRST_LEFTOVER;
        self.leftover.insert(location, self.name(init));
        place.slot.store(self.execution << LOCATION_BITS | location as u64, Ordering::Relaxed);
        location
    }

    /// What an operation does when its execution is over: the rest of the thread runs alone, so that destructors find
    /// memory as they expect it.
    fn leftover_step(&mut self, place: Option<&MemoryCell>, init: u64, operation: &Operation) -> (u64, bool) {
        self.leftover_steps += 1;
        let Some(place) = place else { return (0, true) };
        let location = self.locate_leftover(place, init);
        let graph = self.explorer.graph();
        let newest = || {
            // What this run has not come to is not there: a pointer may be to memory that was never allocated.
            let write = graph.location(location).writes.iter().rev().find(|&&write| self.explorer.has_run(write));
            graph.value_of(write.copied().unwrap_or(EventId::INIT), location)
        };
        let value = self.leftover.get(&location).copied().unwrap_or_else(newest);
        match *operation {
            Operation::Write { value, .. } => {
                self.leftover.insert(location, value);
                (0, true)
            }
            Operation::Read { update, .. } => match update.outcome(When::Always, value) {
                Outcome::Writes(new) => {
                    self.leftover.insert(location, new);
                    (value, true)
                }
                _ => (value, update == Update::Load),
            },
            _ => (0, true),
        }
    }
}
