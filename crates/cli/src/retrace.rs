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

/// All steps of a run that is longer are shown while it is repeated, and not kept.
pub const MOST_KEPT: usize = 10_000;

/// Takes steps as they happen.
pub type Show<'s> = &'s mut dyn FnMut(&Step);

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
    show: Option<Show<'_>>,
) -> Result<Retraced, usize> {
    let mut retracer = Retracer::new(model, sources, promises, steps(run), keep);
    retracer.told.show = show;
    run.iter().try_for_each(|&event| retracer.event(event))?;
    Ok(retracer.finish())
}

/// How many events of a run are steps.
pub fn steps(run: &[Event]) -> usize {
    run.iter().filter(|event| matches!(event, Event::Move(_))).count()
}

/// Repeats a run event by event.
pub struct Retracer<'m, 's> {
    interpreter: Interpreter<'m>,
    narrator: Narrator<'m>,
    told: Told<'s>,
    /// The state that the run has come to, and who may move there.
    end: State,
    control: Control,
    errors: Vec<Error>,
    last: Option<(State, Choice)>,
    /// The last step led nowhere.
    ended: bool,
    /// How many events there were.
    events: usize,
}

impl<'m, 's> Retracer<'m, 's> {
    /// Starts at the initial state. A run of so many steps will follow.
    pub fn new(model: &'m Model, sources: &'m SourceMap, promises: bool, length: usize, keep: Keep) -> Self {
        let interpreter = Interpreter { model, promises };
        let (end, faults) = interpreter.initial();
        Retracer {
            interpreter,
            narrator: Narrator::new(model, sources),
            told: Told { keep, length, steps: VecDeque::new(), messages: VecDeque::new(), show: None },
            end,
            control: Control::Free,
            errors: faults.into_iter().map(Error::Fault).collect(),
            last: None,
            ended: false,
            events: 0,
        }
    }

    /// Shows the steps as they happen instead of keeping them.
    pub fn showing(mut self, show: Show<'s>) -> Self {
        self.told.show = Some(show);
        self
    }

    /// Repeats the next event. `Err` gives its number if it cannot happen, from one.
    pub fn event(&mut self, event: Event) -> Result<(), usize> {
        self.events += 1;
        if self.ended {
            return Err(self.events);
        }
        self.errors.clear();
        match event {
            Event::Release => {
                if !matches!(self.interpreter.executable(&self.end, self.control), Moves::Release) {
                    return Err(self.events);
                }
                self.control = Control::Free;
                self.told.release(self.narrator.steps());
                self.last = None;
            }
            Event::Move(choice) => {
                let outcome = self.interpreter.outcome(&self.end, self.control, choice).ok_or(self.events)?;
                let Outcome { faults, next, .. } = outcome;
                self.told.step(&mut self.narrator, &self.end, choice, next.as_ref().map(|(next, _)| next));
                self.errors.extend(faults.into_iter().map(Error::Fault));
                self.ended = next.is_none();
                let before = match next {
                    Some((next, next_control)) => {
                        self.control = next_control;
                        std::mem::replace(&mut self.end, next)
                    }
                    None => self.end.clone(),
                };
                self.last = Some((before, choice));
            }
        }
        Ok(())
    }

    /// The run is over.
    pub fn finish(self) -> Retraced {
        let Retracer { interpreter, narrator, mut told, end, control, mut errors, last, ended, .. } = self;
        told.show_all_but(0);
        let mut executable = Vec::new();
        if !ended {
            match interpreter.executable(&end, control) {
                Moves::Deadlock => errors.push(Error::Deadlock),
                Moves::Some(outcomes) => executable = outcomes.iter().map(|outcome| outcome.choice).collect(),
                Moves::Release | Moves::End => {}
            }
        }
        let (steps, messages) = (told.steps.into(), told.messages.into());
        Retraced { steps, length: narrator.steps(), messages, end, last, errors, executable }
    }
}

/// What has been told of a run so far.
struct Told<'s> {
    show: Option<Show<'s>>,
    keep: Keep,
    length: usize,
    steps: VecDeque<Step>,
    messages: VecDeque<Step>,
}

impl Told<'_> {
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
            self.steps.push_back(step);
            // Whether control was lost in the last one is not known yet.
            self.show_all_but(1);
        }
    }

    /// Shows the steps that are kept, if they are to be shown, but for so many.
    fn show_all_but(&mut self, left: usize) {
        let Some(show) = &mut self.show else { return };
        while self.steps.len() > left {
            self.steps.pop_front().iter().for_each(&mut **show);
        }
    }

    /// The process that took the last step lost control.
    fn release(&mut self, number: usize) {
        if let Some(step) = self.steps.back_mut().filter(|step| step.step == number) {
            step.lost_control = true;
        }
    }
}
