//! What a model can do from a state in which everyone may move, up to the next such states: whole atomic sequences, and both
//! sides of a rendezvous. It follows the engine of safety searches (`engine/advance.rs`), and makes all successors at once.

use quotient_ir::Model;
use quotient_step::Fault;
use quotient_step::machine::{Attempt, CodeRef, Effect, Machine, Move, Program};

use super::bits::Bits;
use super::successors::{Step, Successor, Successors, served};
use crate::engine::{Circle, Expander, Scratch, Tried, Turn};
use crate::frame::{Part, Role};

/// So many steps inside one atomic sequence, or local ones without a choice, are not followed any further.
const MOST_STEPS: usize = 1 << 20;

/// Nor are so many choices inside one atomic sequence.
const MOST_CHOICES: usize = 500;

/// After so many local steps without a choice the state is a successor, whatever it is.
const MOST_LOCAL: usize = 1 << 14;

/// Whether local steps go in circles is asked after so many of them.
const BEFORE_CIRCLES: usize = 32;

/// What is asked about a state.
pub(super) enum Watch {
    /// Whether an expression holds, and whether it does where the state repeats forever because nobody can move.
    Code(CodeRef, Option<CodeRef>),
    /// Whether some process is at an acceptance label.
    Accepting,
}

/// A model whose states are expanded.
pub(super) struct System<'p, 'm> {
    pub(super) expander: Expander<'p, 'm>,
    scratch: Scratch,
    watched: Vec<Watch>,
    asks_timeout: bool,
    /// Who moves and who could is of interest.
    pub(super) fair: bool,
    /// The process types of those who are to move if they can.
    fair_to: Bits,
    /// The ways to successors are of interest.
    pub(super) records: bool,
    /// They are not, and nothing is to be done after a move.
    stacks: bool,
    /// The states that the expansion is at: the one that is expanded, and those inside atomic sequences. Only so many are kept: the
    /// last one need not be, as long as it is the one that the machine has loaded.
    levels: Vec<Vec<u8>>,
    kept: usize,
    depth: usize,
    /// The machine may not be at that state.
    astray: bool,
    /// It goes back there from what it has loaded.
    reloads: bool,
    trail: Vec<Step>,
    /// The process that the last step has taken away.
    gone: Option<u8>,
}

impl<'p, 'm> System<'p, 'm> {
    pub(super) fn new(expander: Expander<'p, 'm>, watched: Vec<Watch>, asks_timeout: bool, fair: Option<Bits>) -> Self {
        System {
            expander,
            scratch: Scratch::default(),
            watched,
            asks_timeout,
            fair: fair.is_some(),
            fair_to: fair.unwrap_or(Bits::ALL),
            records: false,
            stacks: false,
            levels: Vec::new(),
            kept: 0,
            depth: 0,
            astray: false,
            reloads: false,
            trail: Vec::new(),
            gone: None,
        }
    }

    pub(super) fn machine(&mut self) -> &mut Machine<'p, 'm> {
        &mut self.expander.machine
    }

    fn program(&self) -> &'p Program<'m> {
        self.expander.program
    }

