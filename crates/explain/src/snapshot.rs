//! How things stand in a state: the values of all variables, what is in the channels, where each process is, and what
//! it waits for.

use quotient_ir::{Action, Model, Transition};
use quotient_report::trace::{Binding, CallView, ChannelView, Next, ProcessView, Snapshot, message_text};
use quotient_step::Choice;
use quotient_step::reference::{Caller, State};

use crate::heap;
use crate::lives::Lives;
use crate::messages::{Operation, operation};
use crate::names;
use crate::narrate::Narrator;
use crate::replay::Subject;

/// How things stand in a state; `executable` are the moves that can happen there.
pub fn snapshot(subject: Subject<'_>, state: &State, executable: &[Choice], lives: &Lives) -> Snapshot {
    let mut narrator = Narrator::new(subject.model, subject.sources);
    snapshot_by(subject.model, &mut narrator, state, executable, lives)
}

/// As [`snapshot`], told by a narrator who is there already.
pub(crate) fn snapshot_by(
    model: &Model,
    narrator: &mut Narrator<'_>,
    state: &State,
    executable: &[Choice],
    lives: &Lives,
) -> Snapshot {
    let bindings = |slots: &[quotient_ir::Slot], values: &[i32]| -> Vec<Binding> {
        slots
            .iter()
            .zip(values)
            .filter(|(slot, _)| !names::is_temporary(slot))
            .map(|(slot, &value)| Binding {
                variable: slot.name.clone(),
                value: names::value(model, state, slot, value),
            })
            .collect()
    };
    let named = names::channels(model, state).into_iter().enumerate();
    let channels = named.map(|(index, channel)| ChannelView {
        channel,
        capacity: model.channels[state.channels[index].ty].capacity,
        messages: {
            let ty = &model.channels[state.channels[index].ty];
            state.channels[index].messages.iter().map(|m| names::message(model, state, ty, m)).collect()
        },
    });
    let channels = channels.collect();
    let processes = (0..state.processes.len())
        .map(|process| {
            let view = &state.processes[process];
            let proctype = &model.proctypes[view.proctype];
            let control = &proctype.states[view.control];
            let moves = |transition: usize| {
                executable.iter().any(|c| {
                    (c.process == process && c.transition == transition) || c.partner == Some((process, transition))
                })
            };
            let frame = |caller: &Caller| {
                let callee = &model.proctypes[caller.proctype];
                let variable = |binding: Binding| format!("{}: {}", callee.name, binding.variable);
                let all = bindings(&callee.slots, &caller.locals).into_iter();
                all.map(|binding| Binding { variable: variable(binding.clone()), ..binding }).collect::<Vec<_>>()
            };
            let callers = view.callers.iter().flat_map(frame).collect();
            let call = |caller: &Caller| {
                let proctype = &model.proctypes[caller.proctype];
                let transition = proctype.states[caller.control].transitions.first();
                let span =
                    transition.map_or(proctype.span, |transition| proctype.statements[transition.statement].span);
                let locals = bindings(&proctype.slots, &caller.locals);
                CallView { caller: proctype.name.clone(), location: narrator.location(span), locals }
            };
            let calls = view.callers.iter().rev().map(call).collect();
            let next = control
                .transitions
                .iter()
                .enumerate()
                .map(|(number, transition)| next(model, narrator, state, process, transition, moves(number)))
                .collect();
            ProcessView {
                who: names::process(model, state, process),
                locals: bindings(&proctype.slots, &view.locals),
                callers,
                calls,
                may_rest: control.end,
                next,
            }
        })
        .collect();
    let records = heap::records(model, narrator, state, lives);
    Snapshot { globals: bindings(&model.globals, &state.globals), channels, processes, records }
}

fn next(
    model: &Model,
    narrator: &mut Narrator<'_>,
    state: &State,
    process: usize,
    transition: &Transition,
    executable: bool,
) -> Next {
    let statement = &model.proctypes[state.processes[process].proctype].statements[transition.statement];
    let waits = if executable { None } else { waits(model, narrator, state, process, &statement.action) };
    Next { location: narrator.location(statement.span), statement: narrator.text(statement), waits }
}

/// Why a send or a receive cannot be executed.
fn waits_for_message(
    model: &Model,
    narrator: &mut Narrator<'_>,
    state: &State,
    process: usize,
    action: &Action,
) -> Option<String> {
    let channel = narrator.channel(state, process, action)?;
    let name = channel.name(model, state);
    let (ty, messages) = (channel.ty(model, state)?, channel.messages(model, state)?);
    let sends = matches!(operation(action)?, Operation::Send(_));
    match messages.first() {
        _ if ty.capacity == 0 && sends => Some(format!("nobody is ready to receive on {name}")),
        _ if ty.capacity == 0 => Some(format!("nobody is ready to send on {name}")),
        _ if sends => (messages.len() >= ty.capacity).then(|| format!("{name} is full")),
        None => Some(format!("{name} is empty")),
        Some(first) => {
            let first = message_text(&names::message(model, state, ty, first));
            Some(format!("no message that matches in {name}, which starts with {first}"))
        }
    }
}

/// Why an action cannot be executed.
fn waits(model: &Model, narrator: &mut Narrator<'_>, state: &State, process: usize, action: &Action) -> Option<String> {
    match action {
        Action::Condition(condition) => {
            let value = narrator.probe.value(state, process, condition)?;
            (value == 0).then(|| "not true".to_string())
        }
        Action::Send { .. } | Action::Receive { .. } => waits_for_message(model, narrator, state, process, action),
        Action::Heap(heap) if heap.uses_channel() => waits_for_message(model, narrator, state, process, action),
        Action::Heap(action) => heap::waits(model, narrator, state, process, action),
        Action::End if process + 1 < state.processes.len() => Some("younger processes are alive".to_string()),
        Action::Deterministic(body) => {
            let options = body.nodes.first().map_or(&[][..], |node| &node.options[..]);
            match options {
                [only] => waits(model, narrator, state, process, &only.action),
                _ => None,
            }
        }
        _ => None,
    }
}
