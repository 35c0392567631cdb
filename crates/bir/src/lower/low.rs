//! Low-level bodies: locations are states, and a transformation is one step.

use std::collections::HashMap;
use std::rc::Rc;

use quotient_ir::{Action as IrAction, Expr as Ir, Handler, HeapAction, HeapExpr, MonitorOp, Place, Question, Scope};
use quotient_report::source::Span;

use super::Lowerer;
use super::actions::{Effect, together};
use super::expressions::{Target, Typed};
use super::high::leaves;
use crate::ast::{Action, Catch, Invoke, Jump, JumpKind, Location, Name, Transformation, Work};
use crate::types::Ty;

/// A part of a transformation. Between two of them the thread keeps control.
enum Piece {
    Together(Vec<(IrAction, Span)>),
    Notify(Ir),
}

/// Where the locations are.
struct Places<'l> {
    states: HashMap<Rc<str>, usize>,
    live: HashMap<Rc<str>, &'l [Name]>,
}

impl Lowerer<'_, '_> {
    /// A whole body; gives the state where it begins.
    pub(super) fn low(&mut self, locations: &[Location], catches: &[Catch]) -> usize {
        self.is_low = true;
        self.declared.no_twins(locations.iter().map(|location| &location.name));
        let mut places = Places { states: HashMap::new(), live: HashMap::new() };
        let mut start = None;
        for location in locations {
            let state = self.graph.state(false, &[]);
            self.graph.label(state, &location.name.text);
            start.get_or_insert(state);
            places.states.entry(location.name.text.clone()).or_insert(state);
            if let Some(live) = &location.live {
                self.check_live(live);
                places.live.insert(location.name.text.clone(), live);
            }
        }
        let handlers = self.catches(catches, &places);
        for location in locations {
            let Some(&state) = places.states.get(&location.name.text) else { continue };
            self.handlers = handlers.get(&state).cloned().unwrap_or_default();
            let here = self.handlers.clone();
            self.graph.handle(state, &here);
            let is_alone = location.transformations.len() == 1;
            for transformation in &location.transformations {
                self.statement_ends();
                self.transformation(transformation, state, is_alone, &places);
            }
        }
        start.unwrap_or_else(|| self.graph.state(false, &[]))
    }

    fn check_live(&mut self, live: &[Name]) {
        for name in live {
            if !self.locals.contains_key(&name.text) {
                self.fail(name.span, format!("local variable `{}` is not declared", name.text));
            }
        }
    }

    fn place(&mut self, name: &Name, places: &Places<'_>) -> Option<usize> {
        let found = places.states.get(&name.text).copied();
        if found.is_none() {
            self.fail(name.span, format!("location `{}` is not declared", name.text));
        }
        found
    }

    fn catches(&mut self, catches: &[Catch], places: &Places<'_>) -> HashMap<usize, Vec<Handler>> {
        let mut handlers: HashMap<usize, Vec<Handler>> = HashMap::new();
        for catch in catches {
            let record = self.declared.record(&catch.record);
            let target = self.place(&catch.target, places);
            let states: Vec<usize> = catch.locations.iter().filter_map(|name| self.place(name, places)).collect();
            let variable = self.locals.get(&catch.variable.text).cloned();
            let Some((slot, ty)) = variable else {
                let message = format!("local variable `{}` is not declared", catch.variable.text);
                self.fail(catch.variable.span, message);
                continue;
            };
            let (Some(record), Some(target)) = (record, target) else { continue };
            if !self.declared.types.records[record].throwable {
                self.fail(catch.record.span, format!("`{}` is no `throwable record`", catch.record.text));
            }
            self.fitted(Typed { ir: HeapExpr::Null.into(), ty: Ty::Ref(record) }, &ty, catch.variable.span);
            for state in states {
                handlers.entry(state).or_default().push(Handler { record, slot: Some(slot), target });
            }
        }
        handlers
    }

