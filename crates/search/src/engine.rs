//! The engine: the loop that puts the parts of a search together. The search expands concrete states and keeps the run it
//! is on as a stack of frames; breadth-first order uses the same frames, only for what happens between two stored states.
//!
//! | part | what it is | file |
//! |---|---|---|
//! | [`Expander`] | what a state can do next | `expander.rs` |
//! | [`Frontier`] | in which order states are expanded | `frontier.rs`, `breadth.rs` |
//! | [`Visited`] | what was seen, under which key | `visited.rs` |
//! | [`Visitor`] | what is done when a state is entered, met again, left | `visitor.rs` |
//! | [`Stack`] | the run that the search is on | `stack.rs` |
//! | [`Postponed`] | a successor that was not looked up yet | `postponed.rs` |
//! | [`Nets`] | states to check the reductions on | `nets.rs` |

mod advance;
mod atomic;
mod breadth;
mod closure;
mod commute;
mod deep;
mod expander;
pub(crate) mod format;
mod frontier;
mod leftout;
mod limits;
mod nets;
mod own;
mod postponed;
mod sample;
mod saved;
mod stack;
mod violation;
mod visited;
mod visitor;

use std::ops::ControlFlow::{self, Break, Continue};

use quotient_step::machine::Program;
use quotient_store::{Entry, Insert, Store};

use crate::checkpoint::Keeper;
use crate::explore::{Progress, Request};
use crate::frame::Frame;
use crate::{Dropped, Error, Exploration, Options, Stop};
use atomic::Inside;
pub(crate) use breadth::BreadthFirst;
pub(crate) use closure::{Circle, Scratch, Turn};
pub(crate) use expander::{Expander, Tried};
use frontier::New;
pub(crate) use frontier::{DepthFirst, Frontier};
use limits::Caller;
use nets::Nets;
use postponed::Postponed;
pub(crate) use saved::read_history;
use stack::Stack;
pub(crate) use stack::add_part;
use violation::Kept;
use visited::Sizes;
pub(crate) use visited::{Visited, arrangement};
pub(crate) use visitor::Visitor;

/// A search that is under way.
pub(crate) struct Engine<'p, 'm, 'o, F: Frontier, V> {
    options: &'o Options,
    expander: Expander<'p, 'm>,
    frontier: F,
    visited: Visited<'m, F::Store>,
    visitor: &'o mut V,
    stack: Stack,
    postponed: Postponed,
    scratch: Scratch,
    nets: Nets,
    /// What is remembered inside atomic sequences.
    inside: Inside,
    /// What is kept of violations.
    kept: Kept,
    found: Exploration,
    /// Some path was cut at the depth allowed.
    cut: bool,
    /// A promise was broken, and that was reported.
    broken: bool,
    /// A reduction that turned out not to be right.
    dropped: Option<Dropped>,
    /// A limit was reached while steps without a choice were taken: the step that began this is taken back.
    cut_short: bool,
    caller: Caller<'o>,
}

impl<'p, 'm, 'o, F: Frontier, V: Visitor> Engine<'p, 'm, 'o, F, V> {
    /// A search that has not been started.
    pub(crate) fn new(
        asked: Request<'m, 'o>,
        expander: Expander<'p, 'm>,
        visited: Visited<'m, F::Store>,
        visitor: &'o mut V,
        keeper: Option<&'o mut dyn Keeper>,
        observer: &'o mut dyn FnMut(Progress) -> bool,
    ) -> Self {
        let Request { model, allowed: options, history, started, .. } = asked;
        let regroups = <F::Store as Store>::CUTS && model.heap.is_some();
        let refers = !visited.is_symmetric() && !regroups && expander.program.schema.hidden == 0;
        Engine {
            options,
            nets: Nets::new(model, options.selfcheck, visited.reducer.is_some(), expander.reduction.is_some()),
            expander,
            frontier: F::default(),
            visited,
            visitor,
            stack: Stack { refers, ..Stack::default() },
            postponed: Postponed::default(),
            scratch: Scratch::default(),
            inside: Inside::default(),
            kept: Kept::default(),
            found: Exploration {
                reached: model.proctypes.iter().map(|p| vec![false; p.statements.len()]).collect(),
                ..Exploration::default()
            },
            cut: false,
            broken: false,
            dropped: None,
            cut_short: false,
            caller: Caller::new(history, keeper, started, observer),
        }
    }

