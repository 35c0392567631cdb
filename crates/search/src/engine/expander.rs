//! What expands a state: the machine that executes moves, and the partial-order reduction that says when those of one
//! process are enough. Moves come in SPIN's order: youngest process first, and each one's moves as they are written.

use quotient_ir::heap::Order;
use quotient_por::{Condition, Fill, Reduction, Safety};
use quotient_step::Fault;
use quotient_step::machine::{Attempt, CompiledState, Effect, Machine, Move, Program, Watch};

use super::own;
use crate::frame::Frame;

/// Expands states. It may move the machine and read the frame it expands; it knows neither what was visited nor in which
/// order states are taken, so every search sees the same successors.
pub(crate) struct Expander<'p, 'm> {
    pub(crate) program: &'p Program<'m>,
    pub(crate) machine: Machine<'p, 'm>,
    pub(crate) reduction: Option<Reduction>,
    /// Local steps without a choice are followed at once (see `closure.rs`), and cycles are cut where control states are
    /// sticky. Otherwise they are cut as in SPIN, where the search meets its own stack.
    pub(crate) closes: bool,
    /// The reduction relies on promises of processes.
    relying: bool,
    /// The oldest process is tried first.
    pub(crate) oldest_first: bool,
    /// The model has a heap.
    has_heap: bool,
    /// What is looked at in a model with a heap while moves are tried.
    pub(crate) watch: Watch,
    /// Processes must be asked whether they may move at all.
    pub(crate) gated: bool,
    /// What went wrong in making the offer of the top frame; reported when someone receives.
    pub(crate) pending: Vec<Fault>,
}

/// Where the search is in the moves of one process.
pub(crate) struct Cursor<'p> {
    pub(crate) process: usize,
    /// The process's type.
    pub(crate) ty: usize,
    /// The moves of the type, and which of them are those of the control state.
    moves: &'p [Move],
    pub(crate) state: CompiledState,
    /// The next move to try.
    pub(crate) next: u32,
    /// The escape of an `unless` that was executed; 0 for none.
    pub(crate) escape: u32,
    /// Whether a move of the process was executable.
    pub(crate) moved: bool,
    /// A message is offered.
    pub(crate) offered: bool,
}

/// A move that was tried.
pub(crate) enum Tried<'p> {
    /// It can be executed, or something went wrong in trying it. The number is that of the transition.
    Something(&'p Move, u32, Attempt),
    /// It was not tried: it ends a process of this type, which leaves a promise behind that nobody checks.
    LeavesPromise(usize),
    /// No move is left.
    Nothing,
}

impl<'p, 'm> Expander<'p, 'm> {
    /// For a program. `promises` says whether `xr` and `xs` are checked.
    pub(crate) fn new(program: &'p Program<'m>, reduction: Option<Reduction>, closes: bool, promises: bool) -> Self {
        let model = program.model;
        let watch = own::watch(reduction.as_ref(), program);
        Expander {
            closes: closes && reduction.is_some(),
            program,
            machine: Machine::new(program, promises),
            relying: reduction.as_ref().is_some_and(|r| model.process_types().any(|(id, _)| r.relies_on(id))),
            reduction,
            oldest_first: model.heap.as_ref().is_some_and(|heap| heap.order == Order::OldestFirst),
            has_heap: model.heap.is_some(),
            watch,
            gated: model.uses.provided || model.uses.priority,
            pending: Vec::new(),
        }
    }

    /// Whether the search's own stack decides where one process is enough, as in SPIN.
    #[inline(always)]
    pub(crate) fn asks_stack(&self) -> bool {
        self.reduction.is_some() && !self.closes
    }

