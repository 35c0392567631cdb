//! What a model can do from a state in which everyone may move, up to the next such states: whole atomic sequences, and both
//! sides of a rendezvous. It follows the engine of safety searches (`engine/advance.rs`), and makes all successors at once.

use quotient_ir::Model;
use quotient_step::Fault;
use quotient_step::machine::{Attempt, CodeRef, Effect, Machine, Program};

use super::bits::Bits;
use super::successors::{Step, Successor, Successors};
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
    /// The states that the expansion is at: the one that is expanded, and those inside atomic sequences.
    levels: Vec<Vec<u8>>,
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
            levels: Vec::new(),
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
        self.depth = 0;
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
        self.depth = 0;
        self.reloads = false;
        self.keep_level(state);
        self.restore();
    }

    /// Finds all that can happen in a state, in SPIN's order. It is loaded afterwards.
    pub(super) fn expand(&mut self, state: &[u8], out: &mut Successors) {
        self.load(state);
        self.expand_loaded(out);
    }

    /// The same for the state that was loaded last.
    pub(super) fn expand_loaded(&mut self, out: &mut Successors) {
        out.clear();
        self.trail.clear();
        let only = match self.expander.closes {
            true => {
                (self.astray, self.reloads) = (true, false);
                self.expander.chosen(&mut self.scratch)
            }
            false => None,
        };
        self.expand_from(only, out);
        if only.is_some() && out.list.is_empty() {
            // All that the chosen process can do fails: everyone is asked.
            self.expand_from(None, out);
        }
        self.come_back();
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
    }

    fn keep_current(&mut self) {
        if self.levels.len() <= self.depth {
            self.levels.push(Vec::new());
        }
        let level = &mut self.levels[self.depth];
        level.clear();
        level.extend_from_slice(self.expander.machine.state());
    }

    /// Goes to the state that the expansion is at.
    fn restore(&mut self) {
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

    /// The machine is at that state, and was not when it loaded it.
    fn settle(&mut self) {
        if self.model().heap.is_some() {
            return self.restore();
        }
        self.expander.machine.commit();
        (self.astray, self.reloads) = (false, true);
    }

    /// Goes one level up.
    fn leave_level(&mut self) {
        self.depth -= 1;
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
                    if emits {
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
            if mv.final_but_else {
                self.astray = true;
                return true;
            }
            self.restore();
            self.expander.machine.enter(process, timeout);
        }
    }

    /// Lets everyone receive what is offered; whether someone did.
    fn find_receivers(&mut self, sender: usize, emits: bool, out: &mut Successors) -> bool {
        let (channel, message) = self.expander.machine.offered();
        let message = message.to_vec();
        let pending = self.expander.machine.take_faults().len() as u64;
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
        self.depth += 1;
        let trail = self.trail.len();
        self.keep_current();
        self.reloads = false;
        self.settle();
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
            self.keep_current();
            if self.trail.len() - first > MOST_STEPS {
                out.endless = true;
                return;
            }
        }
        if self.trail.len() > first || wrong {
            self.reloads = false;
            match wrong {
                true => self.restore(),
                false => self.settle(),
            }
        }
    }

    /// Makes the machine's state a successor, after the local steps without a choice that follow.
    fn emit(&mut self, out: &mut Successors) {
        let trail = self.trail.len();
        if self.expander.someone_is_free() {
            self.close();
        }
        let start = out.bytes.len() as u32;
        out.bytes.extend_from_slice(self.expander.machine.state());
        let end = out.bytes.len() as u32;
        let first = out.steps.len() as u32;
        let (mut movers, mut length) = (Bits::default(), 0);
        for step in &self.trail {
            if let Step::Part(part) = step {
                movers.insert(part.process.into());
                length += 1;
            }
        }
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

/// Whether some process is at an acceptance label in the machine's state.
pub(super) fn is_accepting(machine: &Machine) -> bool {
    let model = machine.program().model;
    (0..machine.processes()).any(|process| {
        let (ty, control) = machine.control(process);
        model.proctypes[ty].states[control].accept
    })
}
