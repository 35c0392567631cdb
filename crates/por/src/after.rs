//! Who may still use a channel: for every control state, the variables through which a process there, or one that it
//! creates, may use the channel they hold, or pass it on. It is asked when a process that made a promise ends.

use std::collections::HashSet;

use quotient_ir::{Action, Expr, Model, Place, ProctypeId, Scope, Setup, Sort};

use crate::channels::{action_uses, owner, slots, value_uses};

/// Variables through which channels may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// To receive, or to look into it.
    pub receive: HashSet<(Scope, usize)>,
    /// To send, or to ask how full it is.
    pub send: HashSet<(Scope, usize)>,
}

impl Users {
    fn extend(&mut self, other: &Users) {
        self.receive.extend(&other.receive);
        self.send.extend(&other.send);
    }

    fn size(&self) -> usize {
        self.receive.len() + self.send.len()
    }

    fn add(&mut self, place: &Place, receive: bool, send: bool) {
        for slot in place.all_slots() {
            if receive {
                self.receive.insert((place.scope, slot));
            }
            if send {
                self.send.insert((place.scope, slot));
            }
        }
    }

    /// Only what a process brings along that it creates: its own variables get their values from arguments.
    fn add_globals(&mut self, other: &Users) {
        self.receive.extend(other.receive.iter().filter(|(scope, _)| *scope == Scope::Global));
        self.send.extend(other.send.iter().filter(|(scope, _)| *scope == Scope::Global));
    }
}

/// By process type and control state.
pub(crate) fn users(model: &Model) -> Vec<Vec<Users>> {
    let mut users: Vec<Vec<Users>> =
        model.proctypes.iter().map(|proctype| vec![Users::default(); proctype.states.len()]).collect();
    let own: Vec<Vec<(Users, Vec<ProctypeId>)>> = (0..model.proctypes.len())
        .map(|id| model.proctypes[id].statements.iter().map(|s| of_action(model, id, &s.action)).collect())
        .collect();
    let always: Vec<Users> = (0..model.proctypes.len()).map(|id| of_type(model, id)).collect();
    loop {
        let mut changed = false;
        for (id, proctype) in model.process_types() {
            for (number, state) in proctype.states.iter().enumerate().rev() {
                let mut found = always[id].clone();
                for transition in &state.transitions {
                    let (uses, created) = &own[id][transition.statement];
                    found.extend(uses);
                    found.extend(&users[id][transition.target].clone());
                    for &child in created {
                        found.add_globals(&always[child]);
                        found.add_globals(&users[child][model.proctypes[child].start].clone());
                    }
                }
                if found.size() > users[id][number].size() {
                    users[id][number] = found;
                    changed = true;
                }
            }
        }
        if !changed {
            return users;
        }
    }
}

/// What instances of a type may use wherever they are: in its `provided` clause, and when one is created.
fn of_type(model: &Model, id: ProctypeId) -> Users {
    let mut users = Users::default();
    let proctype = &model.proctypes[id];
    let values = proctype.setup.iter().filter_map(|step| match step {
        Setup::Assign(_, value) => Some(value),
        Setup::Channel(..) => None,
    });
    for expr in values.chain(&proctype.provided) {
        value_uses(expr, &mut |u| users.add(u.place, true, true));
        copies(model, id, expr, &mut users);
    }
    users
}

/// What one action uses or passes on, and the types of processes that it creates.
fn of_action(model: &Model, id: ProctypeId, action: &Action) -> (Users, Vec<ProctypeId>) {
    let mut users = Users::default();
    action_uses(action, &mut |u| {
        let (receive, send) = u.kind.directions();
        users.add(u.place, receive, send);
    });
    let mut created = Vec::new();
    action.walk(&mut |e| {
        if let Expr::Run { proctype, .. } = e {
            created.push(*proctype);
        }
        copy(model, id, e, &mut users);
    });
    (users, created)
}

fn copies(model: &Model, id: ProctypeId, expr: &Expr, users: &mut Users) {
    expr.walk(&mut |e| copy(model, id, e, users));
}

/// A channel variable that is read as a value is passed on: whoever gets it may do anything with it.
fn copy(model: &Model, id: ProctypeId, expr: &Expr, users: &mut Users) {
    match expr {
        Expr::Read(place) if slots(model, owner(id, place))[place.slot].scalar.sort == Sort::Channel => {
            users.add(place, true, true);
        }
        _ => {}
    }
}
