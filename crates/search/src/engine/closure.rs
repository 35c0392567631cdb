//! Local steps without a choice are taken at once, and nothing is stored between them. What is stored depends on the model
//! alone, and not on the order of the search. `docs/src/reduction.md` has the proof.
//!
//! A process is *free* in a state if its moves there are local (`quotient_por`) and its control state is not sticky. In
//! a state that was just reached:
//!
//! 1. As long as some process is free and has exactly one move, that move is made. The state before it is not stored.
//! 2. The state where this ends is stored. If some process is free and has several moves, only these are explored from there.
//! 3. Otherwise all processes are expanded. So it is, too, where step 1 was given up: that state has a free process with one
//!    move.
//!
//! Steps without a choice that lead back to where they began are given up at the least state of the circle, so that
//! everyone who gets into it stops at the same place.

use quotient_step::machine::{Attempt, Effect, Move};

use super::expander::{Expander, Tried};
use super::{Engine, Frontier, Visitor};
use crate::frame::{Part, Role};

/// After so many steps the state is stored, whatever it is.
const MOST_STEPS: u64 = 1 << 14;

/// So many bytes of states inside one atomic sequence are enough: who waits for a limit does not wait long.
const MOST_BYTES: usize = 1 << 24;

/// Whether steps go in circles is asked after so many of them.
const BEFORE_CIRCLES: u64 = 32;

/// What a process can do where it stands.
pub(crate) enum Turn<'p> {
    /// Nothing.
    Blocked,
    /// One thing, and nothing goes wrong. It was done, and the loaded state is the one before it.
    One(&'p Move, u32),
    /// More than one thing.
    Many,
    /// Something goes wrong, or may not be done without looking further.
    Wrong,
}

/// Buffers of those who try steps out.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The state after a move, while others are tried.
    after: Vec<u8>,
    /// The state before an atomic sequence.
    before: Vec<u8>,
    /// A step, and its statements, each with the type of its process.
    parts: Vec<Part>,
    statements: Vec<(usize, u32)>,
}

impl Scratch {
    /// The step that was made alone last.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl<'p> Expander<'p, '_> {
    /// Whether a process may be chosen to move alone.
    #[inline]
    pub(crate) fn is_free(&mut self, process: usize) -> bool {
        let (ty, control) = self.machine.control(process);
        self.reduction.as_ref().is_some_and(|reduction| reduction.is_free(ty, control)) && self.is_enough(process)
    }

    /// Whether some process may be chosen, if the conditions are met.
    #[inline(always)]
    pub(crate) fn someone_is_free(&self) -> bool {
        if !self.closes {
            return false;
        }
        let Some(reduction) = &self.reduction else { return false };
        self.machine.any_control(|ty, control| reduction.is_free(ty, control))
    }

