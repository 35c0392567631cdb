//! Which local variables are dead at a control state, and which global ones nobody reads at all. What is stored there
//! makes no difference, so it need not be symmetric, and states that differ there only may be taken for one.

use std::collections::HashSet;

use crate::{
    Action, BinaryOp, Expr, HeapAction, Model, Pattern, Place, Proctype, ProctypeKind, Scope, Setup, Slot, Sort,
};

/// What nobody will read.
#[derive(Clone, Debug, Default)]
pub struct Dead {
    /// Whether nobody reads a global variable slot, ever.
    pub globals: Vec<bool>,
    /// By process type, control state and slot: whether it is written before it is read again.
    pub locals: Vec<Vec<Vec<bool>>>,
}

impl Dead {
    /// Analyses a model.
    pub fn new(model: &Model) -> Self {
        // What is lost is looked for: then a reference that nobody will read keeps its record all the same.
        // And a box is deleted with its variable, whoever still refers to it.
        let leaks = model.heap.as_ref().is_some_and(|heap| heap.leaks);
        let holds = |slot: &Slot| slot.boxed || (leaks && slot.scalar.sort == Sort::Ref);
        let mut globals: Vec<bool> = model.globals.iter().map(|slot| !holds(slot)).collect();
        // Variables that another process looks at are always alive.
        let mut remote: Vec<HashSet<usize>> = vec![HashSet::new(); model.proctypes.len()];
        for proctype in &model.proctypes {
            let mut places: Vec<&Place> = proctype.exclusive.iter().map(|promise| &promise.channel).collect();
            let mut look = |e: &Expr| {
                if let Expr::RemoteRead { proctype, pid: _, place } = e {
                    remote[*proctype].extend(place.all_slots());
                }
            };
            for statement in &proctype.statements {
                statement.action.walk(&mut look);
                reads(&statement.action, &mut places);
            }
            let setups = proctype.setup.iter().filter_map(|setup| match setup {
                Setup::Assign(_, value) => Some(value),
                Setup::Channel(..) => None,
            });
            for expr in proctype.provided.iter().chain(setups) {
                expr.walk(&mut look);
                looks(expr, &mut places);
            }
            for place in places.into_iter().filter(|place| place.scope == Scope::Global) {
                place.all_slots().into_iter().for_each(|slot| globals[slot] = false);
            }
        }
        for proposition in model.claims.iter().flat_map(|claim| &claim.propositions) {
            let mut places = Vec::new();
            looks(&proposition.expr, &mut places);
            proposition.expr.walk(&mut |e| {
                if let Expr::RemoteRead { proctype, pid: _, place } = e {
                    remote[*proctype].extend(place.all_slots());
                }
            });
            for place in places.into_iter().filter(|place| place.scope == Scope::Global) {
                place.all_slots().into_iter().for_each(|slot| globals[slot] = false);
            }
        }
        for (proctype, remote) in model.proctypes.iter().zip(&mut remote) {
            remote.extend((0..proctype.slots.len()).filter(|&slot| holds(&proctype.slots[slot])));
            // Whoever notifies a process that waits looks at these.
            remote.extend(proctype.waiting.iter().flat_map(|w| [w.object, w.depth, w.notified]));
        }
        let locals = model.proctypes.iter().zip(&remote).map(|(p, remote)| dead_locals(p, remote)).collect();
        Dead { globals, locals }
    }

    /// Whether nobody will read a variable of a process that is at a control state.
    pub fn is_dead(&self, proctype: usize, control: usize, scope: Scope, slot: usize) -> bool {
        match scope {
            Scope::Global => self.globals[slot],
            Scope::Local => self.locals[proctype].get(control).is_some_and(|slots| slots[slot]),
        }
    }
}

/// Adds the variables that an expression reads, or whose channels it uses.
fn looks<'a>(expr: &'a Expr, places: &mut Vec<&'a Place>) {
    expr.walk(&mut |e| look(e, places));
}

