//! The reference interpreter: the meaning of a model, written to be read.
//!
//! It copies states freely and walks expression trees. Order and executability follow the measured behaviour of SPIN's
//! verifiers: youngest process first, transitions in the order of the control state, escapes of an `unless` first.

pub(crate) use execute::LONGEST_D_STEP;

mod channels;
mod evaluate;
mod events;
mod execute;
mod extend;
mod heap;
mod names;

use quotient_ir::heap::Order;
use quotient_ir::{Expr, Instance, Model, Setup, StateId};
use quotient_report::source::Span;

use crate::{Choice, Control, Fault, FaultKind};
use execute::{Offer, Run, Stop};
pub use heap::{Caller, Heap, Holder, Numbers, Record};

/// A state of the system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct State {
    /// Global variables by slot.
    pub globals: Vec<i32>,
    /// Live processes; a process's id is its index.
    pub processes: Vec<Process>,
    /// Live channels; a channel's id is its index plus one.
    pub channels: Vec<Channel>,
    /// The id of the last mover; zero unless the model looks at it.
    pub last: usize,
    /// The state of the event automaton.
    pub event: StateId,
    /// Records; none unless the model has a heap.
    #[serde(default)]
    pub heap: Heap,
    /// It repeats forever because nobody can move, and was asked before: `np_` is false. Only those who judge a run say so.
    #[serde(skip)]
    pub rests: bool,
}

/// A live process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Process {
    /// Its type.
    pub proctype: usize,
    /// Its control state.
    pub control: StateId,
    /// Its priority.
    pub priority: u8,
    /// Local variables by slot.
    pub locals: Vec<i32>,
    /// The frames below the one that it is in, oldest first. Type, control state and variables are those of its topmost
    /// frame.
    #[serde(default)]
    pub callers: Vec<Caller>,
}

/// A live channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Channel {
    /// Its type.
    pub ty: usize,
    /// The process that it dies with; `None` for a global channel.
    pub owner: Option<usize>,
    /// The messages, oldest first.
    pub messages: Vec<Vec<i32>>,
}

/// What an executed choice led to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was executed.
    pub choice: Choice,
    /// What went wrong on the way.
    pub faults: Vec<Fault>,
    /// The state reached and who may move there; `None` if the step could not be completed.
    pub next: Option<(State, Control)>,
    /// It cannot be executed at all: only what went wrong in trying is of interest.
    pub blocked: bool,
}

/// What can happen in a state.
#[derive(Clone, Debug)]
pub enum Moves {
    /// Some process moves.
    Some(Vec<Outcome>),
    /// The process inside an atomic sequence is blocked: control becomes free.
    Release,
    /// Nothing can happen, and every process may rest where it is.
    End,
    /// Nothing can happen, and some process may not rest where it is.
    Deadlock,
}

impl Moves {
    fn outcomes(self) -> Vec<Outcome> {
        match self {
            Moves::Some(outcomes) => outcomes,
            Moves::Release | Moves::End | Moves::Deadlock => Vec::new(),
        }
    }
}

/// What goes wrong in trying a choice, and what it leads to.
fn chosen(mut outcomes: Vec<Outcome>, choice: Choice) -> (Vec<Outcome>, Option<Outcome>) {
    outcomes.retain(|outcome| outcome.choice == choice);
    let (tried, found): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|outcome| outcome.blocked);
    (tried, found.into_iter().next())
}

/// Interprets one model.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'m> {
    /// The model.
    pub model: &'m Model,
    /// Whether `xr` and `xs` promises are checked; they matter to partial-order reduction only.
    pub promises: bool,
}

