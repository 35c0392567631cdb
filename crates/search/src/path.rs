//! Runs of a model: what happened, step by step, in a form that the reference interpreter can repeat.

use quotient_ir::Model;
use quotient_step::machine::Machine;
use quotient_step::reference::{Interpreter, Moves, Outcome, State};
use quotient_step::{Choice, Control};
use quotient_store::{Entry, Exact};

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Event {
    /// A process moved; with a partner in a rendezvous.
    Move(Choice),
    /// The process inside an atomic sequence was blocked and lost control.
    Release,
}

/// A run from the initial state.
pub type Path = Vec<Event>;

/// A run repeated on the reference interpreter.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The initial state.
    pub initial: State,
    /// What each event led to; the last one may have led nowhere.
    pub outcomes: Vec<Replayed>,
    /// What can happen at the end.
    pub last: Option<Moves>,
}

/// An event and what it led to.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The event.
    pub event: Event,
    /// Who could move before it.
    pub control: Control,
    /// For a move, its outcome.
    pub outcome: Option<Outcome>,
}

/// Repeats a run. `Err` gives the number of the event that cannot happen.
pub fn replay(interpreter: &Interpreter, path: &[Event]) -> Result<Replay, usize> {
    let (initial, _) = interpreter.initial();
    let mut state = initial.clone();
    let mut control = Control::Free;
    let mut outcomes = Vec::new();
    let mut ended = false;
    for (number, &event) in path.iter().enumerate() {
        if ended {
            return Err(number);
        }
        let before = control;
        let outcome = match event {
            Event::Release => {
                if !matches!(interpreter.executable(&state, control), Moves::Release) {
                    return Err(number);
                }
                control = Control::Free;
                None
            }
            Event::Move(choice) => {
                let outcome = interpreter.outcome(&state, control, choice).ok_or(number)?;
                match &outcome.next {
                    Some((next, next_control)) => (state, control) = (next.clone(), *next_control),
                    None => ended = true,
                }
                Some(outcome)
            }
        };
        outcomes.push(Replayed { event, control: before, outcome });
    }
    let last = (!ended).then(|| interpreter.executable(&state, control));
    Ok(Replay { initial, outcomes, last })
}

/// The run through a sequence of stored states, each a successor of the one before.
pub(crate) fn connect(model: &Model, machine: &Machine, visited: &Exact, entries: &[Entry]) -> Path {
    let interpreter = Interpreter { model, promises: false };
    let hidden = machine.program().schema.hidden as usize;
    let mut path = Path::new();
    let mut state = interpreter.initial().0;
    for &entry in entries.iter().skip(1) {
        let bytes = [&vec![0; hidden][..], visited.state(entry)].concat();
        let target = machine.decode_bytes(&bytes);
        let mut work = vec![(state.clone(), Control::Free, Path::new())];
        let mut found = None;
        while let (None, Some((from, control, steps))) = (&found, work.pop()) {
            match interpreter.executable(&from, control) {
                Moves::Release if interpreter.visible(&from) == target => {
                    found = Some((from, [&steps[..], &[Event::Release]].concat()));
                }
                Moves::Some(outcomes) => {
                    for outcome in outcomes.into_iter().rev() {
                        let Some((next, control)) = outcome.next else { continue };
                        let steps = [&steps[..], &[Event::Move(outcome.choice)]].concat();
                        match control {
                            Control::Free if interpreter.visible(&next) == target => found = Some((next, steps)),
                            Control::Free => {}
                            Control::Exclusive(_) => work.push((next, control, steps)),
                        }
                    }
                }
                _ => {}
            }
        }
        let Some((next, steps)) = found else { break };
        state = next;
        path.extend(steps);
    }
    path
}

impl Replay {
    /// The state the run ends in.
    pub fn end(&self) -> &State {
        self.outcomes
            .iter()
            .rev()
            .find_map(|o| o.outcome.as_ref().and_then(|o| o.next.as_ref()))
            .map_or(&self.initial, |(state, _)| state)
    }
}
