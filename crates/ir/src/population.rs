//! Which processes a model starts with: those that are there from the beginning, and those that `init` creates before
//! its first choice that depends on anything but its own variables.

use crate::{Action, Expr, Instance, Model, Place, Proctype, ProctypeId, ProctypeKind, Scope, Setup};

/// How many steps of `init` are followed.
const MOST_STEPS: usize = 100_000;

/// A process and the values of its parameters, where they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Founder {
    /// Its type.
    pub proctype: ProctypeId,
    /// Its parameters' slots.
    pub args: Vec<Option<i32>>,
}

/// The processes that a model starts with, in order of their ids.
pub fn population(model: &Model) -> Vec<Founder> {
    let start = |&Instance { proctype, .. }: &Instance| Founder {
        proctype,
        args: vec![Some(0); model.proctypes[proctype].params],
    };
    let mut founders: Vec<Founder> = model.initial.iter().map(start).collect();
    let init = model.initial.iter().position(|i| model.proctypes[i.proctype].kind == ProctypeKind::Init);
    if let Some(init) = init {
        follow(model, init, &mut founders);
    }
    founders
}

/// Follows `init` for as long as its way depends on its own variables only.
fn follow(model: &Model, init: usize, founders: &mut Vec<Founder>) {
    let proctype = &model.proctypes[founders[init].proctype];
    let mut locals = vec![Some(0); proctype.slots.len()];
    for setup in &proctype.setup {
        match setup {
            Setup::Assign(slot, value) => locals[*slot] = evaluate(value, &locals, init),
            Setup::Channel(slot, _) => locals[*slot] = None,
        }
    }
    let mut state = proctype.start;
    for _ in 0..MOST_STEPS {
        let Some((action, target)) = only_way(proctype, state, &locals, init) else { return };
        match action {
            Action::Deterministic(body) => body.actions().for_each(|a| execute(a, &mut locals, init, founders)),
            action => execute(action, &mut locals, init, founders),
        }
        state = target;
    }
}

/// The transition that `init` takes from a state, if there is only one that it can take.
fn only_way<'p>(
    proctype: &'p Proctype,
    state: usize,
    locals: &[Option<i32>],
    init: usize,
) -> Option<(&'p Action, usize)> {
    let mut way = None;
    for transition in &proctype.states[state].transitions {
        let action = &proctype.statements[transition.statement].action;
        let executable = match action {
            Action::Else => way.is_none(),
            Action::Condition(condition) if !condition.runs() => evaluate(condition, locals, init)? != 0,
            Action::Send { .. } | Action::Receive { .. } | Action::End => return None,
            Action::Deterministic(body) if body.nodes.iter().any(|node| node.options.len() != 1) => return None,
            _ => true,
        };
        if executable && way.replace((action, transition.target)).is_some() {
            return None;
        }
    }
    way
}

fn execute(action: &Action, locals: &mut [Option<i32>], init: usize, founders: &mut Vec<Founder>) {
    action.walk(&mut |expr| {
        if let Expr::Run { proctype, args, .. } = expr {
            let args = args.iter().map(|arg| evaluate(arg, locals, init)).collect();
            founders.push(Founder { proctype: *proctype, args });
        }
    });
    if let Action::Assign(place, value) = action
        && place.scope == Scope::Local
    {
        let value = evaluate(value, locals, init);
        let slots = place.all_slots();
        let value = value.filter(|_| slots.len() == 1).map(|value| place.scalar.truncate(value));
        slots.into_iter().for_each(|slot| locals[slot] = value);
    }
}

/// The value of an expression of `init`, if only its own variables matter.
fn evaluate(expr: &Expr, locals: &[Option<i32>], init: usize) -> Option<i32> {
    let value = |expr: &Expr| evaluate(expr, locals, init);
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Pid => Some(init as i32),
        Expr::Read(Place { scope: Scope::Local, slot, indices, .. }) if indices.is_empty() => locals[*slot],
        Expr::Unary(op, a) => value(a).map(|a| op.apply(a)),
        Expr::Binary(op, a, b) => op.apply(value(a)?, value(b)?),
        Expr::And(a, b) => match value(a)? {
            0 => Some(0),
            _ => value(b).map(|b| i32::from(b != 0)),
        },
        Expr::Or(a, b) => match value(a)? {
            0 => value(b).map(|b| i32::from(b != 0)),
            _ => Some(1),
        },
        Expr::Cond(c, a, b) => match value(c)? {
            0 => value(b),
            _ => value(a),
        },
        _ => None,
    }
}
