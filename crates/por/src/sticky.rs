//! Sticky control states: where a process is never chosen to move alone, so that nobody is put off forever.
//!
//! A search that lets one process move alone wherever its moves are local could do so on a whole cycle, and never look at
//! the others. Kurshan, Levin, Minea, Peled and Yenigün ("Static Partial Order Reduction", TACAS 1998) cut such cycles
//! before the search: each of them leads every process that moves on it through a cycle of its own automaton, and on each
//! of these there is a sticky place, where all processes are expanded. Then what is explored depends on the model alone,
//! and not on the order of the search.
//!
//! Two kinds of cycles need no cut here.
//!
//! - Where a process has nothing to choose, it is followed to the end of its local steps without storing anything, and
//!   whoever follows it notices that it goes in circles. So only cycles with a *choice* are cut.
//! - A variable that only grows on a cycle, and cannot overflow, is never again what it was. Such cycles are closed in the
//!   automaton, but no run goes round them back to the same state.

use std::collections::{BTreeSet, HashSet};

use quotient_ir::dead::written;
use quotient_ir::{Action, BinaryOp, Expr, Place, Proctype, Scope, StateId, UnaryOp, Width};

use crate::Safety;

/// For each control state of a process type, whether it is sticky.
pub(crate) fn sticky(proctype: &Proctype, safety: &[Safety]) -> Vec<bool> {
    let mut sticky = vec![false; proctype.states.len()];
    let mut edges = local_edges(proctype, safety);
    let branching: Vec<bool> = (0..proctype.states.len())
        .map(|state| matches!(safety[state], Safety::Safe(_)) && has_choice(proctype, state))
        .collect();
    loop {
        let component = components(proctype.states.len(), edges.iter().map(|edge| (edge.from, edge.to)));
        let inside = |edge: &Edge| component[edge.from] == component[edge.to];
        let cycle: HashSet<usize> = edges.iter().filter(|edge| inside(edge)).map(|edge| component[edge.from]).collect();
        let Some(head) = (0..branching.len()).find(|&state| branching[state] && cycle.contains(&component[state]))
        else {
            return sticky;
        };
        let own = |edge: &Edge| inside(edge) && component[edge.from] == component[head];
        let cycle: Vec<&Edge> = edges.iter().filter(|edge| own(edge)).collect();
        match growing(proctype, &cycle) {
            Some(slot) => edges.retain(|edge| !own(edge) || edge.step_of(proctype, slot).is_none()),
            None => {
                let degree =
                    |state: StateId| cycle.iter().filter(|edge| edge.from == state || edge.to == state).count();
                let candidates = (0..branching.len()).filter(|&s| branching[s] && component[s] == component[head]);
                let cut = candidates.max_by_key(|&state| (degree(state), std::cmp::Reverse(state))).unwrap_or(head);
                sticky[cut] = true;
                edges.retain(|edge| edge.from != cut && edge.to != cut);
            }
        }
    }
}

/// A move between control states where a process may move alone. An atomic sequence is one move: nobody can be chosen
/// inside it, so that it cannot be cut there. It may end where it is blocked.
#[derive(Clone, Debug)]
struct Edge {
    from: StateId,
    to: StateId,
    /// What may be executed on the way. If it is one statement, it is executed.
    statements: Vec<usize>,
}

impl Edge {
    /// By how much the move changes a variable in any case, if it adds a number to it or takes one away.
    fn step_of(&self, proctype: &Proctype, slot: usize) -> Option<i32> {
        match self.statements[..] {
            [statement] => step_of(&proctype.statements[statement].action, slot),
            _ => None,
        }
    }
}

/// The moves that a process may make without anybody else moving in between.
fn local_edges(proctype: &Proctype, safety: &[Safety]) -> Vec<Edge> {
    let is_safe = |state: StateId| matches!(safety[state], Safety::Safe(_));
    let mut edges = Vec::new();
    for from in (0..safety.len()).filter(|&state| is_safe(state)) {
        for transition in &proctype.states[from].transitions {
            let mut statements = vec![transition.statement];
            let mut ends = BTreeSet::from([transition.target]);
            let mut passed = BTreeSet::new();
            let mut work = vec![transition];
            while let Some(last) = work.pop() {
                // A sequence that goes on here may also be blocked here.
                if last.atomic && passed.insert(last.target) {
                    for next in &proctype.states[last.target].transitions {
                        statements.push(next.statement);
                        ends.insert(next.target);
                        work.push(next);
                    }
                }
            }
            let ends = ends.into_iter().filter(|&to| is_safe(to));
            edges.extend(ends.map(|to| Edge { from, to, statements: statements.clone() }));
        }
    }
    edges
}

