//! Repeats a run on the reference interpreter and tells its steps, event by event. It follows
//! [`quotient_step::replay`], and keeps no states: runs of a depth-first search can have millions of steps.

use std::collections::VecDeque;

use quotient_ir::{Action, Model};
use quotient_report::source::SourceMap;
use quotient_report::trace::{Becomes, Step};
use quotient_step::Choice;
use quotient_step::reference::{Interpreter, Moves, Outcome, State};
use quotient_step::replay::{Error, Event, Replayer, steps};

use crate::lives::Lives;
use crate::messages::operation;
use crate::narrate::Narrator;

/// What a run is a run of.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its files.
    pub sources: &'m SourceMap,
    /// Whether `xr` and `xs` promises are checked, as they are under partial-order reduction.
    pub promises: bool,
}

/// Which steps of a run are kept: so many from the start and so many from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// An event that cannot happen where the run has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {event} cannot happen")]
pub struct Misfit {
    /// The number of the event, from one.
    pub event: usize,
}

/// A run that was repeated.
#[derive(Clone, Debug)]
pub struct Replayed {
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
    /// Where records were made and deleted.
    pub lives: Lives,
}

/// Repeats a run; the steps are kept, or shown as they happen.
///
/// # Errors
/// An event cannot happen.
pub fn replay(subject: Subject<'_>, run: &[Event], keep: Keep, show: Option<Show<'_>>) -> Result<Replayed, Misfit> {
    let mut replay = Replay::new(subject, steps(run), keep);
    replay.told.show = show;
    run.iter().try_for_each(|&event| replay.event(event))?;
    Ok(replay.finish())
}

/// A run that is being repeated, or made.
pub struct Replay<'m, 's> {
    replayer: Replayer<'m>,
    narrator: Narrator<'m>,
    told: Told<'s>,
    last: Option<(State, Choice)>,
    lives: Lives,
}

impl<'m, 's> Replay<'m, 's> {
    /// Starts at the initial state. A run of so many steps will follow.
    pub fn new(subject: Subject<'m>, length: usize, keep: Keep) -> Self {
        let Subject { model, sources, promises } = subject;
        let replayer = Replayer::new(Interpreter { model, promises });
        let lives = Lives::new(model, replayer.state());
        Replay {
            replayer,
            narrator: Narrator::new(model, sources),
            told: Told { keep, length, steps: VecDeque::new(), messages: VecDeque::new(), show: None },
            last: None,
            lives,
        }
    }

    /// Shows the steps as they happen instead of keeping them.
    #[must_use]
    pub fn showing(mut self, show: Show<'s>) -> Self {
        self.told.show = Some(show);
        self
    }

    /// Where the run is: its state, what can happen there, and what went wrong in the last event.
    pub fn position(&self) -> &Replayer<'m> {
        &self.replayer
    }

    /// Repeats the next event.
    ///
    /// # Errors
    /// It cannot happen.
    pub fn event(&mut self, event: Event) -> Result<(), Misfit> {
        let before = self.replayer.event(event).map_err(|event| Misfit { event })?;
        match (event, before) {
            (Event::Move(choice), Some(before)) => self.moved(before, choice),
            _ => self.released(),
        }
        Ok(())
    }

    /// Takes a step that can happen. It returns the step, if it is kept.
    pub fn follow(&mut self, outcome: Outcome) -> Option<&Step> {
        let choice = outcome.choice;
        let before = self.replayer.follow(outcome);
        self.moved(before, choice);
        self.told.steps.back()
    }

    /// The process inside an atomic sequence loses control; it must be blocked.
    pub fn release(&mut self) {
        debug_assert!(matches!(self.replayer.moves(), Moves::Release));
        self.replayer.release();
        self.released();
    }

    /// Propositions changed with the last step.
    pub(crate) fn note(&mut self, becomes: Vec<Becomes>) {
        let number = self.narrator.steps();
        if let Some(step) = self.told.steps.back_mut().filter(|step| step.step == number && !becomes.is_empty()) {
            step.becomes = becomes;
        }
    }

    /// How many steps there were so far.
    pub fn steps(&self) -> usize {
        self.narrator.steps()
    }

    /// The run is over.
    pub fn finish(self) -> Replayed {
        let Replay { replayer, narrator, mut told, last, lives } = self;
        told.show_all_but(0);
        let (errors, executable) = replayer.end();
        let (steps, messages) = (told.steps.into(), told.messages.into());
        let end = replayer.state().clone();
        Replayed { steps, length: narrator.steps(), messages, end, last, errors, executable, lives }
    }

    fn moved(&mut self, before: State, choice: Choice) {
        let after = (!self.replayer.is_over()).then(|| self.replayer.state());
        if let Some(after) = after.filter(|after| after.heap.made > 0) {
            let span = self.narrator.statement(&before, choice.process, choice.transition).span;
            self.lives.step(&before, after, span);
        }
        self.told.step(&mut self.narrator, &before, choice, after);
        self.last = Some((before, choice));
    }

    fn released(&mut self) {
        self.told.release(self.narrator.steps());
        self.last = None;
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
        let sends = matches!(action, Action::Deterministic(_)) || operation(action).is_some();
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
