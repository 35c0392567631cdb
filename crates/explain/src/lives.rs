//! Where records are made and deleted in a run, for those who want to know why one is gone or lost.

use std::collections::BTreeMap;

use quotient_ir::{Action, Expr, HeapAction, HeapExpr, Model, Part, Proctype, Setup};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;
use quotient_step::reference::State;
use quotient_step::{Choice, FaultKind};

use crate::names;
use crate::narrate::Narrator;

/// The most records that are told about for one error.
const MOST_RECORDS: usize = 3;

/// Where a record was made, and where it was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    pub(crate) made: Span,
    pub(crate) deleted: Option<Span>,
}

/// The lives of the records of a run, by name.
#[derive(Clone, Debug, Default)]
pub struct Lives(BTreeMap<i32, Life>);

impl Lives {
    /// Those of the initial state: records that variables begin with, and variables of processes that live in records.
    pub(crate) fn new(model: &Model, initial: &State) -> Self {
        let made = |setup: &Setup| match setup {
            Setup::Assign(_, Expr::Heap(value)) => match **value {
                HeapExpr::New { span, .. } => Some(Life { made: span, deleted: None }),
                _ => None,
            },
            _ => None,
        };
        let mut lives: BTreeMap<i32, Life> = (1..).zip(model.setup.iter().filter_map(made)).collect();
        for (ty, locals) in initial.processes.iter().flat_map(|process| process.frames()) {
            let Proctype { slots, span, .. } = &model.proctypes[ty];
            for (_, &name) in slots.iter().zip(locals).filter(|(slot, _)| slot.boxed) {
                lives.entry(name).or_insert(Life { made: *span, deleted: None });
            }
        }
        Lives(lives)
    }

    pub(crate) fn of(&self, name: i32) -> Option<Life> {
        self.0.get(&name).copied()
    }

    /// Takes note of what a statement has made and deleted.
    pub(crate) fn step(&mut self, before: &State, after: &State, span: Span) {
        for name in before.heap.made + 1..=after.heap.made {
            self.0.insert(name, Life { made: span, deleted: None });
        }
        for (name, _) in after.heap.records.iter().filter(|(_, record)| record.deleted) {
            if !before.heap.records.get(name).is_some_and(|old| old.deleted)
                && let Some(life) = self.0.get_mut(name)
            {
                life.deleted = Some(span);
            }
        }
    }

    /// Adds the places where the records were made and deleted that an error is about.
    pub(crate) fn tell(
        &self,
        model: &Model,
        narrator: &mut Narrator<'_>,
        kind: FaultKind,
        last: Option<&(State, Choice)>,
        end: &State,
        mut diagnostic: Diagnostic,
    ) -> Diagnostic {
        let Some((state, choice)) = last else { return diagnostic };
        let concerned = match kind {
            FaultKind::Dangling | FaultKind::DoubleDelete => deleted(narrator, state, *choice),
            FaultKind::Leak => lost(state, end),
            _ => Vec::new(),
        };
        for name in concerned.into_iter().take(MOST_RECORDS) {
            let Some(Life { made, deleted }) = self.of(name) else { continue };
            let record = names::record(model, state, name);
            diagnostic = diagnostic.related(made, format!("{record} is made here"));
            if let Some(deleted) = deleted {
                diagnostic = diagnostic.related(deleted, format!("{record} is deleted here"));
            }
        }
        diagnostic
    }
}

/// The records that are there before a step and not after it, and were not deleted.
fn lost(before: &State, after: &State) -> Vec<i32> {
    let records = before.heap.records.iter();
    records
        .filter(|(name, old)| !old.deleted && !after.heap.records.contains_key(name))
        .map(|(&name, _)| name)
        .collect()
}

/// The deleted records that a statement uses.
fn deleted(narrator: &mut Narrator<'_>, state: &State, choice: Choice) -> Vec<i32> {
    let mut used = Vec::new();
    let action = &narrator.statement(state, choice.process, choice.transition).action;
    match action {
        Action::Deterministic(body) => body.actions().for_each(|action| objects(action, &mut used)),
        action => objects(action, &mut used),
    }
    let mut found: Vec<i32> = Vec::new();
    for object in used {
        let Some(name) = narrator.probe.value(state, choice.process, object) else { continue };
        let is_deleted = state.heap.records.get(&name).is_some_and(|record| record.deleted);
        if is_deleted && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The expressions whose records an action uses.
fn objects<'a>(action: &'a Action, used: &mut Vec<&'a Expr>) {
    if let Action::Heap(action) = action {
        match &**action {
            HeapAction::Set(Part { object, .. }, _)
            | HeapAction::Delete(object)
            | HeapAction::Throw(object)
            | HeapAction::Monitor(_, object)
            | HeapAction::Send { channel: object, .. }
            | HeapAction::Receive { channel: object, .. } => used.push(object),
            HeapAction::Call { args, .. } => used.extend(args.first()),
            HeapAction::Evaluate(_) | HeapAction::Return(_) | HeapAction::Exit | HeapAction::Assume(_) => {}
        }
    }
    action.walk(&mut |expr| {
        if let Expr::Heap(heap) = expr {
            match &**heap {
                HeapExpr::Read(Part { object, .. })
                | HeapExpr::Length { array: object, .. }
                | HeapExpr::InstanceOf(object, _)
                | HeapExpr::IsExactly(object, _)
                | HeapExpr::Cast { object, .. }
                | HeapExpr::Messages(object)
                | HeapExpr::Probe(_, object)
                | HeapExpr::Poll { channel: object, .. }
                | HeapExpr::Ask(_, object) => used.push(object),
                HeapExpr::Extend(call) => used.extend(&call.args),
                HeapExpr::Null | HeapExpr::Ranged { .. } | HeapExpr::New { .. } | HeapExpr::Start { .. } => {}
            }
        }
    });
}