    /// What was found, and a reduction that turned out not to be right.
    pub(crate) fn into_found(mut self) -> (Exploration, Option<Dropped>) {
        let Sizes { states, bytes, payload } = self.visited.sizes();
        (self.found.states, self.found.store_bytes, self.found.payload_bytes) = (states, bytes, payload);
        self.found.store = F::Store::NAME;
        (self.found, self.dropped)
    }

    /// Stores the initial state and puts it on the stack.
    pub(crate) fn start(&mut self) {
        self.expander.machine.initial();
        self.report_faults(None);
        if self.found.stop.is_some() {
            return;
        }
        self.close();
        let Some((entry, _)) = self.insert() else { return };
        self.frontier.begin(entry, self.records());
        self.push(Some(entry), None, 0);
    }

    /// Searches on until everything was seen, or a limit is reached.
    pub(crate) fn run(&mut self) {
        loop {
            while !self.stack.frames.is_empty() {
                if self.is_stopped() {
                    return;
                }
                self.tick(1);
                if self.caller.wants_checkpoint() {
                    self.keep();
                }
                self.advance();
            }
            if self.is_stopped() {
                return;
            }
            let Some((entry, state)) = self.frontier.next() else { return };
            self.expander.machine.load(state);
            self.push(Some(entry), None, 0);
        }
    }

    /// Whether the search ends here. A path that was cut does not end it.
    #[inline(always)]
    fn is_stopped(&self) -> bool {
        self.found.stop.is_some_and(|stop| stop != Stop::Depth)
    }

    /// Puts the machine's state on the stack and chooses what to expand: everyone, or the one process that has control.
    /// The steps that lead here are on the trail already, from `trail` on.
    fn push(&mut self, entry: Option<Entry>, only: Option<usize>, trail: usize) {
        let length = self.stack.push(&self.expander.machine, entry, only, trail);
        if let Some(entry) = entry {
            self.inside.begin();
            self.enter(entry);
        }
        self.note_depth();
        self.found.state_bytes = self.found.state_bytes.max(length as u64);
        self.expander.machine.commit();
        self.stack.loaded = true;
        if only.is_none() {
            self.begin(self.expander.machine.processes() as i16 - 1);
        }
    }

    /// Takes note that the machine's state, which is stored, is expanded now.
    #[inline(always)]
    fn enter(&mut self, entry: Entry) {
        let machine = &self.expander.machine;
        if self.expander.asks_stack() {
            self.visited.set_on_stack(entry, true);
        }
        if self.visited.reducer.is_some() {
            self.nets.samples.offer(machine.state(), machine.shape().0);
        }
        self.visitor.enter(entry);
    }

    /// Whether the steps between stored states must be remembered, because the states do not tell them.
    fn records(&self) -> bool {
        let Program { schema, .. } = self.expander.program;
        self.visited.is_symmetric() || self.expander.closes || self.expander.program.resets() || schema.heap.is_some()
    }

    /// Steps from the initial state to the machine's.
    #[inline]
    fn depth(&self) -> u64 {
        self.frontier.depth() + self.stack.trail.len() as u64
    }

    #[inline]
    fn note_depth(&mut self) {
        self.found.depth = self.found.depth.max(self.depth());
    }

    #[inline]
    fn load_top(&mut self) {
        self.stack.load_top(&mut self.expander.machine, &mut self.visited.set);
    }

    /// Starts expanding the top frame, where everyone may move. With reduction, the moves of one process may be
    /// enough: candidates are the processes up to `from`, in SPIN's order youngest first.
    fn begin(&mut self, from: i16) {
        self.load_top();
        let chosen = match self.expander.closes {
            true if from < 0 => None,
            true => self.expander.chosen(&mut self.scratch).map(|process| process as i16),
            false => self.expander.enough(from),
        };
        let frame = self.stack.top();
        frame.next = Frame::UNSEEN;
        match chosen {
            Some(process) => {
                (frame.process, frame.last) = (process, process);
                frame.flags |= Frame::PRESELECTED;
            }
            None => (frame.process, frame.last) = (self.expander.machine.processes() as i16 - 1, 0),
        }
    }

