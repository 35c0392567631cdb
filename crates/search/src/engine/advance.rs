//! One turn of the engine: the moves of the top frame are tried until one leads on, or none is left. What a function breaks
//! with says no more than that there is another top frame now, or that the search has ended.

use std::ops::ControlFlow::{self, Break, Continue};

use quotient_step::machine::{Attempt, Move};

use super::expander::{Cursor, Tried};
use super::{Engine, Frontier, Visitor, visited};
use crate::frame::{Frame, Part, Role};
use crate::{Disorder, Dropped, Stop};

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Tries moves of the top frame until one leads to a new top frame, or none is left.
    pub(super) fn advance(&mut self) {
        let top = self.stack.top();
        if top.exhausted() {
            return self.finish();
        }
        let passes = top.flags & Frame::PASSED == Frame::PASSED && top.next == Frame::UNSEEN;
        self.load_top();
        if passes && !self.pass() {
            return self.pop();
        }
        if self.expand().is_continue() {
            self.finish();
        }
    }

    /// Tries the moves of the top frame, process by process. Breaks when there is another top frame, or the search ends.
    #[inline(always)]
    fn expand(&mut self) -> ControlFlow<()> {
        loop {
            let frame = *self.stack.top();
            if frame.process < frame.last {
                return Continue(());
            }
            if frame.next != Frame::UNSEEN || self.has_its_turn(&frame)? {
                self.expand_process(&frame)?;
            }
            let top = self.stack.top();
            top.process -= 1;
            top.next = Frame::UNSEEN;
        }
    }

    /// Whether the process that comes next may move at all.
    #[inline(always)]
    fn has_its_turn(&mut self, frame: &Frame) -> ControlFlow<(), bool> {
        if frame.offer == 0 && !self.expander.gated {
            return Continue(true);
        }
        let process = self.expander.mover(frame);
        let offers =
            frame.offer != 0 && self.stack.trail.last().is_some_and(|part| usize::from(part.process) == process);
        if self.expander.gated {
            self.look_up_postponed()?;
        }
        if !offers && (!self.expander.gated || self.may_move(process)) {
            return Continue(true);
        }
        self.unless_violated()?;
        Continue(false)
    }

    /// Tries the moves of one process.
    #[inline(always)]
    fn expand_process(&mut self, frame: &Frame) -> ControlFlow<()> {
        let mut cursor = self.expander.cursor(frame);
        if frame.next == Frame::UNSEEN {
            let top = self.stack.top();
            top.flags &= !Frame::MOVED_HERE;
            top.escape = 0;
            top.end = cursor.state.end;
        }
        self.expander.machine.enter(cursor.process, frame.is(Frame::TIMEOUT));
        loop {
            match self.expander.next(&mut cursor) {
                Tried::Something(mv, transition, attempt) => {
                    self.look_up_postponed()?;
                    self.take(&mut cursor, mv, transition, attempt)?;
                }
                Tried::LeavesPromise(proctype) => {
                    self.give_up(Dropped::Order(Disorder::Promise { proctype }));
                    return Break(());
                }
                Tried::Nothing => return Continue(()),
            }
        }
    }

    /// Deals with a move that can be executed, or went wrong.
    #[inline(always)]
    fn take(&mut self, cursor: &mut Cursor, mv: &Move, transition: u32, attempt: Attempt) -> ControlFlow<()> {
        let (process, had_moved) = (cursor.process, cursor.moved);
        if attempt == Attempt::Blocked {
            self.report_faults(Some((process, transition)));
            return self.unless_violated();
        }
        self.note_reached(cursor.ty, mv.statement);
        let frame = self.stack.top();
        frame.next = cursor.next;
        frame.escape = mv.escape;
        cursor.escape = mv.escape;
        if attempt != Attempt::Offered {
            frame.flags |= Frame::MOVED | Frame::MOVED_HERE;
            cursor.moved = true;
            if mv.final_but_else {
                frame.next = cursor.state.end;
            }
            if self.expander.machine.has_faults() || (frame.offer != 0 && !self.expander.pending.is_empty()) {
                self.report_faults(Some((process, transition)));
                self.unless_violated()?;
            }
        }
        if attempt != Attempt::Failed {
            let arrived = self.arrive(process, transition, mv, attempt);
            if self.cut_short {
                self.take_back(cursor.state.first + transition, had_moved);
            }
            arrived?;
        }
        if self.is_stopped() {
            return Break(());
        }
        // The machine's offer may be used up, so a rendezvous is loaded afresh.
        let top = *self.stack.top();
        if top.offer != 0 || !self.stack.loaded {
            let timeout = top.is(Frame::TIMEOUT);
            self.stack.loaded = false;
            self.load_top();
            self.expander.machine.enter(process, timeout);
        } else {
            self.expander.machine.reload();
        }
        Continue(())
    }

    /// Takes a move of the top frame back, which a limit has cut short: a search that goes on makes it again.
    #[cold]
    fn take_back(&mut self, number: u32, had_moved: bool) {
        let top = self.stack.top();
        top.next = number;
        if !had_moved {
            top.flags &= !Frame::MOVED_HERE;
        }
    }

    /// Breaks when a violation has ended the search.
    #[inline]
    fn unless_violated(&self) -> ControlFlow<()> {
        match self.found.stop {
            Some(Stop::Violation) => Break(()),
            _ => Continue(()),
        }
    }

    /// Takes note that a statement was executed, the first time with the stored state that this began in.
    #[inline(always)]
    pub(super) fn note_reached(&mut self, ty: usize, statement: u32) {
        if !self.found.reached[ty][statement as usize] {
            self.note_first(ty, statement);
        }
    }

    #[cold]
    fn note_first(&mut self, ty: usize, statement: u32) {
        self.found.reached[ty][statement as usize] = true;
        if let Some(frame) = self.stack.stored() {
            self.nets.samples.first(self.stack.state(&frame, &mut self.visited.set));
        }
    }

    fn may_move(&mut self, process: usize) -> bool {
        let timeout = self.stack.frames.last().is_some_and(|frame| frame.is(Frame::TIMEOUT));
        let may = self.expander.machine.may_move(process, timeout);
        if self.stack.frames.last().is_some_and(|frame| frame.offer != 0) {
            // What goes wrong in asking whether somebody may receive is told when it is that process's own turn.
            self.expander.machine.take_faults();
        } else if self.expander.machine.has_faults() {
            self.report_faults(Some((process, 0)));
            // Something happens here, if only an error.
            if let Some(frame) = self.stack.frames.last_mut() {
                frame.flags |= Frame::MOVED;
            }
        }
        may
    }

    /// Deals with the machine's successor state; breaks when it became the top frame's.
    #[inline]
    fn arrive(&mut self, process: usize, transition: u32, mv: &Move, attempt: Attempt) -> ControlFlow<()> {
        // An offer is never cut: only its receiver tells whether it is a step at all. If one were, the process would seem
        // to be blocked.
        if self.options.max_depth.is_some() && attempt != Attempt::Offered && self.too_deep() {
            return Continue(());
        }
        let top = self.stack.frames.last_mut().expect("a frame is being expanded");
        let role = match (attempt, top.offer) {
            (Attempt::Offered, _) => Role::Offers,
            (_, 0) => Role::Alone,
            _ => Role::Receives,
        };
        let trail = self.stack.trail.len();
        self.stack.trail.push(Part { transition, process: process as u16, role });
        if attempt == Attempt::Offered {
            self.expander.pending = self.expander.machine.take_faults();
            let depth = self.found.depth;
            self.push(None, None, trail);
            if self.options.max_depth.is_some_and(|limit| self.depth() > limit) {
                self.found.depth = depth;
            }
            return Break(());
        }
        self.expander.machine.end_offer();
        if mv.atomic {
            self.found.atomic_steps += 1;
            if self.inside.is_met(self.expander.machine.state(), process) {
                self.note_depth();
                self.stack.trail.truncate(trail);
                return Continue(());
            }
            // Inside an atomic sequence with nothing left to try, the frame can be used again: only the trail is
            // needed to tell how it was passed.
            if top.flags & Frame::PASSED == Frame::PASSED && top.exhausted() && top.process as usize == process {
                top.next = Frame::UNSEEN;
                top.flags &= !(Frame::MOVED | Frame::MOVED_HERE);
                self.note_depth();
                self.expander.machine.commit();
                self.stack.save_top(&self.expander.machine);
            } else {
                self.push(None, Some(process), trail);
            }
            return Break(());
        }
        let skipped = self.found.skipped;
        self.close();
        if self.cut_short {
            self.found.skipped = skipped;
            self.stack.trail.truncate(trail);
            return Break(());
        }
        if F::DEEPENS && visited::fits(&self.expander.machine) {
            self.postpone(trail);
            return Continue(());
        }
        self.store(trail)?;
        self.stack.trail.truncate(trail);
        Continue(())
    }
}
