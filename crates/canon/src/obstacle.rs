//! Why a model's symmetry cannot be used.

use quotient_ir::schema::Schema;
use quotient_ir::{Action, Expr, Model, Position, ProctypeId, Symmetry, population};

use crate::{Arrangement, Plan, Strategy};

/// Why a model cannot be reduced by a strategy, if it cannot: in a sentence without a full stop.
///
/// A member's process must never end: SPIN removes the youngest process first, so which of two like processes may go
/// depends on their ids. [`keep_ended`] takes that dependence away.
pub fn obstacle(model: &Model, strategy: Strategy) -> Option<String> {
    check(model, strategy).err()
}

fn check(model: &Model, strategy: Strategy) -> Result<(), String> {
    let symmetry = model.symmetry.as_ref().ok_or("no symmetry was declared or found")?;
    let schema = Schema::new(model);
    let arrangement = Arrangement::of_founders(model, &schema, &population(model));
    let needed = symmetry.processes.iter().rposition(|position| !stays(position)).map_or(0, |last| last + 1);
    if arrangement.processes.len() < needed {
        return Err("processes that change places are not created at the start".to_string());
    }
    let plan = Plan::new(model, &schema, symmetry, &arrangement)?;
    if symmetry.sets.iter().all(|set| set.size < 2) || plan.blocks.iter().all(|block| block.axes.is_empty()) {
        return Err("nothing in it changes places".to_string());
    }
    if let Some(&ty) = families(model, symmetry).iter().find(|&&ty| can_end(model, ty)) {
        let name = &model.proctypes[ty].name;
        return Err(format!("processes of type {name} can end, and SPIN removes the youngest first"));
    }
    for (set, keys) in symmetry.sets.iter().zip(&plan.keys) {
        if strategy.by_control() && keys.controls.is_empty() {
            return Err(format!("{strategy} sorts processes, and {} indexes none", set.name));
        }
        if strategy.by_array() && keys.array.is_none() {
            return Err(format!("{strategy} needs an array of plain values, and {} indexes none", set.name));
        }
    }
    Ok(())
}

/// Lets processes that change places stay where they end, so that the order in which they end does not matter. This
/// deviates from SPIN, where an ended process is removed once it is the youngest. Gives the names of their types.
pub fn keep_ended(model: &mut Model) -> Vec<String> {
    let Some(symmetry) = &model.symmetry else { return Vec::new() };
    let types = families(model, symmetry);
    let kept = types.into_iter().map(|ty| model.proctypes[ty].name.clone()).collect::<Vec<_>>();
    keep_types(model, &kept);
    kept
}

/// Lets processes of these types stay where they end.
pub fn keep_types(model: &mut Model, types: &[String]) {
    for proctype in model.proctypes.iter_mut().filter(|proctype| types.contains(&proctype.name)) {
        let (states, statements) = (&mut proctype.states, &proctype.statements);
        for state in states {
            state.transitions.retain(|transition| !matches!(statements[transition.statement].action, Action::End));
        }
    }
}

fn stays(position: &Position) -> bool {
    position.members.is_empty()
}

/// The types of processes that change places.
fn families(model: &Model, symmetry: &Symmetry) -> Vec<ProctypeId> {
    let founders = population(model);
    let moving = founders.iter().zip(&symmetry.processes).filter(|(_, position)| !stays(position));
    let mut families: Vec<ProctypeId> = moving.map(|(founder, _)| founder.proctype).collect();
    families.sort_unstable();
    families.dedup();
    families
}

/// Whether some way through a process type leads to its end.
fn can_end(model: &Model, ty: ProctypeId) -> bool {
    let proctype = &model.proctypes[ty];
    let mut seen = vec![false; proctype.states.len()];
    let mut work = vec![proctype.start];
    while let Some(state) = work.pop() {
        if std::mem::replace(&mut seen[state], true) {
            continue;
        }
        for transition in &proctype.states[state].transitions {
            match proctype.statements[transition.statement].action {
                Action::End => return true,
                Action::Condition(Expr::Const(0)) => {}
                _ => work.push(transition.target),
            }
        }
    }
    false
}