impl<'m> Interpreter<'m> {
    /// The initial state, and what went wrong in making it.
    pub fn initial(&self) -> (State, Vec<Fault>) {
        let model = self.model;
        let state = State {
            globals: vec![0; model.globals.len()],
            processes: Vec::new(),
            channels: Vec::new(),
            last: 0,
            event: model.trace.as_ref().map_or(0, |trace| model.proctypes[trace.proctype].start),
            heap: Heap::default(),
            rests: false,
        };
        let mut run = self.run(state, 0, false);
        for setup in &model.setup {
            match setup {
                Setup::Assign(slot, value) => match run.evaluate(value) {
                    Ok(value) => run.state.globals[*slot] = model.globals[*slot].scalar.truncate(value),
                    Err(stop) => run.note(stop),
                },
                Setup::Channel(slot, ty) => {
                    run.state.channels.push(Channel { ty: *ty, owner: None, messages: Vec::new() });
                    run.state.globals[*slot] = run.state.channels.len() as i32;
                }
            }
        }
        for &Instance { proctype, priority } in &model.initial {
            let args = vec![0; model.proctypes[proctype].params];
            if let Err(stop) = run.create(proctype, &args, priority) {
                run.note(stop);
            }
        }
        run.collect();
        (run.state, run.faults)
    }

