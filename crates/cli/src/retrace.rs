//! Repeats a run on the reference interpreter, as [`quotient_search::path::replay`] does, but without keeping the states
//! it goes through: runs of a depth-first search can have millions of steps.

use std::collections::VecDeque;

use quotient_ir::{Action, Model};
use quotient_report::source::SourceMap;
use quotient_report::trace::Step;
use quotient_search::{Error, Event};
use quotient_step::reference::{Interpreter, Moves, Outcome, State};
use quotient_step::{Choice, Control};

use crate::narrate::Narrator;

/// Which steps of a run are kept: so many from the start and so many from the end.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// From the start.
    pub head: usize,
    /// From the end.
    pub tail: usize,
}

impl Keep {
    /// All steps.
    pub const ALL: Keep = Keep { head: usize::MAX, tail: 0 };
    /// What a person reads of a long run.
    pub const READABLE: Keep = Keep { head: 15, tail: 45 };
    /// What a program gets of a very long run.
    pub const MANY: Keep = Keep { head: 1000, tail: 1000 };
    /// What a program gets of a long run, when it has some of the same kind already.
    pub const FEW: Keep = Keep { head: 10, tail: 40 };
}

/// How many of the last steps with messages are kept for the sequence chart.
const MESSAGES: usize = 40;

/// A run that was repeated.
pub struct Retraced {
    /// The steps kept, in order; their numbers tell where some were left out.
    pub steps: Vec<Step>,
    /// How many steps there were.
    pub length: usize,
    /// The last steps that sent or received something.
    pub messages: Vec<Step>,
    /// The state at the end.
    pub end: State,
    /// The last step, if the run ends with one, and the state before it.
    pub last: Option<(State, Choice)>,
    /// What is wrong at the end.
    pub errors: Vec<Error>,
    /// What can happen at the end.
    pub executable: Vec<Choice>,
}

/// Repeats a run. `Err` gives the number of the event that cannot happen, from one.
pub fn retrace(
    model: &Model,
    sources: &SourceMap,
    promises: bool,
    run: &[Event],
    keep: Keep,
) -> Result<Retraced, usize> {
    let interpreter = Interpreter { model, promises };
    let mut narrator = Narrator::new(model, sources);
    let length = run.iter().filter(|event| matches!(event, Event::Move(_))).count();
    let (mut end, faults) = interpreter.initial();
    let mut control = Control::Free;
    let mut told = Told { keep, length, steps: Vec::new(), messages: VecDeque::new() };
    let mut errors: Vec<Error> = faults.into_iter().map(Error::Fault).collect();
    let mut last = None;
    let mut ended = false;
    for (index, &event) in run.iter().enumerate() {
        if ended {
            return Err(index + 1);
        }
        errors.clear();
        match event {
            Event::Release => {
                if !matches!(interpreter.executable(&end, control), Moves::Release) {
                    return Err(index + 1);
                }
                control = Control::Free;
                told.release(narrator.steps());
                last = None;
            }
            Event::Move(choice) => {
                let outcome = interpreter.outcome(&end, control, choice).ok_or(index + 1)?;
                let Outcome { faults, next, .. } = outcome;
                told.step(&mut narrator, &end, choice, next.as_ref().map(|(next, _)| next));
                errors.extend(faults.into_iter().map(Error::Fault));
                ended = next.is_none();
                let before = match next {
                    Some((next, next_control)) => {
                        control = next_control;
                        std::mem::replace(&mut end, next)
                    }
                    None => end.clone(),
                };
                last = Some((before, choice));
            }
        }
    }
    let mut executable = Vec::new();
    if !ended {
        match interpreter.executable(&end, control) {
            Moves::Deadlock => errors.push(Error::Deadlock),
            Moves::Some(outcomes) => executable = outcomes.iter().map(|outcome| outcome.choice).collect(),
            Moves::Release | Moves::End => {}
        }
    }
    Ok(Retraced { steps: told.steps, length, messages: told.messages.into(), end, last, errors, executable })
}

/// What has been told of a run so far.
struct Told {
    keep: Keep,
    length: usize,
    steps: Vec<Step>,
    messages: VecDeque<Step>,
}

impl Told {
    fn step(&mut self, narrator: &mut Narrator<'_>, before: &State, choice: Choice, after: Option<&State>) {
        let number = narrator.steps() + 1;
        let kept = number <= self.keep.head || number > self.length.saturating_sub(self.keep.tail);
        let action = &narrator.statement(before, choice.process, choice.transition).action;
        let sends = matches!(action, Action::Send { .. } | Action::Receive { .. } | Action::Deterministic(_));
        if !kept && !sends {
            return narrator.skip(after);
        }
        let step = narrator.step(before, choice, after);
        let mut effects = std::iter::once(&step.effect).chain(&step.inner);
        if effects.any(|effect| effect.event.is_some()) {
            if self.messages.len() == MESSAGES {
                self.messages.pop_front();
            }
            self.messages.push_back(step.clone());
        }
        if kept {
            self.steps.push(step);
        }
    }

    /// The process that took the last step lost control.
    fn release(&mut self, number: usize) {
        if let Some(step) = self.steps.last_mut().filter(|step| step.step == number) {
            step.lost_control = true;
        }
    }
}
