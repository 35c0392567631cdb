//! Tells a run in the user's names. It follows the states that the reference interpreter went through.

use std::collections::BTreeMap;

use quotient_ir::{Action, Model, Pattern, Statement, Termination};
use quotient_report::source::{Location, SourceMap, Span};
use quotient_report::trace::{Change, Direction, Effect, Partner, ProcessName, Sent, Step, Traffic};
use quotient_step::Choice;
use quotient_step::reference::State;

use crate::messages::{Channel, Operation, channel_of, operation};
use crate::probe::Probe;
use crate::{heap, names, print};

/// Tells steps one after another; it remembers who sent the messages that are still in channels.
pub(crate) struct Narrator<'m> {
    model: &'m Model,
    sources: &'m SourceMap,
    pub(crate) probe: Probe,
    /// By channel, the senders of the messages in it, oldest first.
    senders: BTreeMap<Channel, Vec<Sent>>,
    steps: usize,
}

impl<'m> Narrator<'m> {
    /// Starts at the initial state.
    pub(crate) fn new(model: &'m Model, sources: &'m SourceMap) -> Self {
        Narrator { model, sources, probe: Probe::new(model), senders: BTreeMap::new(), steps: 0 }
    }

    /// Tells the next step; `after` is `None` when it could not be completed.
    pub(crate) fn step(&mut self, before: &State, choice: Choice, after: Option<&State>) -> Step {
        self.steps += 1;
        let model = self.model;
        let who = names::process(model, before, choice.process);
        let statement = self.statement(before, choice.process, choice.transition);
        let mut inner = Vec::new();
        let mut effect = self.effect(before, after, &who, &statement.action, statement.span, choice.partner.is_some());
        effect.statement = self.text(statement);
        // A step of a thread is told as it is written.
        let is_thread = self.is_thread(before, choice.process);
        if let (Action::Deterministic(body), false) = (&statement.action, is_thread) {
            for done in self.probe.inside(before, choice.process, body) {
                let after = done.after.as_ref();
                inner.push(self.effect(&done.before, after, &who, done.action, done.span, false));
            }
        }
        let partner = choice.partner.map(|(process, transition)| {
            let statement = self.statement(before, process, transition);
            Partner {
                who: names::process(model, before, process),
                location: self.location(statement.span),
                statement: self.text(statement),
            }
        });
        let ended = after.is_some_and(|after| match is_thread {
            true => heap::exits(&statement.action),
            false => after.processes.len() < before.processes.len(),
        });
        let first = before.processes.len() - usize::from(ended && is_thread);
        let started = after.map_or(Vec::new(), |after| {
            (first..after.processes.len()).map(|p| names::process(model, after, p)).collect()
        });
        if let Some(after) = after {
            self.forget_channels(after);
        }
        let becomes = Vec::new();
        Step { step: self.steps, who, effect, partner, started, ended, lost_control: false, inner, becomes }
    }

    /// Whether a process is a thread of a model with a heap, which ends whoever is younger.
    fn is_thread(&self, state: &State, process: usize) -> bool {
        let proctype = &self.model.proctypes[state.processes[process].started_as()];
        self.model.heap.is_some() && proctype.termination == Termination::Removed
    }

    /// How many steps there were so far.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Passes over a step in which nothing was sent or received.
    pub(crate) fn skip(&mut self, after: Option<&State>) {
        self.steps += 1;
        if let Some(after) = after {
            self.forget_channels(after);
        }
    }

    /// Where a span starts.
    pub(crate) fn location(&self, span: Span) -> Location {
        self.sources.location(span)
    }