/// Whether more than one thing can be done at a control state, or inside an atomic sequence that begins there.
pub(crate) fn has_choice(proctype: &Proctype, state: StateId) -> bool {
    let mut seen = HashSet::from([state]);
    let mut work = vec![state];
    while let Some(state) = work.pop() {
        let transitions = &proctype.states[state].transitions;
        let actions: Vec<&Action> = transitions.iter().map(|t| &proctype.statements[t.statement].action).collect();
        let choices: Vec<&Action> = actions.into_iter().filter(|action| !matches!(action, Action::Else)).collect();
        let mut pairs = choices.iter().enumerate().flat_map(|(i, a)| choices[i + 1..].iter().map(move |b| (a, b)));
        if pairs.any(|(a, b)| !exclude_each_other(a, b)) {
            return true;
        }
        let next = transitions.iter().filter(|transition| transition.atomic).map(|transition| transition.target);
        work.extend(next.filter(|&target| seen.insert(target)));
    }
    false
}

/// Whether two conditions are never true at once.
fn exclude_each_other(a: &Action, b: &Action) -> bool {
    let (Action::Condition(a), Action::Condition(b)) = (a, b) else { return false };
    match (a, b) {
        (Expr::Unary(UnaryOp::Not, a), b) | (b, Expr::Unary(UnaryOp::Not, a)) if same(a, b) => true,
        (Expr::Binary(p, a, b), Expr::Binary(q, c, d)) => {
            let opposite = |p: BinaryOp, q: BinaryOp| {
                use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
                let less = |p, q| matches!((p, q), (Lt, Ge | Gt | Eq) | (Le, Gt) | (Gt, Eq) | (Eq, Ne));
                less(p, q) || less(q, p)
            };
            let differ = |a: &Expr, b: &Expr| matches!((a, b), (Expr::Const(a), Expr::Const(b)) if a != b);
            let both_equal = matches!((p, q), (BinaryOp::Eq, BinaryOp::Eq)) && same(a, c) && differ(b, d);
            both_equal || (same(a, c) && same(b, d) && opposite(*p, *q))
        }
        _ => false,
    }
}

/// Whether two expressions are certainly the same: made of variables without indices, and numbers.
fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Const(a), Expr::Const(b)) => a == b,
        (Expr::Read(a), Expr::Read(b)) => {
            (a.scope, a.slot) == (b.scope, b.slot) && a.indices.is_empty() && b.indices.is_empty()
        }
        (Expr::Binary(p, a, b), Expr::Binary(q, c, d)) => p == q && same(a, c) && same(b, d),
        (Expr::Pid, Expr::Pid) => true,
        _ => false,
    }
}

/// A local variable that grows on these transitions, or shrinks, and is not changed by them in any other way.
fn growing(proctype: &Proctype, edges: &[&Edge]) -> Option<usize> {
    let action = |statement: usize| &proctype.statements[statement].action;
    let slots = edges.iter().flat_map(|edge| &edge.statements).filter_map(|&statement| match action(statement) {
        Action::Assign(place, _) if place.scope == Scope::Local && place.indices.is_empty() => Some(place.slot),
        _ => None,
    });
    slots.into_iter().find(|&slot| {
        let changes = |edge: &&&Edge| {
            edge.statements.iter().any(|&statement| written(action(statement)).contains(&(Scope::Local, slot)))
        };
        let changes: Vec<&&Edge> = edges.iter().filter(changes).collect();
        let steps: Option<Vec<i32>> = changes.iter().map(|edge| edge.step_of(proctype, slot)).collect();
        let Some(steps) = steps else { return false };
        let one_way = steps.iter().all(|&step| step > 0) || steps.iter().all(|&step| step < 0);
        one_way && changes.iter().zip(&steps).all(|(edge, &step)| is_bounded(proctype, edge.from, slot, step))
    })
}