/// Adds the variable that an expression reads itself, or whose channel it uses.
fn look<'a>(expr: &'a Expr, places: &mut Vec<&'a Place>) {
    match expr {
        Expr::Read(place) => places.push(place),
        Expr::Length(place) | Expr::Probe(_, place) => places.push(place),
        Expr::Poll { channel, pattern: _, random: _ } => places.push(channel),
        // The variable is another process's.
        Expr::RemoteRead { .. } => {}
        Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::And(..)
        | Expr::Or(..)
        | Expr::Cond(..)
        | Expr::Run { .. }
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::OwnPriority
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Enabled(_)
        | Expr::PcValue(_)
        | Expr::PriorityOf(_)
        | Expr::RemoteAt { .. }
        | Expr::Heap(_) => {}
    }
}

/// Adds the variables that an action reads, or whose channels it uses. What is computed of a variable and stored in it
/// again is not a reading of it, as long as nothing can go wrong whatever its value is: then only the variable itself
/// depends on it.
fn reads<'a>(action: &'a Action, places: &mut Vec<&'a Place>) {
    match action {
        Action::Assign(place, value) => {
            let own = |e: &Expr| {
                let same = |p: &Place| (p.scope, p.slot, p.indices.len()) == (place.scope, place.slot, 0);
                matches!(e, Expr::Read(p) if place.indices.is_empty() && same(p))
            };
            place.indices.iter().for_each(|index| looks(&index.value, places));
            let mut work = vec![value];
            while let Some(e) = work.pop() {
                match e {
                    Expr::Binary(
                        BinaryOp::Add
                        | BinaryOp::Sub
                        | BinaryOp::Mul
                        | BinaryOp::BitAnd
                        | BinaryOp::BitOr
                        | BinaryOp::BitXor,
                        a,
                        b,
                    ) => work.extend([&**a, &**b]),
                    Expr::Binary(BinaryOp::Rem, a, b) if matches!(**b, Expr::Const(1..)) => work.push(a),
                    e if own(e) => {}
                    e => looks(e, places),
                }
            }
        }
        Action::Send { channel, values, sorted: _ } => {
            places.push(channel);
            channel.indices.iter().for_each(|index| looks(&index.value, places));
            values.iter().for_each(|value| looks(value, places));
        }
        Action::Receive { channel, pattern, random: _, copy: _ } => {
            places.push(channel);
            channel.indices.iter().for_each(|index| looks(&index.value, places));
            for part in pattern {
                match part {
                    Pattern::Match(value) => looks(value, places),
                    Pattern::Bind(place) => place.indices.iter().for_each(|index| looks(&index.value, places)),
                    Pattern::Ignore => {}
                }
            }
        }
        Action::Condition(e) | Action::Assert(e) => looks(e, places),
        Action::Print { format: _, args, mtype: _ } => {
            // What is printed decides nothing. Only working it out can go wrong.
            let plain = |arg: &&Expr| matches!(arg, Expr::Read(place) if place.indices.is_empty());
            args.iter().filter(|arg| !plain(arg)).for_each(|arg| looks(arg, places));
        }
        Action::SetPriority(a, b) => {
            looks(a, places);
            looks(b, places);
        }
        Action::Deterministic(body) => body.actions().for_each(|a| reads(a, places)),
        Action::Heap(action) => action.walk(&mut |e| look(e, places)),
        Action::Skip | Action::Else | Action::End => {}
    }
}