    /// Looks at a process from its first move on.
    #[inline(always)]
    pub(crate) fn first_move(&self, process: usize) -> Cursor<'p> {
        let (ty, control) = self.machine.control(process);
        let compiled = &self.program.proctypes[ty];
        let state = compiled.states[control];
        let (moves, next) = (&compiled.moves[..], state.first);
        Cursor { process, ty, moves, state, next, escape: 0, moved: false, offered: false }
    }

    /// The process whose turn it is in a frame, whose state the machine holds. A frame counts down; where the oldest process is
    /// tried first, it counts those that are still to come.
    #[inline(always)]
    pub(crate) fn mover(&self, frame: &Frame) -> usize {
        match self.oldest_first && !frame.is(Frame::EXCLUSIVE | Frame::PRESELECTED) {
            true => self.machine.processes() - 1 - frame.process as usize,
            false => frame.process as usize,
        }
    }

    /// Looks at the process whose turn it is in a frame, from its first move on, or from where the frame says.
    #[inline(always)]
    pub(crate) fn cursor(&self, frame: &Frame) -> Cursor<'p> {
        let first = self.first_move(self.mover(frame));
        let offered = frame.offer != 0;
        match frame.next {
            Frame::UNSEEN => Cursor { offered, ..first },
            next => Cursor { next, escape: frame.escape, moved: frame.is(Frame::MOVED_HERE), offered, ..first },
        }
    }

    /// Tries moves until one can be executed or something goes wrong. The machine holds the frame's state, with the
    /// cursor's process entered.
    #[inline(always)]
    pub(crate) fn next(&mut self, cursor: &mut Cursor<'p>) -> Tried<'p> {
        while cursor.next < cursor.state.end {
            let mv = &cursor.moves[cursor.next as usize];
            if cursor.escape > 0 && cursor.escape != mv.escape {
                break;
            }
            let transition = cursor.next - cursor.state.first;
            cursor.next += 1;
            if self.relying
                && matches!(mv.effect, Effect::End)
                && !cursor.offered
                && self.leaves_promise(cursor.process)
            {
                return Tried::LeavesPromise(cursor.ty);
            }
            let attempt = self.machine.attempt(mv, cursor.moved);
            if attempt == Attempt::Blocked {
                if !self.machine.has_faults() {
                    continue;
                }
                if cursor.offered {
                    // Who does not receive what is offered does nothing.
                    self.machine.take_faults();
                    continue;
                }
            }
            return Tried::Something(mv, transition, attempt);
        }
        Tried::Nothing
    }

    /// The youngest of the processes up to `from` whose moves are enough, not yet considering where they lead.
    #[inline]
    pub(crate) fn enough(&mut self, from: i16) -> Option<i16> {
        let offered = self.machine.offered().0 != 0;
        match self.reduction.is_some() && self.machine.processes() > 1 && !offered {
            true => (0..=from).rev().find(|&process| self.is_enough(process as usize)),
            false => None,
        }
    }

    /// Whether the moves of a process are enough in the loaded state.
    #[inline]
    pub(crate) fn is_enough(&mut self, process: usize) -> bool {
        self.conditions_hold(process) && (!self.has_heap || self.keeps_to_itself(process))
    }

    /// Whether the conditions of a control state hold that are told by the model alone.
    pub(super) fn conditions_hold(&self, process: usize) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        let (ty, control) = self.machine.control(process);
        let Safety::Safe(conditions) = reduction.safety(ty, control) else { return false };
        conditions.iter().all(|condition| match condition {
            Condition::NobodyStarts => self.nobody_starts(reduction, process),
            Condition::Youngest => {
                self.can_be_removed(process)
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

    /// Whether a process that has come to its end can be removed now.
    fn can_be_removed(&self, process: usize) -> bool {
        let (ty, _) = self.machine.control(process);
        self.program.model.proctypes[ty].termination.removes(process, self.machine.processes())
    }

    /// Whether a process, if it can be removed now, leaves a promise behind that nobody checks: someone
    /// who is left may still use the channel (see `quotient_por::promise`). Then the search has no use for promises.
    #[cold]
    fn leaves_promise(&mut self, process: usize) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        if !reduction.relies_on(self.machine.control(process).0) || !self.can_be_removed(process) {
            return false;
        }
        let promised = self.machine.promised(process);
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
}
