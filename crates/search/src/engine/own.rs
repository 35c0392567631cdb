//! Models with a heap: whether all that a process can do next uses nothing but what is its own. `quotient_por::heap` says why
//! its moves are enough then.

use quotient_por::Reduction;
use quotient_step::machine::{Attempt, Effect, Program, Watch};

use super::expander::{Expander, Tried};

/// More steps inside atomic sequences than this are not looked at.
const MOST_STEPS: usize = 64;

impl Expander<'_, '_> {
    /// Whether a process keeps to itself in the loaded state, whatever it does next: in its moves, and in the atomic sequences
    /// that they begin. The machine is as it was.
    pub(crate) fn keeps_to_itself(&mut self, process: usize) -> bool {
        let before = self.machine.loaded().to_vec();
        let mut work = vec![before.clone()];
        let mut steps = 0;
        while let Some(state) = work.pop() {
            steps += 1;
            // The first state was looked at by the caller.
            if steps > 1 {
                self.machine.load(&state);
            }
            let is_first = steps == 1;
            let keeps =
                (is_first || self.conditions_hold(process)) && self.step_keeps_to_itself(process, is_first, &mut work);
            if !keeps || steps + work.len() > MOST_STEPS {
                self.machine.load(&before);
                return false;
            }
        }
        if steps > 1 {
            self.machine.load(&before);
        }
        true
    }

    /// Whether what a process can do in one step from the loaded state uses nothing but what is its own. States inside atomic
    /// sequences, in which it goes on, are added to `inside`.
    fn step_keeps_to_itself(&mut self, process: usize, may_wait: bool, inside: &mut Vec<Vec<u8>>) -> bool {
        self.machine.watch_moves(self.watch);
        let mut cursor = self.first_move(process);
        self.machine.enter(process, false);
        let mut is_right = true;
        while is_right {
            match self.next(&mut cursor) {
                Tried::Nothing => break,
                Tried::Something(mv, _, Attempt::Moved) if !self.machine.has_faults() => {
                    (cursor.escape, cursor.moved) = (mv.escape, true);
                    if mv.atomic && !matches!(mv.effect, Effect::End) {
                        inside.push(self.machine.state().to_vec());
                    }
                    self.machine.reload();
                }
                Tried::Something(..) | Tried::LeavesPromise(_) => {
                    self.machine.take_faults();
                    self.machine.end_offer();
                    self.machine.reload();
                    is_right = false;
                }
            }
        }
        let touched = self.machine.stop_watching();
        is_right && !touched && (may_wait || cursor.moved)
    }

    /// Whether no other process can start one any more.
    pub(super) fn nobody_starts(&self, reduction: &Reduction, process: usize) -> bool {
        let starts = |other: usize| self.machine.any_frame(other, |ty, control| reduction.starts(ty, control));
        (0..self.machine.processes()).all(|other| other == process || !starts(other))
    }
}

/// What is looked at while moves are tried.
pub(super) fn watch(reduction: Option<&Reduction>, program: &Program<'_>) -> Watch {
    // Where locks protect their records, what others do to a record is no error any more once its lock was given back.
    let unlocking_is_own = !program.access.locks_protect && reduction.is_some_and(Reduction::unlocks);
    Watch { unlocking_is_own, ..Watch::default() }
}