fn dead_locals(proctype: &Proctype, remote: &HashSet<usize>) -> Vec<Vec<bool>> {
    if matches!(proctype.kind, ProctypeKind::Trace | ProctypeKind::Claim) {
        return Vec::new();
    }
    let slots = proctype.slots.len();
    let mut always = vec![false; slots];
    remote.iter().for_each(|&slot| always[slot] = true);
    let mut places: Vec<&Place> = proctype.exclusive.iter().map(|promise| &promise.channel).collect();
    if let Some(provided) = &proctype.provided {
        looks(provided, &mut places);
    }
    mark(&places, &mut always);
    let mut alive: Vec<Vec<bool>> = vec![always; proctype.states.len()];
    loop {
        let mut changed = false;
        for (id, state) in proctype.states.iter().enumerate().rev() {
            // What is thrown here, or by a function that was called here, leads to the handler.
            for handler in &state.handlers {
                for slot in (0..slots).filter(|&slot| handler.slot != Some(slot)) {
                    let before = alive[handler.target][slot];
                    changed |= before && !alive[id][slot];
                    alive[id][slot] |= before;
                }
            }
            for transition in &state.transitions {
                let action = &proctype.statements[transition.statement].action;
                let after = alive.get(transition.target).cloned().unwrap_or_else(|| vec![false; slots]);
                let before = alive_before(action, after);
                for (slot, alive) in alive[id].iter_mut().enumerate() {
                    if before[slot] && !*alive {
                        *alive = true;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    alive.into_iter().map(|slots| slots.into_iter().map(|alive| !alive).collect()).collect()
}

fn mark(places: &[&Place], alive: &mut [bool]) {
    for place in places.iter().filter(|place| place.scope == Scope::Local) {
        place.all_slots().into_iter().for_each(|slot| alive[slot] = true);
    }
}

/// The slots that are alive before an action, given those that are after it. In a `d_step` that is found out from its end
/// back to its start, in the same way: it runs from one end to the other, or fails.
fn alive_before(action: &Action, after: Vec<bool>) -> Vec<bool> {
    let Action::Deterministic(body) = action else {
        let mut before = after;
        if let Some(written) = overwritten(action) {
            written.into_iter().for_each(|slot| before[slot] = false);
        }
        let mut places = Vec::new();
        reads(action, &mut places);
        mark(&places, &mut before);
        return before;
    };
    let mut alive = vec![vec![false; after.len()]; body.nodes.len()];
    loop {
        let mut changed = false;
        for (id, node) in body.nodes.iter().enumerate().rev() {
            for option in &node.options {
                let next = option.next.and_then(|next| alive.get(next)).unwrap_or(&after).clone();
                for (slot, before) in alive_before(&option.action, next).into_iter().enumerate() {
                    changed |= before && !alive[id][slot];
                    alive[id][slot] |= before;
                }
            }
        }
        if !changed {
            return alive.into_iter().next().unwrap_or(after);
        }
    }
}

/// The local slots that an action writes in any case.
fn overwritten(action: &Action) -> Option<Vec<usize>> {
    let exact = |place: &Place| (place.scope == Scope::Local && place.indices.is_empty()).then_some(place.slot);
    let bound = |pattern: &[Pattern]| {
        let slot = |part: &Pattern| match part {
            Pattern::Bind(place) => exact(place),
            Pattern::Match(_) | Pattern::Ignore => None,
        };
        pattern.iter().filter_map(slot).collect::<Vec<usize>>()
    };
    match action {
        Action::Assign(place, value) => {
            let own =
                |e: &Expr| matches!(e, Expr::Read(p) if p.scope == Scope::Local && p.all_slots().contains(&place.slot));
            exact(place).filter(|_| !value.any(&own)).map(|slot| vec![slot])
        }
        Action::Receive { pattern, .. } => Some(bound(pattern)),
        // The result is written when the function returns; until then the caller stays where it is.
        Action::Heap(action) => match &**action {
            HeapAction::Call { callee: _, args: _, result, atomic: _ } => Some(result.iter().copied().collect()),
            action => action.pattern().map(bound),
        },
        _ => None,
    }
}

/// The variables that an action may write.
pub fn written(action: &Action) -> Vec<(Scope, usize)> {
    let slots = |place: &Place| place.all_slots().into_iter().map(|slot| (place.scope, slot)).collect::<Vec<_>>();
    let bound = |pattern: &[Pattern]| {
        let parts = pattern.iter().flat_map(|part| match part {
            Pattern::Bind(place) => slots(place),
            Pattern::Match(_) | Pattern::Ignore => Vec::new(),
        });
        parts.collect::<Vec<_>>()
    };
    match action {
        Action::Assign(place, _) => slots(place),
        Action::Receive { pattern, .. } => bound(pattern),
        Action::Heap(action) => action.pattern().map_or(Vec::new(), bound),
        Action::Deterministic(body) => body.actions().flat_map(written).collect(),
        Action::Skip
        | Action::Condition(_)
        | Action::Else
        | Action::Send { .. }
        | Action::Assert(_)
        | Action::Print { .. }
        | Action::SetPriority(..)
        | Action::End => Vec::new(),
    }
}
