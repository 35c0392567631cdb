//! Puts known values into statements and expressions. What gathers something in a variable goes on gathering.

use quotient_ir::{Action, Expr, Pattern, Place, Scope};

use super::Known;
use crate::effects::gathered;
use crate::rules::{constant, folded};

/// A statement with known values put in.
pub(super) fn fold_action(action: &Action, known: &Known) -> Action {
    let place = |p: &Place| fold_place(p, known);
    let expr = |e: &Expr| fold(e, known);
    match action {
        Action::Skip | Action::Else | Action::End | Action::Heap(_) | Action::Deterministic(_) => action.clone(),
        Action::Condition(e) => Action::Condition(expr(e)),
        Action::Assert(e) => Action::Assert(expr(e)),
        Action::Assign(to, value) => {
            let to = place(to);
            // What gathers something goes on gathering, unless all is known.
            let value = match gathered(&to, value) {
                Some((_, rest)) if constant(&expr(rest)).is_none() => keep_gathering(&to, value, known),
                _ => expr(value),
            };
            Action::Assign(to, value)
        }
        Action::Send { channel, values, sorted } => {
            Action::Send { channel: place(channel), values: values.iter().map(expr).collect(), sorted: *sorted }
        }
        Action::Receive { channel, pattern, random, copy } => {
            // Where a field goes may depend on what was received just before it: `q?i,a[i]`.
            let bound = |&(scope, slot): &(Scope, usize)| {
                pattern.iter().any(
                    |part| matches!(part, Pattern::Bind(to) if to.scope == scope && to.all_slots().contains(&slot)),
                )
            };
            let mut after = known.clone();
            after.retain(|at, _| !bound(at));
            let part = |part: &Pattern| match part {
                Pattern::Match(value) => Pattern::Match(expr(value)),
                Pattern::Bind(to) => Pattern::Bind(fold_place(to, &after)),
                Pattern::Ignore => Pattern::Ignore,
            };
            let pattern = pattern.iter().map(part).collect();
            Action::Receive { channel: place(channel), pattern, random: *random, copy: *copy }
        }
        Action::Print { format, args, mtype } => {
            Action::Print { format: format.clone(), args: args.iter().map(expr).collect(), mtype: *mtype }
        }
        Action::SetPriority(a, b) => Action::SetPriority(expr(a), expr(b)),
    }
}

/// `x = x + e` with what is known put into `e` only.
fn keep_gathering(to: &Place, value: &Expr, known: &Known) -> Expr {
    let mut rest = known.clone();
    rest.remove(&(to.scope, to.slot));
    fold(value, &rest)
}

fn fold_pattern(pattern: &Pattern, known: &Known) -> Pattern {
    match pattern {
        Pattern::Match(value) => Pattern::Match(fold(value, known)),
        Pattern::Bind(place) => Pattern::Bind(fold_place(place, known)),
        Pattern::Ignore => Pattern::Ignore,
    }
}

fn fold_place(place: &Place, known: &Known) -> Place {
    folded(&place.map(&|index| fold(index, known)))
}

/// An expression with known values put in.
fn fold(expr: &Expr, known: &Known) -> Expr {
    let folded = match expr {
        Expr::Read(place) => {
            let place = fold_place(place, known);
            match known.get(&(place.scope, place.slot)).filter(|_| place.indices.is_empty()) {
                Some(&value) => Expr::Const(value),
                None => Expr::Read(place),
            }
        }
        Expr::Length(place) => Expr::Length(Box::new(fold_place(place, known))),
        Expr::Probe(probe, place) => Expr::Probe(*probe, Box::new(fold_place(place, known))),
        Expr::Poll { channel, pattern, random } => Expr::Poll {
            channel: Box::new(fold_place(channel, known)),
            pattern: pattern.iter().map(|p| fold_pattern(p, known)).collect(),
            random: *random,
        },
        Expr::Run { .. } => expr.clone(),
        // The variable of a remote reference is another process's: only its indices are this one's.
        _ => expr.map(&|part| fold(part, known)),
    };
    match constant(&folded) {
        Some(value) => Expr::Const(value),
        None => folded,
    }
}