    /// What a process can do in the loaded state. Unless that is one thing, the machine is as it was.
    fn turn(&mut self, process: usize, after: &mut Vec<u8>) -> Turn<'p> {
        let mut cursor = self.first_move(process);
        self.machine.enter(process, false);
        let mut only = None;
        let mut kept = false;
        loop {
            let (mv, transition) = match self.next(&mut cursor) {
                Tried::Nothing => break,
                Tried::Something(mv, transition, Attempt::Moved) if !self.machine.has_faults() => (mv, transition),
                Tried::Something(..) | Tried::LeavesPromise(_) => {
                    self.machine.take_faults();
                    self.machine.end_offer();
                    self.machine.reload();
                    return Turn::Wrong;
                }
            };
            if only.is_some() {
                self.machine.reload();
                return Turn::Many;
            }
            only = Some((mv, transition));
            (cursor.escape, cursor.moved) = (mv.escape, true);
            if mv.final_but_else {
                break;
            }
            if cursor.next < cursor.state.end {
                after.clear();
                after.extend_from_slice(self.machine.state());
                self.machine.reload();
                kept = true;
            }
        }
        let Some((mv, transition)) = only else { return Turn::Blocked };
        if kept {
            self.machine.resume(after);
        }
        Turn::One(mv, transition)
    }

    /// Makes the one move that a process has, with the whole atomic sequence that it begins; its parts are in `scratch`. If
    /// there is no such move, the machine is as it was.
    pub(crate) fn step_alone(&mut self, process: usize, scratch: &mut Scratch) -> Turn<'p> {
        scratch.parts.clear();
        scratch.statements.clear();
        let mut inside = false;
        let (mut bytes, mut circle) = (0, Circle::default());
        loop {
            let ty = self.machine.control(process).0;
            match self.turn(process, &mut scratch.after) {
                Turn::One(mv, transition) => {
                    scratch.statements.push((ty, mv.statement));
                    scratch.parts.push(Part { transition, process: process as u16, role: Role::Alone });
                    if !mv.atomic || matches!(mv.effect, Effect::End) {
                        return Turn::One(mv, transition);
                    }
                    if !inside {
                        scratch.before.clear();
                        scratch.before.extend_from_slice(self.machine.loaded());
                        inside = true;
                    }
                    let (steps, state) = (scratch.parts.len() as u64, self.machine.state());
                    bytes += state.len();
                    let is_endless = steps > BEFORE_CIRCLES && circle.is_at_rest(state);
                    if is_endless || steps > MOST_STEPS || bytes > MOST_BYTES {
                        break;
                    }
                    self.machine.commit();
                }
                other if !inside => return other,
                Turn::Blocked | Turn::Many | Turn::Wrong => break,
            }
        }
        // The search looks into the sequence.
        self.machine.load(&scratch.before);
        Turn::Many
    }

    /// The process whose moves are enough in the loaded state, where steps without a choice were taken already. Of several
    /// it is one that has nothing to do with the numbers of processes, as far as possible.
    pub(crate) fn chosen(&mut self, scratch: &mut Scratch) -> Option<usize> {
        if self.machine.offered().0 != 0 || !self.someone_is_free() {
            return None;
        }
        let mut best: Option<usize> = None;
        for process in (0..self.machine.processes()).rev() {
            if !self.is_free(process) {
                continue;
            }
            match self.step_alone(process, scratch) {
                Turn::One(..) => {
                    // The loaded state may be one inside an atomic sequence by now.
                    if scratch.parts.len() > 1 {
                        self.machine.load(&scratch.before);
                    } else {
                        self.machine.reload();
                    }
                    return None;
                }
                Turn::Many => {
                    let greater =
                        best.is_none_or(|best| self.machine.component(process) > self.machine.component(best));
                    if greater {
                        best = Some(process);
                    }
                }
                Turn::Blocked | Turn::Wrong => {}
            }
        }
        best
    }
}

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Takes all steps without a choice from the machine's state on; they are added to the trail. Afterwards the loaded
    /// state is not the top frame's any more, if anything was tried.
    #[inline(always)]
    pub(super) fn close(&mut self) {
        if self.expander.someone_is_free() {
            self.follow();
        }
    }

    fn follow(&mut self) {
        self.stack.loaded = false;
        self.expander.machine.commit();
        let mut circle = Circle::default();
        let mut steps = 0;
        'steps: while steps < MOST_STEPS && self.options.max_depth.is_none_or(|limit| self.depth() < limit) {
            self.tick(1);
            if self.is_stopped() {
                self.cut_short = true;
                return;
            }
            for process in (0..self.expander.machine.processes()).rev() {
                if !self.expander.is_free(process) {
                    continue;
                }
                let at = self.expander.machine.control(process);
                let turn = self.expander.step_alone(process, &mut self.scratch);
                self.tick(self.scratch.parts.len() as u64);
                let Turn::One(..) = turn else { continue };
                self.scratch.parts.iter().for_each(|&part| self.stack.trail.push(part));
                let before = match self.scratch.parts.len() {
                    1 => self.expander.machine.loaded(),
                    _ => &self.scratch.before,
                };
                self.nets.choices.offer(before, process, at);
                for number in 0..self.scratch.statements.len() {
                    let (ty, statement) = self.scratch.statements[number];
                    self.note_reached(ty, statement);
                }
                self.expander.machine.commit();
                self.found.skipped += 1;
                steps += 1;
                if steps > BEFORE_CIRCLES && circle.is_at_rest(self.expander.machine.state()) {
                    break 'steps;
                }
                continue 'steps;
            }
            break;
        }
    }
}

/// Notices that steps go in circles (Brent's algorithm), and says where to stop: at the least state of the circle.
#[derive(Default)]
pub(crate) struct Circle {
    /// A state that was met, after which so many steps were made; another one is kept after `power` of them.
    kept: Vec<u8>,
    since: u64,
    power: u64,
    /// The least state of the circle, once one was found, and how many steps are left to go round it.
    least: Vec<u8>,
    round: Option<u64>,
}

impl Circle {
    /// Takes note of the next state; true if it is the place to stop.
    pub(crate) fn is_at_rest(&mut self, state: &[u8]) -> bool {
        if let Some(left) = self.round {
            if state < &self.least[..] {
                self.least = state.to_vec();
            }
            self.round = Some(left.saturating_sub(1));
            return left == 0 && state == self.least;
        }
        self.since += 1;
        if state == self.kept {
            self.least = state.to_vec();
            self.round = Some(self.since);
        } else if self.since >= self.power {
            self.kept = state.to_vec();
            (self.since, self.power) = (0, (self.power * 2).max(1));
        }
        false
    }
}