/// By how much an assignment changes a variable, if it adds a number to it or takes one away.
fn step_of(action: &Action, slot: usize) -> Option<i32> {
    let is_it = |place: &Place| place.scope == Scope::Local && place.slot == slot && place.indices.is_empty();
    let Action::Assign(place, Expr::Binary(operator, a, b)) = action else { return None };
    if !is_it(place) {
        return None;
    }
    let step = match (operator, &**a, &**b) {
        (BinaryOp::Add, Expr::Read(p), Expr::Const(step)) | (BinaryOp::Add, Expr::Const(step), Expr::Read(p))
            if is_it(p) =>
        {
            *step
        }
        (BinaryOp::Sub, Expr::Read(p), Expr::Const(step)) if is_it(p) => step.checked_neg()?,
        _ => return None,
    };
    (step != 0).then_some(step)
}

/// Whether a process comes to a control state only by conditions that keep a variable from overflowing in the next step.
fn is_bounded(proctype: &Proctype, state: StateId, slot: usize, step: i32) -> bool {
    let entries: Vec<&Action> = proctype
        .states
        .iter()
        .flat_map(|state| &state.transitions)
        .filter(|transition| transition.target == state)
        .map(|transition| &proctype.statements[transition.statement].action)
        .collect();
    let Some((least, most)) = range(proctype.slots[slot].scalar.width) else { return false };
    let limits = |condition: &Expr| {
        let mut found = false;
        conjuncts(condition, &mut |part| found |= keeps_within(proctype, part, slot, step, (least, most)));
        found
    };
    state != proctype.start
        && !entries.is_empty()
        && entries.iter().all(|action| matches!(action, Action::Condition(condition) if limits(condition)))
}

fn conjuncts<'e>(condition: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    match condition {
        Expr::And(a, b) => {
            conjuncts(a, visit);
            conjuncts(b, visit);
        }
        other => visit(other),
    }
}

/// Whether a comparison says that a variable can change by `step` without leaving a range.
fn keeps_within(proctype: &Proctype, part: &Expr, slot: usize, step: i32, (least, most): (i64, i64)) -> bool {
    let Expr::Binary(operator, a, b) = part else { return false };
    let is_it =
        |e: &Expr| matches!(e, Expr::Read(p) if p.scope == Scope::Local && p.slot == slot && p.indices.is_empty());
    let (operator, bound) = match (is_it(a), is_it(b)) {
        (true, false) => (*operator, &**b),
        (false, true) => (mirrored(*operator), &**a),
        _ => return false,
    };
    let (low, high) = match bound {
        Expr::Const(value) => (i64::from(*value), i64::from(*value)),
        Expr::Read(place) if place.scope == Scope::Local => match range(proctype.slots[place.slot].scalar.width) {
            Some(range) => range,
            None => return false,
        },
        _ => return false,
    };
    let step = i64::from(step);
    match operator {
        BinaryOp::Lt => step > 0 && high - 1 + step <= most,
        BinaryOp::Le => step > 0 && high + step <= most,
        BinaryOp::Gt => step < 0 && low + 1 + step >= least,
        BinaryOp::Ge => step < 0 && low + step >= least,
        _ => false,
    }
}

fn mirrored(operator: BinaryOp) -> BinaryOp {
    match operator {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

/// The least and the greatest value of a width.
fn range(width: Width) -> Option<(i64, i64)> {
    Some(match width {
        Width::Bit => (0, 1),
        Width::Byte => (0, 255),
        Width::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Width::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Width::Unsigned(bits) if bits < 32 => (0, (1 << bits) - 1),
        Width::Unsigned(_) => return None,
    })
}

/// The strongly connected component of each node, by a number (Kosaraju's algorithm).
pub(crate) fn components(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut next = vec![Vec::new(); nodes];
    let mut before = vec![Vec::new(); nodes];
    for (from, to) in edges {
        next[from].push(to);
        before[to].push(from);
    }
    let mut order = Vec::new();
    let mut seen = vec![false; nodes];
    for root in 0..nodes {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((node, at)) = work.last_mut() {
            match next[*node].get(*at) {
                Some(&to) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        work.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    work.pop();
                }
            }
        }
    }
    let mut component = vec![usize::MAX; nodes];
    for &root in order.iter().rev() {
        let mut work = vec![root];
        while let Some(node) = work.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                work.extend(&before[node]);
            }
        }
    }
    component
}
