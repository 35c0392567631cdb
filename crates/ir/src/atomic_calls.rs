//! Functions that are called inside an atomic sequence: nobody else moves until they have returned, unless they have to wait.
//!
//! Whether a step keeps control is said by its transition, so a function that is called both inside and outside of such sequences
//! is there twice. All transitions of a function for atomic sequences keep control, but for those that leave it with an exception
//! or end the thread.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Action, Callee, HeapAction, Model, Proctype, ProctypeId, ProctypeKind, State, Statement, Transition};

impl Model {
    /// Makes every function that is called inside an atomic sequence a part of it.
    pub fn make_calls_atomic(&mut self) {
        if self.heap.is_none() {
            return;
        }
        self.proctypes.iter_mut().for_each(keep_control);
        let (plain, atomic) = self.called();
        let mut copies = BTreeMap::new();
        for &function in &atomic {
            if plain.contains(&function) {
                copies.insert(function, self.proctypes.len());
                let copy = self.proctypes[function].clone();
                self.proctypes.push(copy);
            } else {
                copies.insert(function, function);
            }
        }
        for &copy in copies.values() {
            make_atomic(&mut self.proctypes[copy]);
        }
        for proctype in &mut self.proctypes {
            for (callee, atomic) in calls_mut(proctype) {
                if *atomic {
                    redirect(callee, &copies);
                }
            }
        }
    }

    /// The functions that are called outside of atomic sequences, and those that are called inside.
    fn called(&self) -> (BTreeSet<ProctypeId>, BTreeSet<ProctypeId>) {
        let processes = self.proctypes.iter().enumerate().filter(|(_, p)| p.kind != ProctypeKind::Function);
        let mut seen: BTreeSet<(ProctypeId, bool)> = processes.map(|(id, _)| (id, false)).collect();
        let mut work: Vec<(ProctypeId, bool)> = seen.iter().copied().collect();
        while let Some((id, inside)) = work.pop() {
            for (callee, atomic) in calls(&self.proctypes[id]) {
                for function in callee.functions() {
                    let next = (function, inside || atomic);
                    if function < self.proctypes.len() && seen.insert(next) {
                        work.push(next);
                    }
                }
            }
        }
        let of = |wanted: bool| {
            let is_function = |id: ProctypeId| self.proctypes[id].kind == ProctypeKind::Function;
            seen.iter().filter(|&&(id, inside)| inside == wanted && is_function(id)).map(|&(id, _)| id).collect()
        };
        (of(false), of(true))
    }
}

fn redirect(callee: &mut Callee, copies: &BTreeMap<ProctypeId, ProctypeId>) {
    let change = |function: &mut ProctypeId| *function = copies.get(function).copied().unwrap_or(*function);
    match callee {
        Callee::Function(function) => change(function),
        Callee::Virtual(table) => table.iter_mut().for_each(|(_, function)| change(function)),
        Callee::Value(_, table) => table.iter_mut().for_each(|(_, function)| change(function)),
    }
}

/// The calls of a process type: what is called, and whether inside an atomic sequence.
fn calls(proctype: &Proctype) -> impl Iterator<Item = (&Callee, bool)> {
    proctype.statements.iter().filter_map(|statement| match &statement.action {
        Action::Heap(action) => match &**action {
            HeapAction::Call { callee, atomic, .. } => Some((callee, *atomic)),
            _ => None,
        },
        _ => None,
    })
}

fn calls_mut(proctype: &mut Proctype) -> impl Iterator<Item = (&mut Callee, &mut bool)> {
    proctype.statements.iter_mut().filter_map(|statement| match &mut statement.action {
        Action::Heap(action) => match &mut **action {
            HeapAction::Call { callee, atomic, .. } => Some((callee, atomic)),
            _ => None,
        },
        _ => None,
    })
}

/// Where a call is the last statement of an atomic sequence, the sequence gets one more, which does nothing: after the return,
/// control is given up there.
fn keep_control(proctype: &mut Proctype) {
    let last: Vec<(usize, usize)> = (0..proctype.states.len())
        .flat_map(|state| (0..proctype.states[state].transitions.len()).map(move |number| (state, number)))
        .filter(|&(state, number)| {
            let transition = &proctype.states[state].transitions[number];
            let action = &proctype.statements[transition.statement].action;
            let is_call = matches!(action, Action::Heap(a) if matches!(**a, HeapAction::Call { atomic: true, .. }));
            is_call && !transition.atomic
        })
        .collect();
    for (state, number) in last {
        let Transition { statement, target, .. } = proctype.states[state].transitions[number];
        let done = Statement { action: Action::Skip, ..proctype.statements[statement].clone() };
        proctype.statements.push(done);
        let leave = Transition { statement: proctype.statements.len() - 1, target, atomic: false, escape: 0 };
        let handlers = proctype.states[state].handlers.clone();
        let number_of = proctype.states.len() as u32 + 1;
        proctype.states.push(State { transitions: vec![leave], handlers, number: number_of, ..State::default() });
        let target = proctype.states.len() - 1;
        let transition = &mut proctype.states[state].transitions[number];
        (transition.target, transition.atomic) = (target, true);
    }
}

/// Makes a function one for atomic sequences.
fn make_atomic(function: &mut Proctype) {
    for (_, atomic) in calls_mut(function) {
        *atomic = true;
    }
    let leaves: Vec<bool> = function.statements.iter().map(|statement| leaves(&statement.action)).collect();
    for transition in function.states.iter_mut().flat_map(|state| &mut state.transitions) {
        transition.atomic = !leaves[transition.statement];
    }
}

/// Whether an action ends the atomic sequence that it is in.
fn leaves(action: &Action) -> bool {
    match action {
        Action::Heap(action) => matches!(**action, HeapAction::Throw(_) | HeapAction::Exit),
        Action::Deterministic(body) => body.actions().any(leaves),
        _ => false,
    }
}