    fn transformation(&mut self, one: &Transformation, from: usize, is_alone: bool, places: &Places<'_>) {
        let guard = one.guard.as_ref().map(|guard| (self.guard(guard), guard.span));
        match &one.work {
            Work::Actions { invisible, actions } => {
                let pieces = self.pieces(guard, actions, &one.jump, places);
                let Some(to) = self.goal(&one.jump, from, places) else { return };
                self.chain(pieces, from, to, *invisible, one.span);
            }
            Work::Invoke(invoke) => {
                let mut at = from;
                if guard.is_some() || !is_alone {
                    // A call is the only thing that can be done in its state.
                    at = self.graph.state(true, &self.handlers);
                    let action = guard.map_or(IrAction::Skip, |(guard, _)| IrAction::Condition(guard));
                    let text = self.text(one.span);
                    self.graph.edge(from, at, action, one.span, text);
                }
                self.call(invoke, &one.jump, at, one.span, places);
            }
        }
    }

    /// Where a jump leads; a return stays, since nothing follows.
    fn goal(&mut self, jump: &Jump, from: usize, places: &Places<'_>) -> Option<usize> {
        match &jump.kind {
            JumpKind::Goto(name) => self.place(name, places),
            JumpKind::Return(_) => Some(from),
        }
    }