    /// The statement of a transition.
    pub(crate) fn statement(&self, state: &State, process: usize, transition: usize) -> &'m Statement {
        let process = &state.processes[process];
        let proctype = &self.model.proctypes[process.proctype];
        let transition = &proctype.states[process.control].transitions[transition];
        &proctype.statements[transition.statement]
    }

    /// A statement on one line. `skip`, `true` and `false` are constants in the intermediate form; people call them by name.
    pub(crate) fn text(&self, statement: &Statement) -> String {
        let written = self.sources.text(statement.span);
        let is_name = !written.is_empty() && written.bytes().all(|b| b.is_ascii_alphabetic());
        if matches!(&*statement.text, "0" | "1") && is_name { written.to_string() } else { statement.text.clone() }
    }

    fn effect(
        &mut self,
        before: &State,
        after: Option<&State>,
        who: &ProcessName,
        action: &Action,
        span: Span,
        rendezvous: bool,
    ) -> Effect {
        let event = after.and_then(|after| match rendezvous {
            true => self.offer(before, who, action),
            false => self.traffic(before, after, who, action),
        });
        let output = match (action, after) {
            (Action::Print { format, args, mtype }, Some(_)) => {
                let values = args.iter().map(|arg| self.probe.value(before, who.process, arg).unwrap_or(0));
                let values: Vec<i32> = values.collect();
                Some(print::text(self.model, format.as_deref(), *mtype, &values))
            }
            _ => None,
        };
        let statement = self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let gone = self.is_thread(before, who.process) && heap::exits(action);
        let gone = gone.then_some(who.process);
        let changes = after.map_or(Vec::new(), |after| self.changes(before, after, gone));
        Effect { location: self.location(span), statement, changes, event, output }
    }

    /// The variables that differ between two states.
    fn changes(&self, before: &State, after: &State, gone: Option<usize>) -> Vec<Change> {
        let model = self.model;
        let mut changes = Vec::new();
        let mut compare = |slots: &[quotient_ir::Slot], process: Option<usize>, from: &[i32], to: &[i32]| {
            for ((slot, &old), &new) in slots.iter().zip(from).zip(to) {
                if old != new {
                    let from = names::value(model, before, slot, old);
                    let to = names::value(model, after, slot, new);
                    let name = process.map(|process| names::process(model, before, process));
                    let thread = name.filter(|name| name.number.is_some()).map(|name| name.to_string());
                    changes.push(Change { variable: slot.name.clone(), process, thread, from, to });
                }
            }
        };
        compare(&model.globals, None, &before.globals, &after.globals);
        let stay = before.processes.iter().enumerate().filter(|(process, _)| Some(*process) != gone);
        for ((process, from), to) in stay.zip(&after.processes) {
            // A call or a return leads to other variables.
            if from.proctype == to.proctype && from.callers.len() == to.callers.len() {
                compare(&model.proctypes[from.proctype].slots, Some(process), &from.locals, &to.locals);
            }
        }
        changes.extend(heap::changes(model, before, after, gone));
        changes
    }

    /// The message that a send or receive on a buffered channel moved.
    fn traffic(&mut self, before: &State, after: &State, who: &ProcessName, action: &Action) -> Option<Traffic> {
        let operation = operation(action)?;
        let channel = self.channel(before, who.process, action)?;
        let old = channel.messages(self.model, before)?;
        // A channel that is a record may be gone with the message that was taken out of it.
        let new = channel.messages(self.model, after);
        match operation {
            Operation::Send(_) => {
                let new = new?;
                let at = old.iter().zip(&new).position(|(old, new)| old != new).unwrap_or(old.len());
                let message = new.get(at)?;
                let sent = Sent { step: self.steps, who: who.clone() };
                self.queue(channel, old.len()).insert(at, sent);
                self.told(Direction::Send, before, channel, message)
            }
            Operation::Receive { pattern, random, copy } => {
                let at = match (copy, random) {
                    (_, false) => 0,
                    (true, true) => self.first_match(before, who.process, &old, pattern)?,
                    (false, true) => {
                        let new = new?;
                        let gone = old.iter().zip(&new).position(|(o, n)| o != n).unwrap_or(new.len());
                        // Of several equal messages the oldest was taken.
                        old.iter().position(|message| *message == old[gone])?
                    }
                };
                let message = old.get(at)?;
                let queue = self.queue(channel, old.len());
                let sent = if copy { queue.get(at).cloned() } else { Some(queue.remove(at)) };
                let told = self.told(Direction::Receive, before, channel, message)?;
                Some(Traffic { sent, copied: copy, ..told })
            }
        }
    }

    /// The message of a rendezvous.
    fn offer(&mut self, before: &State, who: &ProcessName, action: &Action) -> Option<Traffic> {
        let Operation::Send(values) = operation(action)? else { return None };
        let channel = self.channel(before, who.process, action)?;
        let ty = channel.ty(self.model, before)?;
        let values = values.iter().map(|value| self.probe.value(before, who.process, value));
        let values = values.collect::<Option<Vec<i32>>>()?;
        let message: Vec<i32> = ty.fields.iter().zip(values).map(|(field, value)| field.truncate(value)).collect();
        self.told(Direction::Send, before, channel, &message)
    }

    fn told(&self, kind: Direction, state: &State, channel: Channel, message: &[i32]) -> Option<Traffic> {
        Some(Traffic {
            kind,
            channel: channel.name(self.model, state),
            message: names::message(self.model, state, channel.ty(self.model, state)?, message),
            sent: None,
            copied: false,
        })
    }

    fn first_match(
        &mut self,
        state: &State,
        process: usize,
        messages: &[Vec<i32>],
        pattern: &[Pattern],
    ) -> Option<usize> {
        let wanted: Vec<Option<i32>> = pattern
            .iter()
            .map(|part| match part {
                Pattern::Match(value) => self.probe.value(state, process, value),
                _ => None,
            })
            .collect();
        messages.iter().position(|m| m.iter().zip(&wanted).all(|(field, wanted)| wanted.is_none_or(|w| w == *field)))
    }

    /// The senders of a channel's messages, as many as there are messages.
    fn queue(&mut self, channel: Channel, length: usize) -> &mut Vec<Sent> {
        let nobody = Sent { step: 0, who: ProcessName { process: 0, proctype: String::new(), number: None } };
        let queue = self.senders.entry(channel).or_default();
        queue.resize(length, nobody);
        queue
    }

    /// Forgets channels that are gone.
    fn forget_channels(&mut self, after: &State) {
        let model = self.model;
        self.senders.retain(|channel, _| channel.ty(model, after).is_some());
    }

    /// The channel that an action uses, if there is one.
    pub(crate) fn channel(&mut self, state: &State, process: usize, action: &Action) -> Option<Channel> {
        let value = self.probe.value(state, process, &channel_of(action)?)?;
        let channel = Channel::of(self.model, value)?;
        channel.ty(self.model, state).map(|_| channel)
    }
}