    fn run(&self, state: State, me: usize, timeout: bool) -> Run<'m> {
        let (faults, promises, span) = (Vec::new(), self.promises, Span::default());
        Run { model: self.model, state, me, timeout, faults, promises, span, asking: 0, jumped: false }
    }

    /// What can happen in a state, and what goes wrong in trying what cannot.
    pub fn moves(&self, state: &State, control: Control) -> Moves {
        self.decide(state, control, true)
    }

    /// What can happen in a state, whatever goes wrong in trying what cannot.
    pub fn executable(&self, state: &State, control: Control) -> Moves {
        self.decide(state, control, false)
    }

    /// What a choice leads to in a state; `None` when there is no such choice. What goes wrong in finding out whether the
    /// process may move at all goes with its first transition.
    pub fn outcome(&self, state: &State, control: Control, choice: Choice) -> Option<Outcome> {
        // If the process can do it, it does not matter what others can do; with priorities, asking them can go wrong.
        let mut own = Vec::new();
        let is_free = control == Control::Free || control == Control::Exclusive(choice.process);
        if is_free && choice.process < state.processes.len() && !self.model.uses.priority {
            self.outcomes_of(state, choice.process, false, &mut own);
        }
        let (mut tried, mut found) = chosen(own, choice);
        if found.is_none() {
            tried = chosen(self.moves(state, control).outcomes(), choice).0;
            found = chosen(self.executable(state, control).outcomes(), choice).1;
        }
        for attempt in tried {
            match &mut found {
                Some(outcome) => outcome.faults.extend(attempt.faults),
                None => found = Some(attempt),
            }
        }
        found
    }

    fn decide(&self, state: &State, control: Control, tried: bool) -> Moves {
        let outcomes = |timeout| {
            let mut outcomes = self.outcomes(state, control, timeout);
            outcomes.retain(|outcome| tried || !outcome.blocked);
            outcomes
        };
        let found = outcomes(false);
        if !found.is_empty() {
            return Moves::Some(found);
        }
        if state.processes.is_empty() {
            return Moves::End;
        }
        if control != Control::Free {
            return Moves::Release;
        }
        if self.model.uses.timeout {
            let found = outcomes(true);
            if !found.is_empty() {
                return Moves::Some(found);
            }
        }
        let resting = |p: &Process| self.model.proctypes[p.proctype].states[p.control].end;
        // A trace that was begun must have been followed to its end, too.
        let complete =
            self.model.trace.as_ref().is_none_or(|t| self.model.proctypes[t.proctype].states[state.event].end);
        if complete && state.processes.iter().all(resting) { Moves::End } else { Moves::Deadlock }
    }

    /// Everything executable, in order.
    fn outcomes(&self, state: &State, control: Control, timeout: bool) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for process in self.order(state) {
            if control == Control::Free || control == Control::Exclusive(process) {
                self.outcomes_of(state, process, timeout, &mut outcomes);
            }
        }
        outcomes
    }

    /// The processes, in the order in which they are tried.
    fn order(&self, state: &State) -> Vec<usize> {
        let youngest_first = (0..state.processes.len()).rev();
        match self.model.heap.as_ref().map_or(Order::YoungestFirst, |heap| heap.order) {
            Order::YoungestFirst => youngest_first.collect(),
            Order::OldestFirst => youngest_first.rev().collect(),
        }
    }

    fn outcomes_of(&self, state: &State, process: usize, timeout: bool, outcomes: &mut Vec<Outcome>) {
        if !self.may_move(state, process, timeout, None, outcomes) {
            return;
        }
        let Process { proctype, control, .. } = state.processes[process];
        let proctype = &self.model.proctypes[proctype];
        let mut moved = false;
        let mut escape = 0;
        for (index, transition) in proctype.states[control].transitions.iter().enumerate() {
            if escape > 0 && escape != transition.escape {
                break;
            }
            let statement = &proctype.statements[transition.statement];
            let mut run = self.run(state.clone(), process, timeout);
            run.span = statement.span;
            let choice = Choice { process, transition: index, partner: None };
            match run.execute(&statement.action, moved, None) {
                Err(Stop::Blocked) => outcomes.extend(run.only_faults(choice)),
                Err(Stop::Cut) => {
                    moved = true;
                    escape = transition.escape;
                    outcomes.push(Outcome { choice, faults: run.faults, next: None, blocked: false });
                }
                Err(Stop::Fault(fault)) => {
                    run.faults.push(fault);
                    moved = true;
                    escape = transition.escape;
                    outcomes.push(Outcome { choice, faults: run.faults, next: None, blocked: false });
                }
                Ok(None) => {
                    if proctype.deterministic && moved {
                        run.not_alone(statement.alone);
                    }
                    moved = true;
                    escape = transition.escape;
                    let next = run.arrive(process, transition);
                    outcomes.push(Outcome { choice, faults: run.faults, next: Some(next), blocked: false });
                }
                Ok(Some(offer)) => {
                    if proctype.deterministic && moved {
                        run.not_alone(statement.alone);
                    }
                    run.depart(process, transition);
                    let before = outcomes.len();
                    self.receivers(&run, &offer, choice, outcomes);
                    let received = outcomes.len() > before;
                    moved |= received;
                    escape = if received { transition.escape } else { 0 };
                }
            }
        }
    }

    /// Completes a rendezvous with every receiver that matches.
    fn receivers(&self, sent: &Run<'m>, offer: &Offer, choice: Choice, outcomes: &mut Vec<Outcome>) {
        for process in (0..sent.state.processes.len()).rev().filter(|&p| p != choice.process) {
            if !self.may_move(&sent.state, process, false, Some(offer), &mut Vec::new()) {
                continue;
            }
            let Process { proctype, control, .. } = sent.state.processes[process];
            let proctype = &self.model.proctypes[proctype];
            let mut escape = 0;
            for (index, transition) in proctype.states[control].transitions.iter().enumerate() {
                if escape > 0 && escape != transition.escape {
                    break;
                }
                let mut run = self.run(sent.state.clone(), process, false);
                let statement = &proctype.statements[transition.statement];
                run.span = statement.span;
                run.faults.clone_from(&sent.faults);
                let choice = Choice { partner: Some((process, index)), ..choice };
                match run.execute(&statement.action, false, Some(offer)) {
                    Err(Stop::Blocked | Stop::Cut) => {}
                    Err(Stop::Fault(fault)) => {
                        run.faults.push(fault);
                        outcomes.push(Outcome { choice, faults: run.faults, next: None, blocked: false });
                    }
                    Ok(_) => {
                        escape = transition.escape;
                        let next = run.arrive(process, transition);
                        outcomes.push(Outcome { choice, faults: run.faults, next: Some(next), blocked: false });
                    }
                }
            }
        }
    }

    /// Whether `provided` and priorities let a process move.
    fn may_move(
        &self,
        state: &State,
        process: usize,
        timeout: bool,
        offer: Option<&Offer>,
        outcomes: &mut Vec<Outcome>,
    ) -> bool {
        let provided = |p: usize, outcomes: &mut Vec<Outcome>| {
            let Some(condition) = &self.model.proctypes[state.processes[p].proctype].provided else { return true };
            let mut run = self.run(state.clone(), p, timeout);
            run.span = self.model.proctypes[state.processes[p].proctype].span;
            let holds = match run.evaluate(condition) {
                Ok(value) => value != 0,
                Err(stop) => {
                    run.note(stop);
                    false
                }
            };
            outcomes.extend(run.only_faults(Choice { process: p, transition: 0, partner: None }));
            holds
        };
        if !provided(process, outcomes) {
            return false;
        }
        !self.model.uses.priority
            || (0..state.processes.len()).all(|other| {
                other == process
                    || state.processes[other].priority <= state.processes[process].priority
                    || !provided(other, outcomes)
                    || !self.enabled(state, other, timeout, offer, 0).unwrap_or(true)
            })
    }

    /// Whether a process has an executable transition, not asking for a partner in a rendezvous. `asking` says how
    /// many questions of this kind the question is part of.
    fn enabled(
        &self,
        state: &State,
        process: usize,
        timeout: bool,
        offer: Option<&Offer>,
        asking: usize,
    ) -> Result<bool, Stop> {
        let Process { proctype, control, .. } = state.processes[process];
        let proctype = &self.model.proctypes[proctype];
        for transition in &proctype.states[control].transitions {
            let statement = &proctype.statements[transition.statement];
            let mut run = self.run(state.clone(), process, timeout);
            run.asking = asking;
            match run.execute(&statement.action, false, offer) {
                Err(Stop::Blocked) => {}
                Err(Stop::Fault(fault)) if fault.kind == FaultKind::EnabledCircle => return Err(Stop::Fault(fault)),
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Whether an expression without side effects holds in a state where everyone may move. It is evaluated as a claim does
    /// it: by no process, and `timeout` is true if nobody can move.
    ///
    /// # Errors
    /// What went wrong in working it out.
    pub fn holds(&self, state: &State, expr: &Expr) -> Result<bool, Fault> {
        self.value(state, expr).map(|value| value != 0)
    }

    /// The value of an expression that belongs to no process in a state where everyone may move.
    ///
    /// # Errors
    /// Working it out goes wrong.
    pub fn value(&self, state: &State, expr: &Expr) -> Result<i32, Fault> {
        let timeout = expr.any(&|e| matches!(e, Expr::Timeout)) && !self.someone_can_move(state);
        let mut run = self.run(state.clone(), 0, timeout);
        match run.evaluate(expr) {
            Ok(value) => Ok(value),
            Err(Stop::Blocked | Stop::Cut) => Ok(0),
            Err(Stop::Fault(fault)) => Err(fault),
        }
    }

    /// Whether a process can begin a move in a state where everyone may move. Who waits for a sender in a rendezvous
    /// cannot: the sender begins it.
    pub fn can_move(&self, state: &State, process: usize) -> bool {
        if process >= state.processes.len() {
            return false;
        }
        let begins = |timeout| {
            let mut outcomes = Vec::new();
            self.outcomes_of(state, process, timeout, &mut outcomes);
            outcomes.iter().any(|outcome| !outcome.blocked)
        };
        begins(false) || (self.model.uses.timeout && !self.someone_can_move(state) && begins(true))
    }

    /// Whether some process can move although none waits for a `timeout`.
    fn someone_can_move(&self, state: &State) -> bool {
        self.outcomes(state, Control::Free, false).iter().any(|outcome| !outcome.blocked)
    }

    /// A state with what is hidden from comparison set to zero.
    pub fn visible(&self, state: &State) -> State {
        let mut visible = state.clone();
        for (value, slot) in visible.globals.iter_mut().zip(&self.model.globals) {
            if slot.hidden {
                *value = 0;
            }
        }
        visible
    }

    /// A state as one that repeats is told: without what is hidden, and whatever its records are called.
    pub fn repeatable(&self, state: &State) -> State {
        self.visible(&state.with_plain_names(self.model))
    }
}
