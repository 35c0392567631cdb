//! Which processes a model starts with: those that are there from the beginning, and those that `init` creates as long
//! as it has no choice, when nobody else moves.

use std::collections::HashMap;

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

/// What is known of the variables that `init` sees.
struct Known {
    globals: Vec<Option<i32>>,
    locals: Vec<Option<i32>>,
    /// The channels that variables refer to: how many messages still fit.
    room: HashMap<(Scope, usize), usize>,
    /// The id of `init`.
    pid: usize,
}

/// Follows `init` for as long as there is one way to go.
fn follow(model: &Model, pid: usize, founders: &mut Vec<Founder>) {
    let proctype = &model.proctypes[founders[pid].proctype];
    let (globals, locals) = (vec![Some(0); model.globals.len()], vec![Some(0); proctype.slots.len()]);
    let mut known = Known { globals, locals, room: HashMap::new(), pid };
    for (scope, setups) in [(Scope::Global, &model.setup), (Scope::Local, &proctype.setup)] {
        for setup in setups {
            let (slot, value) = match setup {
                Setup::Assign(slot, value) => (*slot, known.value(value)),
                Setup::Channel(slot, ty) => {
                    known.room.insert((scope, *slot), model.channels[*ty].capacity);
                    (*slot, None)
                }
            };
            known.variables(scope)[slot] = value;
        }
    }
    let mut state = proctype.start;
    for _ in 0..MOST_STEPS {
        let Some((action, target)) = only_way(proctype, state, &known) else { return };
        match action {
            Action::Deterministic(body) => body.actions().for_each(|action| known.execute(action, founders)),
            action => known.execute(action, founders),
        }
        state = target;
    }
}

/// The transition that `init` takes from a state, if there is only one that it can take.
fn only_way<'p>(proctype: &'p Proctype, state: usize, known: &Known) -> Option<(&'p Action, usize)> {
    let mut way = None;
    for transition in &proctype.states[state].transitions {
        let action = &proctype.statements[transition.statement].action;
        let executable = match action {
            Action::Else => way.is_none(),
            Action::Condition(condition) if !condition.runs() => known.value(condition)? != 0,
            Action::Send { channel, .. } => known.room(channel).copied()? > 0,
            Action::Receive { .. } | Action::End => return None,
            Action::Deterministic(body) if body.nodes.iter().any(|node| node.options.len() != 1) => return None,
            _ => true,
        };
        if executable && way.replace((action, transition.target)).is_some() {
            return None;
        }
    }
    way
}

impl Known {
    fn execute(&mut self, action: &Action, founders: &mut Vec<Founder>) {
        action.walk(&mut |expr| {
            if let Expr::Run { proctype, args, .. } = expr {
                let args = args.iter().map(|arg| self.value(arg)).collect();
                founders.push(Founder { proctype: *proctype, args });
            }
        });
        if let Action::Assign(place, value) = action {
            let value = self.value(value).map(|value| place.scalar.truncate(value));
            let slots = self.slot(place).map_or_else(|| place.all_slots(), |slot| vec![slot]);
            let value = value.filter(|_| slots.len() == 1);
            for slot in slots {
                self.variables(place.scope)[slot] = value;
                self.room.remove(&(place.scope, slot));
            }
        }
        if let Action::Send { channel, .. } = action
            && let Some(slot) = self.slot(channel)
            && let Some(room) = self.room.get_mut(&(channel.scope, slot))
        {
            *room = room.saturating_sub(1);
        }
    }

    fn variables(&mut self, scope: Scope) -> &mut Vec<Option<i32>> {
        match scope {
            Scope::Global => &mut self.globals,
            Scope::Local => &mut self.locals,
        }
    }

    /// How many messages fit into a channel, if that is known: nobody else sends or receives meanwhile.
    fn room(&self, channel: &Place) -> Option<&usize> {
        self.room.get(&(channel.scope, self.slot(channel)?))
    }

    /// The slot that a place stands for, if its indices are known and in range.
    fn slot(&self, place: &Place) -> Option<usize> {
        let mut slot = place.slot;
        for index in &place.indices {
            let value = usize::try_from(self.value(&index.value)?).ok()?;
            slot += (value < index.length).then_some(value * index.stride)?;
        }
        Some(slot)
    }

    /// The value of an expression, if it is known.
    fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => Some(self.pid as i32),
            Expr::Read(place) => match place.scope {
                Scope::Global => self.globals[self.slot(place)?],
                Scope::Local => self.locals[self.slot(place)?],
            },
            Expr::Unary(op, a) => self.value(a).map(|a| op.apply(a)),
            Expr::Binary(op, a, b) => op.apply(self.value(a)?, self.value(b)?),
            Expr::And(a, b) => match self.value(a)? {
                0 => Some(0),
                _ => self.value(b).map(|b| i32::from(b != 0)),
            },
            Expr::Or(a, b) => match self.value(a)? {
                0 => self.value(b).map(|b| i32::from(b != 0)),
                _ => Some(1),
            },
            Expr::Cond(c, a, b) => match self.value(c)? {
                0 => self.value(b),
                _ => self.value(a),
            },
            _ => None,
        }
    }
}