    fn pieces(
        &mut self,
        guard: Option<(Ir, Span)>,
        actions: &[Action],
        jump: &Jump,
        places: &Places<'_>,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut current: Vec<(IrAction, Span)> = Vec::new();
        let mut ended = false;
        let mut guard = guard;
        for (index, action) in actions.iter().enumerate() {
            if ended {
                self.fail(action.span, "this is never reached: the action before it leaves the body");
                break;
            }
            let effect = self.effect(action);
            if let Effect::One(IrAction::Heap(heap)) = &effect
                && let HeapAction::Monitor(op @ (MonitorOp::Lock | MonitorOp::Unwait), object) = &**heap
            {
                if index > 0 {
                    self.fail(action.span, "an action that can wait must be the first of its transformation");
                }
                guard = guard.map(|(guard, span)| (can_go_on(guard, *op, object), span));
            }
            if let Some((guard, span)) = guard.take() {
                current.push((IrAction::Condition(guard), span));
            }
            match effect {
                Effect::One(one) => {
                    ended = leaves(&one);
                    current.push((one, action.span));
                }
                Effect::Notify(object) => {
                    if !current.is_empty() {
                        pieces.push(Piece::Together(std::mem::take(&mut current)));
                    }
                    pieces.push(Piece::Notify(object));
                }
                Effect::Nothing => {}
            }
        }
        current.extend(guard.map(|(guard, span)| (IrAction::Condition(guard), span)));
        if !ended {
            self.leave(&mut current, jump, places);
        }
        if !current.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Together(current));
        }
        pieces
    }

    /// What a jump does: it returns, or resets variables that are not live where it leads.
    fn leave(&mut self, current: &mut Vec<(IrAction, Span)>, jump: &Jump, places: &Places<'_>) {
        match &jump.kind {
            JumpKind::Goto(name) => {
                let Some(&live) = places.live.get(&name.text) else { return };
                let is_live = |local: &str| live.iter().any(|name| &*name.text == local);
                let mut dead: Vec<usize> =
                    self.locals.iter().filter(|(name, _)| !is_live(name)).map(|(_, (slot, _))| *slot).collect();
                dead.sort_unstable();
                for slot in dead {
                    let scalar = self.slots[slot].scalar;
                    let nothing = if scalar == self.reference { HeapExpr::Null.into() } else { Ir::Const(0) };
                    let place = Place::scalar(Scope::Local, slot, scalar);
                    current.push((IrAction::Assign(place, nothing), jump.span));
                }
            }
            JumpKind::Return(value) => {
                let returns = self.declared.routines[self.id].returns.clone();
                let action = match (returns, value) {
                    (None, None) => HeapAction::Exit,
                    (Some(None), None) => HeapAction::Return(None),
                    (Some(Some(ty)), Some(value)) => HeapAction::Return(Some(self.stored(value, &ty))),
                    (None, Some(value)) => {
                        self.fail(value.span, "a thread gives no value back");
                        return;
                    }
                    (Some(None), Some(value)) => {
                        self.fail(value.span, "the function gives no value back");
                        return;
                    }
                    (Some(Some(_)), None) => {
                        self.fail(jump.span, "the function gives a value back, and there is none");
                        return;
                    }
                };
                current.push((action.into(), jump.span));
            }
        }
    }

    fn chain(&mut self, pieces: Vec<Piece>, from: usize, to: usize, invisible: bool, span: Span) {
        let text = self.text(span);
        let count = pieces.len();
        let mut at = from;
        for (index, piece) in pieces.into_iter().enumerate() {
            let is_last = index + 1 == count;
            let next = if is_last { to } else { self.graph.state(true, &self.handlers) };
            match piece {
                Piece::Together(actions) => {
                    let action = together(actions, span);
                    match is_last && invisible {
                        true => self.graph.atomic_edge(at, next, action, span, text.clone()),
                        false => self.graph.edge(at, next, action, span, text.clone()),
                    }
                }
                Piece::Notify(object) => self.notify(object, at, next, span),
            }
            at = next;
        }
    }

    fn call(&mut self, invoke: &Invoke, jump: &Jump, from: usize, span: Span, places: &Places<'_>) {
        let Some((callee, args, returns)) = self.callee(invoke, span) else { return };
        let Some(goal) = self.goal(jump, from, places) else { return };
        let mut after: Vec<(IrAction, Span)> = Vec::new();
        let mut slot = None;
        if let Some(result) = &invoke.result {
            let Some(returns) = returns else {
                self.fail(span, format!("`{}` gives no value back", invoke.name.text));
                return;
            };
            let Some((target, ty)) = self.target(result) else { return };
            let scalar = self.declared.types.scalar(&returns, self.reference);
            match &target {
                Target::Place(place) if place.scope == Scope::Local && returns == ty => slot = Some(place.slot),
                _ => {
                    let temporary = self.temporary(scalar);
                    slot = Some(temporary);
                    let value = Ir::Read(Place::scalar(Scope::Local, temporary, scalar));
                    let value = self.fitted(Typed { ir: value, ty: returns }, &ty, result.span);
                    after.push((self.store(target, value), span));
                    let nothing = if scalar == self.reference { HeapExpr::Null.into() } else { Ir::Const(0) };
                    after.push((IrAction::Assign(Place::scalar(Scope::Local, temporary, scalar), nothing), span));
                }
            }
        }
        self.leave(&mut after, jump, places);
        let text = self.text(span);
        let action: IrAction = HeapAction::Call { callee, args, result: slot, atomic: false }.into();
        if after.is_empty() {
            self.graph.edge(from, goal, action, span, text);
            return;
        }
        let back = self.graph.state(true, &self.handlers);
        self.graph.edge(from, back, action, span, text.clone());
        let goal = if matches!(jump.kind, JumpKind::Return(_)) { back } else { goal };
        self.graph.edge(back, goal, together(after, span), span, text);
    }
}

/// A guard before an action that can wait: it must not hold while the action would wait.
fn can_go_on(guard: Ir, op: MonitorOp, object: &Ir) -> Ir {
    let ask = |question| Ir::from(HeapExpr::Ask(question, object.clone()));
    let free = ask(Question::LockAvailable);
    let ready = match op {
        MonitorOp::Unwait => Ir::And(Box::new(ask(Question::WasNotified)), Box::new(free)),
        _ => free,
    };
    Ir::And(Box::new(guard), Box::new(ready))
}