    fn model(&self) -> &'m Model {
        self.expander.program.model
    }

    /// The initial state, after local steps without a choice, with the way to it. Errors in making it are counted.
    pub(super) fn initial(&mut self, out: &mut Successors) {
        out.clear();
        self.expander.machine.initial();
        out.faults += self.expander.machine.take_faults().len() as u64;
        self.trail.clear();
        (self.depth, self.kept) = (0, 0);
        self.emit(out);
    }

    /// Whether `timeout` is asked for, so that a state is expanded before it is read.
    pub(super) fn asks_timeout(&self) -> bool {
        self.asks_timeout
    }

    /// What is true of the loaded state: a bit for everything that is watched. It may be one that repeats because nobody can move.
    pub(super) fn word(&mut self, timeout: bool, repeats: bool) -> Result<u64, Fault> {
        let mut word = 0;
        for (number, watch) in self.watched.iter().enumerate() {
            let holds = match watch {
                Watch::Code(_, Some(code)) if repeats => self.expander.machine.holds(*code, timeout)?,
                Watch::Code(code, _) => self.expander.machine.holds(*code, timeout)?,
                Watch::Accepting => is_accepting(&self.expander.machine),
            };
            word |= u64::from(holds) << number;
        }
        Ok(word)
    }

    /// Makes a state the one that is asked about.
    pub(super) fn load(&mut self, state: &[u8]) {
        (self.depth, self.kept) = (0, 0);
        let has_heap = self.model().heap.is_some();
        if has_heap {
            self.keep_level(state);
        }
        self.expander.machine.load(state);
        (self.astray, self.reloads) = (false, !has_heap);
    }

    /// Finds all that can happen in a state, in SPIN's order. It is loaded afterwards.
    pub(super) fn expand(&mut self, state: &[u8], out: &mut Successors) {
        self.load(state);
        self.expand_loaded(out);
        self.come_back();
    }

    /// The same for the state that was loaded last, which is loaded afterwards if `timeout` is asked for.
    pub(super) fn expand_loaded(&mut self, out: &mut Successors) {
        out.clear();
        self.trail.clear();
        self.stacks = out.stack.is_some() && !self.records && !self.expander.closes;
        let only = match self.expander.closes {
            true => {
                self.keep_loaded();
                (self.astray, self.reloads) = (true, false);
                self.expander.chosen(&mut self.scratch)
            }
            false => None,
        };
        self.expand_from(only, out);
        if only.is_some() && out.list.is_empty() && out.stacked == 0 {
            // All that the chosen process can do fails: everyone is asked.
            self.expand_from(None, out);
        }
        if self.asks_timeout {
            self.come_back();
        }
    }

    fn expand_from(&mut self, only: Option<usize>, out: &mut Successors) {
        self.come_back();
        let passed_over = self.passed_over();
        let processes = self.expander.machine.processes();
        for timeout in [false, true] {
            out.timeout = timeout && !out.moved;
            if timeout && (out.moved || !self.model().uses.timeout) {
                break;
            }
            for number in 0..processes {
                let process = if self.expander.oldest_first { number } else { processes - 1 - number };
                let emits = only.is_none_or(|only| only == process);
                if (emits || self.fair) && self.try_process(process, timeout, emits, out) {
                    out.moved = true;
                    out.enabled.insert(process);
                }
            }
        }
        out.enabled = out.enabled.without(passed_over);
    }

    /// The processes of the loaded state that a fair run may pass over.
    fn passed_over(&self) -> Bits {
        if self.fair_to == Bits::ALL {
            return Bits::default();
        }
        let machine = &self.expander.machine;
        (0..machine.processes()).filter(|&process| !self.fair_to.contains(machine.started_as(process))).collect()
    }

    /// Keeps a state as the one that the expansion is at.
    fn keep_level(&mut self, state: &[u8]) {
        if self.levels.len() <= self.depth {
            self.levels.push(Vec::new());
        }
        let level = &mut self.levels[self.depth];
        level.clear();
        level.extend_from_slice(state);
        self.kept = self.depth + 1;
    }

    fn keep_current(&mut self) {
        if self.levels.len() <= self.depth {
            self.levels.push(Vec::new());
        }
        let level = &mut self.levels[self.depth];
        level.clear();
        level.extend_from_slice(self.expander.machine.state());
        self.kept = self.depth + 1;
    }

    /// Keeps the state that the expansion is at, which the machine has loaded, before it loads another one.
    #[inline]
    fn keep_loaded(&mut self) {
        if self.kept > self.depth {
            return;
        }
        if self.levels.len() <= self.depth {
            self.levels.push(Vec::new());
        }
        let level = &mut self.levels[self.depth];
        level.clear();
        level.extend_from_slice(self.expander.machine.loaded());
        self.kept = self.depth + 1;
    }

    /// Goes to the state that the expansion is at.
    fn restore(&mut self) {
        debug_assert!(self.reloads || self.kept > self.depth);
        match self.reloads {
            true => self.expander.machine.reload(),
            false => self.expander.machine.load(&self.levels[self.depth]),
        }
        self.reloads = self.model().heap.is_none();
        self.astray = false;
    }

    /// Goes back to that state if the machine may be elsewhere.
    fn come_back(&mut self) {
        if self.astray {
            self.restore();
        }
    }

    /// The machine is at the state that the expansion is at now, and did not load it.
    fn arrive_inside(&mut self) {
        if self.model().heap.is_some() {
            self.reloads = false;
            self.keep_current();
            return self.restore();
        }
        self.expander.machine.commit();
        (self.astray, self.reloads) = (false, true);
    }

    /// Goes one level up.
    fn leave_level(&mut self) {
        self.depth -= 1;
        self.kept = self.kept.min(self.depth + 1);
        (self.astray, self.reloads) = (true, false);
    }

    fn take_faults(&mut self, out: &mut Successors) {
        if self.expander.machine.has_faults() {
            let faults = self.expander.machine.take_faults();
            let exclusive = |fault: &Fault| matches!(fault.kind, quotient_step::FaultKind::Exclusive { .. });
            out.promise |= faults.iter().any(exclusive);
            out.faults += faults.len() as u64;
        }
    }

    /// Tries the moves of a process in the state that the expansion is at; whether it can do something, if only an error.
    fn try_process(&mut self, process: usize, timeout: bool, emits: bool, out: &mut Successors) -> bool {
        self.come_back();
        if self.expander.gated {
            let may = self.expander.machine.may_move(process, timeout);
            let wrong = self.expander.machine.has_faults();
            self.take_faults(out);
            if !may {
                return wrong;
            }
        }
        self.expander.machine.enter(process, timeout);
        let mut cursor = self.expander.first_move(process);
        let mut moved = false;
        loop {
            let (mv, transition, attempt) = match self.expander.next(&mut cursor) {
                Tried::Nothing => return moved,
                Tried::LeavesPromise(_) => {
                    out.promise = true;
                    continue;
                }
                Tried::Something(mv, transition, attempt) => (mv, transition, attempt),
            };
            let part = |role| Step::Part(Part { transition, process: process as u16, role });
            match attempt {
                Attempt::Blocked => {
                    self.take_faults(out);
                    continue;
                }
                Attempt::Failed => self.take_faults(out),
                Attempt::Moved => {
                    self.take_faults(out);
                    if emits && self.is_plain_step(mv) {
                        out.put_one(self.expander.machine.state(), process);
                    } else if emits {
                        self.trail.push(part(Role::Alone));
                        let exited = self.expander.machine.has_exited();
                        self.gone = exited.then_some(process as u8);
                        self.arrive(process, mv.atomic && !exited && !matches!(mv.effect, Effect::End), out);
                        self.gone = None;
                        self.trail.pop();
                    }
                }
                Attempt::Offered => {
                    self.trail.push(part(Role::Offers));
                    let received = self.find_receivers(process, emits, out);
                    self.trail.pop();
                    self.restore();
                    self.expander.machine.enter(process, timeout);
                    cursor.moved |= received;
                    cursor.escape = if received { mv.escape } else { 0 };
                    moved |= received;
                    continue;
                }
            }
            (moved, cursor.moved, cursor.escape) = (true, true, mv.escape);
            if mv.final_but_else || cursor.next >= cursor.state.end {
                self.astray = true;
                return true;
            }
            self.restore();
            self.expander.machine.enter(process, timeout);
        }
    }

    /// Whether the state after a move is a successor as it stands, and the way there is not of interest: one process made one step.
    #[inline]
    fn is_plain_step(&self, mv: &Move) -> bool {
        self.stacks && !mv.atomic && self.trail.is_empty() && !self.expander.machine.has_exited()
    }

    /// Lets everyone receive what is offered; whether someone did.
    fn find_receivers(&mut self, sender: usize, emits: bool, out: &mut Successors) -> bool {
        let (channel, message) = self.expander.machine.offered();
        let message = message.to_vec();
        let pending = self.expander.machine.take_faults().len() as u64;
        self.keep_loaded();
        self.depth += 1;
        self.reloads = false;
        self.keep_current();
        let processes = self.expander.machine.processes();
        let mut received = false;
        for process in (0..processes).rev().filter(|&process| process != sender) {
            self.restore();
            self.expander.machine.offer(channel, message.iter().copied());
            if self.expander.gated && !self.expander.machine.may_move(process, false) {
                self.expander.machine.take_faults();
                continue;
            }
            self.expander.machine.enter(process, false);
            let mut cursor = self.expander.first_move(process);
            cursor.offered = true;
            while let Tried::Something(mv, transition, attempt) = self.expander.next(&mut cursor) {
                if attempt == Attempt::Moved || attempt == Attempt::Failed {
                    received = true;
                    cursor.escape = mv.escape;
                    out.faults += pending;
                    self.take_faults(out);
                }
                if attempt == Attempt::Moved && emits {
                    self.expander.machine.end_offer();
                    self.trail.push(Step::Part(Part { transition, process: process as u16, role: Role::Receives }));
                    self.arrive(process, mv.atomic, out);
                    self.trail.pop();
                }
                self.restore();
                self.expander.machine.offer(channel, message.iter().copied());
                self.expander.machine.enter(process, false);
            }
        }
        self.expander.machine.end_offer();
        self.leave_level();
        received
    }

    /// Goes on from the machine's state, which a process has come to.
    fn arrive(&mut self, process: usize, atomic: bool, out: &mut Successors) {
        match atomic {
            true => self.go_inside(process, out),
            false => self.emit(out),
        }
    }

    /// Goes on inside an atomic sequence from the machine's state.
    fn go_inside(&mut self, process: usize, out: &mut Successors) {
        if self.depth > MOST_CHOICES {
            out.endless = true;
            return;
        }
        self.keep_loaded();
        self.depth += 1;
        let trail = self.trail.len();
        self.arrive_inside();
        self.pass(process, out);
        if !out.endless && !self.try_process(process, false, true, out) {
            self.restore();
            self.trail.push(Step::Release);
            self.emit(out);
        }
        self.trail.truncate(trail);
        self.leave_level();
    }

    /// Takes steps inside an atomic sequence for as long as there is no choice, and nothing goes wrong.
    fn pass(&mut self, process: usize, out: &mut Successors) {
        if self.expander.gated {
            return;
        }
        let program = self.program();
        let first = self.trail.len();
        let mut wrong = false;
        loop {
            let (ty, control) = self.expander.machine.control(process);
            let compiled = &program.proctypes[ty];
            let state = compiled.states[control];
            let mut passed = None;
            self.expander.machine.enter(process, false);
            for number in state.first..state.end {
                let mv = &compiled.moves[number as usize];
                if !mv.passable {
                    break;
                }
                match self.expander.machine.pass(mv) {
                    Attempt::Blocked if !self.expander.machine.has_faults() => {}
                    Attempt::Moved if !self.expander.machine.has_faults() => {
                        passed = Some(number - state.first);
                        break;
                    }
                    _ => {
                        // The general way finds it again.
                        self.expander.machine.take_faults();
                        wrong = true;
                        break;
                    }
                }
            }
            let Some(transition) = passed else { break };
            self.trail.push(Step::Part(Part { transition, process: process as u16, role: Role::Alone }));
            self.arrive_inside();
            if self.trail.len() - first > MOST_STEPS {
                out.endless = true;
                return;
            }
        }
        if wrong {
            self.restore();
        }
    }

    /// Makes the machine's state a successor, after the local steps without a choice that follow.
    fn emit(&mut self, out: &mut Successors) {
        let trail = self.trail.len();
        if self.expander.someone_is_free() {
            self.keep_loaded();
            self.close();
        }
        if let Some(stack) = out.stack.as_mut().filter(|_| !self.records) {
            let state = self.expander.machine.state();
            match only_mover(&self.trail).filter(|_| self.gone.is_none()) {
                Some(process) => stack.push_one(state, process),
                None => stack.push(state, served(movers(&self.trail), self.gone)),
            }
            out.stacked += 1;
            return self.trail.truncate(trail);
        }
        let start = out.bytes.len() as u32;
        out.bytes.extend_from_slice(self.expander.machine.state());
        let end = out.bytes.len() as u32;
        let first = out.steps.len() as u32;
        let movers = movers(&self.trail);
        let length = self.trail.iter().filter(|step| matches!(step, Step::Part(_))).count() as u32;
        if self.records {
            out.steps.extend_from_slice(&self.trail);
        }
        let steps = (first, out.steps.len() as u32);
        out.list.push(Successor { state: (start, end), steps, movers, gone: self.gone, length });
        self.trail.truncate(trail);
    }

    /// Takes all local steps without a choice from the machine's state on.
    fn close(&mut self) {
        self.reloads = false;
        self.expander.machine.commit();
        let mut circle = Circle::default();
        for steps in 0..MOST_LOCAL {
            let free = (0..self.expander.machine.processes()).rev().find(|&process| {
                self.expander.is_free(process)
                    && matches!(self.expander.step_alone(process, &mut self.scratch), Turn::One(..))
            });
            if free.is_none() {
                break;
            }
            self.trail.extend(self.scratch.parts().iter().copied().map(Step::Part));
            self.expander.machine.commit();
            if steps > BEFORE_CIRCLES && circle.is_at_rest(self.expander.machine.state()) {
                break;
            }
        }
    }
}

/// The processes that move on a way.
fn movers(trail: &[Step]) -> Bits {
    let process = |step: &Step| match step {
        Step::Part(part) => Some(usize::from(part.process)),
        Step::Release => None,
    };
    trail.iter().filter_map(process).collect()
}

/// The process that moves on a way, if it is only one.
#[inline]
fn only_mover(trail: &[Step]) -> Option<u8> {
    let mut only = None;
    for step in trail {
        match step {
            Step::Part(part) if only.is_none_or(|only| only == part.process) => only = Some(part.process),
            Step::Part(_) => return None,
            Step::Release => {}
        }
    }
    only.and_then(|process| u8::try_from(process).ok())
}

/// Whether some process is at an acceptance label in the machine's state.
pub(super) fn is_accepting(machine: &Machine) -> bool {
    let model = machine.program().model;
    (0..machine.processes()).any(|process| {
        let (ty, control) = machine.control(process);
        model.proctypes[ty].states[control].accept
    })
}
