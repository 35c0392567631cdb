//! Runs of a model: what happened, event by event, and the one loop that repeats it on the reference interpreter. It follows
//! [`Interpreter`]: whoever checks, tells or simulates a run goes through [`Replayer`], so that all mean the same by a step.

use quotient_ir::Property;
use serde::{Deserialize, Serialize};

use crate::reference::{Interpreter, Moves, Outcome, State};
use crate::{Choice, Control, Fault};

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Event {
    /// A process moved; with a partner in a rendezvous.
    Move(Choice),
    /// The process inside an atomic sequence was blocked and lost control.
    Release,
}

/// A run from the initial state.
pub type Path = Vec<Event>;

/// What is wrong at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Error {
    /// A step showed an error of the model.
    Fault(Fault),
    /// Nothing can happen, and some process may not rest where it is.
    Deadlock,
}

impl Error {
    /// The property that does not hold.
    pub fn property(&self) -> Property {
        match self {
            Error::Fault(_) => Property::Assertion,
            Error::Deadlock => Property::InvalidEndState,
        }
    }

    /// The machine-readable name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Fault(fault) => fault.kind.name(),
            Error::Deadlock => DEADLOCK,
        }
    }
}

/// The kind of an error that is no fault of a step.
pub const DEADLOCK: &str = "invalid-end-state";

/// Goes through a run, event by event.
#[derive(Clone, Debug)]
pub struct Replayer<'m> {
    interpreter: Interpreter<'m>,
    state: State,
    control: Control,
    faults: Vec<Fault>,
    is_over: bool,
    events: usize,
}

impl<'m> Replayer<'m> {
    /// Starts at the initial state.
    pub fn new(interpreter: Interpreter<'m>) -> Self {
        let (state, faults) = interpreter.initial();
        Replayer { interpreter, state, control: Control::Free, faults, is_over: false, events: 0 }
    }

    /// The state that the run has come to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether everyone may move: the run is not inside an atomic sequence.
    pub fn is_free(&self) -> bool {
        self.control == Control::Free
    }

    /// Whether the last step could not be completed, so that nothing can follow it.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// What went wrong in the last event; before the first one, in the making of the initial state.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How many events there were.
    pub fn events(&self) -> usize {
        self.events
    }

    /// All that can happen next, and what goes wrong in trying what cannot.
    pub fn moves(&self) -> Moves {
        self.interpreter.moves(&self.state, self.control)
    }

    /// Repeats an event. For a move, this returns the state before it. `Err` gives the number of the event, from one, if it
    /// cannot happen.
    pub fn event(&mut self, event: Event) -> Result<Option<State>, usize> {
        let misfit = Err(self.events + 1);
        match event {
            _ if self.is_over => misfit,
            Event::Release if matches!(self.interpreter.executable(&self.state, self.control), Moves::Release) => {
                self.release();
                Ok(None)
            }
            Event::Release => misfit,
            Event::Move(choice) => match self.interpreter.outcome(&self.state, self.control, choice) {
                Some(outcome) => Ok(Some(self.follow(outcome))),
                None => misfit,
            },
        }
    }

    /// Takes a step that can happen, one of [`Replayer::moves`]. It returns the state before it.
    pub fn follow(&mut self, outcome: Outcome) -> State {
        self.events += 1;
        self.faults = outcome.faults;
        match outcome.next {
            Some((next, control)) => {
                self.control = control;
                std::mem::replace(&mut self.state, next)
            }
            None => {
                self.is_over = true;
                self.state.clone()
            }
        }
    }

    /// The process inside an atomic sequence loses control; [`Replayer::moves`] must be [`Moves::Release`].
    pub fn release(&mut self) {
        self.events += 1;
        self.faults.clear();
        self.control = Control::Free;
    }

    /// What is wrong if the run ends here, and what could happen next.
    pub fn end(&self) -> (Vec<Error>, Vec<Choice>) {
        let mut errors: Vec<Error> = self.faults.iter().copied().map(Error::Fault).collect();
        if self.is_over {
            return (errors, Vec::new());
        }
        let executable = match self.interpreter.executable(&self.state, self.control) {
            Moves::Some(outcomes) => outcomes.iter().map(|outcome| outcome.choice).collect(),
            Moves::Deadlock => {
                errors.push(Error::Deadlock);
                Vec::new()
            }
            Moves::Release | Moves::End => Vec::new(),
        };
        (errors, executable)
    }
}

/// What is wrong at the end of a run. `Err` gives the number of the event, from one, that cannot happen.
pub fn errors(interpreter: Interpreter<'_>, run: &[Event]) -> Result<Vec<Error>, usize> {
    let mut replayer = Replayer::new(interpreter);
    for &event in run {
        replayer.event(event)?;
    }
    Ok(replayer.end().0)
}

/// How many events of a run are steps.
pub fn steps(run: &[Event]) -> usize {
    run.iter().filter(|event| matches!(event, Event::Move(_))).count()
}