    /// Ends this search because a reduction is not what it should be.
    #[cold]
    fn give_up(&mut self, dropped: Dropped) {
        self.dropped = Some(dropped);
        self.found.stop = Some(Stop::Interrupted);
    }

    /// Stores the machine's state; breaks when it became the top frame's.
    fn store(&mut self, trail: usize) -> ControlFlow<()> {
        let Some((entry, new)) = self.insert() else { return Continue(()) };
        self.note_successor(entry, new, self.stack.frames.len());
        if !new || !self.accepts(entry, false) {
            return Continue(());
        }
        self.push(Some(entry), None, trail);
        Break(())
    }

    /// Looks the machine's state up in the visited set, and adds it; tells whether it is new.
    #[inline]
    fn insert(&mut self) -> Option<(Entry, bool)> {
        match self.visited.insert(&self.expander.machine) {
            Ok(inserted) => Some(self.count(inserted)),
            Err(stop) => {
                self.found.stop = Some(stop);
                None
            }
        }
    }

    /// Counts what inserting found; tells whether the state is new.
    #[inline]
    fn count(&mut self, inserted: Insert) -> (Entry, bool) {
        match inserted {
            Insert::Old(entry) => {
                self.found.matched += 1;
                self.visitor.meet_again(entry);
                (entry, false)
            }
            Insert::New(entry) => {
                self.inside.begin();
                if self.options.max_states.is_some_and(|limit| self.visited.set.len() as u64 >= limit) {
                    self.found.stop = Some(Stop::States);
                }
                (entry, true)
            }
        }
    }

    /// Whether the machine's state, which is new, is expanded at once.
    #[inline]
    fn accepts(&mut self, entry: Entry, released: bool) -> bool {
        let state = self.expander.machine.state();
        let trail = if F::DEEPENS { &[] } else { &*self.stack.trail.from(0) };
        self.frontier.accepts(New { entry, state, trail, released })
    }

    /// Takes note of a stored successor of the state that the first `frames` frames lead to: the proviso of partial-order
    /// reduction, as in SPIN's verifiers (Holzmann and Peled). One that was met before does not justify leaving other
    /// processes out when it is on the stack (depth-first), or when it is or was expanded already (breadth-first):
    /// otherwise a process could be put off forever.
    #[inline]
    fn note_successor(&mut self, entry: Entry, new: bool, frames: usize) {
        let Expander { reduction, closes, .. } = &self.expander;
        if reduction.is_some() && (*closes || new || !self.visited.set.is_on_stack(entry)) {
            self.stack.mark_outside(frames);
        }
    }

    /// Called when no move of the top frame is left.
    fn finish(&mut self) {
        if self.look_up_postponed().is_break() {
            return;
        }
        let top = self.stack.top();
        if top.flags & (Frame::PRESELECTED | Frame::OUTSIDE) == Frame::PRESELECTED {
            // All moves of the chosen process lead back: try the next candidate, or all processes.
            top.flags &= !(Frame::PRESELECTED | Frame::MOVED);
            let from = if self.expander.closes { -1 } else { top.last - 1 };
            return self.begin(from);
        }
        let top = *top;
        if top.is(Frame::PRESELECTED) {
            self.found.reduced += 1;
            let (process, state) = (top.last as usize, self.stack.state(&top, &mut self.visited.set));
            self.nets.choices.offer(state, process, self.expander.machine.control_in(state, process));
        }
        if !top.is(Frame::MOVED) && top.offer == 0 {
            self.load_top();
            let machine = &self.expander.machine;
            let processes = machine.processes();
            if processes > 0 && top.is(Frame::PASSING) {
                return self.release();
            }
            if processes > 0 && !top.is(Frame::TIMEOUT) && self.expander.program.model.uses.timeout {
                let top = self.stack.top();
                top.flags |= Frame::TIMEOUT;
                (top.process, top.last) = (processes as i16 - 1, 0);
                top.next = Frame::UNSEEN;
                return;
            }
            if !machine.may_end() {
                self.violation(Error::Deadlock, None);
            }
        }
        self.pop();
    }

    /// Takes the top frame off the stack.
    fn pop(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        let Some(entry) = frame.entry else { return };
        self.inside.begin();
        if F::DEEPENS && self.expander.asks_stack() {
            self.visited.set_on_stack(entry, false);
        }
        self.visitor.leave(entry);
    }
}
