//! Partial-order reduction in the search: whether the moves of one process are enough here, and the proviso that no
//! process is put off for ever. Follows SPIN's verifiers (Holzmann and Peled): the successors of the chosen process must
//! not all lie on the stack.

use quotient_por::{Condition, Fill, Safety};
use quotient_store::Entry;

use super::Engine;
use crate::frame::Frame;

impl Engine<'_, '_, '_> {
    /// Whether the moves of a process are enough, not yet considering where they lead.
    pub(super) fn is_enough(&self, process: usize) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        let (ty, control) = self.machine.control(process);
        let Safety::Safe(conditions) = reduction.safety(ty, control) else { return false };
        conditions.iter().all(|condition| match condition {
            Condition::Youngest => {
                process + 1 == self.machine.processes()
                    && reduction.death_is_silent((0..process).map(|other| self.machine.control(other)))
            }
            Condition::ChannelsUnknown => {
                !self.machine.channels_are_known(process, |ty, state, slot| reduction.is_live(ty, state, slot))
            }
            Condition::Channels { fill, scope, slots } => slots.iter().all(|&slot| {
                let Some((used, capacity)) = self.machine.channel_fill(process, *scope, slot) else { return false };
                match fill {
                    Fill::NotFull => used < capacity,
                    Fill::NotEmpty => used > 0,
                    Fill::Empty => used == 0,
                    Fill::Full => used >= capacity,
                    Fill::Between => used > 0 && used < capacity,
                }
            }),
        })
    }

    /// Whether a promise that the reduction relies on could be broken unseen after its maker, the youngest process, has
    /// ended: someone who is left may still use the channel (see `quotient_por::promise`).
    #[cold]
    pub(super) fn leaves_a_promise(&mut self, process: usize) -> bool {
        let promised = self.machine.promised(process);
        let Some(reduction) = &self.reduction else { return false };
        let machine = &self.machine;
        promised.into_iter().any(|(receive, channel)| {
            machine.is_in_a_message(|id| id == channel)
                || (0..process).any(|other| {
                    let (ty, control) = machine.control(other);
                    let users = reduction.users(ty, control);
                    let through = if receive { &users.receive } else { &users.send };
                    through.iter().any(|&(scope, slot)| machine.held(other, scope, slot) == channel)
                })
        })
    }

    /// Takes note of a stored successor of the state that the first `frames` frames lead to. One that was met before does
    /// not justify leaving other processes out when it is on the stack (depth-first), or when it is or was expanded
    /// already (breadth-first): otherwise a process could be put off for ever.
    pub(super) fn note_successor(&mut self, entry: Entry, new: bool, frames: usize) {
        if self.reduction.is_some() && (new || !self.visited.is_on_stack(entry)) {
            self.mark_outside(frames);
        }
    }

    /// Notes at the innermost stored state below `frames` frames that some successor is not on the stack.
    fn mark_outside(&mut self, frames: usize) {
        for frame in self.frames[..frames].iter_mut().rev() {
            frame.flags |= Frame::OUTSIDE;
            if !frame.is(Frame::PASSING) {
                break;
            }
        }
    }
}
